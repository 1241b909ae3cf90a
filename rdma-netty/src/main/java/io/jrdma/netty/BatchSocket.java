package io.jrdma.netty;

import io.jrdma.netty.UdpCounters.Counter;
import io.jrdma.wire.ib.Icrc;
import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Linux batch driver: a socket on Netty's epoll loop that reads and writes many packets a system call. What arrives lies in this
 * socket's own memory, up to 64 KiB of packets of one sender in one piece, and is handed on from there.
 *
 * <p>While the loop has work the socket is read without asking epoll first. The flow label of a path is not set: the system has
 * to grant one first, and nothing that receives looks at it.
 */
final class BatchSocket implements UdpSocket, EpollIoHandle, DriverLoop.Poller {
    private static final Logger LOG = LoggerFactory.getLogger(BatchSocket.class);
    /** The longest that a datagram, or a train that the system put together, can be. */
    private static final int SLOT_BYTES = 64 << 10;
    /** Slots do not begin at the same place of a page, which would crowd them into few sets of the cache. */
    private static final int SLOT_STRIDE = SLOT_BYTES + 192;
    /** Messages a read when they are small. */
    private static final int SLOTS = 32;
    /** When a read brought more than this for each message, the next takes few: what is read should still be cached when it is used. */
    private static final int LARGE_BYTES = 16 << 10;

    private final UdpPort port;
    private final DriverLoop loop;
    private final UdpCounters counters;
    private final boolean ipv6;
    private final LinuxSocket socket;
    private final int fd;
    private final int receiveBufferBytes;
    private final Arena arena = Arena.ofShared();
    private final LinuxUdp linux;
    private final MemorySegment slots = arena.allocate((long) SLOTS * SLOT_STRIDE, 4096);
    private final Icrc icrc = new Icrc();
    private final MessageVector incoming = new MessageVector(arena, SLOTS);
    private final MessageVector outgoing = new MessageVector(arena, UdpSendQueue.MAX_ENTRIES);
    /** For an entry that leaves as single datagrams. */
    private final MessageVector singles = new MessageVector(arena, UdpSendQueue.MAX_SEGMENTS);

    private final int fewSlots;
    private int slotsToRead;
    private int slotsUsed = SLOTS;
    private boolean trains = true;
    private boolean blocked;
    /** Whether the last read took as much as it could. */
    private boolean more;

    private boolean closed;
    private @Nullable IoRegistration registration;

    /** A socket bound to that address; throws what Netty throws. */
    BatchSocket(UdpPort port, InetSocketAddress local, NettyOptions options) throws IOException {
        this(port, local, options, LinuxUdp::new);
    }

    /** The same with other system calls. */
    BatchSocket(UdpPort port, InetSocketAddress local, NettyOptions options, Function<Arena, LinuxUdp> calls)
            throws IOException {
        this.port = port;
        this.loop = port.loop();
        this.counters = port.counters();
        this.ipv6 = port.isIpv6();
        this.fewSlots = Math.clamp(options.receiveBufferBytes() / SLOT_BYTES, 1, SLOTS);
        this.slotsToRead = SLOTS;
        LinuxSocket opened = null;
        boolean bound = false;
        try {
            linux = calls.apply(arena);
            opened = LinuxSocket.newSocketDgram(ipv6 ? SocketProtocolFamily.INET6 : SocketProtocolFamily.INET);
            configure(opened);
            receiveBufferBytes = setBuffers(opened, options);
            opened.bind(local);
            bound = true;
        } finally {
            if (!bound) {
                arena.close();
                if (opened != null) {
                    opened.close();
                }
            }
        }
        socket = opened;
        fd = opened.intValue();
        icrc.attach(slots);
        for (int i = 0; i < SLOTS; i++) {
            incoming.data(i, slots.address() + slot(i), SLOT_BYTES);
        }
    }

