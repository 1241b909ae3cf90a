package io.jrdma.iwarp;

import io.jrdma.iwarp.mpa.MpaEvent;
import io.jrdma.iwarp.mpa.MpaNegotiation;
import io.jrdma.iwarp.mpa.MpaReceiver;
import io.jrdma.iwarp.mpa.MpaSender;
import io.jrdma.iwarp.mpa.MpaState;
import io.jrdma.iwarp.rdmap.BoundQueuePair;
import io.jrdma.iwarp.rdmap.PeerTerminate;
import io.jrdma.iwarp.rdmap.RdmapStream;
import io.jrdma.iwarp.rdmap.Terminator;
import io.jrdma.verbs.AsyncEvent;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MpaNegotiated;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.MpaOptions.ReadyToReceive;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.ConnectFailure;
import io.jrdma.verbs.spi.PassiveStreamEngine;
import io.jrdma.verbs.spi.StreamHandle;
import io.jrdma.verbs.spi.StreamListener;
import io.jrdma.verbs.spi.StreamParameters;
import io.jrdma.verbs.spi.TransmitSink;
import io.jrdma.wire.Malformed;
import io.jrdma.wire.crc.Crc32c;
import io.jrdma.wire.iwarp.DdpHeader;
import io.jrdma.wire.iwarp.DdpSegment;
import io.jrdma.wire.iwarp.RdmapHeader;
import io.jrdma.wire.iwarp.RdmapOpcode;
import io.jrdma.wire.iwarp.ReadRequestHeader;
import io.jrdma.wire.iwarp.TerminateCode;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * One iWARP stream from its first byte to its last, in either role: runs MPA's start-up, then hands bytes up through MPA, DDP and RDMAP and
 * takes messages down, and ends the stream in good order or with a Terminate.
 *
 * <p>The listener may call back into the stream and its queue pair from inside every call that it gets, so what stands behind such a call
 * looks at the phase again.
 */
final class IwarpConnection implements PassiveStreamEngine, MpaReceiver.Ulpdus {
    /** How long {@link #disconnect} waits for what was posted before it. */
    static final long FINISH_LIMIT_NS = 10_000_000_000L;
    /** How long the stream may take to close. */
    static final long CLOSE_LIMIT_NS = 5_000_000_000L;

    /**
     * When to wake a peer up that does not react. Linux siw sends the Reply before it listens for what comes next; what arrives in between
     * lies there until more arrives.
     */
    private static final long[] NUDGE_NS = {20_000_000L, 100_000_000L, 500_000_000L, 2_000_000_000L, 8_000_000_000L};

    private enum Phase {
        /** MPA start-up frames. */
        SETUP,
        /** FPDUs. */
        OPEN,
        /** FPDUs, until what was posted before {@link #disconnect} is through. */
        FINISHING,
        /** One Terminate is to be sent, then nothing. */
        TERMINATING,
        /** The stream was asked to close. */
        CLOSING,
        /** The stream is gone. */
        CLOSED
    }

    private final IwarpDevice device;
    private final IwarpCounters counters;
    private final MpaOptions options;
    private final MpaNegotiation mpa;
    private final StreamListener listener;
    private final Terminator terminator = new Terminator();
    private final IwarpTimers timers = new IwarpTimers();

    private Phase phase = Phase.SETUP;
    private boolean established;
    private boolean over;
    private @Nullable StreamHandle stream;
    private @Nullable IwarpQueuePair queuePair;
    private @Nullable BoundQueuePair bound;
    private @Nullable MpaSender mpaSender;
    private @Nullable RdmapStream rdmap;
    private @Nullable ConnectFailure failure;
    private boolean heard;
    private int nudges = -1;
    private boolean drainEventWanted;

    IwarpConnection(IwarpDevice device, MpaOptions options, MpaNegotiation mpa, StreamListener listener) {
        this.device = device;
        this.counters = device.counters();
        this.options = options;
        this.mpa = mpa;
        this.listener = listener;
    }

    BoundQueuePair bind(IwarpQueuePair to) {
        BoundQueuePair newBound = new BoundQueuePair(to.core());
        queuePair = to;
        bound = newBound;
        to.bind(this);
        return newBound;
    }

