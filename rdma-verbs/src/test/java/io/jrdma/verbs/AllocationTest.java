package io.jrdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Posting, completing and polling allocate nothing in the steady state. */
class AllocationTest {
    private static final int WARM_UP = 30_000;
    private static final int MEASURED = 20_000;

    @Test
    void postCompletePollAllocatesNothing() {
        DeviceFixture fixture = DeviceFixture.byHand();
        CompletionChannel channel = fixture.device.createCompletionChannel();
        CompletionQueue queue = fixture.device.createCompletionQueue(200, channel);
        ProtectionDomain domain = fixture.device.allocateProtectionDomain();
        QueuePair queuePair = fixture.ready(domain, queue);
        fixture.engine(0).onDoorbell = () -> DeviceFixture.completeAll(queuePair.core());
        WorkCompletion[] holders = DeviceFixture.holders(8);
        SendWr send = new SendWr();
        RecvWr receive = new RecvWr();
        MemorySegment payload = MemorySegment.ofArray(new byte[64]);
        try (Arena arena = Arena.ofShared()) {
            MemoryRegion region = domain.register(arena, 4096, Set.of(Access.LOCAL_WRITE));
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long polled = 0;
            long bytes = Long.MAX_VALUE;
            // the compiler may be at work in one measurement; it must not be in all of them
            for (int attempt = 0; attempt < 5 && bytes > 0; attempt++) {
                long before = 0;
                for (int i = 0; i < WARM_UP + MEASURED; i++) {
                    if (i == WARM_UP) {
                        before = threads.getCurrentThreadAllocatedBytes();
                    }
                    queuePair.postReceive(receive.reset().id(i).addSge(region, 0, 64));
                    queuePair.postSend(send.reset().id(i).addSge(region, 64, 64));
                    queuePair.postSend(send.reset().id(i).inline(true).addSge(region, 64, 64));
                    queuePair.postSend(send.reset().id(i).inlineData(payload));
                    polled += queue.poll(holders);
                }
                bytes = threads.getCurrentThreadAllocatedBytes() - before;
            }
            assertThat(polled % (4L * (WARM_UP + MEASURED))).isZero();
            assertThat(bytes).as("bytes of %d rounds", MEASURED).isLessThan(MEASURED); // not one object a round
        }
    }
}