    private void configure(LinuxSocket socket) throws IOException {
        if (ipv6) {
            socket.setIntOpt(LinuxUdp.IPPROTO_IPV6, LinuxUdp.IPV6_MTU_DISCOVER, LinuxUdp.PMTUDISC_DO);
            socket.setIntOpt(LinuxUdp.IPPROTO_IPV6, LinuxUdp.IPV6_RECVTCLASS, 1);
            // rxe sends no checksum, and IPv6 drops such packets without this
            socket.setIntOpt(LinuxUdp.IPPROTO_UDP, LinuxUdp.UDP_NO_CHECK6_RX, 1);
        } else {
            socket.setIntOpt(LinuxUdp.IPPROTO_IP, LinuxUdp.IP_MTU_DISCOVER, LinuxUdp.PMTUDISC_DO);
            socket.setIntOpt(LinuxUdp.IPPROTO_IP, LinuxUdp.IP_RECVTOS, 1);
        }
        socket.setIntOpt(LinuxUdp.IPPROTO_UDP, LinuxUdp.UDP_GRO, 1);
    }

    private static int setBuffers(LinuxSocket socket, NettyOptions options) throws IOException {
        int receive = options.roceSocketReceiveBytes();
        int send = options.roceSocketSendBytes();
        force(socket, LinuxUdp.SO_RCVBUFFORCE, receive);
        force(socket, LinuxUdp.SO_SNDBUFFORCE, send);
        if (socket.getReceiveBufferSize() < SocketBuffers.reported(receive)) {
            socket.setReceiveBufferSize(receive);
        }
        if (socket.getSendBufferSize() < SocketBuffers.reported(send)) {
            socket.setSendBufferSize(send);
        }
        SocketBuffers.check(receive, socket.getReceiveBufferSize(), send, socket.getSendBufferSize());
        return SocketBuffers.usable(socket.getReceiveBufferSize());
    }

    private static void force(LinuxSocket socket, int option, int bytes) {
        try {
            socket.setIntOpt(LinuxUdp.SOL_SOCKET, option, bytes);
        } catch (IOException notAllowed) {
            LOG.trace("the limits of the system hold for this process", notAllowed);
        }
    }

    @Override
    public void start() {
        var registered = loop.io().register(this);
        if (!registered.isSuccess()) {
            throw new IllegalStateException("epoll", registered.cause());
        }
        registration = registered.getNow();
        waitFor(EpollIoOps.EPOLLIN);
        loop.poller(this);
    }

    private void waitFor(EpollIoOps ops) {
        IoRegistration current = registration;
        if (current != null && !closed) {
            current.submit(ops);
        }
    }

    // ---- sending ----

    @Override
    public boolean sendsTrains() {
        return trains;
    }

    @Override
    public boolean send(UdpSendQueue queue) {
        while (!queue.isEmpty()) {
            int result = trains && queue.headSent() == 0 ? sendEntries(queue) : sendSingles(queue);
            if (result == -LinuxUdp.EAGAIN) {
                block();
                return false;
            }
            if (result < 0) {
                onSendError(queue, -result);
            }
        }
        unblock();
        return true;
    }

    private int sendEntries(UdpSendQueue queue) {
        int count = 0;
        MemorySegment memory = queue.segment();
        for (int entry = queue.head(); entry < queue.tail(); entry++) {
            int size = queue.segmentBytes(entry);
            int length = queue.length(entry);
            outgoing.data(count, memory.address() + queue.offset(entry), length);
            outgoing.nameLength(count, queue.copySockaddr(entry, outgoing.names(), outgoing.name(count)));
            addControls(outgoing, count, queue, entry);
            if (length > size) {
                outgoing.addControl(count, LinuxUdp.IPPROTO_UDP, LinuxUdp.UDP_SEGMENT, size, Short.BYTES);
            }
            count++;
        }
        int sent = linux.send(fd, outgoing.address(0), count);
        if (sent > 0) {
            int packets = 0;
            for (int entry = queue.head(); entry < queue.head() + sent; entry++) {
                packets += queue.segments(entry);
            }
            counters.add(Counter.SENT, packets);
            counters.add(Counter.SENT_TRAINS, sent);
            queue.advance(sent);
        }
        return sent;
    }

