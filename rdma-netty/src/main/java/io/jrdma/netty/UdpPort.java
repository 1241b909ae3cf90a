package io.jrdma.netty;

import io.jrdma.netty.UdpCounters.Counter;
import io.jrdma.verbs.AddressVector;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.spi.DatagramPort;
import io.jrdma.verbs.spi.DatagramTransport;
import io.jrdma.verbs.spi.Engine;
import io.jrdma.wire.ib.Icrc;
import io.jrdma.wire.ib.IcrcPath;
import io.jrdma.wire.ib.RoceV2Packet;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The UDP port of one device and the engine behind it. Loop only, where nothing else is said.
 *
 * <p>What arrives is checked and handed to the engine packet by packet, out of the memory into which the socket read it. What the engine
 * wants to send it writes into a {@link UdpSendQueue}, which the {@link UdpSocket} empties at the end of each turn, or earlier when it is
 * full. A socket that takes no more leaves the rest in the queue: memory for output is bounded, and the engine keeps its state until there
 * is room again.
 */
final class UdpPort extends Hosted implements DatagramPort {
    private static final Logger LOG = LoggerFactory.getLogger(UdpPort.class);
    /** 256 bytes, and what stands around them: IPv6, UDP, the longest usual headers, ICRC. */
    private static final int MIN_INTERFACE_MTU = 256 + 96;
    /** What the engine is asked for at once. */
    private static final int POLL_BYTES = 256 << 10;
    /** Times that the engine is asked in a turn, before input has its turn. */
    private static final int POLLS_IN_A_TURN = 4;

    private final DriverLoop loop;
    private final DatagramTransport engine;
    private final InetAddress localAddress;
    private final int localPort;
    private final int interfaceMtu;
    private final UdpCounters counters = new UdpCounters();
    private final SourceTable sources;
    private final PathTable paths;
    private final UdpSendQueue queue;
    private final UdpSocket socket;
    private boolean opened;
    private boolean closed;
    private boolean blocked;
    private volatile boolean drained = true;

    /** Makes the socket of a port. */
    @FunctionalInterface
    interface SocketMaker {
        UdpSocket open(UdpPort port, InetSocketAddress local, NettyOptions options) throws IOException;
    }

    /**
     * Binds a socket; {@link #open} comes next.
     *
     * @throws VerbsException EADDRINUSE, naming address and port, or what else stands in the way
     */
    UdpPort(
            DriverLoop loop,
            NettyOptions options,
            DatagramTransport engine,
            InetAddress localAddress,
            long seed,
            boolean forNetty,
            SocketMaker maker) {
        this.loop = loop;
        this.engine = engine;
        this.localAddress = localAddress;
        this.localPort = options.rocePort();
        this.interfaceMtu = checkMtu(localAddress, Addresses.mtu(localAddress));
        this.sources = new SourceTable(localAddress, localPort, options.rocePeerPort(), seed, counters);
        this.paths = new PathTable(sources);
        this.queue = new UdpSendQueue(this, options.sendBufferBytes(), forNetty);
        InetSocketAddress local = new InetSocketAddress(localAddress, localPort);
        try {
            this.socket = maker.open(this, local, options);
        } catch (IOException | RuntimeException failure) {
            queue.close();
            throw failure instanceof VerbsException verbs ? verbs : SocketErrors.bindFailure(failure, local);
        }
    }

    /**
     * The MTU of an interface that holds the packets of connection management and the smallest path MTU, with all headers.
     *
     * @throws VerbsException EINVAL if it does not
     */
    static int checkMtu(InetAddress localAddress, int mtu) {
        if (mtu < MIN_INTERFACE_MTU) {
            throw new VerbsException(
                    Errno.EINVAL,
                    "the interface with " + Addresses.text(localAddress) + " has an MTU of " + mtu + "; RoCE needs "
                            + MIN_INTERFACE_MTU + " or more");
        }
        return mtu;
    }

    // ---- for the driver ----

    /** Begins. */
    void open() {
        socket.start();
        opened = true;
        tell(() -> engine.onOpen(this, DriverLoop.nowNs()));
    }

    /** Sends what is there; {@link #isDrained} says when the socket has taken it. */
    void beginClose() {
        if (opened && !closed) {
            settle();
        }
    }

    /** Any thread: whether the socket has taken all that the engine committed. */
    boolean isDrained() {
        return drained;
    }

    /** Closes the socket; the engine hears of it. Harmless when repeated. */
    void close() {
        if (closed) {
            return;
        }
        counters.add(Counter.SEND_UNSENT, queue.unsent());
        closed = true;
        drained = true;
        socket.close();
        loop.deadline(this, Engine.NO_DEADLINE);
        if (opened) {
            tell(() -> engine.onClosed(DriverLoop.nowNs()));
        }
        loop.changed();
    }

    /** Frees the memory; any thread, after the loop has ended. */
    void free() {
        socket.free();
        queue.close();
    }

    // ---- for the socket ----

    DriverLoop loop() {
        return loop;
    }

    boolean isIpv6() {
        return localAddress instanceof Inet6Address;
    }

    UdpCounters counters() {
        return counters;
    }

    SourceTable sources() {
        return sources;
    }

    PathTable paths() {
        return paths;
    }

    UdpSendQueue queue() {
        return queue;
    }

    UdpSocket socket() {
        return socket;
    }

    boolean sendsTrains() {
        return socket.sendsTrains();
    }