    // ---- the stream ----

    @Override
    public void onOpen(StreamHandle handle, long nowNs) {
        stream = handle;
        if (phase != Phase.SETUP) {
            handle.reset();
            return;
        }
        mpa.on(MpaEvent.OPENED);
        timers.set(IwarpTimers.HANDSHAKE, nowNs, options.handshakeTimeoutNs());
        handle.requestTransmit();
    }

    @Override
    public void onOpenFailed(ConnectFailure why, long nowNs) {
        failure = failure == null ? why : failure;
        end();
    }

    @Override
    public int onBytes(MemorySegment segment, long offset, int length, long nowNs) {
        int taken = 0;
        while (taken < length && phase == Phase.SETUP) {
            MpaState before = mpa.state();
            taken += mpa.onBytes(segment, offset + taken, length - taken);
            if (mpa.state() != before) {
                onStartup(nowNs);
            }
        }
        RdmapStream current = rdmap;
        if (taken < length && current != null && (phase == Phase.OPEN || phase == Phase.FINISHING)) {
            heard = true;
            timers.cancel(IwarpTimers.NUDGE);
            counters.add(IwarpCounters.BYTES_RECEIVED, length - taken);
            current.mpaReceiver().onBytes(segment, offset + taken, length - taken);
            PeerTerminate terminate = current.receiver().peerTerminate();
            if (terminator.isRaised()) {
                onFault(nowNs);
            } else if (terminate != null) {
                onPeerTerminate(terminate, nowNs);
            }
        }
        // what comes behind the end of the connection is nobody's
        return length;
    }

    @Override
    public void onEndOfStream(long nowNs) {
        switch (phase) {
            case SETUP -> {
                mpa.on(MpaEvent.STREAM_GONE);
                fail(
                        ConnectFailure.Kind.REFUSED,
                        Errno.ECONNRESET,
                        "the peer closed the stream during MPA set-up",
                        nowNs);
            }
            case OPEN, FINISHING -> {
                RdmapStream current = rdmap;
                boolean cut = current != null
                        && (!current.mpaReceiver().isBetweenFpdus()
                                || current.receiver().isInsideMessage());
                if (cut) {
                    report(
                            AsyncEvent.Type.QP_FATAL,
                            TerminateCode.MPA_CONNECTION_LOST,
                            "the peer closed the stream in the middle of a message");
                }
                // the peer reads no more, so there is nothing to finish
                close(nowNs);
                flush();
            }
            default -> {}
        }
    }

    @Override
    public void onClosed(long nowNs) {
        if (!established && failure == null && !over) {
            failure = new ConnectFailure(
                    ConnectFailure.Kind.REFUSED, Errno.ECONNRESET, "the stream broke during MPA set-up");
        }
        end();
    }

    // ---- start-up ----

    private void onStartup(long nowNs) {
        switch (mpa.state()) {
            case REQUEST_RECEIVED -> {
                timers.cancel(IwarpTimers.HANDSHAKE);
                listener.onRequest(mpa.peerPrivateData(), mpa.peerIrd(), mpa.peerOrd());
            }
            case FULL_OPERATION -> onGoodReply(nowNs);
            case DISAGREED -> disagree(mpa.terminateCode(), mpa.problem(), nowNs);
            case REJECTED -> {
                counters.add(IwarpCounters.REJECTED, 1);
                over = true;
                release();
                close(nowNs);
                listener.onRejected(mpa.peerPrivateData());
            }
            case FAILED -> {
                counters.add(IwarpCounters.ofMalformed(mpa.malformed()), 1);
                fail(ConnectFailure.Kind.ERROR, Errno.EINVAL, "MPA set-up failed: " + mpa.problem(), nowNs);
            }
            default -> {}
        }
    }

    private void onGoodReply(long nowNs) {
        MpaNegotiated agreed = mpa.negotiated();
        BoundQueuePair to = bound;
        if (agreed == null || to == null) {
            return;
        }
        try {
            IwarpDevice.checkCompletion(to.core(), agreed.ord());
        } catch (VerbsException tooLittle) {
            disagree(TerminateCode.MPA_INSUFFICIENT_IRD, "the peer serves no Reads: " + tooLittle.getMessage(), nowNs);
            return;
        }
        RdmapStream current = arm(to, agreed);
        ReadyToReceive opening = agreed.readyToReceive();
        if (opening != null) {
            current.sender().openWith(opening);
        }
        phase = Phase.OPEN;
        timers.cancel(IwarpTimers.HANDSHAKE);
        to.enterRts();
        establish(mpa.peerPrivateData());
    }

