package io.jrdma.cm.ib;

import static io.jrdma.cm.ib.IbConnectionState.*;

import io.jrdma.cm.transport.CmConnection;
import io.jrdma.cm.transport.CmConnectionEvents;
import io.jrdma.cm.transport.ConnectionOffer;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.DeviceDriver;
import io.jrdma.wire.cm.CmBytes;
import io.jrdma.wire.cm.CmDreq;
import io.jrdma.wire.cm.CmMra;
import io.jrdma.wire.cm.CmRej;
import io.jrdma.wire.cm.CmRep;
import io.jrdma.wire.cm.CmReq;
import io.jrdma.wire.cm.CmRtu;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One RoCE connection, in either role, after IBTA volume 1, 12.9. Loop only. What is legal stands in a table of states and inputs; what is
 * not listed there is ignored.
 *
 * <p>Linux answers a DREQ when its application says so, this side at once. Linux takes its queue pair to ERROR before the DREQ, this side
 * when the disconnection is agreed on, so that the peer's last messages are still acknowledged.
 */
public final class IbConnection extends IbTimers.Timed implements CmConnection {
    private static final byte[] NOTHING = {};
    private static final String DISCONNECTED = "this side disconnected";
    private static final long FAULT_GRACE_NS = 10_000_000;

    private final IbReports reports;
    private final IbEnding ending;
    /** Passive side only. */
    private final @Nullable IbReceivedRequest received;

    private IbConnectionState state;
    private @Nullable InetSocketAddress localAddress;
    private @Nullable InetSocketAddress remoteAddress;
    private @Nullable IbLine line;
    private @Nullable IbSetup setup;

    /** An active connection that has not begun; {@link #connect} comes next. */
    public IbConnection(CmConnectionEvents events) {
        this.reports = new IbReports(events);
        this.ending = new IbEnding(this, reports, false);
        this.received = null;
        this.state = IDLE;
    }

    /** A peer's request that was found good. */
    IbConnection(
            IbCm cm,
            IbListener parent,
            long transactionId,
            CmReq request,
            InetSocketAddress localAddress,
            InetSocketAddress remoteAddress) {
        IbLine from = new IbLine(cm, this, remoteAddress.getAddress(), transactionId, request);
        IbSetup asked = new IbSetup(request);
        this.reports = new IbReports(null);
        this.ending = new IbEnding(this, reports, true);
        this.received = new IbReceivedRequest(parent, from, asked);
        this.localAddress = localAddress;
        this.remoteAddress = remoteAddress;
        this.state = REQ_RCVD;
        this.line = from;
        this.setup = asked;
        ending.of(from, asked);
    }

    /** The request is with the application: its sender shall be asked for patience before it asks again, or gives up. */
    void begin(long nowNs) {
        line().expect(CmTimes.patienceNs(setup().request().remoteCmResponseTimeout()), nowNs);
    }

    @Override
    public void listen(CmConnectionEvents newEvents) {
        reports.to(newEvents);
    }

    public IbConnectionState state() {
        return state;
    }

    @Override
    public @Nullable InetSocketAddress localAddress() {
        return localAddress;
    }

    @Override
    public @Nullable InetSocketAddress remoteAddress() {
        return remoteAddress;
    }

    /** Whether a message with that ID as the sender's own, from that address, is the peer's. */
    boolean isWith(InetAddress from, int id) {
        return line().isWith(from, id);
    }

    // ---- commands ----

    @Override
    public void connect(
            DeviceDriver driver,
            @Nullable InetSocketAddress local,
            InetSocketAddress remote,
            QueuePairCore core,
            ConnectionOffer newOffer,
            long nowNs) {
        if (!step(IbConnectionInput.CONNECT)) {
            return;
        }
        try {
            connect(IbCm.of(driver.management()), local, remote, core, newOffer, nowNs);
        } catch (VerbsException refused) {
            step(IbConnectionInput.REFUSED);
            reports.connectError(refused);
        }
    }

    private void connect(
            IbCm manager,
            @Nullable InetSocketAddress local,
            InetSocketAddress remote,
            QueuePairCore core,
            ConnectionOffer newOffer,
            long nowNs) {
        IbQueuePair connectable = new IbQueuePair(core);
        int port = local != null && local.getPort() != 0
                ? local.getPort()
                : manager.numbers().port();
        InetSocketAddress from = new InetSocketAddress(manager.localAddress(), port);
        IbLine to = new IbLine(manager, this, remote.getAddress());
        IbSetup own = IbSetup.active(to, from, remote, connectable, newOffer);
        localAddress = from;
        remoteAddress = remote;
        line = to;
        setup = own;
        ending.of(to, own);
        // [IBTA-CM-12.9.6-1]
        to.repeat(own.request(), newOffer.ib().maxRetries(), CmTimes.requestNs(newOffer.ib()), nowNs);
    }

