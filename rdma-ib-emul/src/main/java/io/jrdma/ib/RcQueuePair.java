package io.jrdma.ib;

import io.jrdma.verbs.AddressVector;
import io.jrdma.verbs.AsyncEvent;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.QpAttribute;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.Engine;
import io.jrdma.verbs.spi.QueuePairEngine;
import io.jrdma.wire.ib.AethSyndrome;
import io.jrdma.wire.ib.Bth;
import io.jrdma.wire.ib.IbOpcode;
import io.jrdma.wire.ib.NakCode;
import io.jrdma.wire.ib.RoceV2Packet;
import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import org.jspecify.annotations.Nullable;

/** A reliable connected queue pair: its attributes and states, and what ties requester, completer and responder together. */
final class RcQueuePair extends IbEndpoint implements QueuePairEngine {
    private static final int NO_PATH = -1;
    private static final int UDP_BYTES = 8;
    private static final int IPV4_BYTES = 20;
    private static final int IPV6_BYTES = 40;
    /** BTH, RETH, immediate data and ICRC: what stands around a full payload. */
    private static final int AROUND_PAYLOAD = RoceV2Packet.length(IbOpcode.RDMA_WRITE_ONLY_WITH_IMM, 0);

    private final IbDevice device;
    private final QueuePairCore core;
    private final RcRequester requester;
    private final RcCompleter completer;
    private final RcResponder responder;
    private final CongestionNotices notices = new CongestionNotices(this);
    private final KeepAlive keepAlive;

    private int pathId = NO_PATH;
    /** Where the path leads to; what comes from there carries it. */
    private int sourceId = NO_PATH;

    private int mtuShift;
    private int destQp;
    private int timeout;
    private int retryCnt;
    private boolean drainedNotify;
    private boolean drainedReported;
    private boolean communicating;
    private boolean signOfLifeWanted;
    private boolean requestsDue;
    private boolean answersDue;
    /** The time of the call that is under way. */
    private long nowNs;

    RcQueuePair(IbDevice device, QueuePairCore core) {
        super(core.qpNum());
        this.device = device;
        this.core = core;
        this.requester = new RcRequester(this, core);
        this.completer = new RcCompleter(this, core, requester);
        this.responder = new RcResponder(this, core);
        this.keepAlive = new KeepAlive(device.context().peerTimeoutNs());
    }

    IbCounters counters() {
        return device.counters();
    }

    int pathId() {
        return pathId;
    }

    int destQp() {
        return destQp;
    }

    /** Bytes of payload in a full packet. */
    int pathMtu() {
        return 1 << mtuShift;
    }

    /** The logarithm of {@link #pathMtu}. */
    int mtuShift() {
        return mtuShift;
    }

    /** The PSNs that a message of so many bytes takes. */
    long packets(long bytes) {
        // [IBTA-9.7.3-2] one for no bytes
        return Math.max(1, (bytes + pathMtu() - 1) >>> mtuShift);
    }

    /** Whether requests go on: not when one has failed. */
    boolean isSending() {
        QpState state = core.state();
        return state == QpState.RTS || state == QpState.SQD;
    }

    // ---- from the parts ----

    /** The oldest request fails, and with it the queue pair. */
    void failSend(WcStatus status, int detail) {
        core.endsBecause(
                switch (status) {
                    case RETRY_EXC_ERR -> requester.timer.surrender();
                    case RNR_RETRY_EXC_ERR -> "the peer had no receive posted, after all retries";
                    case BAD_RESP_ERR -> "the peer's answer does not fit the request";
                    case REM_INV_REQ_ERR, REM_ACCESS_ERR, REM_OP_ERR -> "the peer refused a request: " + status.text();
                    default -> "a request of this side failed: " + status.text();
                });
        core.completeSend(requester.out.oldest, status, 0, detail);
        responder.answers.drop();
        fail();
    }

