package io.jrdma.verbs;

import io.jrdma.testing.Allocation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Posting, completing and polling allocate nothing in the steady state. */
class AllocationTest {
    private static final int ROUNDS = 20_000;

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
            Allocation.assertAtMost(ROUNDS - 1, ROUNDS, () -> {
                queuePair.postReceive(receive.reset().id(1).addSge(region, 0, 64));
                queuePair.postSend(send.reset().id(2).addSge(region, 64, 64));
                queuePair.postSend(send.reset().id(3).inline(true).addSge(region, 64, 64));
                queuePair.postSend(send.reset().id(4).inlineData(payload));
                int polled = queue.poll(holders);
                if (polled != 4) {
                    throw new AssertionError(polled + " completions of 4 requests");
                }
            });
        }
    }
}
