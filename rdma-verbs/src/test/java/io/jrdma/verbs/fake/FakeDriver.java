package io.jrdma.verbs.fake;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.spi.DeviceDriver;
import io.jrdma.verbs.spi.DeviceEngine;
import io.jrdma.verbs.spi.LoopGuard;
import io.jrdma.verbs.spi.StreamConnector;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * A driver without a network. By hand: the test thread is the loop, tasks run when it says so, and time moves when it says so. With a
 * thread: a loop of its own that runs tasks as they come, each in a burst. Executing a task allocates nothing.
 */
public final class FakeDriver implements DeviceDriver {
    private static final Runnable STOP = () -> {};

    /** What tasks threw. */
    public final List<Throwable> failures = new ArrayList<>();
    /** What {@link #progress} does besides running tasks; null for nothing. */
    public @Nullable Runnable onProgress;

    private final ArrayBlockingQueue<Runnable> tasks = new ArrayBlockingQueue<>(100_000);
    private final boolean manual;
    private final long seed;
    private final Thread loop;
    /** Whether it may be closed now. */
    public boolean canClose = true;
    /** What the first close does before anything else; null for nothing. */
    public @Nullable Runnable onClose;
    /** Whether the interface is up. */
    public boolean interfaceUp = true;

    private @Nullable LoopGuard guard;
    private @Nullable DeviceEngine engine;
    private volatile boolean closed;
    private long nowNs = 1_000;
    private int closes;

    FakeDriver(boolean manual, long seed) {
        this.manual = manual;
        this.seed = seed;
        this.loop = manual
                ? Thread.currentThread()
                : Thread.ofPlatform().name("fake loop").unstarted(this::run);
    }

    /** A loop that the test drives. */
    public static FakeDriver byHand() {
        return new FakeDriver(true, 42);
    }

    /** A loop on a thread of its own, started. */
    public static FakeDriver threaded() {
        FakeDriver driver = new FakeDriver(false, 42);
        driver.loop.start();
        return driver;
    }

    private void run() {
        try {
            Runnable task = tasks.take();
            while (task != STOP) {
                burst(task);
                task = tasks.take();
            }
        } catch (InterruptedException unexpected) {
            failures.add(unexpected);
        }
    }

    /** Runs the task as the loop does: in a burst. */
    public void burst(Runnable task) {
        if (guard != null) {
            guard.enter();
        }
        try {
            task.run();
        } catch (RuntimeException | Error failure) {
            failures.add(failure);
        } finally {
            if (guard != null) {
                guard.exit();
            }
        }
    }

    /** By hand: runs what was executed, and what that executes. */
    public int runTasks() {
        int count = 0;
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            burst(task);
            count++;
        }
        return count;
    }

    /** By hand: runs one task. */
    public boolean runOneTask() {
        Runnable task = tasks.poll();
        if (task != null) {
            burst(task);
        }
        return task != null;
    }

    /** The engine that it hosts. */
    public FakeEngine engine() {
        if (engine instanceof FakeEngine fake) {
            return fake;
        }
        throw new IllegalStateException("no fake engine is hosted");
    }

    /** How often it was closed. */
    public int closes() {
        return closes;
    }

    /** By hand: lets time pass. */
    public void advance(long ns) {
        nowNs += ns;
    }

    @Override
    public void start(DeviceEngine newEngine, LoopGuard newGuard) {
        guard = newGuard;
        engine = newEngine;
        if (!manual && loop.getState() == Thread.State.NEW) {
            loop.start();
        }
    }

    @Override
    public void execute(Runnable task) {
        addUnlessClosed(task);
    }

    /** A task goes before the loop's end or nowhere: none may lie behind it, with somebody who waits for it. */
    private boolean addUnlessClosed(Runnable task) {
        synchronized (tasks) {
            return !closed && tasks.add(task);
        }
    }

    @Override
    public void call(Runnable task) {
        if (closed) {
            throw closed();
        }
        if (inLoop()) {
            task.run();
            return;
        }
        CompletableFuture<Void> done = new CompletableFuture<>();
        boolean added = addUnlessClosed(() -> {
            try {
                task.run();
                done.complete(null);
            } catch (RuntimeException | Error failure) {
                done.completeExceptionally(failure);
            }
        });
        if (!added) {
            throw closed();
        }
        try {
            done.join();
        } catch (CompletionException failure) {
            if (failure.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw failure;
        }
    }

    private static VerbsException closed() {
        return new VerbsException(Errno.ENODEV, "the fake driver is closed");
    }

    @Override
    public boolean inLoop() {
        return Thread.currentThread() == loop;
    }

    @Override
    public long nowNs() {
        return manual ? nowNs : System.nanoTime();
    }

    @Override
    public boolean isManual() {
        return manual;
    }

    @Override
    public boolean progress(long timeoutNs) {
        if (!manual) {
            return false;
        }
        if (onProgress != null) {
            onProgress.run();
        }
        boolean any = runTasks() > 0 || onProgress != null;
        if (!any && timeoutNs > 0) {
            nowNs += timeoutNs; // nothing else can happen here: the wait is over
        }
        return any;
    }

    @Override
    public boolean canAccess(MemorySegment memory) {
        return memory.isAccessibleBy(loop);
    }

    @Override
    public int interfaceMtu() {
        return 1500;
    }

    @Override
    public boolean isInterfaceUp() {
        return interfaceUp;
    }

    @Override
    public long seed() {
        return seed;
    }

    @Override
    public StreamConnector streams() {
        throw new VerbsException(Errno.EOPNOTSUPP, "the fake driver has no streams");
    }

    @Override
    public boolean canClose() {
        return canClose;
    }

    @Override
    public void close() {
        closes++;
        if (closes == 1 && onClose != null) {
            onClose.run();
        }
        boolean alive = !manual && loop.isAlive();
        synchronized (tasks) {
            closed = true;
            if (alive) {
                tasks.add(STOP);
            }
        }
        if (alive) {
            try {
                loop.join(10_000);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
