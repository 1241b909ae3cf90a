package io.jrdma.verbs.queue;

import io.jrdma.verbs.AsyncEvent;
import io.jrdma.verbs.DeviceAttributes;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.QpType;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.fake.FakeDriver;
import io.jrdma.verbs.fake.FakeEngine;
import io.jrdma.verbs.fake.FakeQueuePairEngine;
import io.jrdma.verbs.fake.FakeTransport;
import io.jrdma.verbs.memory.MemoryTable;
import io.jrdma.verbs.spi.DeviceContext;
import java.util.ArrayList;
import java.util.List;

/** One core, its completions in one ring, a transport that does only what the test says. */
final class CoreFixture implements DeviceContext {
    static final int PD = 9;
    static final int QP_NUM = 0x1234;

    final FakeDriver driver;
    final MemoryTable memory = new MemoryTable(1, 100);
    final List<AsyncEvent> events = new ArrayList<>();
    final CompletionPort port;
    final QueuePairCore core;
    final FakeQueuePairEngine engine;
    Runnable onNotify = () -> {};

    CoreFixture(FakeDriver driver, int sends, int receives, boolean signalAll) {
        this.driver = driver;
        this.port = new CompletionPort(1, 4096, () -> onNotify.run(), () -> {});
        QueuePairOptions options =
                new QueuePairOptions(QpType.RC, null, null, sends, receives, 2, 2, 64, signalAll, null);
        core = new QueuePairCore(QP_NUM, PD, options, port, port, this, driver);
        FakeEngine device = new FakeEngine(this);
        core.attach(device);
        engine = device.queuePairs.get(0);
    }

    /** Driven by the test, with 8 sends and 8 receives, in RTS. */
    static CoreFixture ready() {
        return ready(8, 8, false);
    }

    static CoreFixture ready(int sends, int receives, boolean signalAll) {
        CoreFixture fixture = new CoreFixture(FakeDriver.byHand(), sends, receives, signalAll);
        fixture.modify(QpState.INIT);
        fixture.modify(QpState.RTS);
        return fixture;
    }

    void modify(QpState state) {
        core.modify(QpAttributes.state(state));
    }

    static SendWr send(long id) {
        return new SendWr().id(id);
    }

    static RecvWr receive(long id) {
        return new RecvWr().id(id);
    }

    /** What has completed since the last call, as {@code id:STATUS}. */
    List<String> completions() {
        List<String> texts = new ArrayList<>();
        WorkCompletion[] one = {new WorkCompletion()};
        while (port.drain(one, 0, 1) == 1) {
            texts.add(one[0].id() + ":" + one[0].status());
        }
        return texts;
    }

    @Override
    public DeviceAttributes attributes() {
        return FakeTransport.ATTRIBUTES;
    }

    @Override
    public MemoryTable memory() {
        return memory;
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
