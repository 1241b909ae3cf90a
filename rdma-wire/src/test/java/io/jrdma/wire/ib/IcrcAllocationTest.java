package io.jrdma.wire.ib;

import io.jrdma.testing.Allocation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Writing, sealing and checking packets allocates nothing in the steady state. */
class IcrcAllocationTest {
    private static final int ROUNDS = 5_000;
    private static final int PAYLOAD = 256;

    private int identification;

    @Test
    void sealAndVerifyAllocateNothing() {
        IcrcPath path = IcrcPath.of(new byte[] {10, 0, 0, 1}, 49_152, new byte[] {10, 0, 0, 2}, 4791);
        Icrc icrc = new Icrc();
        int length = RoceV2Packet.length(IbOpcode.RDMA_WRITE_ONLY, PAYLOAD);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment train = arena.allocate(4L * length);
            icrc.attach(train);
            Allocation.assertAtMost(ROUNDS - 1, ROUNDS, () -> {
                int right = round(icrc, path, train, length, identification++ & 0xFFFF);
                if (right != 4) {
                    throw new AssertionError(right + " of 4 packets were found right");
                }
            });
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