    /**
     * A request of the peer's fails, and with it the queue pair, once the NAK is sent.
     *
     * @param receiveStatus how the oldest receive completes, or null if the request has none; then an event tells of it
     */
    void failReceive(int nakCode, long psn, @Nullable WcStatus receiveStatus, String text) {
        int syndrome = AethSyndrome.nak(nakCode);
        core.endsBecause("this side refused a request of the peer's: " + text);
        responder.answers.want(syndrome, psn);
        if (core.state() == QpState.ERROR) {
            return; // an earlier request that was still to be answered: the peer hears of this fault, nobody else
        }
        if (receiveStatus != null) {
            core.completeReceive(receiveStatus, WcOpcode.RECV, 0, syndrome, 0, 0, false);
        } else {
            AsyncEvent.Type type = switch (nakCode) {
                case NakCode.INVALID_REQUEST -> AsyncEvent.Type.QP_REQ_ERR;
                case NakCode.REMOTE_ACCESS_ERROR -> AsyncEvent.Type.QP_ACCESS_ERR;
                default -> AsyncEvent.Type.QP_FATAL;
            };
            core.device().onAsyncEvent(AsyncEvent.ofQueuePair(type, qpNum, syndrome, text));
        }
        fail();
    }

    /** A request of the peer's fails, and with it the queue pair, without a NAK; what came before it is answered. */
    void failSilently() {
        core.endsBecause("the completion queue had no room for a received message");
        responder.answers.withdrawNak();
        fail();
    }

    private void fail() {
        counters().count(IbCounters.FAULTS);
        requester.stop();
        core.enterError();
        // the NAK goes out before what connection management sends on account of it: the peer shall learn the reason
        device.ready(this);
        device.faulted(this, nowNs);
    }

    /** A request packet came that was expected. */
    void onGoodRequest() {
        if (!communicating) {
            communicating = true;
            device.established(this, nowNs);
            // [IBTA-10.3.1-3] the application hears of it
            if (core.state() == QpState.RTR) {
                core.device()
                        .onAsyncEvent(AsyncEvent.ofQueuePair(
                                AsyncEvent.Type.COMM_EST, qpNum, 0, "communication established"));
            }
        }
    }

    /** Something changed for the requester. */
    void onProgress() {
        reportIfDrained();
        mayTransmit();
        device.updateDeadline(this);
    }

    void mayTransmit() {
        device.ready(this);
    }

    private void reportIfDrained() {
        if (core.state() == QpState.SQD && drainedNotify && !drainedReported && requester.isDrained()) {
            // [IBTA-10.3.1-2] once, if it was asked for
            drainedReported = true;
            core.device()
                    .onAsyncEvent(AsyncEvent.ofQueuePair(AsyncEvent.Type.SQ_DRAINED, qpNum, 0, "send queue drained"));
        }
    }

    // ---- from the device ----

    @Override
    void onPacket(
            int fromSourceId, MemorySegment segment, long at, int length, int opcode, int trafficClass, long newNowNs) {
        nowNs = newNowNs;
        // [IBTA-9.6-3] a packet of another service type is dropped in silence
        if (IbOpcode.transport(opcode) != IbOpcode.RC && opcode != IbOpcode.CNP) {
            counters().count(IbCounters.WRONG_SERVICE);
            return;
        }
        QpState state = core.state();
        boolean sending = state == QpState.RTS || state == QpState.SQD;
        boolean response = IbOpcode.isResponse(opcode) || opcode == IbOpcode.CNP;
        // [IBTA-10.3.1-1] requests are taken from RTR on, responses from RTS on
        if (!sending && (response || (state != QpState.RTR && state != QpState.SQE))) {
            counters().count(IbCounters.WRONG_STATE);
            return;
        }
        // [IBTA-A17-5] only the peer's address may send
        if (fromSourceId != sourceId) {
            counters().count(IbCounters.WRONG_SOURCE);
            return;
        }
        keepAlive.onHeard(nowNs);
        // [IBTA-A17-6] the sender is told that a switch on the way was full
        if (isCongested(trafficClass)) {
            notices.onMarked(nowNs);
            device.ready(this);
        }
        if (opcode == IbOpcode.CNP) {
            onNotification(segment, at);
        } else if (response) {
            completer.onResponse(segment, at, length, opcode, nowNs);
        } else {
            responder.onRequest(segment, at, length, opcode);
            device.ready(this);
        }
    }

    private void onNotification(MemorySegment segment, long at) {
        counters().count(IbCounters.CNPS_RECEIVED);
        if (Bth.isBecn(segment, at)) {
            requester.window.onNotification(requester.out.unackedPsn, requester.out.sentPsn);
        }
    }

