package io.jrdma.cm.ib;

import io.jrdma.verbs.AddressVector;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.IbCmNegotiated;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.QpType;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.queue.QueuePairCore;
import java.util.function.LongConsumer;

/** The queue pair of a connection: its way to RTS, what it has still to send, and its end. */
final class IbQueuePair {
    private static final long FIRST_LOOK_NS = 50_000;
    private static final long LAST_LOOK_NS = 5_000_000;

    private final QueuePairCore core;
    private long drainTo;
    private long drained;
    private long progressAtNs;
    private long drainLimitNs;
    private long lookNs;

    /**
     * Of a queue pair that is to be connected.
     *
     * @throws VerbsException EINVAL if it is destroyed, not in INIT, or no reliable connected one
     */
    IbQueuePair(QueuePairCore core) {
        if (core.engine() == null
                || core.state() != QpState.INIT
                || core.options().type() != QpType.RC) {
            throw new VerbsException(
                    Errno.EINVAL,
                    "the queue pair 0x" + Integer.toHexString(core.qpNum()) + " is destroyed, not RC, or in "
                            + core.state());
        }
        this.core = core;
    }

    /** Has the listener called with the time when somebody else ends it. */
    void onEnd(LongConsumer listener) {
        core.onEnd(listener);
    }

    /** Whether it is no more. */
    boolean isDestroyed() {
        return core.engine() == null;
    }

    int number() {
        return core.qpNum();
    }

    /**
     * Brings it through RTR to RTS.
     *
     * @throws VerbsException if the transport cannot do that
     */
    void ready(AddressVector peer, IbCmNegotiated terms, int minRnrTimer) {
        core.modify(QpAttributes.builder()
                .state(QpState.RTR)
                .addressVector(peer)
                .pathMtu(terms.pathMtu())
                .destQpNum(terms.remoteQpNum())
                .rqPsn(terms.rqPsn())
                .maxDestRdAtomic(terms.responderResources())
                .minRnrTimer(minRnrTimer)
                .build());
        core.modify(QpAttributes.builder()
                .state(QpState.RTS)
                .timeout(terms.ackTimeout())
                .retryCnt(terms.retryCount())
                .rnrRetry(terms.rnrRetryCount())
                .sqPsn(terms.sqPsn())
                .maxRdAtomic(terms.initiatorDepth())
                .build());
    }

    /** For that reason to ERROR, where every work request gets its completion; nothing if it is there or destroyed. */
    void end(String why) {
        core.endsBecause(why);
        core.onEnd(null);
        if (core.engine() != null && core.state() != QpState.ERROR) {
            core.modify(QpAttributes.state(QpState.ERROR));
        }
    }

    /** What has been posted up to now is to be sent before the end, unless nothing of it completes for so long. */
    void beginDrain(long nowNs, long limitNs) {
        drainTo = core.sendQueue().posted();
        drained = core.sendQueue().head();
        progressAtNs = nowNs;
        drainLimitNs = limitNs;
        lookNs = FIRST_LOOK_NS;
    }

    /**
     * Looks what is left of it.
     *
     * @return after how long to look again; 0 if nothing is left, or nothing can be sent any more
     */
    long drain(long nowNs) {
        long head = core.sendQueue().head();
        if (head != drained) {
            drained = head;
            progressAtNs = nowNs;
        }
        boolean over = core.engine() == null || core.state() != QpState.RTS || head - drainTo >= 0;
        if (over || nowNs - progressAtNs >= drainLimitNs) {
            return 0;
        }
        long again = lookNs;
        lookNs = Math.min(2 * lookNs, LAST_LOOK_NS);
        return again;
    }
}
