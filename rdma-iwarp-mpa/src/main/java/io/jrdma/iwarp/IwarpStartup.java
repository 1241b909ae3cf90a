package io.jrdma.iwarp;

import io.jrdma.iwarp.mpa.MpaEvent;
import io.jrdma.iwarp.mpa.MpaNegotiation;
import io.jrdma.iwarp.mpa.MpaState;
import io.jrdma.iwarp.rdmap.ReadyToReceiveMessage;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MpaNegotiated;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.MpaOptions.ReadyToReceive;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.StreamParameters;
import io.jrdma.verbs.spi.TransmitSink;
import io.jrdma.wire.Malformed;
import io.jrdma.wire.iwarp.DdpSegment;
import io.jrdma.wire.iwarp.RdmapOpcode;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The start-up of one connection: MPA's negotiation with its time limits, up to the first FPDU of the accepting side. */
final class IwarpStartup {
    private final MpaNegotiation mpa;
    private final IwarpTimers timers;

    IwarpStartup(MpaNegotiation mpa, IwarpTimers timers) {
        this.mpa = mpa;
        this.timers = timers;
    }

    MpaNegotiation mpa() {
        return mpa;
    }

    MpaState state() {
        return mpa.state();
    }

    void onOpen(long nowNs) {
        mpa.on(MpaEvent.OPENED);
        timers.set(IwarpTimers.HANDSHAKE, nowNs, mpa.options().handshakeTimeoutNs());
    }

    /** Whether this side may send FPDUs. */
    boolean maySend() {
        // [RFC5044-7.1.2-3] [RFC5044-7.1.2-4] the initiator behind the Reply, the responder behind the first FPDU
        return mpa.state() == MpaState.FULL_OPERATION;
    }

    /** Sends the start-up frame that is due; returns stream bytes, 0 if none is due or the sink has no room. */
    int transmit(TransmitSink sink) {
        if (!mpa.state().isFrameDue()) {
            return 0;
        }
        int bytes = mpa.frameBytes();
        if (!sink.tryClaim(bytes)) {
            return 0;
        }
        mpa.writeFrame(sink.segment(), sink.offset());
        sink.commit(bytes);
        mpa.on(MpaEvent.FRAME_SENT);
        return bytes;
    }

    /** Whether an accept is possible; throws EINVAL if not, and nothing was changed. */
    void checkAccept(QueuePairCore core, StreamParameters parameters) {
        checkRequest();
        IwarpDevice.checkDepths(parameters);
        IwarpDevice.checkPrivateData(parameters.privateData().length, mpa.maxReplyPrivateData());
        IwarpDevice.checkCompletion(core, mpa.effectiveOrd(parameters.ord()));
    }

    MpaNegotiated accept(StreamParameters parameters) {
        // the defaults mean that nothing was said here, so what the listener was told holds
        boolean said = !parameters.options().equals(MpaOptions.RECOMMENDED);
        MpaOptions options = said ? parameters.options() : mpa.options();
        return mpa.accept(options, parameters.ird(), parameters.ord(), parameters.privateData());
    }

    void reject(byte[] privateData) {
        checkRequest();
        IwarpDevice.checkPrivateData(privateData.length, mpa.maxReplyPrivateData());
        mpa.reject(privateData.clone());
    }

    private void checkRequest() {
        if (mpa.state() != MpaState.REQUEST_RECEIVED) {
            throw new VerbsException(
                    Errno.EINVAL,
                    "there is no connection request to answer; the stream is in MPA state " + mpa.state());
        }
    }

    /**
     * The accepting Reply is out.
     *
     * @return what was agreed if the connection is up with that, null if it waits for the ready-to-receive message
     */
    @Nullable
    MpaNegotiated onAcceptSent(long nowNs) {
        MpaNegotiated agreed = mpa.negotiated();
        if (agreed != null && agreed.peerToPeer()) {
            timers.set(IwarpTimers.HANDSHAKE, nowNs, mpa.options().handshakeTimeoutNs());
            return null;
        }
        timers.set(IwarpTimers.GRACE, nowNs, mpa.options().firstMessageGraceNs());
        return agreed;
    }

    /**
     * The responder's first FPDU arrived: from here on it may send.
     *
     * @param established whether the connection was up before
     * @return what was agreed if the connection comes up with this FPDU; null if it was up, or if the FPDU is not in order or a Terminate
     */
    @Nullable
    MpaNegotiated onFirstUlpdu(boolean established, MemorySegment segment, long at, int length) {
        mpa.on(MpaEvent.FPDU);
        timers.cancel(IwarpTimers.GRACE);
        if (established
                || DdpSegment.check(segment, at, length, RdmapOpcode.RFC5040) != Malformed.OK
                || DdpSegment.opcode(segment, at) == RdmapOpcode.TERMINATE) {
            return null;
        }
        timers.cancel(IwarpTimers.HANDSHAKE);
        // a first message of another kind is taken as well: it shows that the peer is ready just as clearly
        ReadyToReceive kind = ReadyToReceiveMessage.kindOf(segment, at, length);
        return kind != null && mpa.expects(kind) ? mpa.readyToReceiveWas(kind) : mpa.negotiated();
    }

    boolean onGraceOver() {
        return mpa.on(MpaEvent.GRACE_OVER);
    }

    String onTimeOver() {
        mpa.on(MpaEvent.TIME_OVER);
        return "the peer's next step of the MPA set-up did not come within "
                + mpa.options().handshakeTimeoutNs() + " ns";
    }
}
