package io.jrdma.verbs.queue;

import static io.jrdma.verbs.queue.CoreFixture.receive;
import static io.jrdma.verbs.queue.CoreFixture.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.PostException;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.SendFlags;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WrOpcode;
import io.jrdma.verbs.fake.FakeDriver;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What cannot be posted, and what is told about it; and what can be posted at the edge. */
class PostRefusalTest {
    private final CoreFixture fixture = CoreFixture.ready();
    private final QueuePairCore core = fixture.core;

    private static void refused(ThrowingCallable post, Errno errno, int badIndex, String message) {
        assertThatThrownBy(post).isInstanceOfSatisfying(PostException.class, e -> {
            assertThat(e.errno()).isEqualTo(errno);
            assertThat(e.badIndex()).isEqualTo(badIndex);
            assertThat(e).hasMessage(errno + ": " + message);
        });
    }

    @Test
    void sendNeedsRtsAndReceiveNeedsInit() {
        CoreFixture early = new CoreFixture(FakeDriver.byHand(), 8, 8, false);
        refused(
                () -> early.core.postReceive(receive(1)),
                Errno.EINVAL,
                0,
                "a receive cannot be posted in state RESET; allowed from INIT on");
        for (QpState state : List.of(QpState.RESET, QpState.INIT, QpState.RTR)) {
            if (state != QpState.RESET) {
                early.modify(state);
                early.core.postReceive(receive(1));
            }
            refused(
                    () -> early.core.postSend(send(1)),
                    Errno.EINVAL,
                    0,
                    "a send cannot be posted in state " + state + "; allowed from RTS on");
        }
        early.modify(QpState.RTS);
        early.core.postSend(send(1));
        early.modify(QpState.SQD);
        early.core.postSend(send(1));
        assertThat(early.core.sendQueue().posted()).isEqualTo(2);
        assertThat(early.core.receiveQueue().posted()).isEqualTo(2);
    }

    @Test
    void opcodeThatTheDeviceLacks() {
        for (WrOpcode opcode : List.of(
                WrOpcode.RDMA_WRITE_WITH_IMM,
                WrOpcode.SEND_WITH_IMM,
                WrOpcode.ATOMIC_CMP_AND_SWP,
                WrOpcode.ATOMIC_FETCH_AND_ADD,
                WrOpcode.BIND_MW)) {
            refused(
                    () -> core.postSend(send(1).opcode(opcode)),
                    Errno.EOPNOTSUPP,
                    0,
                    "unsupported opcode " + opcode
                            + "; this device has [RDMA_WRITE, SEND, RDMA_READ, LOCAL_INV, SEND_WITH_INV]");
        }
    }

    @Test
    void messageThatIsTooLong() {
        long max = 1L << 31;
        core.postSend(send(1).addSge(0, max, 1));
        refused(
                () -> core.postSend(send(1).addSge(0, max, 1).addSge(0, 1, 1)),
                Errno.EINVAL,
                0,
                "message of " + (max + 1) + " bytes; allowed are " + max);
    }

    @Test
    void listThatIsTooLong() {
        core.postSend(send(1).addSge(0, 1, 1).addSge(0, 1, 1));
        refused(
                () -> core.postSend(send(1).addSge(0, 1, 1).addSge(0, 1, 1).addSge(0, 1, 1)),
                Errno.EINVAL,
                0,
                "SEND with 3 scatter/gather elements; allowed are 2");
        refused(
                () -> core.postSend(
                        send(1).opcode(WrOpcode.RDMA_READ).addSge(0, 1, 1).addSge(0, 1, 1)),
                Errno.EINVAL,
                0,
                "RDMA_READ with 2 scatter/gather elements; allowed are 1");
        core.postReceive(receive(1).addSge(0, 1, 1).addSge(0, 1, 1));
        refused(
                () -> core.postReceive(
                        receive(1).addSge(0, 1, 1).addSge(0, 1, 1).addSge(0, 1, 1)),
                Errno.EINVAL,
                0,
                "receive with 3 scatter/gather elements; allowed are 2");
    }

