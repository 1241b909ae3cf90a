package io.jrdma.iwarp.rdmap;

import io.jrdma.verbs.AsyncEvent;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.queue.QueuePairCore;

/**
 * A connection's hold on its queue pair. The two end independently: once the queue pair is released (destroyed, reset), nothing of the
 * connection reaches it any more.
 */
public final class BoundQueuePair {
    private final QueuePairCore core;
    private boolean bound = true;

    /** Takes hold. */
    public BoundQueuePair(QueuePairCore core) {
        this.core = core;
    }

    /** The queue pair; only while {@link #isBound}. */
    public QueuePairCore core() {
        return core;
    }

    /** Whether the queue pair is still this connection's. */
    public boolean isBound() {
        return bound;
    }

    /** Lets go. */
    public void release() {
        bound = false;
    }

    /** The connection is up. */
    public void enterRts() {
        if (bound) {
            core.setState(QpState.RTS);
        }
    }

    /** The connection is over: everything that is outstanding is flushed. */
    public void enterError() {
        if (bound && core.state() != QpState.ERROR) {
            core.enterError();
        }
    }

    /** See {@link QueuePairCore#completeSend}. */
    public void completeSend(long sequence, WcStatus status, long byteLength, int vendorError) {
        if (bound) {
            core.completeSend(sequence, status, byteLength, vendorError);
        }
    }

    /** See {@link QueuePairCore#completeReceive}. */
    public void completeReceive(
            WcStatus status, long byteLength, int vendorError, int invalidatedKey, int flags, boolean solicited) {
        if (bound) {
            core.completeReceive(status, WcOpcode.RECV, byteLength, vendorError, invalidatedKey, flags, solicited);
        }
    }

    /** Reports an event of the queue pair. */
    public void report(AsyncEvent.Type type, int detail, String text) {
        if (bound) {
            core.device().onAsyncEvent(AsyncEvent.ofQueuePair(type, core.qpNum(), detail, text));
        }
    }
}
