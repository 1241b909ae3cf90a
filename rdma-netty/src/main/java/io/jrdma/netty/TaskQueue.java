package io.jrdma.netty;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Tasks for a loop, in the order of arrival, from any thread. Two arrays change places when the loop takes what has gathered; they grow to
 * the longest burst and are kept, so that the steady state allocates nothing.
 */
final class TaskQueue {
    private @Nullable Runnable[] gathering = new Runnable[64];
    private @Nullable Runnable[] taken = new Runnable[64];
    private int gathered;
    private volatile boolean empty = true;
    private boolean closed;

    /**
     * Adds a task.
     *
     * @return whether the queue was empty before: whoever takes from it may be asleep
     * @throws java.util.concurrent.RejectedExecutionException if the queue is closed
     */
    synchronized boolean add(Runnable task) {
        if (closed) {
            throw new java.util.concurrent.RejectedExecutionException("the loop has ended");
        }
        if (gathered == gathering.length) {
            gathering = Arrays.copyOf(gathering, 2 * gathered);
        }
        gathering[gathered++] = task;
        boolean wasEmpty = empty;
        empty = false;
        return wasEmpty;
    }

    boolean isEmpty() {
        return empty;
    }

    /** Runs what has gathered, not what is added meanwhile; the one taker only. The runner must not throw. */
    int drain(TaskRunner runner) {
        if (empty) {
            return 0;
        }
        @Nullable Runnable[] tasks;
        int count;
        synchronized (this) {
            tasks = gathering;
            count = gathered;
            gathering = taken;
            taken = tasks;
            gathered = 0;
            empty = true;
        }
        for (int i = 0; i < count; i++) {
            Runnable task = tasks[i];
            tasks[i] = null;
            if (task != null) {
                runner.run(task);
            }
        }
        return count;
    }

    /** Takes no more tasks; what is in it can still be taken. */
    synchronized void close() {
        closed = true;
    }

    /** Runs one task. */
    @FunctionalInterface
    interface TaskRunner {
        /** Must not throw. */
        void run(Runnable task);
    }
}
