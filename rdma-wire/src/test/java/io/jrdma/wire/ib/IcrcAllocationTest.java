package io.jrdma.wire.ib;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** Writing, sealing and checking packets allocates nothing in the steady state. */
class IcrcAllocationTest {
    private static final int WARM_UP = 20_000;
    private static final int MEASURED = 5_000;
    private static final int PAYLOAD = 256;

    @Test
    void sealAndVerifyAllocateNothing() {
        IcrcPath path = IcrcPath.of(new byte[] {10, 0, 0, 1}, 49_152, new byte[] {10, 0, 0, 2}, 4791);
        Icrc icrc = new Icrc();
        int length = RoceV2Packet.length(IbOpcode.RDMA_WRITE_ONLY, PAYLOAD);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment train = arena.allocate(4L * length);
            icrc.attach(train);
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long right = 0;
            long bytes = Long.MAX_VALUE;
            // the compiler may be at work in one measurement; it must not be in all of them
            for (int attempt = 0; attempt < 5 && bytes > 0; attempt++) {
                long before = 0;
                right = 0;
                for (int i = 0; i < WARM_UP + MEASURED; i++) {
                    if (i == WARM_UP) {
                        before = threads.getCurrentThreadAllocatedBytes();
                    }
                    right += round(icrc, path, train, length, i & 0xFFFF);
                }
                bytes = threads.getCurrentThreadAllocatedBytes() - before;
            }
            assertThat(right).isEqualTo(4L * (WARM_UP + MEASURED));
            assertThat(bytes).as("bytes of %d rounds", MEASURED).isLessThan(MEASURED); // not one object a round
        }
    }

    /** Packets that were found right. */
    private static int round(Icrc icrc, IcrcPath path, MemorySegment train, int length, int identification) {
        for (int i = 0; i < 4; i++) {
            RoceV2Head.putReth(
                    train, (long) i * length, IbOpcode.RDMA_WRITE_ONLY, 0, 0, 0xFFFF, 7, i, 4096, 5, PAYLOAD);
        }
        icrc.seal(path, train, 0, length, 4 * length, identification);
        int right = 0;
        for (int i = 0; i < 4; i++) {
            long at = (long) i * length;
            right += RoceV2Packet.check(train, at, length) == IbMalformed.OK
                            && icrc.verify(path, train, at, length) == ((identification + i) & 0xFFFF)
                    ? 1
                    : 0;
        }
        return right;
    }
}
