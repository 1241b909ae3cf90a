package io.jrdma.verbs;

import io.jrdma.verbs.queue.CompletionPort;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A completion queue ({@code ibv_cq}). Thread-safe; polling allocates nothing. */
public final class CompletionQueue implements AutoCloseable {
    private final RdmaDevice device;
    private final @Nullable CompletionChannel channel;
    private final CompletionPort port;
    private final Runnable signal = this::signal;
    private final Set<QueuePair> users =
            new LinkedHashSet<>(); // under the lock of this set; in order, so that runs repeat
    private volatile boolean closed;

    CompletionQueue(RdmaDevice device, int number, int capacity, @Nullable CompletionChannel channel) {
        this.device = device;
        this.channel = channel;
        this.port = new CompletionPort(number, capacity, this::onNotify, this::onOverflow);
    }

    /** The device that it belongs to. */
    public RdmaDevice device() {
        return device;
    }

    /** The channel that armed notifications go to, or null. */
    public @Nullable CompletionChannel channel() {
        return channel;
    }

    /** The number that {@link AsyncEvent#completionQueue} carries. */
    public int number() {
        return port.number();
    }

    /** Entries that fit. */
    public int capacity() {
        return port.capacity();
    }

    /**
     * Takes completions, oldest first ({@code ibv_poll_cq}). In manual mode an empty queue makes progress first.
     *
     * @return how many of the holders, from the first on, were filled
     * @throws VerbsException ENODEV if the queue is closed
     */
    public int poll(WorkCompletion[] holders) {
        return poll(holders, 0, holders.length);
    }

    /** As {@link #poll(WorkCompletion[])}, into {@code count} holders from {@code from} on. */
    public int poll(WorkCompletion[] holders, int from, int count) {
        Objects.checkFromIndexSize(from, count, holders.length);
        checkOpen();
        if (device.driver().isManual() && port.isEmpty()) {
            device.driver().progress(0);
        }
        return port.isEmpty() ? 0 : port.drain(holders, from, count);
    }

    /**
     * Asks for one event on the channel, for the next completion ({@code ibv_req_notify_cq}). Poll once more after arming: a completion
     * that came before does not make an event.
     *
     * @param solicitedOnly only for solicited receives and for errors
     * @throws VerbsException EINVAL if the queue has no channel, ENODEV if it is closed
     */
    public void arm(boolean solicitedOnly) {
        checkOpen();
        if (channel == null) {
            throw new VerbsException(Errno.EINVAL, "the completion queue was created without a completion channel");
        }
        port.arm(solicitedOnly);
    }

    CompletionPort port() {
        return port;
    }

    void attach(QueuePair queuePair) {
        synchronized (users) {
            if (closed) {
                throw new VerbsException(Errno.EINVAL, "the completion queue is closed");
            }
            users.add(queuePair);
        }
    }

    void detach(QueuePair queuePair) {
        synchronized (users) {
            users.remove(queuePair);
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new VerbsException(Errno.ENODEV, "the completion queue is closed");
        }
    }

    private void onNotify() {
        if (channel != null) {
            // later: the engine that makes the completion is in the middle of its work, and the application may close
            // or post
            device.driver().execute(signal);
        }
    }

    private void signal() {
        if (channel != null && !closed) {
            channel.signal(this);
        }
    }

    private void onOverflow() {
        device.report(AsyncEvent.ofCompletionQueue(
                AsyncEvent.Type.CQ_ERR, number(), "completion queue overflowed its " + capacity() + " entries"));
        List<QueuePair> failing;
        synchronized (users) {
            failing = new ArrayList<>(users);
        }
        for (QueuePair user : failing) {
            device.driver().execute(user::fail); // later, as above
        }
    }

    /**
     * Destroys the queue. Harmless when repeated.
     *
     * @throws VerbsException EBUSY if a queue pair still uses it
     */
    @Override
    public void close() {
        synchronized (users) {
            if (!closed && !users.isEmpty()) {
                throw new VerbsException(Errno.EBUSY, this + " is in use by " + users);
            }
            closed = true;
        }
        discard();
    }

    /** Closes it, whoever uses it. */
    void discard() {
        closed = true;
        if (channel != null) {
            channel.forget(this);
        }
        device.forget(this);
    }

    @Override
    public String toString() {
        return "CompletionQueue[" + number() + ", capacity=" + capacity() + "]";
    }
}