    /** The Reply came but is of no use: a Terminate says why. */
    private void disagree(int code, String why, long nowNs) {
        terminator.raise(code);
        mpaSender = new MpaSender(mpa.crcInUse(), mpa.markersSent(), device.crc());
        phase = Phase.TERMINATING;
        timers.cancelAll();
        timers.set(IwarpTimers.CLOSE, nowNs, CLOSE_LIMIT_NS);
        requestTransmit();
        fail(ConnectFailure.Kind.ERROR, Errno.EINVAL, "MPA set-up failed: " + why, nowNs);
    }

    /** Makes ready for FPDUs. */
    private RdmapStream arm(BoundQueuePair to, MpaNegotiated agreed) {
        MpaSender sender = new MpaSender(agreed.crc(), agreed.markersSent(), device.crc());
        RdmapStream armed =
                new RdmapStream(to, agreed, sender, options.maxUlpdu(), Crc32c.sharing(device.crc()), terminator, this);
        mpaSender = sender;
        rdmap = armed;
        return armed;
    }

    @Override
    public void accept(QueuePairCore core, StreamParameters parameters, long nowNs) {
        checkRequest();
        IwarpQueuePair to = device.free(core);
        IwarpDevice.checkDepths(parameters);
        IwarpDevice.checkPrivateData(parameters.privateData().length, mpa.maxReplyPrivateData());
        IwarpDevice.checkCompletion(core, mpa.effectiveOrd(parameters.ord()));
        BoundQueuePair newBound = bind(to);
        // ready for the first FPDU before the Reply can be out
        arm(newBound, mpa.accept(parameters.ird(), parameters.ord(), parameters.privateData()));
        newBound.enterRts();
        requestTransmit();
    }

    @Override
    public void reject(byte[] privateData, long nowNs) {
        checkRequest();
        IwarpDevice.checkPrivateData(privateData.length, mpa.maxReplyPrivateData());
        mpa.reject(privateData.clone());
        over = true;
        counters.add(IwarpCounters.REJECTED, 1);
        timers.set(IwarpTimers.CLOSE, nowNs, CLOSE_LIMIT_NS);
        requestTransmit();
    }

    private void checkRequest() {
        if (mpa.state() != MpaState.REQUEST_RECEIVED || phase != Phase.SETUP) {
            throw new VerbsException(
                    Errno.EINVAL,
                    "there is no connection request to answer; the stream is in MPA state " + mpa.state());
        }
    }

    private void onFrameSent(long nowNs) {
        switch (mpa.state()) {
            case AWAIT_FIRST_FPDU -> {
                phase = Phase.OPEN;
                MpaNegotiated agreed = mpa.negotiated();
                if (agreed != null && agreed.peerToPeer()) {
                    timers.set(IwarpTimers.HANDSHAKE, nowNs, options.handshakeTimeoutNs());
                } else {
                    timers.set(IwarpTimers.GRACE, nowNs, options.firstMessageGraceNs());
                    establish(new byte[0]);
                }
            }
            case REJECTED -> close(nowNs);
            default -> {}
        }
    }

    private void establish(byte[] privateData) {
        MpaNegotiated agreed = mpa.negotiated();
        if (agreed != null) {
            established = true;
            counters.add(IwarpCounters.ESTABLISHED, 1);
            listener.onEstablished(privateData, agreed);
        }
    }

    @Override
    public @Nullable MpaNegotiated negotiated() {
        return mpa.negotiated();
    }

    // ---- FPDUs ----