    @Test
    void fullQueues() {
        for (int i = 0; i < 8; i++) {
            core.postSend(send(i));
            core.postReceive(receive(i));
        }
        refused(() -> core.postSend(send(9)), Errno.ENOMEM, 0, "send queue is full with 8 requests");
        refused(() -> core.postReceive(receive(9)), Errno.ENOMEM, 0, "receive queue is full with 8 requests");
        core.completeSend(1, WcStatus.SUCCESS, 0, 0);
        refused(() -> core.postSend(send(9)), Errno.ENOMEM, 0, "send queue is full with 8 requests");
        core.completeSend(0, WcStatus.SUCCESS, 0, 0);
        core.postSend(List.of(send(9), send(10)));
        refused(() -> core.postSend(send(11)), Errno.ENOMEM, 0, "send queue is full with 8 requests");
        core.completeReceive(WcStatus.SUCCESS, WcOpcode.RECV, 0, 0, 0, 0, false);
        core.postReceive(receive(9));
    }

    @Test
    void queuesOfSizeZeroTakeNothing() {
        CoreFixture none = CoreFixture.ready(0, 0, false);
        refused(() -> none.core.postSend(send(1)), Errno.ENOMEM, 0, "send queue is full with 0 requests");
        refused(() -> none.core.postReceive(receive(1)), Errno.ENOMEM, 0, "receive queue is full with 0 requests");
        none.core.enterError();
        assertThat(none.completions()).isEmpty();
    }

    @Test
    void listStopsAtTheFirstBadOne() {
        SendWr bad = send(3).opcode(WrOpcode.BIND_MW);
        assertThatThrownBy(() -> core.postSend(List.of(send(1), send(2), bad, send(4))))
                .isInstanceOfSatisfying(
                        PostException.class, e -> assertThat(e.badIndex()).isEqualTo(2));
        assertThat(core.sendQueue().posted()).isEqualTo(2);
        assertThat(fixture.driver.runTasks()).isEqualTo(1);
        assertThatThrownBy(() -> core.postSend(List.of(bad)))
                .isInstanceOfSatisfying(
                        PostException.class, e -> assertThat(e.badIndex()).isZero());
        assertThat(fixture.driver.runTasks()).isZero();
        RecvWr worse = receive(3).addSge(0, 1, 1).addSge(0, 1, 1).addSge(0, 1, 1);
        assertThatThrownBy(() -> core.postReceive(List.of(receive(1), worse, receive(4))))
                .isInstanceOfSatisfying(
                        PostException.class, e -> assertThat(e.badIndex()).isEqualTo(1));
        assertThat(core.receiveQueue().posted()).isEqualTo(1);
    }

    @Test
    void requestMayBeFilledAgainAtOnce() {
        SendWr request = send(1).remote(7, 8).addSge(100, 5, 6).invalidate(3).fenced(true);
        core.postSend(request);
        request.reset().id(2).remote(0, 0).addSge(1, 1, 1).addSge(2, 2, 2);
        core.postSend(request);
        SendQueue queue = core.sendQueue();
        assertThat(queue.id(0)).isEqualTo(1);
        assertThat(queue.remoteAddress(0)).isEqualTo(7);
        assertThat(queue.remoteKey(0)).isEqualTo(8);
        assertThat(queue.immediateOrKey(0)).isEqualTo(3);
        assertThat(queue.flags(0)).isEqualTo(SendFlags.SIGNALED | SendFlags.FENCE);
        assertThat(queue.sgeCount(0)).isEqualTo(1);
        assertThat(queue.sgeAddress(0, 0)).isEqualTo(100);
        assertThat(queue.sgeLength(0, 0)).isEqualTo(5);
        assertThat(queue.sgeKey(0, 0)).isEqualTo(6);
        assertThat(queue.length(0)).isEqualTo(5);
        assertThat(queue.sgeCount(1)).isEqualTo(2);
        assertThat(queue.sgeAddress(1, 1)).isEqualTo(2);
        assertThat(queue.length(1)).isEqualTo(3);
        RecvWr buffer = receive(3).addSge(10, 20, 30).addSge(1, 2, 3);
        core.postReceive(buffer);
        buffer.reset();
        assertThat(core.receiveQueue().id(0)).isEqualTo(3);
        assertThat(core.receiveQueue().sgeCount(0)).isEqualTo(2);
        assertThat(core.receiveQueue().sgeAddress(0, 0)).isEqualTo(10);
        assertThat(core.receiveQueue().sgeLength(0, 1)).isEqualTo(2);
        assertThat(core.receiveQueue().sgeKey(0, 0)).isEqualTo(30);
        assertThat(core.receiveQueue().length(0)).isEqualTo(22);
    }

    // ---- inline ----

    private byte[] inlineOf(long sequence) {
        return core.sendQueue()
                .inlineMemory()
                .asSlice(
                        core.sendQueue().inlineOffset(sequence),
                        core.sendQueue().length(sequence))
                .toArray(ValueLayout.JAVA_BYTE);
    }

