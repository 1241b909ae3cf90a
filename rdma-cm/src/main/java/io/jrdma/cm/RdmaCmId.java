package io.jrdma.cm;

import io.jrdma.cm.transport.CmConnection;
import io.jrdma.cm.transport.ConnectionOffer;
import io.jrdma.cm.transport.ConnectionTerms;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.IbCmNegotiated;
import io.jrdma.verbs.MpaNegotiated;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.ProtectionDomain;
import io.jrdma.verbs.QueuePair;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.spi.DeviceDriver;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One end of a connection, or a listening address ({@code rdma_cm_id}). Thread-safe. Made by {@link RdmaEventChannel#createId}, or by a
 * request ({@link RdmaCmEvent.ConnectRequest}).
 *
 * <p>Every call returns at once; what became of it is an event on the channel. A call in a state that does not allow it throws {@link
 * VerbsException} EINVAL and changes nothing. The id and its queue pair are independent: either may be closed first, and closing the id
 * leaves the queue pair, in ERROR if it was connected, to its protection domain.
 *
 * <p>Active side: {@link #resolveAddress}, {@link #resolveRoute}, {@link #createQueuePair}, {@link #connect}. Passive side: {@link #bind},
 * {@link #listen}, and for each request {@link #createQueuePair}, {@link #accept}. Both: {@link #disconnect}, {@link #close}.
 */
public final class RdmaCmId implements AutoCloseable {
    /** The backlog of {@link #listen} when 0 is asked for, as of the kernel's iWARP connection manager. */
    public static final int DEFAULT_BACKLOG = 256;

    private final RdmaEventChannel channel;
    private final Transport transport;
    private final boolean deviceGiven;
    private final ReadDepths requested;
    private final CmConnection connection;
    private final Object lock = new Object();
    private final QueuePairSlot slot = new QueuePairSlot(this, lock);
    private volatile RdmaCmState state;
    private volatile @Nullable RdmaDevice device;
    private volatile @Nullable InetSocketAddress localAddress;
    private volatile @Nullable InetSocketAddress peerAddress;
    private volatile ConnectionTerms terms = ConnectionTerms.NONE;
    private @Nullable IdListener listener;
    private volatile @Nullable Object context;

    RdmaCmId(RdmaEventChannel channel, Transport transport, @Nullable RdmaDevice device) {
        this.channel = channel;
        this.transport = transport;
        this.device = device;
        this.deviceGiven = device != null;
        this.requested = ReadDepths.NONE;
        this.connection = Wires.connection(transport, new IdEvents(this));
        this.state = RdmaCmState.IDLE;
    }

    /** The id of a request; loop. */
    private RdmaCmId(RdmaCmId listening, RdmaDevice device, CmConnection request, int peerIrd, int peerOrd) {
        this.channel = listening.channel;
        this.transport = listening.transport;
        this.device = device;
        this.deviceGiven = true;
        this.requested = ReadDepths.ofRequest(peerIrd, peerOrd, device.attributes());
        this.connection = request;
        this.localAddress = request.localAddress();
        this.peerAddress = request.remoteAddress();
        this.state = RdmaCmState.REQUEST_RECEIVED;
        request.listen(new IdEvents(this));
    }

    /** The channel that it reports to. */
    public RdmaEventChannel channel() {
        return channel;
    }

    /** The wire. */
    public Transport transport() {
        return transport;
    }

    /** What it has been through. */
    public RdmaCmState state() {
        return state;
    }

    /**
     * The device that the given one, the addresses, the listening or the request decided on; null before that. Binding to a wildcard address
     * decides on none.
     */
    public @Nullable RdmaDevice device() {
        return device;
    }

    /**
     * The own address; null before it is known. The port is 0 until a port that the system chooses has been chosen, which is in {@link
     * #listen} or, on the active side, by {@link RdmaCmEvent.Established}.
     */
    public @Nullable InetSocketAddress localAddress() {
        return localAddress;
    }

    /** The peer's address; null before it is known. */
    public @Nullable InetSocketAddress peerAddress() {
        return peerAddress;
    }

    /** The queue pair of {@link #createQueuePair} or {@link #useQueuePair}, or null. */
    public @Nullable QueuePair queuePair() {
        return slot.queuePair();
    }

    /** iWARP: what both sides agreed on; null before {@link RdmaCmEvent.Established}, and on RoCE. */
    public @Nullable MpaNegotiated negotiated() {
        return terms.mpa();
    }

    /** RoCE: what both sides agreed on; null before {@link RdmaCmEvent.Established}, and on iWARP. */
    public @Nullable IbCmNegotiated ibNegotiated() {
        return terms.ib();
    }

    /** What the application attached, or null. */
    public @Nullable Object context() {
        return context;
    }

    /** Attaches anything of the application's. */
    public void context(@Nullable Object value) {
        context = value;
    }

    /**
     * Binds to a local address ({@code rdma_bind_addr}), in state IDLE. A wildcard address ({@code 0.0.0.0}, {@code ::}) decides on no
     * device yet. The port itself is taken by {@link #listen} or {@link #connect}.
     *
     * @param local port 0 leaves the port to the system
     * @throws VerbsException EINVAL if the address is unresolved, link-local without a scope, or not the given device's; EADDRNOTAVAIL if
     *     it is not this host's
     */
    public void bind(InetSocketAddress local) {
        synchronized (lock) {
            RdmaCmState next = CmTransitions.require(state, CmInput.BIND);
            bindLocked(local);
            state = next;
        }
    }

    /** Listens with {@link MpaOptions#RECOMMENDED}; see {@link #listen(int, MpaOptions)}. */
    public void listen(int backlog) {
        listen(backlog, MpaOptions.RECOMMENDED);
    }

    /**
     * Listens ({@code rdma_listen}), in state ADDRESS_BOUND or IDLE, which means all IPv4 addresses and any port. When it returns, peers can
     * connect. For a wildcard address iWARP has one device with that address, RoCE one for each of the host's, and then {@link #device} is null.
     *
     * @param backlog requests that may be unanswered at once, on each device; 0 means {@link #DEFAULT_BACKLOG}. iWARP rejects further ones,
     *     RoCE leaves them to be repeated
     * @param options iWARP: for the handshakes of all requests
     * @throws VerbsException EADDRINUSE if the port is taken, EACCES if it is reserved, EADDRNOTAVAIL if the address is not this host's,
     *     EINVAL for a negative backlog
     */
    public void listen(int backlog, MpaOptions options) {
        if (backlog < 0) {
            throw new VerbsException(Errno.EINVAL, "backlog is " + backlog + "; it must be 0 or more");
        }
        RdmaCmState before;
        RdmaDevice known;
        InetSocketAddress at;
        IdListener opening;
        synchronized (lock) {
            RdmaCmState next = CmTransitions.require(state, CmInput.LISTEN);
            known = device;
            at = CmAddresses.listenAddress(localAddress, known);
            List<RdmaDevice> on = known != null ? List.of(known) : channel.listeningDevices(transport, at.getAddress());
            opening = new IdListener(transport, on, backlog == 0 ? DEFAULT_BACKLOG : backlog, this::onRequest);
            before = state;
            state = next;
            device = known != null || transport == Transport.IWARP ? on.getFirst() : null;
            listener = opening;
        }
        try {
            // not under the lock: requests that arrive take it on the loop
            opening.open(at, options, taken -> localAddress = taken);
        } catch (VerbsException refused) {
            synchronized (lock) {
                listener = null;
                if (state == RdmaCmState.LISTEN) {
                    device = known;
                    state = before;
                }
            }
            throw refused;
        }
        if (state() != RdmaCmState.LISTEN) {
            // closed meanwhile, perhaps before there was anything to close
            opening.close();
        }
    }

    /**
     * Finds the local address and the device that reach a peer ({@code rdma_resolve_addr}), in state IDLE or ADDRESS_BOUND; ends in {@link
     * RdmaCmEvent.AddressResolved} or {@link RdmaCmEvent.AddressError}. Names are not looked up.
     *
     * @param source the own address, to be bound as with {@link #bind}; null leaves it to the route or to an earlier bind
     * @param destination the peer's address; a wildcard address means this host
     * @param timeout the longest that it may take; the lookup here takes no time worth mentioning
     * @throws VerbsException EINVAL if an address is unresolved, of another family than the other one, link-local without a scope, the
     *     destination's port is 0, or the id is bound to another source; EADDRNOTAVAIL if the source is not this host's
     */
    public void resolveAddress(@Nullable InetSocketAddress source, InetSocketAddress destination, Duration timeout) {
        InetSocketAddress peer = CmAddresses.destination(destination);
        CmAddresses.positive(timeout);
        synchronized (lock) {
            RdmaCmState next = CmTransitions.require(state, CmInput.RESOLVE_ADDRESS);
            CmAddresses.checkSource(source, localAddress, deviceGiven ? device : null, peer.getAddress());
            if (source != null && localAddress == null) {
                bindLocked(source);
            }
            peerAddress = peer;
            state = next;
        }
        findDevice(peer);
    }

    private void findDevice(InetSocketAddress peer) {
        InetSocketAddress bound;
        RdmaDevice known;
        synchronized (lock) {
            bound = localAddress;
            known = device;
        }
        try {
            LocalEnd own = LocalEnd.toReach(channel, transport, bound, known, peer);
            advance(
                    CmInput.ADDRESS_FOUND,
                    () -> {
                        device = own.device();
                        localAddress = own.address();
                    },
                    new RdmaCmEvent.AddressResolved(this));
        } catch (VerbsException refused) {
            advance(
                    CmInput.ADDRESS_FAILED,
                    new RdmaCmEvent.AddressError(
                            this, -refused.errno().number(), String.valueOf(refused.getMessage())));
        }
    }

    /**
     * Finds the route ({@code rdma_resolve_route}), in state ADDRESS_RESOLVED; ends in {@link RdmaCmEvent.RouteResolved}. It
     * cannot fail: over TCP and over UDP the system's own routing does it, packet by packet, with no path record to ask anybody for.
     *
     * @param timeout the longest that it may take
     */
    public void resolveRoute(Duration timeout) {
        CmAddresses.positive(timeout);
        synchronized (lock) {
            state = CmTransitions.require(state, CmInput.RESOLVE_ROUTE);
        }
        advance(CmInput.ROUTE_FOUND, new RdmaCmEvent.RouteResolved(this));
    }

    /**
     * Creates a queue pair for the connection, in INIT, so that receives can be posted before it comes up ({@code rdma_create_qp}). The
     * peer may write and read through it where regions allow. It stays the caller's to close, directly or with its domain; {@link
     * #destroyQueuePair} does it too.
     *
     * @param domain of the id's device
     * @param options with null as a completion queue, the id makes one that fits, with a completion channel of its own
     * @throws VerbsException EINVAL before the device is known, once a connection is under way, if there is a queue pair already, or if
     *     the domain belongs to another device; otherwise as {@link ProtectionDomain#createQueuePair}
     */
    public QueuePair createQueuePair(ProtectionDomain domain, QueuePairOptions options) {
        return slot.create(domain, options);
    }

    /**
     * Takes a queue pair that the application made, instead of {@link #createQueuePair}; it has to be in INIT when {@link #connect} or
     * {@link #accept} is called.
     *
     * @throws VerbsException EINVAL as {@link #createQueuePair}
     */
    public void useQueuePair(QueuePair own) {
        slot.put(IdQueuePair.of(own));
    }

    /**
     * Destroys the queue pair ({@code rdma_destroy_qp}), and those completion queues that {@link #createQueuePair} made and no other queue
     * pair uses. Does nothing without a queue pair. A connection ends.
     */
    public void destroyQueuePair() {
        slot.destroy();
    }

    /**
     * Connects ({@code rdma_connect}), in state ROUTE_RESOLVED with a queue pair in INIT. Ends in exactly one of {@link
     * RdmaCmEvent.Established}, {@link RdmaCmEvent.Rejected}, {@link RdmaCmEvent.Unreachable}, {@link RdmaCmEvent.ConnectError}, unless the
     * id is closed before. On iWARP this side has to send first, and the peer may send as soon as it has accepted: have receives posted.
     *
     * @throws VerbsException EINVAL without such a queue pair, if the private data is too long, or a depth is beyond the device's limits
     */
    public void connect(ConnectionParameters parameters) {
        synchronized (lock) {
            RdmaCmState next = CmTransitions.require(state, CmInput.CONNECT);
            QueuePair own = slot.initialized();
            RdmaDevice on = Objects.requireNonNull(device);
            InetSocketAddress bound = Objects.requireNonNull(localAddress);
            InetSocketAddress to = Objects.requireNonNull(peerAddress);
            // a device at a wildcard address would choose its own source
            InetSocketAddress from = bound.getPort() != 0 || on.localAddress().isAnyLocalAddress() ? bound : null;
            ConnectionOffer offer = CmParameters.request(parameters, on.attributes());
            state = next;
            DeviceDriver driver = on.driver();
            onLoop(now -> connection.connect(driver, from, to, own.core(), offer, now));
        }
    }

    /**
     * Accepts a request ({@code rdma_accept}), in state REQUEST_RECEIVED with a queue pair in INIT. Ends in {@link
     * RdmaCmEvent.Established}, {@link RdmaCmEvent.ConnectError}, or on RoCE {@link RdmaCmEvent.Unreachable} or {@link RdmaCmEvent.Rejected}.
     *
     * @throws VerbsException EINVAL without such a queue pair, if the private data is too long, or a depth is beyond the device's limits
     */
    public void accept(ConnectionParameters parameters) {
        synchronized (lock) {
            RdmaCmState next = CmTransitions.require(state, CmInput.ACCEPT);
            QueuePair own = slot.initialized();
            ConnectionOffer offer = CmParameters.reply(
                    parameters, Objects.requireNonNull(device).attributes(), requested);
            state = next;
            onLoop(now -> connection.accept(own.core(), offer, now));
        }
    }

    /**
     * Rejects a request ({@code rdma_reject}), in state REQUEST_RECEIVED. No event follows; only closing is left.
     *
     * @param privateData for the peer's application, up to {@link ConnectionParameters#MAX_REPLY_PRIVATE_DATA} bytes on
     *     iWARP, {@link ConnectionParameters#MAX_IB_REJECT_PRIVATE_DATA} on RoCE
     * @throws VerbsException EINVAL if the private data is too long
     */
    public void reject(byte[] privateData) {
        byte[] reason = privateData.clone();
        synchronized (lock) {
            RdmaCmState next = CmTransitions.require(state, CmInput.REJECT);
            CmParameters.checkReject(transport, reason.length);
            state = next;
            onLoop(now -> connection.reject(reason, now));
        }
    }

    /**
     * Ends the connection in good order ({@code rdma_disconnect}), in state ESTABLISHED: what was posted before is still sent. Ends in {@link
     * RdmaCmEvent.Disconnected}, when every work request of the queue pair has its completion. Does nothing when the connection is ending
     * or over, so that both sides may always call it.
     */
    public void disconnect() {
        synchronized (lock) {
            RdmaCmState next = CmTransitions.next(state, CmInput.DISCONNECT);
            if (next != null) {
                state = next;
                onLoop(connection::disconnect);
            }
        }
    }

    /**
     * Closes the id ({@code rdma_destroy_id}), in any state, from any thread. When it returns, no event on the channel names the id any
     * more. A connection that is coming up is dropped, one that is up is ended in good order in the background, a request is rejected; a
     * listener stops, the requests to it that nobody has taken are rejected, and its port is free when this returns. Harmless when repeated.
     */
    @Override
    public void close() {
        IdListener open;
        synchronized (lock) {
            RdmaCmState next = CmTransitions.next(state, CmInput.CLOSE);
            if (next == null) {
                return;
            }
            state = next;
            open = listener;
            if (device != null) {
                onLoop(connection::destroy);
            }
        }
        // the untaken requests first: closing the listener would only drop them
        channel.forget(this).forEach(RdmaCmId::close);
        if (open != null) {
            open.close();
        }
    }

    void onDeviceRemoved(RdmaDevice removed) {
        synchronized (lock) {
            RdmaCmState next = CmTransitions.next(state, CmInput.DEVICE_REMOVED);
            if (next != null && device == removed) {
                state = next;
                channel.post(new RdmaCmEvent.DeviceRemoval(this));
            }
        }
    }

    /** A request to this listening id; loop. */
    private void onRequest(RdmaDevice on, CmConnection request, byte[] privateData, int peerIrd, int peerOrd) {
        synchronized (lock) {
            if (state == RdmaCmState.LISTEN) {
                RdmaCmId id = new RdmaCmId(this, on, request, peerIrd, peerOrd);
                if (channel.adopt(id)) {
                    channel.post(new RdmaCmEvent.ConnectRequest(
                            id, this, privateData, id.requested.responderResources(), id.requested.initiatorDepth()));
                    return;
                }
            }
        }
        request.destroy(on.driver().nowNs());
    }

    void advance(CmInput what, RdmaCmEvent event) {
        advance(what, () -> {}, event);
    }

    /** Something that the application waits for has happened: state, facts and event appear together, or not at all. */
    void advance(CmInput what, Runnable facts, RdmaCmEvent event) {
        synchronized (lock) {
            RdmaCmState next = CmTransitions.next(state, what);
            if (next != null) {
                state = next;
                facts.run();
                channel.post(event);
            }
        }
    }

    private void bindLocked(InetSocketAddress local) {
        LocalEnd end = LocalEnd.bind(channel, transport, deviceGiven ? device : null, local);
        device = end.device();
        localAddress = end.address();
    }

    /** Later, even on the loop, so the lock may be held. */
    private void onLoop(LongConsumer task) {
        DeviceDriver driver = Objects.requireNonNull(device).driver();
        driver.execute(() -> task.accept(driver.nowNs()));
    }

    @Override
    public String toString() {
        synchronized (lock) {
            return "RdmaCmId[" + transport.id() + ", " + state + ", " + AddressText.of(localAddress)
                    + (peerAddress == null ? "" : " - " + AddressText.of(peerAddress)) + "]";
        }
    }

    /** Facts of {@link CmInput#CONNECTION_UP}, under the lock. */
    void agreed(ConnectionTerms agreed) {
        terms = agreed;
        InetSocketAddress own = connection.localAddress();
        if (own != null) {
            localAddress = own;
        }
    }
}
