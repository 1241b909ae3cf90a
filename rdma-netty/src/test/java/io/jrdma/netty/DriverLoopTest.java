package io.jrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.verbs.DeviceOptions.Progress;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tasks, who runs them, and the end of a loop. */
class DriverLoopTest {
    private static final long LONG_NS = 20_000_000_000L;

    /** A backend and a way of progress. */
    record Kind(IoBackend backend, Progress progress) {
        Peer open() {
            RecordedLog.take();
            return new Peer(NettyOptions.builder().backend(backend).build(), progress);
        }
    }

    static Stream<Kind> all() {
        return Stream.concat(
                manual(),
                Stream.of(IoBackend.values())
                        .filter(IoBackend::isAvailable)
                        .map(backend -> new Kind(backend, Progress.AUTOMATIC)));
    }

    static Stream<Kind> manual() {
        return Stream.of(IoBackend.EPOLL, IoBackend.NIO)
                .filter(IoBackend::isAvailable)
                .map(backend -> new Kind(backend, Progress.MANUAL));
    }

    private static Thread run(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.start();
        return thread;
    }

    private static void join(Thread thread) throws InterruptedException {
        thread.join(TimeUnit.NANOSECONDS.toMillis(LONG_NS));
        assertThat(thread.isAlive()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("all")
    void tasksRunInOrderAndACallComesAfterThem(Kind kind) {
        List<Integer> order = new ArrayList<>();
        try (Peer peer = kind.open()) {
            for (int i = 0; i < 1000; i++) {
                int number = i;
                peer.driver.execute(() -> order.add(number));
            }
            peer.driver.call(() -> order.add(1000));
            assertThat(order).hasSize(1001).isSorted();
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void tasksRunInABurstOnTheLoop(Kind kind) {
        try (Peer peer = kind.open()) {
            assertThat(peer.driver.inLoop()).isFalse();
            peer.driver.call(() -> {
                assertThat(peer.driver.inLoop()).isTrue();
                assertThat(peer.guard.inside).isTrue();
                AtomicInteger nested = new AtomicInteger();
                peer.driver.call(nested::incrementAndGet);
                assertThat(nested).hasValue(1);
                assertThat(peer.driver.progress(0)).isFalse();
                assertThat(peer.driver.progress(Long.MAX_VALUE)).isFalse();
            });
            assertThat(peer.guard.broken).isFalse();
            peer.close();
            assertThat(peer.guard.inside).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void aCallThrowsWhatItsTaskThrowsAndATaskIsLogged(Kind kind) {
        try (Peer peer = kind.open()) {
            assertThatThrownBy(() -> peer.driver.call(() -> {
                        throw new VerbsException(Errno.EBUSY, "planted");
                    }))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("planted");
            peer.driver.execute(() -> {
                throw new IllegalStateException("planted in a task");
            });
            peer.driver.call(() -> {});
            assertThat(RecordedLog.take()).singleElement().asString().contains("a task of the loop failed");
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void aClosedLoopIgnoresTasksAndRefusesCalls(Kind kind) {
        Peer peer = kind.open();
        peer.close();
        peer.close();
        AtomicInteger runs = new AtomicInteger();
        peer.driver.execute(runs::incrementAndGet);
        assertThatThrownBy(() -> peer.driver.call(runs::incrementAndGet))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENODEV));
        assertThat(peer.driver.progress(0)).isFalse();
        assertThat(peer.driver.progress(Long.MAX_VALUE)).isFalse();
        assertThat(runs).hasValue(0);
    }

    @ParameterizedTest
    @MethodSource("all")
    void theLoopCannotCloseItself(Kind kind) {
        try (Peer peer = kind.open()) {
            assertThatThrownBy(() -> peer.driver.call(peer.driver::close))
                    .isInstanceOfSatisfying(
                            VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY));
        }
    }

    @Test
    void automaticProgressIsNobodysBusiness() {
        try (Peer peer = new Kind(IoBackend.best(), Progress.AUTOMATIC).open();
                Arena confined = Arena.ofConfined();
                Arena shared = Arena.ofShared()) {
            assertThat(peer.driver.isManual()).isFalse();
            assertThat(peer.driver.progress(Long.MAX_VALUE)).isFalse();
            assertThat(peer.driver.canAccess(confined.allocate(8))).isFalse();
            assertThat(peer.driver.canAccess(shared.allocate(8))).isTrue();
            AtomicReference<Thread> thread = new AtomicReference<>();
            peer.driver.call(() -> thread.set(Thread.currentThread()));
            assertThat(thread.get().isDaemon()).isTrue();
            assertThat(thread.get().getName()).isEqualTo("jrdma-iwarp-127.0.0.1");
        }
    }

    @ParameterizedTest
    @MethodSource("manual")
    void manualProgressRunsOnTheCallersThread(Kind kind) {
        try (Peer peer = kind.open();
                Arena confined = Arena.ofConfined()) {
            assertThat(peer.driver.isManual()).isTrue();
            assertThat(peer.driver.canAccess(confined.allocate(8))).isTrue();
            AtomicReference<Thread> thread = new AtomicReference<>();
            peer.driver.execute(() -> thread.set(Thread.currentThread()));
            assertThat(thread.get()).isNull();
            assertThat(peer.driver.progress(0)).isTrue();
            assertThat(thread.get()).isSameAs(Thread.currentThread());
            assertThat(peer.driver.progress(0)).isFalse();
            long before = System.nanoTime();
            assertThat(peer.driver.progress(20_000_000)).isFalse();
            assertThat(System.nanoTime() - before).isBetween(19_000_000L, LONG_NS);
        }
    }

    @ParameterizedTest
    @MethodSource("manual")
    void aTaskWakesWhoWaitsInTheLoop(Kind kind) throws Exception {
        try (Peer peer = kind.open()) {
            AtomicReference<Boolean> worked = new AtomicReference<>();
            Thread waiter = run("waiter", () -> worked.set(peer.driver.progress(Long.MAX_VALUE)));
            AtomicReference<Thread> thread = new AtomicReference<>();
            while (!isWaiting(waiter)) {
                Thread.onSpinWait();
            }
            peer.driver.execute(() -> thread.set(Thread.currentThread()));
            join(waiter);
            assertThat(worked.get()).isTrue();
            assertThat(thread.get()).isSameAs(waiter);
        }
    }

    /** In the system call, as far as Java can tell. */
    private static boolean isWaiting(Thread thread) {
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (frame.getMethodName().contains("epollWait")
                    || frame.getMethodName().equals("wait")
                    || frame.getMethodName().equals("select")) {
                return true;
            }
        }
        return false;
    }

    @ParameterizedTest
    @MethodSource("manual")
    void aCallOfAnotherThreadIsRunByWhoIsInside(Kind kind) throws Exception {
        try (Peer peer = kind.open()) {
            AtomicReference<Thread> thread = new AtomicReference<>();
            Thread waiter = run("waiter", () -> peer.driver.progress(LONG_NS));
            while (!isWaiting(waiter)) {
                Thread.onSpinWait();
            }
            peer.driver.call(() -> thread.set(Thread.currentThread()));
            assertThat(thread.get()).isSameAs(waiter);
            join(waiter);
        }
    }

    @ParameterizedTest
    @MethodSource("manual")
    void aManualLoopMayChangeHands(Kind kind) throws Exception {
        Peer peer = kind.open();
        AtomicInteger runs = new AtomicInteger();
        peer.driver.call(runs::incrementAndGet);
        join(run("second", () -> {
            peer.driver.execute(runs::incrementAndGet);
            peer.driver.progress(0);
        }));
        assertThat(runs).hasValue(2);
        join(run("third", peer::close));
        assertThat(peer.driver.progress(0)).isFalse();
    }

    @ParameterizedTest
    @MethodSource("manual")
    void manyThreadsMayCallAtOnce(Kind kind) throws Exception {
        try (Peer peer = kind.open()) {
            int threads = 8;
            int calls = 2_000;
            int[] counter = new int[1];
            CountDownLatch ready = new CountDownLatch(threads);
            List<Thread> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                boolean polls = i % 2 == 0;
                all.add(run("caller " + i, () -> {
                    ready.countDown();
                    for (int n = 0; n < calls; n++) {
                        if (polls) {
                            peer.driver.progress(n % 3 == 0 ? 1_000 : 0);
                        }
                        peer.driver.call(() -> counter[0]++);
                    }
                }));
            }
            for (Thread thread : all) {
                join(thread);
            }
            assertThat(counter[0]).isEqualTo(threads * calls);
            assertThat(peer.guard.broken).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("manual")
    void closingEndsAWaitInTheLoop(Kind kind) throws Exception {
        Peer peer = kind.open();
        Thread waiter = run("waiter", () -> peer.driver.progress(Long.MAX_VALUE));
        while (!isWaiting(waiter)) {
            Thread.onSpinWait();
        }
        peer.close();
        join(waiter);
    }

    @ParameterizedTest
    @MethodSource("all")
    void anInterruptedThreadGetsThroughAndStaysInterrupted(Kind kind) {
        Peer peer = kind.open();
        AtomicInteger runs = new AtomicInteger();
        Thread.currentThread().interrupt();
        peer.driver.call(runs::incrementAndGet);
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        assertThat(runs).hasValue(1);
        peer.listen(1);
        peer.close();
        assertThat(Thread.interrupted()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("all")
    @EnabledOnOs(OS.LINUX)
    void nothingIsLeftOfAClosedDevice(Kind kind) throws Exception {
        kind.open().close();
        long before = openFiles();
        for (int i = 0; i < 20; i++) {
            try (Peer peer = kind.open()) {
                peer.listen(1);
            }
        }
        assertThat(openFiles()).isLessThan(before + 10);
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().startsWith("jrdma-"));
    }

    private static long openFiles() throws Exception {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.count();
        }
    }
}