    @Test
    void inlinePayloadIsGatheredFromRegionsWhilePosting() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(100);
            memory.asSlice(10, 3).copyFrom(MemorySegment.ofArray(new byte[] {1, 2, 3}));
            memory.asSlice(50, 2).copyFrom(MemorySegment.ofArray(new byte[] {4, 5}));
            int key = fixture.memory.register(CoreFixture.PD, memory, 0);
            core.postSend(send(0));
            core.postSend(
                    send(1).inline(true).addSge(memory.address() + 10, 3, key).addSge(memory.address() + 50, 2, key));
            memory.fill((byte) 0);
            assertThat(inlineOf(1)).containsExactly(1, 2, 3, 4, 5);
            assertThat(core.sendQueue().sgeCount(1)).isZero();
            assertThat(core.sendQueue().flags(1)).isEqualTo(SendFlags.SIGNALED | SendFlags.INLINE);
        }
    }

    @Test
    void inlinePayloadComesFromAnyMemory() {
        SendWr request = send(1).inlineData(MemorySegment.ofArray(new byte[] {9, 8, 7}));
        core.postSend(request);
        assertThat(inlineOf(0)).containsExactly(9, 8, 7);
        core.postSend(request.inlineData(MemorySegment.ofArray(new byte[64])));
        assertThat(inlineOf(1)).hasSize(64);
        core.postSend(request.inlineData(MemorySegment.ofArray(new byte[0])));
        assertThat(inlineOf(2)).isEmpty();
    }

    /** Setting all flags at once must not leave a payload that is neither inline nor in the list. */
    @Test
    void payloadStaysInlineWhateverFlagsAreSetLater() {
        core.postSend(send(1).inlineData(MemorySegment.ofArray(new byte[] {9}))
                .flags(SendFlags.SIGNALED)
                .inline(false));
        assertThat(core.sendQueue().flags(0)).isEqualTo(SendFlags.SIGNALED | SendFlags.INLINE);
        assertThat(inlineOf(0)).containsExactly(9);
        core.postSend(send(2).inlineData(MemorySegment.ofArray(new byte[] {9})).inlineData(null));
        assertThat(core.sendQueue().flags(1)).isEqualTo(SendFlags.SIGNALED);
        assertThat(core.sendQueue().length(1)).isZero();
    }

    @Test
    void inlinePayloadThatIsTooLong() {
        refused(
                () -> core.postSend(send(1).inlineData(MemorySegment.ofArray(new byte[65]))),
                Errno.EINVAL,
                0,
                "inline payload of 65 bytes; the queue pair was created with 64");
        refused(
                () -> core.postSend(send(1).inline(true).addSge(0, 64, 1).addSge(0, 1, 1)),
                Errno.EINVAL,
                0,
                "inline payload of 65 bytes; the queue pair was created with 64");
        refused(
                () -> core.postSend(send(1).inline(true).opcode(WrOpcode.RDMA_READ)),
                Errno.EINVAL,
                0,
                "RDMA_READ cannot be inline");
    }

    @Test
    void inlinePayloadOutOfReach() {
        MemorySegment gone;
        try (Arena arena = Arena.ofShared()) {
            gone = arena.allocate(8);
        }
        refused(
                () -> core.postSend(List.of(send(1), send(2).inlineData(gone))),
                Errno.EINVAL,
                1,
                "inline payload: the memory behind the region was freed");
        refused(
                () -> core.postSend(send(2).inline(true).addSge(0x10, 0, 0).addSge(0x20, 1, 5)),
                Errno.EINVAL,
                0,
                "inline payload, element 0 at 0x10: no region has that key, or it was invalidated");
        int key = fixture.memory.register(CoreFixture.PD, gone, 0);
        refused(
                () -> core.postSend(send(2).inline(true).addSge(gone.address(), 8, key)),
                Errno.EINVAL,
                0,
                "inline payload, element 0 at 0x" + Long.toHexString(gone.address())
                        + ": the memory behind the region was freed");
        assertThat(core.sendQueue().posted()).isEqualTo(1);
    }

    @Test
    void iterableThatThrowsLeavesWhatWasPosted() {
        List<SendWr> broken = new ArrayList<>(Arrays.asList(send(1), null, send(3)));
        assertThatThrownBy(() -> core.postSend(broken)).isInstanceOf(NullPointerException.class);
        assertThat(core.sendQueue().posted()).isEqualTo(1);
        assertThat(fixture.driver.runTasks()).isEqualTo(1);
    }
}
