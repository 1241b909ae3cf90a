package io.jrdma.cm.ib;

import io.jrdma.cm.transport.ConnectionOffer;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.wire.cm.CmBytes;
import io.jrdma.wire.cm.CmMra;
import io.jrdma.wire.cm.CmRej;
import io.jrdma.wire.cm.CmRejReason;
import io.jrdma.wire.cm.CmRep;
import io.jrdma.wire.cm.CmReq;

/**
 * What the passive side says to a request, and the request's place among those that its listener's application has not answered. Loop only.
 */
final class IbReceivedRequest {
    private final IbListener listener;
    private final IbLine line;
    private final IbSetup setup;
    private boolean waiting = true;

    /** A request that was found good and takes a place. */
    IbReceivedRequest(IbListener listener, IbLine line, IbSetup setup) {
        this.listener = listener;
        this.line = line;
        this.setup = setup;
    }

    /** The application has said something: the place is free. */
    void answered() {
        if (waiting) {
            waiting = false;
            listener.answered();
        }
    }

    /** Yes, until the peer answers in its turn. */
    void accept(QueuePairCore core, ConnectionOffer offer, long nowNs) throws IbSetup.Refusal {
        CmReq req = setup.request();
        CmRep rep = setup.accept(line, core, offer);
        line.repeat(
                rep, CmTimes.replyRetries(req.maxCmRetries()), CmTimes.replyNs(req.localCmResponseTimeout()), nowNs);
    }

    /** No. */
    void reject(IbConnectionState before, byte[] privateData) {
        // the peer does not know our ID, unless an MRA has told it
        int own = before == IbConnectionState.MRA_REQ_SENT ? line.localId() : 0;
        line.answer(new CmRej(
                own,
                line.remoteId(),
                CmRej.OF_REQ,
                CmRejReason.CONSUMER_DEFINED,
                CmBytes.EMPTY,
                CmBytes.of(privateData)));
    }

    /** [IBTA-CM-12.9.8-2] The same request once more, or soon to be expected: what was said to it is said again. */
    void repeated(IbConnectionState before) {
        switch (before) {
            case REQ_RCVD, MRA_REQ_SENT ->
                line.send(new CmMra(
                        line.localId(),
                        line.remoteId(),
                        CmMra.OF_REQ,
                        setup.options().serviceTimeout(),
                        CmBytes.EMPTY));
            case REP_SENT, MRA_REP_RCVD -> line.sendAgain();
            default -> line.answerAgain();
        }
    }
}