    @Override
    public boolean onUlpdu(MemorySegment segment, long at, int length) {
        RdmapStream current = rdmap;
        if (current == null) {
            return false;
        }
        counters.add(IwarpCounters.FPDUS_RECEIVED, 1);
        if (mpa.state() != MpaState.FULL_OPERATION && onFirstUlpdu(current, segment, at, length)) {
            return isOpen();
        }
        int malformed = isOpen() ? current.receiver().onSegment(segment, at, length) : Malformed.OK;
        if (malformed != Malformed.OK) {
            counters.add(IwarpCounters.ofMalformed(malformed), 1);
        }
        return isOpen() && !terminator.isRaised() && current.receiver().peerTerminate() == null;
    }

    /** The responder's first: from here on it may send. Returns whether that was all there is to it. */
    private boolean onFirstUlpdu(RdmapStream current, MemorySegment segment, long at, int length) {
        mpa.on(MpaEvent.FPDU);
        timers.cancel(IwarpTimers.GRACE);
        if (established || DdpSegment.check(segment, at, length, RdmapOpcode.RFC5040) != Malformed.OK) {
            return false;
        }
        timers.cancel(IwarpTimers.HANDSHAKE);
        ReadyToReceive kind = readyToReceiveKind(segment, at, length);
        if (kind != null && mpa.expects(kind)) {
            mpa.readyToReceiveWas(kind);
        }
        boolean skipped = kind == ReadyToReceive.SEND && mpa.expects(kind);
        if (skipped) {
            // [RFC6581-9.2-4] no receive is used up and nobody hears of it
            current.receiver().skipReadyToReceiveSend();
        }
        establish(new byte[0]);
        return skipped;
    }

    private static @Nullable ReadyToReceive readyToReceiveKind(MemorySegment segment, long at, int length) {
        return switch (RdmapHeader.opcode(segment, at)) {
            case RdmapOpcode.RDMA_WRITE -> length == DdpHeader.TAGGED_LENGTH ? ReadyToReceive.WRITE : null;
            case RdmapOpcode.SEND ->
                length == DdpHeader.UNTAGGED_LENGTH
                                && DdpHeader.isLast(segment, at)
                                && DdpHeader.ddpMsn(segment, at) == DdpHeader.FIRST_MSN
                                && DdpHeader.messageOffset(segment, at) == 0
                        ? ReadyToReceive.SEND
                        : null;
            case RdmapOpcode.RDMA_READ_REQUEST ->
                ReadRequestHeader.readBytes(segment, at + DdpHeader.UNTAGGED_LENGTH) == 0 ? ReadyToReceive.READ : null;
            default -> null;
        };
    }

    @Override
    public void onMpaError(int malformed) {
        counters.add(IwarpCounters.ofMalformed(malformed), 1);
        terminator.raise(TerminateCode.forMalformed(malformed));
    }

    private boolean isOpen() {
        return phase == Phase.OPEN || phase == Phase.FINISHING;
    }

    @Override
    public int pollTransmit(TransmitSink sink, int maxBytes, long nowNs) {
        int total = 0;
        while (total < maxBytes) {
            int bytes = transmitOne(sink, nowNs);
            if (bytes == 0) {
                break;
            }
            total += bytes;
        }
        RdmapStream current = rdmap;
        if (drainEventWanted && current != null && current.sender().isQuiet()) {
            drainEventWanted = false;
            report(AsyncEvent.Type.SQ_DRAINED, 0, "the send queue has stopped");
        }
        return total;
    }

    private int transmitOne(TransmitSink sink, long nowNs) {
        return switch (phase) {
            case SETUP -> mpa.state().isFrameDue() ? transmitFrame(sink, nowNs) : 0;
            case OPEN, FINISHING -> transmitSegment(sink, nowNs);
            case TERMINATING -> transmitTerminate(sink, nowNs);
            case CLOSING, CLOSED -> 0;
        };
    }

    private int transmitFrame(TransmitSink sink, long nowNs) {
        int bytes = mpa.frameBytes();
        if (!sink.tryClaim(bytes)) {
            return 0;
        }
        mpa.writeFrame(sink.segment(), sink.offset());
        sink.commit(bytes);
        mpa.on(MpaEvent.FRAME_SENT);
        onFrameSent(nowNs);
        return bytes;
    }

