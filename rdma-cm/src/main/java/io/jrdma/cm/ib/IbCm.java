package io.jrdma.cm.ib;

import io.jrdma.verbs.spi.ManagementListener;
import io.jrdma.verbs.spi.ManagementPort;
import io.jrdma.wire.cm.CmApr;
import io.jrdma.wire.cm.CmBytes;
import io.jrdma.wire.cm.CmDrep;
import io.jrdma.wire.cm.CmDreq;
import io.jrdma.wire.cm.CmLap;
import io.jrdma.wire.cm.CmMad;
import io.jrdma.wire.cm.CmMalformed;
import io.jrdma.wire.cm.CmMessage;
import io.jrdma.wire.cm.CmMra;
import io.jrdma.wire.cm.CmRej;
import io.jrdma.wire.cm.CmRejReason;
import io.jrdma.wire.cm.CmRep;
import io.jrdma.wire.cm.CmReq;
import io.jrdma.wire.cm.CmRtu;
import io.jrdma.wire.cm.CmSidrRep;
import io.jrdma.wire.cm.CmSidrReq;
import io.jrdma.wire.cm.Gid;
import io.jrdma.wire.cm.IpCmPrivateData;
import io.jrdma.wire.cm.ServiceId;
import io.jrdma.wire.ib.PathMtu;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The connection manager of a device: knows its connections and listeners, hands each message to the one that it belongs to, and answers
 * those that belong to nobody (IBTA volume 1, 12.9.8). A message belongs to a connection only if both communication IDs and the sender's
 * address are the connection's. Loop only.
 */
public final class IbCm implements ManagementListener {
    /** What a REQ is known by again; communication IDs are the sender's choice, and two senders may choose the same. */
    private record RequestKey(InetAddress from, long caGuid, int remoteId) {}

    /** A peer's queue pair: it has one connection. */
    private record QueuePairKey(InetAddress from, long caGuid, int qpNum) {}

    /** How many refused requests are remembered. */
    static final int MAX_REFUSED = 1024;

    /** How many connections are in their time wait. */
    static final int MAX_ENDED = 4096;

    private final ManagementPort port;
    private final IbNumbers numbers;
    private final IbTimers timers;
    private final Map<Integer, IbConnection> byId = new LinkedHashMap<>();
    private final Map<RequestKey, IbConnection> byRequest = new HashMap<>();
    private final Map<QueuePairKey, IbConnection> byRemoteQueuePair = new HashMap<>();
    private final Map<Integer, IbConnection> byQueuePair = new HashMap<>();
    private final IbRemembered refused;
    private final IbRemembered ended;
    private final Map<Integer, IbListener> listeners = new HashMap<>();
    private final SidrCm sidr;

    IbCm(ManagementPort port) {
        this.port = port;
        this.numbers = new IbNumbers(port.device().seed(), port.localAddress());
        this.timers = new IbTimers(port);
        this.refused = new IbRemembered(timers, MAX_REFUSED);
        this.ended = new IbRemembered(timers, MAX_ENDED);
        this.sidr = new SidrCm(this);
    }

    /** The connection manager at that port. */
    public static IbCm of(ManagementPort port) {
        return (IbCm) port.attach(() -> new IbCm(port));
    }

    // ---- what connections and listeners use ----

    ManagementPort port() {
        return port;
    }

    IbNumbers numbers() {
        return numbers;
    }

    IbTimers timers() {
        return timers;
    }

    /** Requests that were refused. */
    IbRemembered refused() {
        return refused;
    }

    /** Connections in their time wait. */
    IbRemembered ended() {
        return ended;
    }

    SidrCm sidr() {
        return sidr;
    }

    InetAddress localAddress() {
        return port.localAddress();
    }

    /** Sends a message, and returns it to be sent again. */
    byte[] send(InetAddress to, long transactionId, CmMessage message) {
        byte[] mad = new CmMad(transactionId, message).encode();
        port.send(to, mad);
        return mad;
    }

    /** Makes a connection known; its local communication ID. */
    int add(IbConnection connection) {
        int id = numbers.commId(byId::containsKey);
        byId.put(id, connection);
        return id;
    }

    /** The connection of that queue pair of a peer's, or null. */
    @Nullable
    IbConnection connectionOf(InetAddress peer, long caGuid, int qpNum) {
        return byRemoteQueuePair.get(new QueuePairKey(peer, caGuid, qpNum));
    }

    void bindRemote(IbConnection connection, InetAddress peer, long caGuid, int qpNum) {
        byRemoteQueuePair.put(new QueuePairKey(peer, caGuid, qpNum), connection);
    }

    void unbindRemote(IbConnection connection, InetAddress peer, long caGuid, int qpNum) {
        byRemoteQueuePair.remove(new QueuePairKey(peer, caGuid, qpNum), connection);
    }

    void bindLocal(IbConnection connection, int qpNum) {
        byQueuePair.put(qpNum, connection);
    }

    void unbindLocal(IbConnection connection, int qpNum) {
        byQueuePair.remove(qpNum, connection);
    }