    /** Sends what is left of the first entry as datagrams of their own. */
    private int sendSingles(UdpSendQueue queue) {
        int entry = queue.head();
        int size = queue.segmentBytes(entry);
        int count = 0;
        for (int place = queue.headSent(); place < queue.length(entry); place += size) {
            prepareSingle(queue, count++, place);
        }
        int sent = linux.send(fd, singles.address(0), count);
        if (sent > 0) {
            counters.add(Counter.SENT, sent);
            counters.add(Counter.SENT_TRAINS, sent);
            queue.advanceBytes(sent * size);
        }
        return sent;
    }

    private void prepareSingle(UdpSendQueue queue, int message, int place) {
        int entry = queue.head();
        int length = Math.min(queue.segmentBytes(entry), queue.length(entry) - place);
        singles.data(message, queue.segment().address() + queue.offset(entry) + place, length);
        singles.nameLength(message, queue.copySockaddr(entry, singles.names(), singles.name(message)));
        addControls(singles, message, queue, entry);
    }

    private void addControls(MessageVector vector, int message, UdpSendQueue queue, int entry) {
        vector.clearControl(message);
        int trafficClass = queue.trafficClass(entry);
        if (trafficClass != 0) {
            vector.addControl(
                    message,
                    ipv6 ? LinuxUdp.IPPROTO_IPV6 : LinuxUdp.IPPROTO_IP,
                    ipv6 ? LinuxUdp.IPV6_TCLASS : LinuxUdp.IP_TOS,
                    trafficClass,
                    Integer.BYTES);
        }
        vector.addControl(
                message,
                ipv6 ? LinuxUdp.IPPROTO_IPV6 : LinuxUdp.IPPROTO_IP,
                ipv6 ? LinuxUdp.IPV6_HOPLIMIT : LinuxUdp.IP_TTL,
                queue.hopLimit(entry),
                Integer.BYTES);
    }

    /** The first entry, or what is left of it, was refused. */
    private void onSendError(UdpSendQueue queue, int error) {
        switch (error) {
            case LinuxUdp.EINTR -> {}
            // reported here, but of an earlier packet; reporting it has cleared it
            case LinuxUdp.ECONNREFUSED -> counters.increment(Counter.SOCKET_ERRORS);
            case LinuxUdp.EINVAL, LinuxUdp.EIO -> {
                if (trains && queue.segments(queue.head()) > 1) {
                    onTrainRefused(queue);
                } else {
                    drop(queue, Counter.SEND_FAILED);
                }
            }
            case LinuxUdp.EMSGSIZE -> drop(queue, Counter.SEND_TOO_LONG);
            case LinuxUdp.ENOBUFS, LinuxUdp.ENOMEM -> drop(queue, Counter.SEND_NO_BUFFERS);
            default -> drop(queue, Counter.SEND_FAILED);
        }
    }

    /**
     * The system refused the first train: its packets may be too long, or there is no way to the peer; or it cannot cut trains up on that
     * way. Its first packet alone tells: if that is taken, every packet is a datagram of its own from here on.
     */
    private void onTrainRefused(UdpSendQueue queue) {
        int head = queue.head();
        queue.seal(head, 0, false);
        prepareSingle(queue, 0, 0);
        int sent = linux.send(fd, singles.address(0), 1);
        if (sent < 0 && sent != -LinuxUdp.EAGAIN) {
            drop(queue, sent == -LinuxUdp.EMSGSIZE ? Counter.SEND_TOO_LONG : Counter.SEND_FAILED);
            return;
        }
        LOG.info(
                "{}: the system does not cut trains up on the way to a peer; one packet a datagram from here on", port);
        trains = false;
        for (int entry = head + 1; entry < queue.tail(); entry++) {
            queue.seal(entry, 0, false);
        }
        if (sent == 1) {
            counters.increment(Counter.SENT);
            counters.increment(Counter.SENT_TRAINS);
            queue.advanceBytes(queue.segmentBytes(head));
        }
    }

    private void drop(UdpSendQueue queue, Counter why) {
        int entry = queue.head();
        int left = queue.segments(entry) - queue.headSent() / queue.segmentBytes(entry);
        counters.add(why, left);
        queue.advance(1);
    }

