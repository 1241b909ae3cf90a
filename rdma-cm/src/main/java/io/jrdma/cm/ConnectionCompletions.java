package io.jrdma.cm;

import io.jrdma.verbs.CompletionQueue;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.WorkCompletion;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Takes what completes on a {@link RdmaConnection} to its two halves. Taking comes at once, in the middle of the engine's work: a burst of
 * messages in one read must find receives. The application's part comes later, when the engine is done. Loop, but for {@link #stop}.
 */
final class ConnectionCompletions {
    private static final int BATCH = 32;

    private final RdmaDevice device;
    private final Runnable onFailure;
    private final WorkCompletion[] batch = new WorkCompletion[BATCH];
    private final Runnable delivery = this::deliver;
    private @Nullable CompletionQueue queue;
    private @Nullable SendSide sends;
    private @Nullable ReceiveSide receives;
    private boolean deliveryDue;
    private volatile boolean stopped;

    /**
     * Takes nothing yet.
     *
     * @param onFailure is run when an operation has failed, before anyone learns of it
     */
    ConnectionCompletions(RdmaDevice device, Runnable onFailure) {
        this.device = device;
        this.onFailure = onFailure;
        for (int i = 0; i < BATCH; i++) {
            batch[i] = new WorkCompletion();
        }
    }

    /** From where to where; before anything can complete. */
    void between(CompletionQueue from, SendSide newSends, ReceiveSide newReceives) {
        queue = from;
        sends = newSends;
        receives = newReceives;
    }

    /** Takes all that has completed, and arms the queue for what will. */
    void collect() {
        CompletionQueue from = Objects.requireNonNull(queue);
        boolean armed = false;
        while (!stopped) {
            int count = from.poll(batch);
            for (int i = 0; i < count; i++) {
                take(batch[i]);
            }
            if (count > 0) {
                deliverLater();
            } else if (armed) {
                return;
            } else {
                // and look once more: what came before the arming makes no event
                from.arm(false);
                armed = true;
            }
        }
    }

    private void take(WorkCompletion completion) {
        if (!completion.isSuccess()) {
            onFailure.run();
        }
        if ((completion.id() & ReceiveSide.ID_BIT) != 0) {
            Objects.requireNonNull(receives).complete(completion);
        } else {
            Objects.requireNonNull(sends).complete(completion);
        }
    }

    private void deliverLater() {
        if (!deliveryDue) {
            deliveryDue = true;
            device.driver().execute(delivery);
        }
    }

    /** Hands out what was taken; whatever depends on it runs now. */
    void deliver() {
        deliveryDue = false;
        Objects.requireNonNull(sends).deliver();
        Objects.requireNonNull(receives).deliver();
    }

    /** Takes nothing more: the queue is about to go. Any thread. */
    void stop() {
        stopped = true;
    }
}