    @Override
    public void accept(QueuePairCore core, ConnectionOffer reply, long nowNs) {
        IbConnectionState before = state;
        if (!step(IbConnectionInput.ACCEPT)) {
            return;
        }
        received().answered();
        if (before == REQ_GONE) {
            ending.forget();
            reports.connectError(Errno.ECONNRESET, "the peer withdrew its request before it was answered");
            return;
        }
        try {
            received().accept(core, reply, nowNs);
        } catch (IbSetup.Refusal refusal) {
            refuse(CmRej.OF_REQ, refusal, nowNs);
        }
    }

    @Override
    public void reject(byte[] privateData, long nowNs) {
        IbConnectionState before = state;
        if (step(IbConnectionInput.REJECT)) {
            decline(before, privateData, nowNs);
        }
    }

    /** Answers a request with no, if its sender still waits for the answer. */
    private void decline(IbConnectionState before, byte[] privateData, long nowNs) {
        received().answered();
        if (before == REQ_GONE) {
            ending.forget();
        } else {
            received().reject(before, privateData);
            ending.refused(nowNs);
        }
    }

    @Override
    public void disconnect(long nowNs) {
        if (step(IbConnectionInput.DISCONNECT)) {
            beginDrain(nowNs);
        }
    }

    @Override
    public void destroy(long nowNs) {
        reports.to(null);
        IbConnectionState before = state;
        if (!step(IbConnectionInput.DESTROY)) {
            return;
        }
        switch (before) {
            case REQ_SENT, MRA_REQ_RCVD -> ending.withdraw();
            case REQ_RCVD, MRA_REQ_SENT, REQ_GONE -> decline(before, NOTHING, nowNs);
            case REP_SENT, MRA_REP_RCVD -> {
                ending.rejectAnyhow();
                ending.end("this side gave up the connection", 0, nowNs);
            }
            case ESTABLISHED -> beginDrain(nowNs);
            case IDLE, REP_RCVD, DRAINING, DREQ_SENT, TIMEWAIT, CLOSED -> {}
        }
    }

    // ---- messages ----

    /** The REQ of this connection once more, or it is time that its sender hears something. */
    void onReq(long nowNs) {
        IbConnectionState before = state;
        if (step(IbConnectionInput.ON_REQ)) {
            if (before == REQ_RCVD) {
                line().expectNothing();
            }
            received().repeated(before);
        }
    }

    void onMra(CmMra mra, long nowNs) {
        int about = received == null ? CmMra.OF_REQ : CmMra.OF_REP;
        if (mra.messageMraed() == about && step(IbConnectionInput.ON_MRA)) {
            // [IBTA-CM-12.9.8-5] the time begins anew, the retries that are left stay
            int ackTimeout = setup().request().primary().localAckTimeout();
            line().expect(CmTimes.serviceNs(mra.serviceTimeout(), ackTimeout), nowNs);
        }
    }

    void onRej(CmRej rej, long nowNs) {
        IbConnectionState before = state;
        if (!step(IbConnectionInput.ON_REJ)) {
            return;
        }
        switch (before) {
            case REQ_SENT, MRA_REQ_RCVD -> ending.forget();
            case REQ_RCVD, MRA_REQ_SENT -> {
                line().expectNothing();
                line().unbind();
                reports.requestGone();
                return;
            }
            default -> ending.end("the peer ended the connection: " + IbReports.text(rej), 0, nowNs);
        }
        reports.rejected(rej);
    }

    void onRep(CmRep rep, long nowNs) {
        if (!step(IbConnectionInput.ON_REP)) {
            return;
        }
        IbLine to = line();
        // [IBTA-CM-12.9.8-3] the REP came again, so that the RTU may be lost
        if (state != REP_RCVD) {
            to.answerAgain();
            return;
        }
        to.expectNothing();
        to.knowRemote(rep.localCommId(), rep.localCaGuid(), rep.localQpn());
        IbConnection rival = to.rival();
        try {
            setup().replied(to, rep);
        } catch (IbSetup.Refusal refusal) {
            refuse(CmRej.OF_REP, refusal, nowNs);
            if (rival != null) {
                rival.onStale(nowNs);
            }
            return;
        }
        step(IbConnectionInput.READY);
        // [IBTA-CM-12.9.6-1] behind RTS: the peer may send as soon as it has this
        to.answer(new CmRtu(to.localId(), to.remoteId(), CmBytes.EMPTY));
        established(rep.privateData().toByteArray(), nowNs);
    }

    void onRtu(long nowNs) {
        if (step(IbConnectionInput.ON_RTU)) {
            established(NOTHING, nowNs);
        }
    }

    void onDreq(long dreqTransactionId, CmDreq dreq, long nowNs) {
        IbConnectionState before = state;
        // [IBTA-CM-12.10-3]
        if (!setup().has(dreq.remoteQpn()) || !step(IbConnectionInput.ON_DREQ)) {
            return;
        }
        if (before == REP_SENT || before == MRA_REP_RCVD) {
            // the peer was connected, and left before its RTU got here
            established(NOTHING, nowNs);
        }
        // [IBTA-CM-12.10-2] in the time wait too
        line().sendDrep(dreqTransactionId);
        if (before != TIMEWAIT) {
            boolean crossed = before == DRAINING || before == DREQ_SENT;
            ending.end(crossed ? DISCONNECTED : "the peer disconnected", 0, nowNs);
        }
    }