    private void block() {
        if (!blocked) {
            blocked = true;
            waitFor(EpollIoOps.EPOLLIN.with(EpollIoOps.EPOLLOUT));
        }
    }

    private void unblock() {
        if (blocked) {
            blocked = false;
            waitFor(EpollIoOps.EPOLLIN);
        }
    }

    // ---- receiving ----

    @Override
    public FileDescriptor fd() {
        return socket;
    }

    @Override
    public void handle(IoRegistration ignored, IoEvent event) {
        EpollIoOps ops = ((EpollIoEvent) event).ops();
        if (blocked && ops.contains(EpollIoOps.EPOLLOUT)) {
            port.onWritable();
        }
        read(true);
    }

    @Override
    public boolean poll() {
        boolean wasBlocked = blocked;
        if (wasBlocked) {
            // epoll is not asked, so try
            port.onWritable();
        }
        boolean worked = read(false);
        return worked || (wasBlocked && !blocked);
    }

    @Override
    public boolean hasMore() {
        return more;
    }

    /**
     * One read, then output has its turn: the peer's window shall open while the next packets are taken in.
     *
     * @param told whether epoll says that there is something: then it matters why there is nothing
     */
    private boolean read(boolean told) {
        if (closed) {
            return false;
        }
        int asked = slotsToRead;
        int received = receive(asked, told);
        more = received == asked;
        return received > 0;
    }

    private int receive(int count, boolean told) {
        for (int i = 0; i < slotsUsed; i++) {
            incoming.reset(i);
        }
        slotsUsed = 0;
        int received =
                told ? linux.receive(fd, incoming.address(0), count) : linux.look(fd, incoming.address(0), count);
        if (received <= 0) {
            if (told && received != -LinuxUdp.EAGAIN && received != -LinuxUdp.EINTR) {
                counters.increment(Counter.SOCKET_ERRORS);
            }
            return received;
        }
        slotsUsed = received;
        long nowNs = DriverLoop.nowNs();
        long bytes = 0;
        loop.enterBurst();
        try {
            for (int i = 0; i < received; i++) {
                bytes += incoming.bytes(i);
                deliver(i, nowNs);
            }
        } finally {
            loop.exitBurst();
            loop.ready(port);
        }
        slotsToRead = bytes > (long) received * LARGE_BYTES ? fewSlots : SLOTS;
        return received;
    }

    private void deliver(int message, long nowNs) {
        if ((incoming.flags(message) & LinuxUdp.MSG_TRUNC) != 0) {
            counters.increment(Counter.TRUNCATED);
            return;
        }
        int sourceId = port.sources().heardFrom(incoming.names(), incoming.name(message));
        if (sourceId < 0) {
            counters.increment(Counter.FOREIGN);
            return;
        }
        int length = incoming.bytes(message);
        int size = incoming.control(message, LinuxUdp.IPPROTO_UDP, LinuxUdp.UDP_GRO, Integer.BYTES);
        int trafficClass = ipv6
                ? incoming.control(message, LinuxUdp.IPPROTO_IPV6, LinuxUdp.IPV6_TCLASS, Integer.BYTES)
                : incoming.control(message, LinuxUdp.IPPROTO_IP, LinuxUdp.IP_TOS, Byte.BYTES);
        port.onTrain(
                icrc,
                sourceId,
                SourceTable.port(incoming.names(), incoming.name(message)),
                slots,
                slot(message),
                length,
                size > 0 ? size : Math.max(1, length),
                Math.max(0, trafficClass),
                nowNs);
    }

    /** Where the data of a message lies. */
    private static long slot(int message) {
        return (long) message * SLOT_STRIDE;
    }

    @Override
    public int receiveBufferBytes() {
        return receiveBufferBytes;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        loop.poller(null);
        IoRegistration current = registration;
        if (current != null) {
            current.cancel();
        }
        try {
            socket.close();
        } catch (IOException failure) {
            LOG.debug("{}: closing the socket", port, failure);
        }
    }

    @Override
    public void free() {
        close();
        arena.close();
    }
}
