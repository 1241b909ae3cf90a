package io.jrdma.testkit.engine;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.spi.DeviceDriver;
import io.jrdma.verbs.spi.DeviceEngine;
import io.jrdma.verbs.spi.LoopGuard;
import io.jrdma.verbs.spi.StreamConnector;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.function.LongSupplier;

/** A driver without a network: holds back what is given to its loop until the test runs it. For one thread, which it takes for the loop. */
public class TestDriver implements DeviceDriver {
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final LongSupplier nowNs;

    /**
     * A driver that hosts nothing yet.
     *
     * @param nowNs tells the time in nanoseconds
     */
    public TestDriver(LongSupplier nowNs) {
        this.nowNs = nowNs;
    }

    /** Runs what was given to the loop, and what that gives to it; whether there was anything. */
    public final boolean runTasks() {
        boolean any = false;
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
            any = true;
        }
        return any;
    }

    /** Whether {@link #runTasks} has something to run. */
    public final boolean hasTasks() {
        return !tasks.isEmpty();
    }

    /** Does nothing: the engine is the test's to call. */
    @Override
    public void start(DeviceEngine engine, LoopGuard guard) {}

    @Override
    public final void execute(Runnable task) {
        tasks.add(task);
    }

    @Override
    public final void call(Runnable task) {
        task.run();
    }

    @Override
    public final boolean inLoop() {
        return true;
    }

    @Override
    public final long nowNs() {
        return nowNs.getAsLong();
    }

    @Override
    public final boolean isManual() {
        return false;
    }

    @Override
    public final boolean progress(long timeoutNs) {
        return false;
    }

    @Override
    public final boolean canAccess(MemorySegment memory) {
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
        throw new VerbsException(Errno.EOPNOTSUPP, "a test's driver has no streams");
    }

    @Override
    public void close() {}
}