    private int transmitSegment(TransmitSink sink, long nowNs) {
        RdmapStream current = rdmap;
        // [RFC5044-7.1.2-4] the responder holds everything back until it has received something
        if (current == null || mpa.state() != MpaState.FULL_OPERATION) {
            return 0;
        }
        int bytes = current.sender().transmit(sink);
        if (terminator.isRaised()) {
            onFault(nowNs);
            return transmitOne(sink, nowNs);
        }
        if (bytes > 0) {
            counters.add(IwarpCounters.FPDUS_SENT, 1);
            counters.add(IwarpCounters.BYTES_SENT, bytes);
            if (nudges < 0) {
                startNudging(nowNs);
            }
        } else if (phase == Phase.FINISHING && current.sender().isFinished()) {
            close(nowNs);
        }
        return bytes;
    }

    private void startNudging(long nowNs) {
        nudges = 0;
        if (mpa.isInitiator() && !heard) {
            timers.set(IwarpTimers.NUDGE, nowNs, NUDGE_NS[0]);
        }
    }

    private int transmitTerminate(TransmitSink sink, long nowNs) {
        MpaSender sender = mpaSender;
        int bytes = sender == null ? 0 : terminator.transmit(sender, sink);
        if (bytes > 0) {
            counters.add(IwarpCounters.TERMINATES_SENT, 1);
            close(nowNs);
        }
        return bytes;
    }

    // ---- the end ----

    /** A fault on this side or in what arrived: the Terminate is the last that is sent. */
    private void onFault(long nowNs) {
        if (!isOpen()) {
            return;
        }
        phase = Phase.TERMINATING;
        timers.cancelAll();
        timers.set(IwarpTimers.CLOSE, nowNs, CLOSE_LIMIT_NS);
        requestTransmit();
        report(terminator.eventType(), terminator.code(), terminator.text());
        if (established) {
            flush();
        } else {
            fail(ConnectFailure.Kind.ERROR, Errno.EINVAL, terminator.text(), nowNs);
        }
    }

    private void onPeerTerminate(PeerTerminate terminate, long nowNs) {
        if (!isOpen()) {
            return;
        }
        counters.add(IwarpCounters.TERMINATES_RECEIVED, 1);
        // [RFC5040-7.2-1] nothing is sent behind a Terminate that was received
        close(nowNs);
        if (bound != null && terminate.sequence() != PeerTerminate.NO_MATCH) {
            bound.completeSend(terminate.sequence(), terminate.status(), 0, terminate.code());
        }
        report(AsyncEvent.Type.QP_FATAL, terminate.code(), terminate.text());
        if (established) {
            flush();
        } else {
            fail(ConnectFailure.Kind.ERROR, Errno.ECONNRESET, terminate.text(), nowNs);
        }
    }

    @Override
    public void disconnect(long nowNs) {
        RdmapStream current = rdmap;
        if (phase == Phase.SETUP || (phase == Phase.OPEN && !established)) {
            abandon("the connection was given up during MPA set-up");
        } else if (phase == Phase.OPEN && current != null) {
            current.sender().finish();
            if (current.sender().isFinished()) {
                close(nowNs);
            } else {
                phase = Phase.FINISHING;
                timers.set(IwarpTimers.CLOSE, nowNs, FINISH_LIMIT_NS);
                requestTransmit();
            }
        }
    }

    /** Gives up a connection that did not come up; the listener hears of it when the stream is gone, not inside a command. */
    private void abandon(String why) {
        phase = Phase.CLOSING;
        timers.cancelAll();
        failure = new ConnectFailure(ConnectFailure.Kind.ERROR, Errno.ECONNRESET, why);
        if (stream != null) {
            stream.reset();
        }
    }

    /** The connection did not come up: tells so at once, if nobody was told anything, and closes the stream. */
    private void fail(ConnectFailure.Kind kind, Errno errno, String text, long nowNs) {
        if (phase == Phase.SETUP || isOpen()) {
            close(nowNs);
        }
        if (over || failure != null) {
            return;
        }
        failure = new ConnectFailure(kind, errno, text);
        tellFailure(failure);
    }

    private void tellFailure(ConnectFailure why) {
        over = true;
        counters.add(IwarpCounters.HANDSHAKES_FAILED, 1);
        flushIfConnected();
        release();
        listener.onFailed(why);
    }

