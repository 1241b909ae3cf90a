package io.jrdma.netty;

import io.jrdma.netty.UdpCounters.Counter;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.VerbsException;
import io.jrdma.wire.ib.Icrc;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GenericFutureListener;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The portable driver: Netty's datagram channel, one packet an object. It neither knows the traffic class of a packet, nor sets traffic
 * class and hop limit. A program cannot see the identification of the IPv4 datagrams that it sends; so the options that make the system
 * use 0 are read back, and systems of which nothing is known are refused.
 */
final class PortableSocket implements UdpSocket {
    private static final Logger LOG = LoggerFactory.getLogger(PortableSocket.class);
    /** More than the longest packet: what is cut to this is too long. */
    static final int DATAGRAM_BYTES = 8 << 10;
    /** Datagrams that one system call may bring, where there is such a call. */
    private static final int DATAGRAMS_IN_A_READ = 16;
    /** Datagrams that one event may bring, and that one flush may send. */
    private static final int DATAGRAMS_IN_A_TURN = 64;

    private final UdpPort port;
    private final DriverLoop loop;
    private final UdpCounters counters;
    private final DatagramChannel channel;
    private final Icrc icrc = new Icrc();
    private final int receiveBufferBytes;
    private final GenericFutureListener<Future<Void>> countSent = this::countSent;
    private boolean sending;
    private boolean closed;

    /**
     * A socket bound to that address; on the loop.
     *
     * @throws VerbsException EOPNOTSUPP if the system does not identify IPv4 datagrams as their ICRC needs it; or why it cannot be bound
     */
    PortableSocket(UdpPort port, InetSocketAddress local, NettyOptions options) {
        this(port, local, options, options.backend().datagram(port.isIpv6()));
    }

    /** The same with a channel that is not bound yet. */
    @SuppressWarnings("deprecation") // RCVBUF_ALLOCATOR and MAX_MESSAGES_PER_READ have no other name yet
    PortableSocket(UdpPort port, InetSocketAddress local, NettyOptions options, DatagramChannel newChannel) {
        this.port = port;
        this.loop = port.loop();
        this.counters = port.counters();
        channel = newChannel;
        ChannelConfig config = channel.config();
        config.setAutoRead(false);
        config.setOption(ChannelOption.RCVBUF_ALLOCATOR, receiveBuffers(options.backend()));
        config.setOption(ChannelOption.MAX_MESSAGES_PER_WRITE, DATAGRAMS_IN_A_TURN * UdpSendQueue.MAX_ENTRIES);
        // writable means that Netty holds nothing back
        config.setOption(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(1, 1));
        config.setOption(ChannelOption.SO_RCVBUF, options.roceSocketReceiveBytes());
        config.setOption(ChannelOption.SO_SNDBUF, options.roceSocketSendBytes());
        int receive = Objects.requireNonNull(config.getOption(ChannelOption.SO_RCVBUF));
        int send = Objects.requireNonNull(config.getOption(ChannelOption.SO_SNDBUF));
        SocketBuffers.check(options.roceSocketReceiveBytes(), receive, options.roceSocketSendBytes(), send);
        receiveBufferBytes = SocketBuffers.usable(receive);
        channel.pipeline().addLast(new Handler());
        var _ = loop.io().attach(channel);
        ChannelFuture bound = channel.bind(local);
        if (!bound.isSuccess()) {
            close();
            throw bound.cause() == null
                    ? new VerbsException(Errno.EBUSY, "binding a UDP socket was put off")
                    : SocketErrors.bindFailure(bound.cause(), local);
        }
        if (!port.isIpv6() && !options.backend().identifiesWithZero(channel)) {
            close();
            throw new VerbsException(
                    Errno.EOPNOTSUPP,
                    "RoCE on IPv4 does not work here on " + options.backend()
                            + ": the system is not known to send datagrams with identification 0 and \"don't fragment\","
                            + " which their checksum (ICRC) covers");
        }
        if (port.isIpv6() && options.backend() == IoBackend.NIO) {
            LOG.info(
                    "{}: on {}, packets without a UDP checksum do not arrive over IPv6; Linux's rxe sends such",
                    port,
                    IoBackend.NIO);
        }
    }

