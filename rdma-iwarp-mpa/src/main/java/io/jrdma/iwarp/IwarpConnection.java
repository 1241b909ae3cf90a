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
import io.jrdma.verbs.MpaOptions.ReadyToReceive;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.ConnectFailure;
import io.jrdma.verbs.spi.PassiveStreamEngine;
import io.jrdma.verbs.spi.StreamHandle;
import io.jrdma.verbs.spi.StreamListener;
import io.jrdma.verbs.spi.StreamParameters;
import io.jrdma.verbs.spi.TransmitSink;
import io.jrdma.wire.Malformed;
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
    private final IwarpDevice device;
    private final IwarpCounters counters;
    private final IwarpOutcome outcome;
    private final BoundQueuePair bound = new BoundQueuePair();
    private final Terminator terminator = new Terminator();
    private final IwarpTimers timers = new IwarpTimers();
    private final IwarpStartup startup;
    private final IwarpNudges nudges;

    private IwarpPhase phase = IwarpPhase.SETUP;
    private @Nullable StreamHandle stream;
    private @Nullable RdmapStream rdmap;

    IwarpConnection(IwarpDevice device, MpaNegotiation mpa, StreamListener listener) {
        this.device = device;
        this.counters = device.counters();
        this.startup = new IwarpStartup(mpa, timers);
        this.outcome = new IwarpOutcome(listener, counters);
        this.nudges = new IwarpNudges(timers, mpa.isInitiator());
    }

    void bind(IwarpQueuePair to) {
        bound.bind(to.core(), to);
        to.bind(this);
    }

    // ---- the stream ----

    @Override
    public void onOpen(StreamHandle handle, long nowNs) {
        stream = handle;
        if (phase != IwarpPhase.SETUP) {
            handle.reset();
            return;
        }
        startup.onOpen(nowNs);
        handle.requestTransmit();
    }

    @Override
    public void onOpenFailed(ConnectFailure why, long nowNs) {
        outcome.willFail(why);
        end();
    }

    @Override
    public int onBytes(MemorySegment segment, long offset, int length, long nowNs) {
        int taken = 0;
        while (taken < length && phase == IwarpPhase.SETUP) {
            MpaState before = startup.state();
            taken += startup.mpa().onBytes(segment, offset + taken, length - taken);
            if (startup.state() != before) {
                onStartup(nowNs);
            }
        }
        RdmapStream current = rdmap;
        if (taken < length && current != null && phase.isOpen()) {
            nudges.onHeard();
            counters.add(IwarpCounters.BYTES_RECEIVED, length - taken);
            current.mpaReceiver().onBytes(segment, offset + taken, length - taken);
            PeerTerminate terminate = current.receiver().peerTerminate();
            if (terminator.isRaised()) {
                onFault(nowNs);
            } else if (terminate != null) {
                onPeerTerminate(terminate, nowNs);
            }
        }
        return length;
    }

    @Override
    public void onEndOfStream(long nowNs) {
        if (phase == IwarpPhase.SETUP) {
            startup.mpa().on(MpaEvent.STREAM_GONE);
            fail(ConnectFailure.Kind.REFUSED, Errno.ECONNRESET, "the peer closed the stream in set-up", nowNs);
        } else if (phase.isOpen()) {
            if (rdmap != null) {
                rdmap.onEndOfStream();
            }
            close(nowNs);
            bound.endsBecause("the peer disconnected");
            bound.enterError();
        }
    }

    @Override
    public void onClosed(long nowNs) {
        if (!outcome.isEstablished()) {
            outcome.willFail(ConnectFailure.Kind.REFUSED, Errno.ECONNRESET, "the stream broke during set-up");
        }
        end();
    }

    // ---- start-up ----

    private void onStartup(long nowNs) {
        MpaNegotiation mpa = startup.mpa();
        switch (mpa.state()) {
            case REQUEST_RECEIVED -> {
                timers.cancel(IwarpTimers.HANDSHAKE);
                outcome.request(mpa.peerPrivateData(), mpa.peerIrd(), mpa.peerOrd());
            }
            case FULL_OPERATION -> onGoodReply(mpa.negotiated());
            case DISAGREED -> disagree(mpa.terminateCode(), mpa.problem(), nowNs);
            case REJECTED -> {
                close(nowNs);
                bound.release(false);
                outcome.rejected(mpa.peerPrivateData());
            }
            case FAILED -> {
                counters.add(IwarpCounters.ofMalformed(mpa.malformed()), 1);
                fail(ConnectFailure.Kind.ERROR, Errno.EINVAL, "MPA set-up failed: " + mpa.problem(), nowNs);
            }
            default -> {}
        }
    }

    private void onGoodReply(@Nullable MpaNegotiated agreed) {
        if (agreed == null || !bound.isBound()) {
            return;
        }
        RdmapStream current = arm(agreed);
        ReadyToReceive opening = agreed.readyToReceive();
        if (opening != null) {
            current.sender().openWith(opening);
        }
        phase = IwarpPhase.OPEN;
        timers.cancel(IwarpTimers.HANDSHAKE);
        bound.enterRts();
        outcome.established(startup.mpa().peerPrivateData(), agreed);
    }

    /** The Reply came but is of no use: a Terminate says why. */
    private void disagree(int code, String why, long nowNs) {
        terminator.sendThrough(
                new MpaSender(startup.mpa().crcInUse(), startup.mpa().markersSent(), device.crc()));
        terminator.raise(code);
        beginTerminating(nowNs);
        fail(ConnectFailure.Kind.ERROR, Errno.EINVAL, "MPA set-up failed: " + why, nowNs);
    }

    /** Makes ready for FPDUs. */
    private RdmapStream arm(MpaNegotiated agreed) {
        boolean responder = !startup.mpa().isInitiator();
        int maxUlpdu = startup.mpa().options().maxUlpdu();
        RdmapStream armed = new RdmapStream(bound, agreed, maxUlpdu, device.crc(), terminator, responder, this);
        rdmap = armed;
        return armed;
    }

    @Override
    public void accept(QueuePairCore core, StreamParameters parameters, long nowNs) {
        startup.checkAccept(core, parameters);
        bind(device.free(core));
        // ready for the first FPDU before the Reply can be out
        arm(startup.accept(parameters));
        bound.enterRts();
        requestTransmit();
    }

    @Override
    public void reject(byte[] privateData, long nowNs) {
        startup.reject(privateData);
        outcome.rejecting();
        timers.set(IwarpTimers.CLOSE, nowNs, IwarpTimers.CLOSE_LIMIT_NS);
        requestTransmit();
    }

    @Override
    public @Nullable MpaNegotiated negotiated() {
        return startup.mpa().negotiated();
    }

    // ---- FPDUs ----

    @Override
    public boolean onUlpdu(MemorySegment segment, long at, int length) {
        RdmapStream current = rdmap;
        if (current == null) {
            return false;
        }
        counters.add(IwarpCounters.FPDUS_RECEIVED, 1);
        boolean done = !startup.maySend() && onFirstUlpdu(current, segment, at, length);
        if (!done && phase.isOpen()) {
            int malformed = current.receiver().onSegment(segment, at, length);
            if (malformed != Malformed.OK) {
                counters.add(IwarpCounters.ofMalformed(malformed), 1);
            }
        }
        return phase.isOpen() && !current.receiver().isStopped();
    }

    /** The responder's first; returns whether that was all there is to it. */
    private boolean onFirstUlpdu(RdmapStream current, MemorySegment segment, long at, int length) {
        MpaNegotiated agreed = startup.onFirstUlpdu(outcome.isEstablished(), segment, at, length);
        if (agreed == null) {
            return false;
        }
        boolean skipped = agreed.readyToReceive() == ReadyToReceive.SEND;
        if (skipped) {
            // [RFC6581-9.2-4] no receive is used up and nobody hears of it
            current.receiver().skipReadyToReceiveSend();
        }
        outcome.established(agreed);
        return skipped;
    }

    @Override
    public void onMpaError(int malformed) {
        counters.add(IwarpCounters.ofMalformed(malformed), 1);
        terminator.raise(TerminateCode.forMalformed(malformed));
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
        if (rdmap != null && rdmap.sender().hasDrained()) {
            bound.report(AsyncEvent.Type.SQ_DRAINED, 0, "the send queue has stopped");
        }
        return total;
    }

    private int transmitOne(TransmitSink sink, long nowNs) {
        return switch (phase) {
            case SETUP -> transmitFrame(sink, nowNs);
            case OPEN, FINISHING -> transmitSegment(sink, nowNs);
            case TERMINATING -> transmitTerminate(sink, nowNs);
            case CLOSING, CLOSED -> 0;
        };
    }

    private int transmitFrame(TransmitSink sink, long nowNs) {
        int bytes = startup.transmit(sink);
        if (bytes > 0 && startup.state() == MpaState.AWAIT_FIRST_FPDU) {
            phase = IwarpPhase.OPEN;
            MpaNegotiated agreed = startup.onAcceptSent(nowNs);
            if (agreed != null) {
                outcome.established(agreed);
            }
        } else if (bytes > 0 && startup.state() == MpaState.REJECTED) {
            close(nowNs);
        }
        return bytes;
    }

    private int transmitSegment(TransmitSink sink, long nowNs) {
        RdmapStream current = rdmap;
        if (current == null || !startup.maySend()) {
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
            if (phase.isOpen()) {
                nudges.onSent(nowNs);
            }
        } else if (phase == IwarpPhase.FINISHING && current.sender().isFinished()) {
            close(nowNs);
        }
        return bytes;
    }

    private int transmitTerminate(TransmitSink sink, long nowNs) {
        int bytes = rdmap == null ? terminator.transmit(sink) : rdmap.transmitLast(sink);
        if (terminator.isSent()) {
            counters.add(IwarpCounters.TERMINATES_SENT, 1);
            // [RFC5040-7-2] nothing behind it
            close(nowNs);
        }
        return bytes;
    }

    // ---- the end ----

    /** A fault on this side or in what arrived: the Terminate is the last that is sent. */
    private void onFault(long nowNs) {
        if (!phase.isOpen()) {
            return;
        }
        beginTerminating(nowNs);
        bound.report(terminator.eventType(), terminator.code(), terminator.text());
        endOfTraffic(Errno.EINVAL, terminator.text(), nowNs);
    }

    private void beginTerminating(long nowNs) {
        phase = IwarpPhase.TERMINATING;
        timers.cancelAll();
        timers.set(IwarpTimers.CLOSE, nowNs, IwarpTimers.CLOSE_LIMIT_NS);
        requestTransmit();
    }

    private void onPeerTerminate(PeerTerminate terminate, long nowNs) {
        if (!phase.isOpen()) {
            return;
        }
        counters.add(IwarpCounters.TERMINATES_RECEIVED, 1);
        // [RFC5040-7.2-1] nothing is sent behind a Terminate that was received
        bound.endsBecause(terminate.text());
        close(nowNs);
        terminate.tell(bound);
        endOfTraffic(Errno.ECONNRESET, terminate.text(), nowNs);
    }

    /** Neither side sends data any more; the stream itself ends a little later. */
    private void endOfTraffic(Errno errno, String why, long nowNs) {
        if (outcome.isEstablished()) {
            bound.enterError();
        } else {
            fail(ConnectFailure.Kind.ERROR, errno, why, nowNs);
        }
    }

    @Override
    public void disconnect(long nowNs) {
        RdmapStream current = rdmap;
        if (phase == IwarpPhase.SETUP || (phase == IwarpPhase.OPEN && !outcome.isEstablished())) {
            abandon("the connection was given up during the MPA set-up");
        } else if (phase == IwarpPhase.OPEN && current != null) {
            current.sender().finish();
            phase = IwarpPhase.FINISHING;
            if (current.sender().isFinished()) {
                close(nowNs);
            } else {
                timers.set(IwarpTimers.CLOSE, nowNs, IwarpTimers.FINISH_LIMIT_NS);
                requestTransmit();
            }
        }
    }

    /** Gives up a connection that did not come up; the listener hears of it when the stream is gone, not inside a command. */
    private void abandon(String why) {
        phase = IwarpPhase.CLOSING;
        timers.cancelAll();
        outcome.willFail(ConnectFailure.Kind.ERROR, Errno.ECONNRESET, why);
        if (stream != null) {
            stream.reset();
        }
    }

    /** The connection did not come up: closes the stream and tells so at once. */
    private void fail(ConnectFailure.Kind kind, Errno errno, String text, long nowNs) {
        if (phase == IwarpPhase.SETUP || phase.isOpen()) {
            close(nowNs);
        }
        outcome.willFail(kind, errno, text);
        tellEnd();
    }

    /** Asks the stream to close behind what was committed. */
    private void close(long nowNs) {
        if (phase.isClosing()) {
            return;
        } else if (phase == IwarpPhase.FINISHING) {
            bound.endsBecause("this side disconnected");
        }
        phase = IwarpPhase.CLOSING;
        timers.cancelAll();
        timers.set(IwarpTimers.CLOSE, nowNs, IwarpTimers.CLOSE_LIMIT_NS);
        if (stream != null) {
            stream.close();
        }
    }

    /** The stream is gone. */
    private void end() {
        if (phase != IwarpPhase.CLOSED) {
            phase = IwarpPhase.CLOSED;
            timers.cancelAll();
            tellEnd();
        }
    }

    /** Every work request gets its completion, then the listener its last call. */
    private void tellEnd() {
        // a queue pair that an accept brought to RTS does not stay there; one that never left INIT may try again
        if (rdmap != null) {
            bound.endsBecause("the stream broke");
            bound.enterError();
        }
        bound.release(rdmap != null);
        outcome.end();
    }

    /** Something is to be sent, or the deadline changed. */
    void requestTransmit() {
        if (stream != null) {
            stream.requestTransmit();
        }
    }

    @Override
    public void onTimeout(long nowNs) {
        if (timers.fires(IwarpTimers.HANDSHAKE, nowNs)) {
            fail(ConnectFailure.Kind.UNREACHABLE, Errno.ETIMEDOUT, startup.onTimeOver(), nowNs);
        }
        if (timers.fires(IwarpTimers.GRACE, nowNs) && startup.onGraceOver()) {
            requestTransmit();
        }
        if (timers.fires(IwarpTimers.NUDGE, nowNs) && rdmap != null) {
            counters.add(IwarpCounters.NUDGES_SENT, 1);
            rdmap.sender().nudge();
            nudges.onTimer(nowNs);
            requestTransmit();
        }
        if (timers.fires(IwarpTimers.CLOSE, nowNs)) {
            onCloseLimit(nowNs);
        }
    }

    private void onCloseLimit(long nowNs) {
        if (phase == IwarpPhase.FINISHING) {
            close(nowNs);
        } else if (phase == IwarpPhase.TERMINATING && rdmap != null && rdmap.giveUpAnswers()) {
            beginTerminating(nowNs);
        } else if (stream != null && phase != IwarpPhase.CLOSED) {
            counters.add(IwarpCounters.RESETS_SENT, 1);
            phase = IwarpPhase.CLOSING;
            stream.reset();
        }
    }

    @Override
    public long nextDeadlineNs() {
        return timers.next();
    }

    // ---- the queue pair ----

    /** The application moves the queue pair to SQD, or back to RTS. */
    void onSuspend(boolean on, boolean notify) {
        if (rdmap != null) {
            rdmap.sender().suspend(on, notify);
            requestTransmit();
        }
    }

    /** The application moves the queue pair to ERROR; its core flushes behind this. */
    void onQueuePairError(long nowNs) {
        if (outcome.isEstablished()) {
            if (phase.isOpen()) {
                close(nowNs);
            }
        } else if (!outcome.isOver() && !phase.isClosing()) {
            abandon("the queue pair was taken away during the MPA set-up");
        }
    }

    /** The queue pair is destroyed or reset. */
    void onQueuePairGone(long nowNs) {
        onQueuePairError(nowNs);
        bound.forget();
    }
}