    /** Asks the stream to close behind what was committed. */
    private void close(long nowNs) {
        if (phase == Phase.CLOSING || phase == Phase.CLOSED) {
            return;
        }
        phase = Phase.CLOSING;
        timers.cancelAll();
        timers.set(IwarpTimers.CLOSE, nowNs, CLOSE_LIMIT_NS);
        if (stream != null) {
            stream.close();
        }
    }

    private void flush() {
        if (bound != null) {
            bound.enterError();
        }
    }

    /** A queue pair that an accept has brought to RTS does not stay there. */
    private void flushIfConnected() {
        if (rdmap != null) {
            flush();
        }
    }

    /** The stream is gone: everything gets its completion, the listener its last call. */
    private void end() {
        if (phase == Phase.CLOSED) {
            return;
        }
        phase = Phase.CLOSED;
        timers.cancelAll();
        ConnectFailure why = failure;
        if (established) {
            flush();
            release();
            over = true;
            listener.onDisconnected();
        } else if (!over && why != null) {
            tellFailure(why);
        }
    }

    private void release() {
        IwarpQueuePair current = queuePair;
        if (current != null && bound != null && bound.isBound()) {
            bound.release();
            current.unbind(rdmap != null);
        }
        queuePair = null;
    }

    private void report(AsyncEvent.Type type, int detail, String text) {
        if (bound != null) {
            bound.report(type, detail, text);
        }
    }

    private void requestTransmit() {
        if (stream != null) {
            stream.requestTransmit();
        }
    }

    // ---- time ----

    @Override
    public void onTimeout(long nowNs) {
        if (timers.fires(IwarpTimers.HANDSHAKE, nowNs)) {
            mpa.on(MpaEvent.TIME_OVER);
            fail(
                    ConnectFailure.Kind.UNREACHABLE,
                    Errno.ETIMEDOUT,
                    "the peer's next step of the MPA set-up did not come within " + options.handshakeTimeoutNs()
                            + " ns",
                    nowNs);
        }
        if (timers.fires(IwarpTimers.GRACE, nowNs) && mpa.on(MpaEvent.GRACE_OVER)) {
            requestTransmit();
        }
        if (timers.fires(IwarpTimers.NUDGE, nowNs)) {
            onNudge(nowNs);
        }
        if (timers.fires(IwarpTimers.CLOSE, nowNs)) {
            onCloseLimit(nowNs);
        }
    }

    private void onNudge(long nowNs) {
        RdmapStream current = rdmap;
        if (current != null && isOpen()) {
            counters.add(IwarpCounters.NUDGES_SENT, 1);
            current.sender().nudge();
            if (++nudges < NUDGE_NS.length) {
                timers.set(IwarpTimers.NUDGE, nowNs, NUDGE_NS[nudges]);
            }
            requestTransmit();
        }
    }

    private void onCloseLimit(long nowNs) {
        if (phase == Phase.FINISHING) {
            close(nowNs);
        } else if (stream != null && phase != Phase.CLOSED) {
            counters.add(IwarpCounters.RESETS_SENT, 1);
            phase = Phase.CLOSING;
            stream.reset();
        }
    }

    @Override
    public long nextDeadlineNs() {
        return timers.next();
    }

    // ---- the queue pair ----

    void onDoorbell() {
        requestTransmit();
    }

    void onSuspend(boolean notify) {
        if (rdmap != null) {
            rdmap.sender().suspend(true);
            drainEventWanted = notify;
            requestTransmit();
        }
    }

    void onResume() {
        if (rdmap != null) {
            rdmap.sender().suspend(false);
            drainEventWanted = false;
            requestTransmit();
        }
    }

    /** The application moves the queue pair to ERROR; its core flushes behind this. */
    void onQueuePairError(long nowNs) {
        if (established) {
            if (isOpen()) {
                close(nowNs);
            }
        } else if (!over && phase != Phase.CLOSING) {
            abandon("the queue pair went to ERROR during MPA set-up");
        }
    }

    /** The queue pair is destroyed or reset. */
    void onQueuePairGone(long nowNs) {
        onQueuePairError(nowNs);
        if (bound != null) {
            bound.release();
        }
        queuePair = null;
    }
}