    /** Knows a connection no more. */
    void forget(IbConnection connection, int localId, @Nullable CmReq request, InetAddress peer) {
        timers.cancel(connection);
        refused.remove(connection);
        ended.remove(connection);
        byId.remove(localId, connection);
        if (request != null) {
            byRequest.remove(new RequestKey(peer, request.localCaGuid(), request.localCommId()), connection);
        }
    }

    /**
     * Takes a port.
     *
     * @param wanted 0 for any
     * @throws io.jrdma.verbs.VerbsException EADDRINUSE if somebody listens there
     */
    int listen(int wanted, IbListener listener) {
        int taken = numbers.listeningPort("listening", localAddress(), wanted, listeners::containsKey);
        listeners.put(taken, listener);
        return taken;
    }

    void stopListening(int taken) {
        listeners.remove(taken);
    }

    /** Whether no connection is known, under whatever key. */
    boolean isEmpty() {
        return byId.isEmpty() && byRequest.isEmpty() && byRemoteQueuePair.isEmpty() && byQueuePair.isEmpty();
    }

    /** The device is about to be closed: connections that wait before they disconnect do it now, so that their peers learn of it. */
    public void hurry(long nowNs) {
        new ArrayList<>(byId.values()).forEach(connection -> connection.hurry(nowNs));
    }

    // ---- input ----

    @Override
    public void onDatagram(InetAddress from, MemorySegment segment, long offset, int length, long nowNs) {
        if (CmMad.decode(segment, offset, length) instanceof CmMad mad) {
            onMessage(from, mad, nowNs);
        }
    }

    private void onMessage(InetAddress from, CmMad mad, long nowNs) {
        long transactionId = mad.transactionId();
        switch (mad.message()) {
            case CmReq req -> onReq(from, transactionId, req, nowNs);
            case CmRep rep -> onRep(from, transactionId, rep, nowNs);
            case CmRtu rtu -> {
                IbConnection connection = find(from, rtu.remoteCommId(), rtu.localCommId());
                if (connection != null) {
                    connection.onRtu(nowNs);
                }
            }
            case CmMra mra -> {
                IbConnection connection = find(from, mra.remoteCommId(), mra.localCommId());
                if (connection != null) {
                    connection.onMra(mra, nowNs);
                }
            }
            case CmRej rej -> {
                IbConnection connection = rejected(from, rej);
                if (connection != null) {
                    connection.onRej(rej, nowNs);
                }
            }
            case CmDreq dreq -> onDreq(from, transactionId, dreq, nowNs);
            case CmDrep drep -> {
                IbConnection connection = find(from, drep.remoteCommId(), drep.localCommId());
                if (connection != null) {
                    connection.onDrep(nowNs);
                }
            }
            case CmSidrReq request -> sidr.onRequest(from, transactionId, request, nowNs);
            case CmSidrRep reply -> sidr.onReply(from, reply);
            // an alternate path has no meaning on RoCE; Linux drops both as well
            case CmLap lap -> {}
            case CmApr apr -> {}
        }
    }

    /** The connection that a message is about, or null. */
    private @Nullable IbConnection find(InetAddress from, int localId, int remoteId) {
        IbConnection connection = byId.get(localId);
        return connection != null && connection.isWith(from, remoteId) ? connection : null;
    }

    private void onReq(InetAddress from, long transactionId, CmReq req, long nowNs) {
        IbConnection known = byRequest.get(new RequestKey(from, req.localCaGuid(), req.localCommId()));
        // [IBTA-CM-12.9.8-2]
        if (known != null) {
            known.onReq(nowNs);
            return;
        }
        IbConnection stale = connectionOf(from, req.localCaGuid(), req.localQpn());
        // [IBTA-CM-12.9.8.3-1]
        if (stale != null) {
            reject(from, transactionId, req, CmRejReason.STALE_CONNECTION);
            stale.onStale(nowNs);
            return;
        }
        int servicePort = ServiceId.port(req.serviceId());
        IbListener listener =
                ServiceId.portSpace(req.serviceId()) == ServiceId.PORT_SPACE_TCP ? listeners.get(servicePort) : null;
        int reason = listener == null ? CmRejReason.INVALID_SERVICE_ID : objection(from, req);
        if (listener == null || reason != 0) {
            reject(from, transactionId, req, reason);
        } else if (listener.admit()) {
            IpCmPrivateData ends = IpCmPrivateData.of(req.privateData());
            IbConnection request = new IbConnection(
                    this,
                    listener,
                    transactionId,
                    req,
                    new InetSocketAddress(localAddress(), servicePort),
                    new InetSocketAddress(from, ends.sourcePort()));
            byRequest.put(new RequestKey(from, req.localCaGuid(), req.localCommId()), request);
            bindRemote(request, from, req.localCaGuid(), req.localQpn());
            request.begin(nowNs);
            listener.onRequest(
                    request,
                    IpCmPrivateData.consumerData(req.privateData()).toByteArray(), // [IBTA-CM-A11-2]
                    req.responderResources(),
                    req.initiatorDepth());
        }
    }

