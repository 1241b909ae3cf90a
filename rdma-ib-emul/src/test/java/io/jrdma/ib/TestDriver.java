package io.jrdma.ib;

import io.jrdma.verbs.spi.DeviceDriver;
import io.jrdma.verbs.spi.DeviceEngine;
import io.jrdma.verbs.spi.LoopGuard;
import io.jrdma.verbs.spi.StreamConnector;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/** A driver without a port: holds back what is given to the loop until the test runs it. */
final class TestDriver implements DeviceDriver {
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final TestClock clock;

    TestDriver(TestClock clock) {
        this.clock = clock;
    }

    /** Runs what was given to the loop; whether there was anything. */
    boolean runTasks() {
        boolean any = false;
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
            any = true;
        }
        return any;
    }

    @Override
    public void start(DeviceEngine engine, LoopGuard guard) {}

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    @Override
    public void call(Runnable task) {
        task.run();
    }

    @Override
    public boolean inLoop() {
        return true;
    }

    @Override
    public long nowNs() {
        return clock.nowNs;
    }

    @Override
    public boolean isManual() {
        return false;
    }

    @Override
    public boolean progress(long timeoutNs) {
        return false;
    }

    @Override
    public boolean canAccess(MemorySegment memory) {
        return true;
    }

    @Override
    public int interfaceMtu() {
        return 1500;
    }

    @Override
    public long seed() {
        return 1;
    }

    @Override
    public StreamConnector streams() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}

    /** The time, moved by tests alone. */
    static final class TestClock {
        long nowNs = 1_000_000_000L;
    }
}
