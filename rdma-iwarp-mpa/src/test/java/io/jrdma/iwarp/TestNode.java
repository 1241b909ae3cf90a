package io.jrdma.iwarp;

import io.jrdma.iwarp.TestDriver.TestClock;
import io.jrdma.verbs.Access;
import io.jrdma.verbs.AsyncEvent;
import io.jrdma.verbs.DeviceAttributes;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.WrOpcode;
import io.jrdma.verbs.memory.MemoryTable;
import io.jrdma.verbs.queue.CompletionPort;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.DeviceContext;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** A device with one queue pair and one region of memory, without an application, a loop or a network. */
final class TestNode implements DeviceContext {
    static final int PD = 7;
    static final int ALL = Access.LOCAL_WRITE.bit() | Access.REMOTE_WRITE.bit() | Access.REMOTE_READ.bit();
    /** Of a region that a peer may invalidate as well. */
    static final int ALL_AND_INVALIDATE = ALL | Access.REMOTE_INVALIDATE.bit();

    final TestDriver driver;
    final IwarpDevice device;
    final MemoryTable table;
    final List<AsyncEvent> events = new ArrayList<>();
    final CompletionPort sends;
    final CompletionPort receives;
    final QueuePairCore qp;
    final MemorySegment memory;
    final int key;
    /** Whether a test lets its completion queue run over. */
    boolean overflowExpected;

    int overflows;
    /** Called for a send completion if the port was armed. */
    Runnable onSend = () -> {};

    private final DeviceAttributes attributes = new IwarpProvider().attributes();

    TestNode(TestClock clock, QueuePairOptions options, long seed, int bytes) {
        this(clock, options, seed, Arena.ofAuto().allocate(bytes, 4096));
    }

    TestNode(TestClock clock, QueuePairOptions options, long seed, MemorySegment memory) {
        driver = new TestDriver(clock);
        table = new MemoryTable(seed, 1000);
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
        this.memory = memory;
        key = table.register(PD, memory, ALL);
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

    long address(long offset) {
        return memory.address() + offset;
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

    void fill(long offset, byte... bytes) {
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, offset, bytes.length);
    }

    byte[] bytes(long offset, int length) {
        return memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    }

    void postReceive(long id, long offset, int length) {
        qp.postReceive(new RecvWr().id(id).addSge(address(offset), length, key));
    }

    SendWr send(long id, long offset, int length) {
        SendWr wr = new SendWr().id(id);
        return length == 0 ? wr : wr.addSge(address(offset), length, key);
    }

    void postSend(long id, long offset, int length) {
        qp.postSend(send(id, offset, length));
    }

    void postWrite(long id, long offset, int length, TestNode to, long toOffset) {
        qp.postSend(send(id, offset, length).opcode(WrOpcode.RDMA_WRITE).remote(to.address(toOffset), to.key));
    }

    void postRead(long id, long offset, int length, TestNode from, long fromOffset) {
        qp.postSend(send(id, offset, length).opcode(WrOpcode.RDMA_READ).remote(from.address(fromOffset), from.key));
    }

    /** The completions since the last call, as text: {@code id STATUS opcode length}. */
    List<String> sendCompletions() {
        return drain(sends);
    }

    List<String> receiveCompletions() {
        return drain(receives);
    }

    private static List<String> drain(CompletionPort port) {
        List<String> all = new ArrayList<>();
        WorkCompletion[] one = {new WorkCompletion()};
        while (port.drain(one, 0, 1) == 1) {
            WorkCompletion wc = one[0];
            all.add(wc.id() + " " + wc.status() + " " + wc.opcode() + " " + wc.byteLength());
        }
        return all;
    }

    /** The completions since the last call. */
    static List<WorkCompletion> take(CompletionPort port) {
        List<WorkCompletion> all = new ArrayList<>();
        WorkCompletion[] one = {new WorkCompletion()};
        while (port.drain(one, 0, 1) == 1) {
            all.add(one[0]);
            one[0] = new WorkCompletion();
        }
        return all;
    }

    @Override
    public DeviceAttributes attributes() {
        return attributes;
    }

    @Override
    public MemoryTable memory() {
        return table;
    }

    @Override
    public long seed() {
        return 1;
    }

    @Override
    public void onAsyncEvent(AsyncEvent event) {
        events.add(event);
    }
}