    private static FixedRecvByteBufAllocator receiveBuffers(IoBackend backend) {
        int bytes = backend == IoBackend.EPOLL ? DATAGRAMS_IN_A_READ * DATAGRAM_BYTES : DATAGRAM_BYTES;
        FixedRecvByteBufAllocator buffers = new FixedRecvByteBufAllocator(bytes);
        buffers.maxMessagesPerRead(DATAGRAMS_IN_A_TURN);
        return buffers;
    }

    @Override
    public void start() {
        channel.config().setAutoRead(true);
    }

    @Override
    public boolean sendsTrains() {
        return false;
    }

    @Override
    public boolean send(UdpSendQueue queue) {
        if (!channel.isOpen()) {
            return false;
        }
        if (!queue.isEmpty()) {
            sending = true;
            for (int entry = queue.head(); entry < queue.tail(); entry++) {
                write(queue, entry);
            }
            queue.advance(queue.tail() - queue.head());
            channel.flush();
            sending = false;
        }
        return queue.buffer().isFree();
    }

    private void write(UdpSendQueue queue, int entry) {
        int size = queue.segmentBytes(entry);
        for (int place = 0; place < queue.length(entry); place += size) {
            int length = Math.min(size, queue.length(entry) - place);
            ByteBuf packet = queue.buffer().sharing(queue.offset(entry) + place, length);
            channel.write(new DatagramPacket(packet, queue.destination(entry))).addListener(countSent);
        }
    }

    private void countSent(Future<?> sent) {
        if (sent.isSuccess()) {
            counters.increment(Counter.SENT);
            counters.increment(Counter.SENT_TRAINS);
            return;
        }
        counters.increment(
                switch (sent.cause()) {
                    case ClosedChannelException closed -> Counter.SEND_UNSENT;
                    case Throwable other when SocketErrors.isTooLong(other) -> Counter.SEND_TOO_LONG;
                    default -> Counter.SEND_FAILED;
                });
    }

    @Override
    public int receiveBufferBytes() {
        return receiveBufferBytes;
    }

    @Override
    public void close() {
        closed = true;
        var _ = channel.close();
    }

    @Override
    public void free() {}

    private final class Handler extends ChannelInboundHandlerAdapter {
        private boolean inBurst;
        private long nowNs;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            DatagramPacket packet = (DatagramPacket) message;
            try {
                if (!inBurst) {
                    inBurst = true;
                    nowNs = DriverLoop.nowNs();
                    loop.enterBurst();
                }
                receive(packet);
            } finally {
                packet.release();
            }
        }

        private void receive(DatagramPacket packet) {
            ByteBuf content = packet.content();
            int length = content.readableBytes();
            InetAddress sender = packet.sender().getAddress();
            int sourceId = port.sources()
                    .heardFrom(SourceTable.high(sender), SourceTable.low(sender), SourceTable.scope(sender));
            port.onTrain(
                    icrc,
                    sourceId,
                    packet.sender().getPort(),
                    SegmentBuffer.borrow(content),
                    0,
                    length,
                    Math.max(1, length),
                    0,
                    nowNs);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            endBurst();
        }

        private void endBurst() {
            if (inBurst) {
                inBurst = false;
                loop.exitBurst();
                loop.ready(port);
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            if (!sending && channel.isWritable()) {
                port.onWritable();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            endBurst();
            if (!closed) {
                port.onFault(new ClosedChannelException());
            }
        }

        /** A datagram that could not be read. */
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            if (cause instanceof IOException) {
                counters.increment(Counter.SOCKET_ERRORS);
            } else {
                port.onFault(cause);
            }
        }
    }
}
