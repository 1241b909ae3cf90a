package io.jrdma.verbs;

import io.jrdma.verbs.queue.QueuePairCore;

/**
 * A queue pair ({@code ibv_qp}). Posting is thread-safe, copies the request, and allocates nothing; everything posted gets exactly one
 * completion (an unsignaled send only when it fails), in the order of posting.
 */
public final class QueuePair implements AutoCloseable {
    private final ProtectionDomain domain;
    private final QueuePairCore core;
    private final CompletionQueue sendQueue;
    private final CompletionQueue receiveQueue;

    QueuePair(ProtectionDomain domain, QueuePairCore core, CompletionQueue sendQueue, CompletionQueue receiveQueue) {
        this.domain = domain;
        this.core = core;
        this.sendQueue = sendQueue;
        this.receiveQueue = receiveQueue;
    }

    /** The domain that it belongs to. */
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    /** Its number, 2 to 2^24 - 1. */
    public int qpNum() {
        return core.qpNum();
    }

    /** The state now. */
    public QpState state() {
        return core.state();
    }

    /** What it was created with. */
    public QueuePairOptions options() {
        return core.options();
    }

    /** Where completions of sends go. */
    public CompletionQueue sendQueue() {
        return sendQueue;
    }

    /** Where completions of receives go. */
    public CompletionQueue receiveQueue() {
        return receiveQueue;
    }

    /**
     * Changes state or attributes ({@code ibv_modify_qp}) and returns when that is done. An iWARP queue pair is brought to RTS by its
     * connection, not by this call.
     *
     * @throws VerbsException EINVAL if {@link QpTransitions} does not allow it, naming what is missing or not allowed, ENODEV if the queue
     *     pair is closed; nothing was changed
     */
    public void modify(QpAttributes change) {
        domain.device().driver().call(() -> core.modify(change));
    }

    /**
     * The attributes that were set since the last RESET, by the application or on RoCE by the connection manager, and the state now
     * ({@code ibv_query_qp}).
     */
    public QpAttributes query() {
        return core.attributes().with(QpAttributes.state(state()));
    }

    /**
     * Posts a send ({@code ibv_post_send}).
     *
     * @throws PostException EINVAL in a state before RTS or for a request beyond the queue pair's limits, EOPNOTSUPP for an operation that
     *     the transport does not have, ENOMEM if the queue is full, ENODEV if the queue pair is closed; nothing was posted
     */
    public void postSend(SendWr request) {
        core.postSend(request);
    }

    /** Posts sends in order, with one doorbell; as {@link #postSend(SendWr)}, {@link PostException#badIndex} tells the first bad one. */
    public void postSend(Iterable<SendWr> requests) {
        core.postSend(requests);
    }

    /**
     * Posts a receive ({@code ibv_post_recv}).
     *
     * @throws PostException EINVAL in state RESET or for a list that is too long, ENOMEM if the queue is full, ENODEV if the queue pair
     *     is closed; nothing was posted
     */
    public void postReceive(RecvWr request) {
        core.postReceive(request);
    }

    /** Posts receives in order; as {@link #postReceive(RecvWr)}, {@link PostException#badIndex} tells the first bad one. */
    public void postReceive(Iterable<RecvWr> requests) {
        core.postReceive(requests);
    }

    /** The half that transports work on; for the connection manager. */
    public QueuePairCore core() {
        return core;
    }

    /** An overflow of a completion queue: loop. */
    void fail() {
        if (core.engine() != null && core.state() != QpState.ERROR) {
            core.endsBecause("a completion queue overflowed");
            core.modify(QpAttributes.state(QpState.ERROR));
        }
    }

    /**
     * Destroys it ({@code ibv_destroy_qp}): a connection ends, outstanding requests get no completion, and none appears after this has
     * returned. Harmless when repeated.
     */
    @Override
    public void close() {
        core.refusePosts();
        try {
            domain.device().driver().call(core::destroy);
        } catch (VerbsException failure) {
            if (failure.errno() != Errno.ENODEV) {
                throw failure;
            }
            // the device was closed meanwhile, and its loop with it: there is nothing left to take away
        } finally {
            forgotten();
        }
    }

    /** Takes it out of everything that knows of it. */
    void forgotten() {
        sendQueue.detach(this);
        receiveQueue.detach(this);
        domain.forget(this);
    }

    @Override
    public String toString() {
        return "QueuePair[0x" + Integer.toHexString(qpNum()) + ", " + state() + "]";
    }
}
