package io.jrdma.netty;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.spi.Engine;
import io.jrdma.verbs.spi.LoopGuard;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loop of one device: I/O, tasks, deadlines, and whatever {@link Hosted} wants to be called, in turns. It knows nothing of what the
 * sockets carry.
 *
 * <p>One thread at a time is inside. In automatic mode that is a thread of the loop's own, always. In manual mode it is whoever calls
 * {@link #progress} or {@link #call}: it enters, runs turns, leaves; who comes while another is inside waits for its turn or, if it only
 * looks, goes away. So nobody owns a manual loop for ever: a device may be set up by one thread, polled by another, and closed by a third
 * after the second has ended.
 *
 * <p>A turn: tasks, deadlines, settling; then I/O; then the same again for what the I/O brought. Settling is where engines are asked for
 * output, so that all input of a turn is answered in batches.
 */
final class DriverLoop {
    private static final Logger LOG = LoggerFactory.getLogger(DriverLoop.class);
    /** Turns for what is left when the loop ends, so that a task that queues itself again cannot keep it up. */
    private static final int MAX_LAST_TURNS = 1_000;

    private static final int MAX_POLLS_WITHOUT_IO = 256;
    /** So that a fault that comes back at once does not take the whole processor. */
    private static final long REST_AFTER_FAULT_NS = 10_000_000;

    private final IoLoop io;
    private final boolean manual;
    private final long pollNs;
    private final boolean sendsWithNextTurn;
    private final TaskQueue tasks;
    private final TaskQueue.TaskRunner taskRunner = this::runTask;
    private final DeadlineHeap deadlines = new DeadlineHeap();
    private final SettleQueue settling = new SettleQueue();
    private @Nullable LoopGuard guard;
    private @Nullable Poller poller;
    private int pollsSinceIo;
    private long idleSinceNs = nowNs();
    private int guardDepth;
    private @Nullable Thread thread;
    private volatile boolean stopping;
    private boolean stopped;

    private final Handover handover = new Handover();
    private volatile long turnsWithWork;

    DriverLoop(NettyOptions options, boolean manual) {
        this.manual = manual;
        this.pollNs = options.rocePollTime().toNanos();
        this.sendsWithNextTurn = manual && options.sendWithNextPoll();
        this.io = new IoLoop(options.backend(), this::hasWork, this::earliestNs);
        this.tasks = io.tasks();
    }

    /** Begins; in automatic mode on a daemon thread of that name. */
    void start(LoopGuard newGuard, String name) {
        guard = newGuard;
        if (!manual) {
            Thread newThread = new FastThreadLocalThread(this::runForEver, name);
            newThread.setDaemon(true);
            thread = newThread;
            newThread.start();
        }
    }

    /** Netty's view of this loop. */
    IoLoop io() {
        return io;
    }

    boolean isManual() {
        return manual;
    }

    /** In automatic mode the thread; in manual mode none. */
    @Nullable
    Thread thread() {
        return thread;
    }

    boolean inLoop() {
        return io.inEventLoop(Thread.currentThread());
    }

    static long nowNs() {
        return System.nanoTime();
    }

    // ---- any thread ----

    /** Runs the task in a turn to come; a loop that has ended ignores it. */
    void execute(Runnable task) {
        try {
            io.execute(task);
        } catch (RejectedExecutionException ended) {
            LOG.debug("a task came after the end of the loop");
        }
    }

    /** Runs the task inside the loop, and what it throws is thrown here. */
    void call(Runnable task) {
        if (inLoop()) {
            task.run();
            return;
        }
        LoopCall call = new LoopCall(task, handover);
        try {
            io.execute(call);
        } catch (RejectedExecutionException ended) {
            throw new VerbsException(Errno.ENODEV, "the device is closed", ended);
        }
        boolean interrupted = false;
        while (!call.isDone()) {
            if (manual && io.tryEnter()) {
                try {
                    runDue();
                } finally {
                    leave();
                }
            } else {
                interrupted |= !handover.await(() -> call.isDone() || (manual && io.isFree()), Long.MAX_VALUE);
            }
        }
        interruptIf(interrupted);
        call.rethrow();
    }

    /** See {@link io.jrdma.verbs.spi.DeviceDriver#progress}. */
    boolean progress(long timeoutNs) {
        if (!manual || inLoop()) {
            return false;
        }
        if (timeoutNs == 0) {
            return io.tryEnter() && turnAndLeave(0);
        }
        long endNs = timeoutNs == Long.MAX_VALUE ? Long.MAX_VALUE : nowNs() + timeoutNs;
        long seen = turnsWithWork;
        long leftNs = timeoutNs;
        do {
            if (io.tryEnter()) {
                if (turnAndLeave(leftNs)) {
                    return true;
                }
            } else {
                boolean interrupted = !handover.await(() -> io.isFree() || turnsWithWork != seen, leftNs);
                if (interrupted || turnsWithWork != seen) {
                    interruptIf(interrupted);
                    return turnsWithWork != seen;
                }
            }
            leftNs = endNs == Long.MAX_VALUE ? Long.MAX_VALUE : endNs - nowNs();
        } while (leftNs > 0 && !stopping);
        return false;
    }

    /** Waits until the condition holds, making progress if the caller has to; what changes it calls {@link #changed} or is a turn. */
    boolean await(BooleanSupplier condition, long timeoutNs) {
        long endNs = nowNs() + timeoutNs;
        boolean interrupted = false;
        while (!condition.getAsBoolean() && endNs - nowNs() > 0) {
            interrupted |= Thread.interrupted();
            if (manual) {
                progress(endNs - nowNs());
            } else {
                interrupted |= !handover.await(condition, endNs - nowNs());
            }
        }
        interruptIf(interrupted);
        return condition.getAsBoolean();
    }

    /** Wakes those who wait for a condition. */
    void changed() {
        handover.changed();
    }

    /**
     * Ends the loop: runs what was queued, takes no more, frees Netty's part. Returns when that is through. Never called inside the loop.
     */
    void stop() {
        stopping = true;
        io.wakeup();
        boolean interrupted = false;
        Thread own = thread;
        if (own == null) {
            while (!io.tryEnter()) {
                interrupted |= !handover.await(io::isFree, Long.MAX_VALUE);
            }
            try {
                finish();
            } finally {
                leave();
            }
        } else {
            while (own.isAlive()) {
                interrupted |= !join(own);
            }
        }
        interruptIf(interrupted);
    }

    private static boolean join(Thread other) {
        try {
            other.join();
            return true;
        } catch (InterruptedException stop) {
            return false;
        }
    }

    private static void interruptIf(boolean interrupted) {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- inside the loop ----

    /** Has {@link Hosted#settle} called in this turn, or in the next one if this turn is settling already. */
    void ready(Hosted hosted) {
        settling.add(hosted);
    }

    /** Has {@link Hosted#onDeadline} called then; {@link Engine#NO_DEADLINE} never. */
    void deadline(Hosted hosted, long deadlineNs) {
        deadlines.set(hosted, deadlineNs);
    }

    /** The socket that is read directly while the loop does not wait, or none. It is registered for events as well. */
    void poller(@Nullable Poller newPoller) {
        poller = newPoller;
    }

    /** Before a call of an engine: see {@link LoopGuard}. May nest. */
    void enterBurst() {
        if (guardDepth++ == 0 && guard != null) {
            guard.enter();
        }
    }

    /** After a call of an engine. */
    void exitBurst() {
        if (--guardDepth == 0 && guard != null) {
            guard.exit();
        }
    }

    private void runForEver() {
        io.enter();
        try {
            while (!stopping) {
                try {
                    turn(Long.MAX_VALUE);
                } catch (Throwable fault) {
                    LOG.error("a turn of the loop failed", fault);
                    LockSupport.parkNanos(REST_AFTER_FAULT_NS);
                }
            }
            finish();
        } finally {
            leave();
        }
    }

    private boolean turnAndLeave(long waitNs) {
        try {
            return !stopped && turn(waitNs);
        } finally {
            leave();
        }
    }

    private void leave() {
        io.leave();
        changed();
    }

    private boolean turn(long waitNs) {
        boolean worked = runDue();
        worked |= input(worked || stopping ? 0 : waitNs);
        if (!sendsWithNextTurn) {
            worked |= runDue();
        }
        if (worked) {
            if (!manual) {
                idleSinceNs = nowNs();
            }
            noteWork();
        }
        return worked;
    }

    /**
     * A socket that can be read at once spares the system call that asks whether it has something. A thread of the loop's own that is about
     * to sleep goes on reading for a while after its last work: while packets stream, the next ones come sooner than a thread that sleeps
     * can be woken.
     */
    private boolean input(long waitNs) {
        Poller direct = poller;
        if (direct == null) {
            return io.run(waitNs);
        }
        boolean sleepsNext = waitNs > 0 && !manual && !direct.hasMore();
        boolean worked = sleepsNext ? pollForAWhile(direct) : direct.poll();
        if (!worked && waitNs > 0) {
            worked = io.run(hasWork() ? 0 : waitNs);
        } else if (++pollsSinceIo >= MAX_POLLS_WITHOUT_IO) {
            // whatever else is registered has its turn too
            pollsSinceIo = 0;
            worked |= io.run(0);
        }
        return worked;
    }

    @SuppressWarnings("ThreadPriorityCheck") // nothing relies on it
    private boolean pollForAWhile(Poller direct) {
        for (long nowNs = nowNs(); nowNs - idleSinceNs < pollNs && !hasWork() && !isDue(nowNs); nowNs = nowNs()) {
            if (direct.poll()) {
                return true;
            }
            // on a busy machine somebody else has more use of the processor
            Thread.yield();
        }
        return false;
    }

    private boolean isDue(long nowNs) {
        long earliestNs = earliestNs();
        return earliestNs != Engine.NO_DEADLINE && earliestNs - nowNs <= 0;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer: who is inside
    private void noteWork() {
        turnsWithWork++;
    }

    private boolean runDue() {
        boolean worked = tasks.drain(taskRunner) > 0;
        worked |= io.runScheduled();
        if (deadlines.earliestNs() != Engine.NO_DEADLINE) {
            long nowNs = nowNs();
            Hosted due;
            while ((due = deadlines.pollDue(nowNs)) != null) {
                worked = true;
                due.onDeadline();
                ready(due);
            }
        }
        if (!settling.isEmpty()) {
            worked = true;
            settling.settleAll();
        }
        return worked;
    }

    private void runTask(Runnable task) {
        enterBurst();
        try {
            task.run();
        } catch (Throwable failure) {
            LOG.error("a task of the loop failed", failure);
        } finally {
            exitBurst();
        }
    }

    private boolean hasWork() {
        return !settling.isEmpty() || !tasks.isEmpty() || stopping;
    }

    private long earliestNs() {
        return deadlines.earliestNs();
    }

    private void finish() {
        if (!stopped) {
            stopped = true;
            io.closeChannels();
            // closing a channel takes a few tasks, one behind the other
            for (int i = 0; i < MAX_LAST_TURNS && runDue(); i++) {}
            tasks.close();
            runDue();
            io.destroy();
        }
    }

    /** Something that can be read without waiting. */
    interface Poller {
        /** Handles what is there, and says whether there was anything. */
        boolean poll();

        /** Whether there is probably something to read. */
        boolean hasMore();
    }
}
