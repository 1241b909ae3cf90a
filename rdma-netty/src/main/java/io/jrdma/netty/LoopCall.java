package io.jrdma.netty;

import org.jspecify.annotations.Nullable;

/** A task of a loop that somebody outside waits for. */
final class LoopCall implements Runnable {
    private final Runnable task;
    private final Handover handover;
    private @Nullable Throwable failure;
    private volatile boolean done;

    LoopCall(Runnable task, Handover handover) {
        this.task = task;
        this.handover = handover;
    }

    @Override
    public void run() {
        try {
            task.run();
        } catch (Throwable thrown) {
            failure = thrown;
        }
        done = true;
        handover.changed();
    }

    boolean isDone() {
        return done;
    }

    /** Throws what the task threw; when it is done. */
    void rethrow() {
        switch (failure) {
            case null -> {}
            case RuntimeException thrown -> throw thrown;
            case Error thrown -> throw thrown;
            default -> throw new IllegalStateException(failure);
        }
    }
}
