package io.jrdma.cm.ib;

import io.jrdma.wire.cm.CmBytes;
import io.jrdma.wire.cm.CmDrep;
import io.jrdma.wire.cm.CmMessage;
import io.jrdma.wire.cm.CmRej;
import io.jrdma.wire.cm.CmReq;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/** A connection's line to its peer: the numbers by which both know it, what was sent, and when that is sent again. */
final class IbLine {
    private static final byte[] NOTHING = {};

    private final IbCm cm;
    private final IbConnection connection;
    private final InetAddress peer;
    private final int localId;
    private long transactionId;
    private int remoteId;
    private boolean remoteKnown;
    private long remoteGuid;
    private int remoteQpNum;
    private int localQpNum = -1;
    /** To be sent again as long as nothing answers it. */
    private byte[] repeated = NOTHING;

    private int retriesLeft;
    private long intervalNs;
    /** To be sent again when what it answers comes again. */
    private byte @Nullable [] answer;

    /** The line of an exchange that this side begins. */
    IbLine(IbCm cm, IbConnection connection, InetAddress peer) {
        this.cm = cm;
        this.connection = connection;
        this.peer = peer;
        this.localId = cm.add(connection);
        this.transactionId = cm.numbers().transactionId(localId);
    }

    /** The line of an exchange that the peer has begun. */
    IbLine(IbCm cm, IbConnection connection, InetAddress peer, long transactionId, CmReq request) {
        this(cm, connection, peer);
        this.transactionId = transactionId;
        knowRemote(request.localCommId(), request.localCaGuid(), request.localQpn());
    }

    IbCm cm() {
        return cm;
    }

    IbConnection connection() {
        return connection;
    }

    InetAddress peer() {
        return peer;
    }

    int localId() {
        return localId;
    }

    int remoteId() {
        return remoteId;
    }

    void knowRemote(int id, long caGuid, int qpNum) {
        remoteId = id;
        remoteKnown = true;
        remoteGuid = caGuid;
        remoteQpNum = qpNum;
    }

    /** Whether a message with that ID as the sender's own, from that address, is the peer's. */
    boolean isWith(InetAddress from, int id) {
        return from.equals(peer) && (!remoteKnown || remoteId == id);
    }

    // ---- messages ----

    byte[] send(CmMessage message) {
        return cm.send(peer, transactionId, message);
    }

    /** Sends an answer, which is sent once more whenever it is asked for again. */
    void answer(CmMessage message) {
        answer = send(message);
    }

    void answerAgain() {
        byte[] again = answer;
        if (again != null) {
            cm.port().send(peer, again);
        }
    }

    /** Sends a message, and again after each interval until something answers it. */
    void repeat(CmMessage message, int retries, long newIntervalNs, long nowNs) {
        repeated = send(message);
        retriesLeft = retries;
        expect(newIntervalNs, nowNs);
    }

    /** As {@link #repeat}, in an exchange of its own. */
    void repeatAnew(CmMessage message, int retries, long newIntervalNs, long nowNs) {
        transactionId = cm.numbers().transactionId(localId);
        repeat(message, retries, newIntervalNs, nowNs);
    }

    /** Sends what is repeated once more, the time aside. */
    void sendAgain() {
        cm.port().send(peer, repeated);
    }

    /** The time for an answer is over: sends once more, unless that has been done often enough. */
    boolean isRepeatedAgain(long nowNs) {
        // [IBTA-CM-12.9.8-1]
        if (retriesLeft == 0) {
            return false;
        }
        retriesLeft--;
        sendAgain();
        cm.timers().set(connection, nowNs + intervalNs);
        return true;
    }

    /** From now on the peer takes so long for its answer. */
    void expect(long newIntervalNs, long nowNs) {
        intervalNs = newIntervalNs;
        cm.timers().set(connection, nowNs + newIntervalNs);
    }

    /** There is nothing to wait for. */
    void expectNothing() {
        cm.timers().cancel(connection);
    }

    CmRej rejection(int about, int reason, CmBytes additionalInfo) {
        return new CmRej(localId, remoteId, about, reason, additionalInfo, CmBytes.EMPTY);
    }

    void sendDrep(long dreqTransactionId) {
        cm.send(peer, dreqTransactionId, new CmDrep(localId, remoteId, CmBytes.EMPTY));
    }

    int remoteQpNum() {
        return remoteQpNum;
    }

    // ---- who knows it ----

    /** What else the peer's queue pair is connected to, or null; before {@link #bind}. */
    @Nullable
    IbConnection rival() {
        return cm.connectionOf(peer, remoteGuid, remoteQpNum);
    }

    /** The queue pairs of both sides have this connection. */
    void bind(int qpNum) {
        localQpNum = qpNum;
        cm.bindLocal(connection, qpNum);
        cm.bindRemote(connection, peer, remoteGuid, remoteQpNum);
    }

    /** The queue pairs of both sides may have other connections. */
    void unbind() {
        cm.unbindRemote(connection, peer, remoteGuid, remoteQpNum);
        cm.unbindLocal(connection, localQpNum);
    }

    /** Nobody knows the connection any more. */
    void forget(@Nullable CmReq received) {
        unbind();
        cm.forget(connection, localId, received, peer);
    }
}