    /** [IBTA-CM-12.6.7-1] What is wrong with a request for a service that there is; 0 if nothing. */
    private int objection(InetAddress from, CmReq req) {
        if (req.transportServiceType() != CmReq.TYPE_RC) {
            return CmRejReason.INVALID_TRANSPORT_TYPE;
        }
        // the address that our packets would go to is the one that asks: nobody is made a target by somebody else
        if (!req.primary().remoteGid().equals(ownGid())
                || !req.primary().localGid().equals(Gid.of(from.getAddress()))) {
            return CmRejReason.PRIMARY_GID_REJECTED;
        }
        if (req.hasAlternate()) {
            return CmRejReason.ALTERNATE_GID_REJECTED;
        }
        // [IBTA-CM-12.7-3] there is no way to propose a smaller one
        if (!PathMtu.isCode(req.pathMtu()) || PathMtu.bytes(req.pathMtu()) > port.pathMtu()) {
            return CmRejReason.INVALID_PATH_MTU;
        }
        return isForUs(req.privateData()) ? 0 : CmRejReason.CONSUMER_DEFINED;
    }

    /** Whether private data begin with addresses of which ours is one. */
    boolean isForUs(CmBytes privateData) {
        return IpCmPrivateData.check(privateData) == CmMalformed.OK
                && IpCmPrivateData.of(privateData).destination().equals(ownGid());
    }

    private Gid ownGid() {
        return Gid.of(localAddress().getAddress());
    }

    private CmBytes gidBytes() {
        ByteBuffer bytes = ByteBuffer.allocate(Gid.LENGTH);
        return CmBytes.of(bytes.putLong(ownGid().high()).putLong(ownGid().low()).array());
    }

    /** [IBTA-CM-12.6.7-1] With what would have been right, where the reason has a place for it. */
    private void reject(InetAddress to, long transactionId, CmReq req, int reason) {
        CmBytes info = switch (reason) {
            case CmRejReason.PRIMARY_GID_REJECTED, CmRejReason.ALTERNATE_GID_REJECTED -> gidBytes();
            // in the bits that it has in the REQ
            case CmRejReason.INVALID_PATH_MTU -> CmBytes.of((byte) (PathMtu.code(port.pathMtu()) << 4));
            default -> CmBytes.EMPTY;
        };
        send(to, transactionId, new CmRej(0, req.localCommId(), CmRej.OF_REQ, reason, info, CmBytes.EMPTY));
    }

    private void onRep(InetAddress from, long transactionId, CmRep rep, long nowNs) {
        IbConnection connection = find(from, rep.remoteCommId(), rep.localCommId());
        if (connection != null) {
            connection.onRep(rep, nowNs);
        } else if (!byId.containsKey(rep.remoteCommId())) {
            // [IBTA-CM-12.9.8-4] a peer whose request was given up meanwhile would repeat its reply for a minute
            send(
                    from,
                    transactionId,
                    new CmRej(
                            rep.remoteCommId(),
                            rep.localCommId(),
                            CmRej.OF_REP,
                            CmRejReason.INVALID_COMM_ID,
                            CmBytes.EMPTY,
                            CmBytes.EMPTY));
        }
    }

    /** Who is rejected: a peer that gives up a request does not know our ID yet, and names its own channel adapter instead. */
    private @Nullable IbConnection rejected(InetAddress from, CmRej rej) {
        if (rej.reason() == CmRejReason.TIMEOUT && rej.rejectInfoLength() >= Long.BYTES) {
            long caGuid =
                    ByteBuffer.wrap(rej.additionalRejectInfo().toByteArray()).getLong();
            IbConnection connection = byRequest.get(new RequestKey(from, caGuid, rej.localCommId()));
            if (connection != null) {
                return connection;
            }
        }
        return find(from, rej.remoteCommId(), rej.localCommId());
    }

    private void onDreq(InetAddress from, long transactionId, CmDreq dreq, long nowNs) {
        IbConnection connection = find(from, dreq.remoteCommId(), dreq.localCommId());
        if (connection != null) {
            connection.onDreq(transactionId, dreq, nowNs);
        } else if (!byId.containsKey(dreq.remoteCommId())) {
            // [IBTA-CM-12.10-2]
            send(from, transactionId, new CmDrep(dreq.remoteCommId(), dreq.localCommId(), CmBytes.EMPTY));
        }
    }

    @Override
    public void onCommunicationEstablished(int qpNum, long nowNs) {
        IbConnection connection = byQueuePair.get(qpNum);
        if (connection != null) {
            connection.onCommunicationEstablished(nowNs);
        }
    }

    @Override
    public void onQueuePairFault(int qpNum, long nowNs) {
        IbConnection connection = byQueuePair.get(qpNum);
        if (connection != null) {
            connection.onFault(nowNs);
        }
    }

    @Override
    public void onTimeout(long nowNs) {
        timers.onTimeout(nowNs);
    }

    @Override
    public void onClosed(long nowNs) {
        List<IbConnection> all = new ArrayList<>(byId.values());
        byId.clear();
        byRequest.clear();
        byRemoteQueuePair.clear();
        byQueuePair.clear();
        listeners.clear();
        refused.clear();
        ended.clear();
        sidr.onClosed();
        all.forEach(IbConnection::onClosed);
    }
}
