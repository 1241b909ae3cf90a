package io.jrdma.iwarp;

import io.jrdma.testkit.engine.TestClock;
import io.jrdma.testkit.engine.TestDevice;
import io.jrdma.verbs.Access;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.queue.CompletionPort;
import io.jrdma.verbs.queue.QueuePairCore;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A device with one queue pair and one region of memory, without an application, a loop or a network. */
final class TestNode extends TestDevice {
    static final int ALL = Access.LOCAL_WRITE.bit() | Access.REMOTE_WRITE.bit() | Access.REMOTE_READ.bit();
    /** Of a region that a peer may invalidate as well. */
    static final int ALL_AND_INVALIDATE = ALL | Access.REMOTE_INVALIDATE.bit();

    final IwarpDevice device;
    final CompletionPort sends;
    final CompletionPort receives;
    final QueuePairCore qp;
    /** Whether a test lets its completion queue run over. */
    boolean overflowExpected;

    int overflows;
    /** Called for a send completion if the port was armed. */
    Runnable onSend = () -> {};

    TestNode(TestClock clock, QueuePairOptions options, long seed, int bytes) {
        this(clock, options, seed, Arena.ofAuto().allocate(bytes, 4096));
    }

    TestNode(TestClock clock, QueuePairOptions options, long seed, MemorySegment memory) {
        super(new IwarpProvider().attributes(), clock, seed, memory, ALL);
        device = (IwarpDevice) new IwarpProvider().open(this);
        sends = new CompletionPort(1, 1 << 12, this::onSendCompletion, () -> {
            throw new AssertionError("send completions overflow");
        });
        receives = new CompletionPort(2, 1 << 12, () -> {}, () -> {
            if (overflowExpected) {
                overflows++;
            } else {
                throw new AssertionError("receive completions overflow");
            }
        });
        qp = newQueuePair(options);
    }

    private void onSendCompletion() {
        onSend.run();
    }

    QueuePairCore newQueuePair(QueuePairOptions options) {
        QueuePairCore core = new QueuePairCore(5, PD, options, sends, receives, this, driver);
        core.attach(device);
        core.modify(QpAttributes.state(QpState.INIT));
        return core;
    }

    static QueuePairOptions options() {
        return QueuePairOptions.rc(null);
    }

    /** Registers 64 bytes whose memory is gone already. */
    Gone registerGone() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment segment = arena.allocate(64);
            return new Gone(table.register(PD, segment, ALL), segment.address());
        }
    }

    /** Key and address of memory that was freed while it was registered. */
    record Gone(int key, long address) {}

    void postReceive(long id, long offset, int length) {
        qp.postReceive(receive(id, offset, length));
    }

    void postSend(long id, long offset, int length) {
        qp.postSend(send(id, offset, length));
    }

    void postWrite(long id, long offset, int length, TestNode to, long toOffset) {
        qp.postSend(write(id, offset, length, to, toOffset));
    }

    void postRead(long id, long offset, int length, TestNode from, long fromOffset) {
        qp.postSend(read(id, offset, length, from, fromOffset));
    }

    List<String> sendCompletions() {
        return takeText(sends);
    }

    List<String> receiveCompletions() {
        return takeText(receives);
    }
}
