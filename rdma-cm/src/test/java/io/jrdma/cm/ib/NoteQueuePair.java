package io.jrdma.cm.ib;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.QueuePairEngine;

/** Notes what a queue pair is told, refuses what a test wants refused, and completes sends when a test says so. */
final class NoteQueuePair implements QueuePairEngine {
    final QueuePairCore core;
    QpAttributes rtr;
    QpAttributes rts;
    private QpState refused;

    NoteQueuePair(QueuePairCore core) {
        this.core = core;
    }

    void refuse(QpState state) {
        refused = state;
    }

    /** The oldest send has its result. */
    void completeSend() {
        core.completeSend(core.sendQueue().head(), WcStatus.SUCCESS, 0, 0);
    }

    /** As if a fault had happened. */
    void fail() {
        core.enterError();
    }

    @Override
    public void onDoorbell(long nowNs) {}

    @Override
    public void onModify(QpState from, QpState to, QpAttributes attributes, long nowNs) {
        if (to == refused) {
            throw new VerbsException(Errno.ENOMEM, "no way to " + to);
        }
        if (to == QpState.RTR) {
            rtr = attributes;
        } else if (to == QpState.RTS) {
            rts = attributes;
        }
    }

    @Override
    public void onDestroy(long nowNs) {}
}