    void onDrep(long nowNs) {
        if (step(IbConnectionInput.ON_DREP)) {
            ending.end(DISCONNECTED, 0, nowNs);
        }
    }

    // ---- the device ----

    void onCommunicationEstablished(long nowNs) {
        if (step(IbConnectionInput.COMM_EST)) {
            established(NOTHING, nowNs);
        }
    }

    void onFault(long nowNs) {
        IbConnectionState before = state;
        if (!step(IbConnectionInput.FAULT)) {
            return;
        }
        if (before == REP_SENT || before == MRA_REP_RCVD) {
            String why = "the queue pair failed while it was being connected";
            ending.rejectAnyhow();
            ending.end(why, 0, nowNs);
            reports.connectError(Errno.ECONNRESET, why);
            return;
        }
        ending.lose("the queue pair failed");
        if (setup().isDestroyed()) {
            lookAfterDrain(nowNs);
        } else {
            // the NAK that tells the peer which of its requests failed must get there first
            line().expect(FAULT_GRACE_NS, nowNs);
        }
    }

    void onStale(long nowNs) {
        if (step(IbConnectionInput.STALE)) {
            ending.lose("the peer has forgotten the connection, and wants another one for its queue pair");
            ending.sendDreq(nowNs);
        }
    }

    /** The device is about to be closed: what is left to say has to be said now. */
    void hurry(long nowNs) {
        if (step(IbConnectionInput.DRAINED)) {
            ending.sendDreq(nowNs);
        }
    }

    /** The device is gone. */
    void onClosed() {
        IbConnectionState before = state;
        state = CLOSED;
        switch (before) {
            case REQ_SENT, MRA_REQ_RCVD, REP_RCVD, REP_SENT, MRA_REP_RCVD ->
                reports.connectError(Errno.ENODEV, "the device was closed");
            case REQ_RCVD, MRA_REQ_SENT -> reports.requestGone();
            case ESTABLISHED, DRAINING, DREQ_SENT -> reports.disconnected(0);
            case IDLE, REQ_GONE, TIMEWAIT, CLOSED -> {}
        }
    }

    @Override
    void onTimeout(long nowNs) {
        switch (state) {
            case REQ_RCVD -> onReq(nowNs); // [IBTA-CM-12.9.8-6]
            case DRAINING -> lookAfterDrain(nowNs);
            case TIMEWAIT -> {
                step(IbConnectionInput.TIMEWAIT_OVER);
                ending.forget();
                reports.timewaitExit();
            }
            default -> {
                if (!line().isRepeatedAgain(nowNs)) {
                    onNoAnswer(nowNs);
                }
            }
        }
    }

    private void onNoAnswer(long nowNs) {
        IbConnectionState before = state;
        if (!step(IbConnectionInput.NO_ANSWER)) {
            return;
        }
        switch (before) {
            case REQ_SENT, MRA_REQ_RCVD -> {
                ending.withdraw();
                reports.unreachable("no answer to REQ");
            }
            case REP_SENT, MRA_REP_RCVD -> {
                ending.rejectAnyhow();
                ending.end("no answer to REP", 0, nowNs);
                reports.unreachable("no answer to REP");
            }
            // [IBTA-CM-12.10-5] the peer is gone, so the connection is over as it was meant to be
            default -> ending.end(DISCONNECTED + ", and the peer did not answer", -Errno.ETIMEDOUT.number(), nowNs);
        }
    }

    // ---- steps ----

    private boolean step(IbConnectionInput input) {
        IbConnectionState next = IbConnectionTransitions.next(state, input);
        if (next == null) {
            return false;
        }
        state = next;
        return true;
    }

    private void refuse(int about, IbSetup.Refusal refusal, long nowNs) {
        step(IbConnectionInput.REFUSED);
        line().answer(line().rejection(about, refusal.reason(), CmBytes.EMPTY));
        if (about == CmRej.OF_REQ) {
            ending.refused(nowNs);
        } else {
            ending.end("its terms could not be met", 0, nowNs);
        }
        reports.connectError(refusal.why());
    }

    private void established(byte[] privateData, long nowNs) {
        if (state == ESTABLISHED) {
            line().expectNothing();
            line().cm().port().watch(setup().qpNum(), nowNs);
        }
        reports.established(privateData, setup().terms());
    }

    private void beginDrain(long nowNs) {
        ending.beginDrain(nowNs);
        lookAfterDrain(nowNs);
    }

    private void lookAfterDrain(long nowNs) {
        if (ending.isDrained(nowNs)) {
            step(IbConnectionInput.DRAINED);
            ending.sendDreq(nowNs);
        }
    }

    private IbReceivedRequest received() {
        return Objects.requireNonNull(received);
    }

    private IbLine line() {
        return Objects.requireNonNull(line);
    }

    private IbSetup setup() {
        return Objects.requireNonNull(setup);
    }
}
