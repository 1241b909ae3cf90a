package io.jrdma.verbs;

import io.jrdma.verbs.queue.CompletionPort;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A completion queue ({@code ibv_cq}). Thread-safe; polling allocates nothing. */
public final class CompletionQueue implements AutoCloseable {
    private final RdmaDevice device;
    private final @Nullable CompletionChannel channel;
    private final CompletionPort port;
    private final Set<QueuePair> users = ConcurrentHashMap.newKeySet();
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
     */
    public int poll(WorkCompletion[] holders) {
        return poll(holders, 0, holders.length);
    }

    /** As {@link #poll(WorkCompletion[])}, into {@code count} holders from {@code from} on. */
    public int poll(WorkCompletion[] holders, int from, int count) {
        Objects.checkFromIndexSize(from, count, holders.length);
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
     * @throws VerbsException EINVAL if the queue has no channel
     */
    public void arm(boolean solicitedOnly) {
        if (channel == null) {
            throw new VerbsException(Errno.EINVAL, "the completion queue was created without a completion channel");
        }
        port.arm(solicitedOnly);
    }

    CompletionPort port() {
        return port;
    }

    void attach(QueuePair queuePair) {
        users.add(queuePair);
    }

    void detach(QueuePair queuePair) {
        users.remove(queuePair);
    }

    private void onNotify() {
        if (channel != null) {
            channel.signal(this);
        }
    }

    private void onOverflow() {
        device.report(AsyncEvent.ofCompletionQueue(
                AsyncEvent.Type.CQ_ERR, number(), "completion queue overflowed its " + capacity() + " entries"));
        for (QueuePair user : users) {
            // later: the engine that makes the completion is in the middle of its work
            device.driver().execute(user::fail);
        }
    }

    /**
     * Destroys the queue. Harmless when repeated.
     *
     * @throws VerbsException EBUSY if a queue pair still uses it
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        if (!users.isEmpty()) {
            throw new VerbsException(Errno.EBUSY, "the completion queue is in use by " + users);
        }
        closed = true;
        device.forget(this);
    }
}
