package io.jrdma.verbs;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where armed completion queues report ({@code ibv_comp_channel}). Three ways to learn of it, one at a time: wait, a future, or a
 * callback. Thread-safe.
 */
public final class CompletionChannel implements AutoCloseable {
    private final RdmaDevice device;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final ArrayDeque<CompletionQueue> events = new ArrayDeque<>();
    private final ArrayDeque<CompletableFuture<CompletionQueue>> waiting = new ArrayDeque<>();
    private @Nullable Consumer<CompletionQueue> callback;
    private boolean closed;

    CompletionChannel(RdmaDevice device) {
        this.device = device;
    }

    /** The device that it belongs to. */
    public RdmaDevice device() {
        return device;
    }

    /**
     * Waits for an event ({@code ibv_get_cq_event}); in manual mode it makes progress meanwhile.
     *
     * @param timeout how long to wait; zero only looks
     * @return the queue that reported, to be polled and armed again; null if none did in that time
     * @throws VerbsException ENODEV if the channel is or gets closed
     */
    public @Nullable CompletionQueue await(Duration timeout) throws InterruptedException {
        if (device.driver().isManual()) {
            return Waiting.progressing(device.driver(), timeout, this::take);
        }
        lock.lockInterruptibly();
        try {
            long left = Waiting.nanos(timeout);
            while (events.isEmpty() && !closed) {
                if (left <= 0) {
                    return null;
                }
                left = arrived.awaitNanos(left);
            }
            return take();
        } finally {
            lock.unlock();
        }
    }

    private @Nullable CompletionQueue take() {
        lock.lock();
        try {
            if (closed) {
                throw new VerbsException(Errno.ENODEV, "the completion channel is closed");
            }
            return events.poll();
        } finally {
            lock.unlock();
        }
    }

    /** A future of the next event; cancelled when the channel is closed. Completed on the device's loop. */
    public CompletableFuture<CompletionQueue> next() {
        CompletableFuture<CompletionQueue> future = new CompletableFuture<>();
        lock.lock();
        try {
            CompletionQueue event = events.poll();
            if (closed) {
                future.cancel(false);
            } else if (event != null) {
                future.complete(event);
            } else {
                waiting.add(future);
            }
        } finally {
            lock.unlock();
        }
        return future;
    }

    /**
     * Hands events to a callback, called on the device's loop; it must not block. Events that are waiting are handed over at once, by the
     * caller's thread. Null ends it.
     */
    public void onEvent(@Nullable Consumer<CompletionQueue> newCallback) {
        ArrayDeque<CompletionQueue> early = new ArrayDeque<>();
        lock.lock();
        try {
            callback = newCallback;
            if (newCallback != null) {
                early.addAll(events);
                events.clear();
            }
        } finally {
            lock.unlock();
        }
        if (newCallback != null) {
            early.forEach(newCallback);
        }
    }

    /** An armed queue has got its completion; on the loop, in a task of its own: what the application does here may do anything. */
    void signal(CompletionQueue queue) {
        while (true) {
            Consumer<CompletionQueue> receiver;
            CompletableFuture<CompletionQueue> future = null;
            lock.lock();
            try {
                if (closed) {
                    return;
                }
                receiver = callback;
                if (receiver == null) {
                    future = waiting.poll();
                    if (future == null) {
                        events.add(queue);
                        arrived.signal();
                        return;
                    }
                }
            } finally {
                lock.unlock();
            }
            if (receiver != null) {
                receiver.accept(queue);
                return;
            }
            if (future != null && future.complete(queue)) {
                return;
            }
            // that future was cancelled: the event belongs to the next one that waits
        }
    }

    /** A queue is closed: its events are of no use any more. */
    void forget(CompletionQueue queue) {
        lock.lock();
        try {
            events.removeIf(event -> event == queue);
        } finally {
            lock.unlock();
        }
    }

    /** Wakes whoever waits. Harmless when repeated. */
    @Override
    public void close() {
        ArrayDeque<CompletableFuture<CompletionQueue>> left = new ArrayDeque<>();
        lock.lock();
        try {
            closed = true;
            left.addAll(waiting);
            waiting.clear();
            events.clear();
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
        left.forEach(future -> future.cancel(false));
        device.forget(this);
    }
}
