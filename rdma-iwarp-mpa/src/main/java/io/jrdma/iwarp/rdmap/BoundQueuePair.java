package io.jrdma.iwarp.rdmap;

import io.jrdma.verbs.AsyncEvent;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.queue.QueuePairCore;
import org.jspecify.annotations.Nullable;

/**
 * A connection's hold on its queue pair. The two end independently: once the queue pair is let go (destroyed, reset, or the connection is
 * over), nothing of the connection reaches it any more.
 */
public final class BoundQueuePair {
    /** The queue pair's side of the tie. */
    public interface Tie {
        /** The connection lets go. */
        void onReleased(boolean cameUp);
    }

    private @Nullable QueuePairCore core;
    private @Nullable Tie tie;

    /** Holds nothing. */
    public BoundQueuePair() {}

    /** Takes hold. */
    public void bind(QueuePairCore newCore, Tie newTie) {
        core = newCore;
        tie = newTie;
    }

    /** Whether it holds a queue pair. */
    public boolean isBound() {
        return core != null;
    }

    /** The queue pair; only while {@link #isBound}. */
    public QueuePairCore core() {
        QueuePairCore current = core;
        if (current == null) {
            throw new IllegalStateException("no queue pair is bound");
        }
        return current;
    }

    /** Lets go, if it holds anything, and tells the other side. */
    public void release(boolean cameUp) {
        Tie current = tie;
        forget();
        if (current != null) {
            current.onReleased(cameUp);
        }
    }

    /** The other side has let go. */
    public void forget() {
        core = null;
        tie = null;
    }

    /** The connection is up. */
    public void enterRts() {
        if (core != null) {
            core.setState(QpState.RTS);
        }
    }

    /** The connection is over: everything that is outstanding is flushed. */
    public void enterError() {
        if (core != null && core.state() != QpState.ERROR) {
            core.enterError();
        }
    }

    /** See {@link QueuePairCore#completeSend}. */
    public void completeSend(long sequence, WcStatus status, long byteLength, int vendorError) {
        if (core != null) {
            core.completeSend(sequence, status, byteLength, vendorError);
        }
    }

    /** See {@link QueuePairCore#completeReceive}. */
    public boolean completeReceive(
            WcStatus status, long byteLength, int vendorError, int invalidatedKey, int flags, boolean solicited) {
        return core == null
                || core.completeReceive(
                        status, WcOpcode.RECV, byteLength, vendorError, invalidatedKey, flags, solicited);
    }

    /** See {@link QueuePairCore#endsBecause}. */
    public void endsBecause(String why) {
        if (core != null) {
            core.endsBecause(why);
        }
    }

    /** Reports an event of the queue pair; every one but that of a drained send queue is its end. */
    public void report(AsyncEvent.Type type, int detail, String text) {
        if (core != null) {
            if (type != AsyncEvent.Type.SQ_DRAINED) {
                core.endsBecause(text);
            }
            core.device().onAsyncEvent(AsyncEvent.ofQueuePair(type, core.qpNum(), detail, text));
        }
    }
}