    /**
     * Packets of one sender, one behind the other. Inside a burst.
     *
     * @param icrc quickest if it is attached to the segment
     * @param length bytes of all
     * @param segmentBytes bytes of each but the last, which may be shorter
     */
    void onTrain(
            Icrc icrc,
            int sourceId,
            int senderPort,
            MemorySegment segment,
            long offset,
            int length,
            int segmentBytes,
            int trafficClass,
            long nowNs) {
        counters.increment(Counter.RECEIVED_TRAINS);
        IcrcPath path = sources.incoming(sourceId, senderPort);
        int good = 0;
        int at = 0;
        do {
            int bytes = Math.min(segmentBytes, length - at);
            if (bytes < RoceV2Packet.MIN_LENGTH || bytes > RoceV2Packet.MAX_LENGTH || bytes % 4 != 0) {
                counters.increment(Counter.MALFORMED);
            } else if (closed) {
                counters.increment(Counter.IGNORED);
            } else if (icrc.verify(path, segment, offset + at, bytes) == Icrc.MISMATCH) {
                counters.increment(Counter.BAD_ICRC);
            } else {
                good++;
                hand(sourceId, segment, offset + at, bytes, trafficClass, nowNs);
            }
            at += segmentBytes;
        } while (at < length);
        counters.add(Counter.RECEIVED, good);
    }

    private void hand(int sourceId, MemorySegment segment, long offset, int length, int trafficClass, long nowNs) {
        try {
            engine.onPacket(sourceId, segment, offset, length, trafficClass, nowNs);
        } catch (Throwable fault) {
            breakDown(fault);
        }
    }

    /** The socket takes packets again, perhaps. */
    void onWritable() {
        if (!closed) {
            flush();
            if (!blocked) {
                loop.ready(this);
            }
        }
    }

    /** Sends what is in the queue, and says whether it is empty now; a full socket is not tried again before it tells. */
    boolean flushUnlessBlocked() {
        return !blocked && flush();
    }

    /**
     * Sends what is in the queue.
     *
     * @return whether the queue is empty now
     */
    boolean flush() {
        boolean all = socket.send(queue);
        if (all) {
            queue.clear();
        }
        blocked = !all;
        if (drained != all) {
            drained = all;
            loop.changed();
        }
        return all;
    }

    /** The socket's code threw what it must not. */
    void onFault(Throwable fault) {
        breakDown(fault);
    }

    // ---- for the loop ----

    @Override
    boolean settle() {
        if (closed || !opened) {
            return false;
        }
        boolean more = false;
        loop.enterBurst();
        try {
            long nowNs = DriverLoop.nowNs();
            int polls = 0;
            while (engine.pollTransmit(queue, POLL_BYTES, nowNs) > 0) {
                if (++polls == POLLS_IN_A_TURN) {
                    more = true;
                    break;
                }
            }
            loop.deadline(this, engine.nextDeadlineNs());
        } catch (Throwable fault) {
            breakDown(fault);
            return false;
        } finally {
            loop.exitBurst();
        }
        if (!queue.isEmpty()) {
            flushUnlessBlocked();
        }
        return more && !blocked;
    }

    @Override
    void onDeadline() {
        if (closed) {
            return;
        }
        loop.enterBurst();
        try {
            engine.onTimeout(DriverLoop.nowNs());
        } catch (Throwable fault) {
            breakDown(fault);
        } finally {
            loop.exitBurst();
        }
    }

    private void tell(Runnable input) {
        loop.enterBurst();
        try {
            input.run();
        } catch (Throwable fault) {
            breakDown(fault);
        } finally {
            loop.exitBurst();
            loop.ready(this);
        }
    }

    /** The engine threw, which nothing that came in may make it do: the port is closed, so that its queue pairs learn of it. */
    private void breakDown(Throwable fault) {
        LOG.error("{}: failed, and is closed", this, fault);
        close();
    }

    // ---- for the engine ----

    @Override
    public InetAddress localAddress() {
        return localAddress;
    }

    @Override
    public int interfaceMtu() {
        return interfaceMtu;
    }

    @Override
    public int receiveBufferBytes() {
        return socket.receiveBufferBytes();
    }

    @Override
    public int pin(AddressVector vector) {
        InetAddress destination = scoped(vector.destination());
        if (destination instanceof Inet6Address != isIpv6()) {
            throw new VerbsException(
                    Errno.EINVAL,
                    Addresses.text(destination) + " is of another address family than " + Addresses.text(localAddress));
        }
        if (destination.isAnyLocalAddress() || destination.isMulticastAddress()) {
            throw new VerbsException(Errno.EINVAL, Addresses.text(destination) + " is not the address of one host");
        }
        if (!sources.knows(destination)) {
            Addresses.localFor(destination);
        }
        return paths.pin(destination, vector.trafficClass(), vector.hopLimit());
    }

    /** A link-local address without an interface is on the port's. */
    private InetAddress scoped(InetAddress destination) {
        if (destination instanceof Inet6Address peer
                && peer.isLinkLocalAddress()
                && peer.getScopeId() == 0
                && localAddress instanceof Inet6Address own) {
            try {
                return Inet6Address.getByAddress(null, peer.getAddress(), own.getScopeId());
            } catch (UnknownHostException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
        return destination;
    }

    @Override
    public void unpin(int pathId) {
        paths.unpin(pathId);
        if (!paths.isPinned(pathId)) {
            queue.forget(pathId);
        }
    }

    @Override
    public int source(int pathId) {
        paths.check(pathId);
        return paths.source(pathId);
    }

    @Override
    public InetAddress address(int sourceId) {
        return sources.address(sourceId);
    }

    @Override
    public void requestTransmit() {
        loop.ready(this);
    }

    @Override
    public String toString() {
        return "udp " + Addresses.text(localAddress) + " port " + localPort;
    }
}
