package io.jrdma.cm.ib;

import io.jrdma.cm.transport.ConnectionOffer;
import io.jrdma.verbs.AddressVector;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.IbCmNegotiated;
import io.jrdma.verbs.IbCmOptions;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.wire.cm.CmRejReason;
import io.jrdma.wire.cm.CmRep;
import io.jrdma.wire.cm.CmReq;
import java.net.InetSocketAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the sides of a connection bring and agree on, and this side's queue pair, which is made ready for that. */
final class IbSetup {
    /** Why a side cannot do what the other wants. */
    static final class Refusal extends Exception {
        private static final long serialVersionUID = 1L;

        private final int reason;

        Refusal(int reason, VerbsException cause) {
            super(cause);
            this.reason = reason;
        }

        /** A reason of {@link CmRejReason}. */
        int reason() {
            return reason;
        }

        VerbsException why() {
            return (VerbsException) Objects.requireNonNull(getCause());
        }
    }

    private static final int NONE = -1;

    private final CmReq request;
    private IbCmOptions options = IbCmOptions.RECOMMENDED;
    private @Nullable ConnectionOffer offer;
    private @Nullable IbQueuePair queuePair;
    private int qpNum = NONE;
    private @Nullable IbCmNegotiated terms;

    /** The passive side's, which has brought nothing yet. */
    IbSetup(CmReq request) {
        this.request = request;
    }

    /**
     * The active side's.
     *
     * @throws VerbsException EINVAL if the queue pair cannot be connected
     */
    static IbSetup active(
            IbLine line, InetSocketAddress local, InetSocketAddress remote, IbQueuePair own, ConnectionOffer offer) {
        IbCm cm = line.cm();
        IbSetup setup = new IbSetup(IbTerms.request(
                cm.numbers().caGuid(),
                line.localId(),
                own.number(),
                cm.numbers().psn(),
                cm.port().pathMtu(),
                local,
                remote,
                offer));
        setup.offer = offer;
        setup.options = offer.ib();
        setup.bring(own);
        return setup;
    }

    CmReq request() {
        return request;
    }

    IbCmOptions options() {
        return options;
    }

    /** What was agreed on; only to be called when something was. */
    IbCmNegotiated terms() {
        return Objects.requireNonNull(terms);
    }

    /** Only to be called when there is one. */
    IbQueuePair queuePair() {
        return Objects.requireNonNull(queuePair);
    }

    /** Whether this side's queue pair has that number. */
    boolean has(int number) {
        return number == qpNum;
    }

    /** The number of this side's queue pair. */
    int qpNum() {
        return qpNum;
    }

    /** Passive side: agrees to the request, with the queue pair ready for it. */
    CmRep accept(IbLine line, QueuePairCore core, ConnectionOffer reply) throws Refusal {
        offer = reply;
        options = reply.ib();
        IbNumbers numbers = line.cm().numbers();
        IbCmNegotiated agreed = IbTerms.accepted(request, reply, numbers.psn());
        try {
            IbQueuePair own = new IbQueuePair(core);
            bring(own);
            // [IBTA-CM-12.9.6-2] the peer sends as soon as it has the REP
            ready(line, own, agreed, request.primary().trafficClass());
            return IbTerms.reply(request, numbers.caGuid(), line.localId(), own.number(), agreed, reply);
        } catch (VerbsException refused) {
            throw new Refusal(CmRejReason.CONSUMER_DEFINED, refused);
        }
    }

    /** Active side: makes the queue pair ready for what the peer replies. */
    void replied(IbLine line, CmRep rep) throws Refusal {
        // [IBTA-CM-12.9.8.3-1]
        if (line.rival() != null) {
            throw new Refusal(
                    CmRejReason.STALE_CONNECTION,
                    new VerbsException(
                            Errno.ECONNRESET,
                            "the peer's queue pair 0x" + Integer.toHexString(rep.localQpn())
                                    + " has another connection"));
        }
        IbCmNegotiated agreed = IbTerms.replied(
                request,
                rep,
                Objects.requireNonNull(offer),
                line.cm().port().device().attributes());
        if (rep.initiatorDepth() > agreed.responderResources()) {
            throw new Refusal(
                    CmRejReason.INSUFFICIENT_RESPONDER_RESOURCES,
                    new VerbsException(
                            Errno.EINVAL,
                            "the peer wants " + rep.initiatorDepth() + " Reads outstanding; this device serves "
                                    + agreed.responderResources()));
        }
        try {
            ready(line, queuePair(), agreed, options.trafficClass());
        } catch (VerbsException refused) {
            throw new Refusal(CmRejReason.CONSUMER_DEFINED, refused);
        }
    }

    private void bring(IbQueuePair own) {
        queuePair = own;
        qpNum = own.number();
    }

    private void ready(IbLine line, IbQueuePair own, IbCmNegotiated agreed, int trafficClass) {
        terms = agreed;
        line.bind(own.number());
        own.onEnd(line.connection()::onFault);
        int flowLabel = request.primary().flowLabel();
        own.ready(
                new AddressVector(line.peer(), trafficClass, options.hopLimit(), flowLabel),
                agreed,
                options.minRnrTimer());
    }

    /** For that reason the queue pair goes to ERROR, if it was ever brought up. */
    void end(String why) {
        IbQueuePair own = queuePair;
        if (own != null && terms != null) {
            own.end(why);
        }
    }

    /** Holds the queue pair no longer, so that its memory can go while the connection is remembered; only its number is kept. */
    void release() {
        queuePair = null;
    }

    /** Whether this side's queue pair is no more. */
    boolean isDestroyed() {
        IbQueuePair own = queuePair;
        return own != null && own.isDestroyed();
    }

    /** How long late packets and messages may be on their way. */
    long timewaitNs() {
        IbCmNegotiated agreed = terms;
        return CmTimes.longNs(agreed == null ? request.primary().localAckTimeout() : agreed.ackTimeout());
    }
}
