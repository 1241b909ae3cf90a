package io.jrdma.verbs.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.AsyncEvent;
import io.jrdma.verbs.DeviceAttributes;
import io.jrdma.verbs.PostException;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.QpType;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.fake.FakeDriver;
import io.jrdma.verbs.fake.FakeEngine;
import io.jrdma.verbs.fake.FakeQueuePairEngine;
import io.jrdma.verbs.fake.FakeTransport;
import io.jrdma.verbs.memory.MemoryTable;
import io.jrdma.verbs.spi.DeviceContext;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads that post against the loop that fails the queue pair. */
class PostRaceTest {
    /** The core asks for the attributes between its look at the state and the entry in the queue: the loop comes in just there. */
    @Test
    void errorThatComesWhileAPostIsUnderWayFlushesIt() {
        for (int point = 0; point < 6; point++) {
            int at = point;
            AtomicInteger asked = new AtomicInteger();
            Runnable[] loop = {() -> {}};
            DeviceContext context = new Context(() -> {
                if (asked.getAndIncrement() == at) {
                    loop[0].run();
                }
            });
            FakeDriver driver = FakeDriver.byHand();
            CompletionPort port = new CompletionPort(1, 16, () -> {}, () -> {});
            QueuePairCore core = core(context, driver, port, 4);
            loop[0] = core::enterError;
            asked.set(0);
            core.postSend(List.of(new SendWr().id(1), new SendWr().id(2), new SendWr().id(3)));
            driver.runTasks();
            assertThat(ids(port)).as("the loop comes in at point %d", point).containsExactly(1L, 2L, 3L);
        }
    }

    private static QueuePairCore core(DeviceContext context, FakeDriver driver, CompletionPort port, int depth) {
        QueuePairOptions options = new QueuePairOptions(QpType.RC, null, null, depth, depth, 1, 1, 64, false, null);
        QueuePairCore core = new QueuePairCore(5, 1, options, port, port, context, driver);
        core.attach(new FakeEngine(context));
        core.modify(QpAttributes.state(QpState.INIT));
        core.modify(QpAttributes.state(QpState.RTS));
        return core;
    }

    private static List<Long> ids(CompletionPort port) {
        List<Long> ids = new ArrayList<>();
        WorkCompletion[] one = {new WorkCompletion()};
        while (port.drain(one, 0, 1) == 1) {
            assertThat(one[0].status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
            ids.add(one[0].id());
        }
        return ids;
    }

    /** Whenever the loop fails the queue pair, what was taken before, meanwhile and after gets its one flush completion. */
    @Test
    @Timeout(60)
    void everyPostThatWasTakenIsFlushedOnce() throws InterruptedException {
        for (int round = 0; round < 300; round++) {
            FakeDriver driver = FakeDriver.threaded();
            CompletionPort port = new CompletionPort(1, 256, () -> {}, () -> {});
            QueuePairCore core = core(new Context(() -> {}), driver, port, 64);
            int delay = round % 50;
            List<Long> takenSends = new ArrayList<>();
            List<Long> takenReceives = new ArrayList<>();
            Thread sender = Thread.ofPlatform().start(() -> {
                for (long id = 0; id < 50; id++) {
                    if (id == delay) {
                        driver.execute(core::enterError);
                    }
                    core.postSend(new SendWr().id(id));
                    takenSends.add(id);
                }
            });
            for (long id = 1000; id < 1050; id++) {
                try {
                    core.postReceive(new RecvWr().id(id));
                    takenReceives.add(id);
                } catch (PostException full) {
                    throw new AssertionError("64 fit", full);
                }
            }
            sender.join(20_000);
            driver.call(() -> {}); // behind the last doorbell
            driver.close();
            List<Long> flushed = ids(port);
            assertThat(flushed.stream().filter(id -> id < 1000)).containsExactlyElementsOf(takenSends);
            assertThat(flushed.stream().filter(id -> id >= 1000)).containsExactlyElementsOf(takenReceives);
            assertThat(driver.failures).isEmpty();
        }
    }

    @Test
    @Timeout(60)
    void twoPostersShareAQueueWithoutLoss() throws InterruptedException {
        FakeDriver driver = FakeDriver.threaded();
        CompletionPort port = new CompletionPort(1, 20_000, () -> {}, () -> {});
        QueuePairCore core = core(new Context(() -> {}), driver, port, 16);
        AtomicInteger stuck = new AtomicInteger();
        Runnable poster = () -> {
            long end = System.nanoTime() + 20_000_000_000L;
            for (int i = 0; i < 2_000; ) {
                try {
                    core.postSend(new SendWr().id(i));
                    i++;
                } catch (PostException full) {
                    if (System.nanoTime() > end) {
                        stuck.incrementAndGet();
                        return;
                    }
                    Thread.onSpinWait();
                }
            }
        };
        driver.call(() -> ((FakeQueuePairEngine) core.engine()).onDoorbell = () -> {
            for (long s = core.sendQueue().head(); s < core.sendQueue().posted(); s++) {
                core.completeSend(s, WcStatus.WR_FLUSH_ERR, 0, 0);
            }
        });
        Thread one = Thread.ofPlatform().start(poster);
        Thread two = Thread.ofPlatform().start(poster);
        one.join(30_000);
        two.join(30_000);
        driver.call(() -> {});
        driver.close();
        assertThat(stuck).hasValue(0);
        List<Long> ids = ids(port);
        assertThat(ids).hasSize(4_000);
        assertThat(ids.stream().distinct()).hasSize(2_000);
    }

    /** Deregistration waits for a post that is copying its payload, so that what comes later is never seen. */
    @Test
    @Timeout(60)
    void inlinePostReadsNothingAfterDeregistration() throws InterruptedException {
        MemoryTable table = new MemoryTable(3, 10);
        AtomicBoolean end = new AtomicBoolean();
        AtomicInteger key = new AtomicInteger();
        AtomicInteger seen = new AtomicInteger();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(1 << 16);
            Thread poster = Thread.ofPlatform().start(() -> {
                MemorySegment copy = MemorySegment.ofArray(new byte[1 << 16]);
                while (!end.get()) {
                    copy.fill((byte) 0);
                    table.readWhilePosting(key.get(), 1, memory.address(), copy, 0, 1 << 16);
                    for (int i = 0; i < 1 << 16; i += 512) {
                        if (copy.get(ValueLayout.JAVA_BYTE, i) != 0) {
                            seen.incrementAndGet();
                        }
                    }
                }
            });
            for (int round = 0; round < 2_000; round++) {
                memory.fill((byte) 0);
                key.set(table.register(1, memory, 0));
                Thread.onSpinWait();
                table.deregister(key.get());
                memory.fill((byte) 1);
            }
            end.set(true);
            poster.join(20_000);
        }
        assertThat(seen).hasValue(0);
    }

    private record Context(Runnable onAttributes, MemoryTable memory) implements DeviceContext {
        Context(Runnable onAttributes) {
            this(onAttributes, new MemoryTable(1, 10));
        }

        @Override
        public DeviceAttributes attributes() {
            onAttributes.run();
            return FakeTransport.ATTRIBUTES;
        }

        @Override
        public long seed() {
            return 1;
        }

        @Override
        public void onAsyncEvent(AsyncEvent event) {}
    }
}