    @Override
    boolean transmit(TrainWriter writer, long newNowNs) {
        nowNs = newNowNs;
        if (!notices.transmit(writer, nowNs)) {
            return true;
        }
        if (signOfLifeWanted) {
            if (!requester.askForSignOfLife(writer)) {
                return true;
            }
            signOfLifeWanted = false;
        }
        // somebody waits for a request, and mostly nobody for an ACK, which can follow in the same call; but answers
        // to Reads come first, and where there is room for little, neither kind waits for the end of the other
        boolean requestsFirst = requestsDue || !(answersDue || responder.answers.resources.isAnswering());
        requestsDue = false;
        answersDue = false;
        boolean more = requestsFirst && requester.transmit(writer, nowNs);
        if (writer.isBlocked()) {
            answersDue = true;
            return true;
        }
        more |= responder.answers.transmit(writer);
        if (!requestsFirst) {
            requestsDue = writer.isBlocked() || writer.isTurnOver();
            more |= !writer.isBlocked() && requester.transmit(writer, nowNs);
        }
        return more;
    }

    @Override
    long nextDeadlineNs() {
        if (!isSending()) {
            return Engine.NO_DEADLINE;
        }
        long requesterNs = requester.isWaiting() ? requester.waitUntilNs() : requester.timer.expiryNs();
        return Engine.earlier(requesterNs, keepAlive.deadlineNs());
    }

    @Override
    void onTimeout(long newNowNs) {
        nowNs = newNowNs;
        if (requester.isWaiting()) {
            if (requester.waitUntilNs() - nowNs <= 0) {
                requester.endWait(nowNs);
            }
        } else if (requester.timer.isExpired(nowNs)) {
            completer.onExpired(nowNs);
        }
        if (isSending()) {
            onSilence();
        }
        mayTransmit();
    }

    private void onSilence() {
        switch (keepAlive.look(!requester.out.isEmpty(), nowNs)) {
            case NOTHING -> {}
            case ASK -> signOfLifeWanted = true;
            case GIVE_UP -> {
                core.endsBecause(keepAlive.surrender());
                core.device()
                        .onAsyncEvent(
                                AsyncEvent.ofQueuePair(AsyncEvent.Type.QP_FATAL, qpNum, 0, keepAlive.surrender()));
                fail();
            }
        }
    }

    @Override
    void watch(long newNowNs) {
        keepAlive.start(newNowNs);
        device.updateDeadline(this);
    }

    @Override
    void onClosed(long nowNs) {
        pathId = NO_PATH;
        sourceId = NO_PATH;
        QpState state = core.state();
        if (state != QpState.RESET && state != QpState.INIT && state != QpState.ERROR) {
            core.device().onAsyncEvent(AsyncEvent.ofQueuePair(AsyncEvent.Type.QP_FATAL, qpNum, 0, "the port is gone"));
            requester.stop();
            responder.answers.drop();
            core.endsBecause("the device was closed");
            core.enterError();
        }
    }

    // ---- from the application ----

    @Override
    public void onDoorbell(long nowNs) {
        device.readyNow(this);
    }

    @Override
    public void onModify(QpState from, QpState to, QpAttributes attributes, long nowNs) {
        check(to, attributes);
        if (from == QpState.SQD && to != QpState.ERROR && to != QpState.RESET && !requester.isDrained()) {
            throw new VerbsException(
                    Errno.EBUSY,
                    "queue pair 0x" + Integer.toHexString(qpNum) + " to " + to
                            + ": its send queue is not drained yet; allowed before are RESET and ERROR");
        }
        setPath(attributes.addressVector());
        if (attributes.has(QpAttribute.PATH_MTU)) {
            mtuShift = Integer.numberOfTrailingZeros(attributes.number(QpAttribute.PATH_MTU, 0));
        }
        destQp = attributes.number(QpAttribute.DEST_QPN, destQp);
        if (attributes.has(QpAttribute.MIN_RNR_TIMER)) {
            responder.minRnrTimer(attributes.number(QpAttribute.MIN_RNR_TIMER, 0));
        }
        timeout = attributes.number(QpAttribute.TIMEOUT, timeout);
        retryCnt = attributes.number(QpAttribute.RETRY_CNT, retryCnt);
        if (attributes.has(QpAttribute.TIMEOUT) || attributes.has(QpAttribute.RETRY_CNT)) {
            requester.timer.configure(timeout, retryCnt);
        }
        if (attributes.has(QpAttribute.RNR_RETRY)) {
            completer.configure(attributes.number(QpAttribute.RNR_RETRY, 0));
        }
        changeState(from, to, attributes);
        device.updateDeadline(this);
        device.readyNow(this);
    }

    private void changeState(QpState from, QpState to, QpAttributes attributes) {
        switch (to) {
            case RESET -> reset();
            case ERROR -> {
                // an ACK that is owed still goes out: the peer's message has arrived, whatever becomes of us
                requester.stop();
                responder.answers.resources.dropAnswers();
            }
            case RTR -> {
                if (from == QpState.INIT) {
                    communicating = false;
                    responder.begin(
                            attributes.number(QpAttribute.RQ_PSN, 0),
                            attributes.number(QpAttribute.MAX_DEST_RD_ATOMIC, 0));
                }
            }
            case RTS -> {
                if (from == QpState.RTR) {
                    completer.begin();
                    requester.begin(
                            attributes.number(QpAttribute.SQ_PSN, 0),
                            attributes.number(QpAttribute.MAX_QP_RD_ATOMIC, 0),
                            windowPackets());
                }
            }
            case SQD -> {
                if (from == QpState.RTS) {
                    drainedNotify = attributes.number(QpAttribute.EN_SQD_ASYNC_NOTIFY, 0) != 0;
                    drainedReported = false;
                    core.setState(QpState.SQD);
                    reportIfDrained();
                } else {
                    changeDepths(attributes);
                }
            }
            default -> {}
        }
    }

    /** [IBTA-10.3.1-4] The send queue is drained. */
    private void changeDepths(QpAttributes attributes) {
        if (attributes.has(QpAttribute.MAX_QP_RD_ATOMIC)) {
            requester.maxRdAtomic(attributes.number(QpAttribute.MAX_QP_RD_ATOMIC, 0));
        }
        if (attributes.has(QpAttribute.MAX_DEST_RD_ATOMIC)) {
            responder.maxDestRdAtomic(attributes.number(QpAttribute.MAX_DEST_RD_ATOMIC, 0));
        }
    }

    private int windowPackets() {
        return device.port().receiveBufferBytes() / 2 / (pathMtu() + AROUND_PAYLOAD);
    }

    private void check(QpState to, QpAttributes attributes) {
        if (to == QpState.RESET || to == QpState.ERROR) {
            return;
        }
        depth("max_rd_atomic", attributes.number(QpAttribute.MAX_QP_RD_ATOMIC, 0));
        depth("max_dest_rd_atomic", attributes.number(QpAttribute.MAX_DEST_RD_ATOMIC, 0));
        if (attributes.has(QpAttribute.PATH_MTU)) {
            int mtu = attributes.number(QpAttribute.PATH_MTU, 0);
            int ip = device.port().localAddress() instanceof Inet6Address ? IPV6_BYTES : IPV4_BYTES;
            if (mtu + AROUND_PAYLOAD + UDP_BYTES + ip > device.port().interfaceMtu()) {
                throw new VerbsException(
                        Errno.EINVAL,
                        "path MTU " + mtu + " does not fit the interface, whose MTU is "
                                + device.port().interfaceMtu());
            }
        }
    }

    private static void depth(String name, int value) {
        if (value > IbProvider.MAX_RD_ATOMIC) {
            throw new VerbsException(
                    Errno.EINVAL, name + " is " + value + "; allowed is 0.." + IbProvider.MAX_RD_ATOMIC);
        }
    }

    private void setPath(@Nullable AddressVector destination) {
        if (destination != null) {
            int newPathId = device.pin(destination);
            releasePath();
            pathId = newPathId;
            sourceId = device.port().source(newPathId);
        }
    }

    private void releasePath() {
        if (pathId != NO_PATH) {
            device.unpin(pathId);
            pathId = NO_PATH;
            sourceId = NO_PATH;
        }
    }

    private void reset() {
        requester.stop();
        responder.answers.drop();
        keepAlive.stop();
        signOfLifeWanted = false;
        notices.drop();
        releasePath();
    }

    @Override
    public void onDestroy(long nowNs) {
        reset();
        device.remove(this);
    }
}
