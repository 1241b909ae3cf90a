package io.jrdma.netty;

import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.channel.unix.Socket;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringChannelOption;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import jdk.net.ExtendedSocketOptions;

/** Which of Netty's ways to the sockets a device uses. */
public enum IoBackend {
    /** Linux epoll, through Netty's native library. */
    EPOLL {
        @Override
        public boolean isAvailable() {
            return present("io.netty.channel.epoll.Epoll") && Epoll.isAvailable();
        }

        @Override
        IoHandlerFactory handlers() {
            return EpollIoHandler.newFactory();
        }

        @Override
        SocketChannel socket() {
            return new EpollSocketChannel();
        }

        @Override
        DatagramChannel datagram(boolean ipv6) {
            DatagramChannel channel =
                    new EpollDatagramChannel(ipv6 ? SocketProtocolFamily.INET6 : SocketProtocolFamily.INET);
            ChannelConfig config = channel.config();
            config.setOption(dontFragment(ipv6), LinuxUdp.PMTUDISC_DO);
            // several datagrams a system call
            config.setOption(EpollChannelOption.MAX_DATAGRAM_PAYLOAD_SIZE, PortableSocket.DATAGRAM_BYTES);
            if (ipv6) {
                // rxe sends no checksum, and IPv6 drops such packets without this
                config.setOption(
                        new IntegerUnixChannelOption(
                                "UDP_NO_CHECK6_RX", LinuxUdp.IPPROTO_UDP, LinuxUdp.UDP_NO_CHECK6_RX),
                        1);
            }
            return channel;
        }

        private static IntegerUnixChannelOption dontFragment(boolean ipv6) {
            return ipv6
                    ? new IntegerUnixChannelOption(
                            "IPV6_MTU_DISCOVER", LinuxUdp.IPPROTO_IPV6, LinuxUdp.IPV6_MTU_DISCOVER)
                    : new IntegerUnixChannelOption("IP_MTU_DISCOVER", LinuxUdp.IPPROTO_IP, LinuxUdp.IP_MTU_DISCOVER);
        }

        @Override
        boolean identifiesWithZero(DatagramChannel channel) {
            return Objects.equals(channel.config().getOption(dontFragment(false)), LinuxUdp.PMTUDISC_DO);
        }

        @Override
        IoRegistration register(IoHandler handler, IoHandle handle) throws Exception {
            return new EpollRegistration(handler, handle);
        }

        @Override
        int sendNow(SocketChannel channel, ByteBuffer bytes, int length) throws IOException {
            return ((Socket) ((EpollSocketChannel) channel).fd()).send(bytes, 0, length);
        }

        @Override
        void chooseLocalPortLate(SocketChannel channel) {
            channel.config().setOption(EpollChannelOption.IP_BIND_ADDRESS_NO_PORT, true);
        }

        @Override
        ServerSocketChannel serverSocket(boolean ipv4Only) {
            return ipv4Only ? new EpollServerSocketChannel(SocketProtocolFamily.INET) : new EpollServerSocketChannel();
        }

        @Override
        void keepAlive(ChannelConfig config, int idleSeconds, int probeSeconds, int probes) {
            super.keepAlive(config, idleSeconds, probeSeconds, probes);
            config.setOption(EpollChannelOption.TCP_KEEPIDLE, idleSeconds);
            config.setOption(EpollChannelOption.TCP_KEEPINTVL, probeSeconds);
            config.setOption(EpollChannelOption.TCP_KEEPCNT, probes);
        }
    },
    /** The JDK's selector; works everywhere. */
    NIO {
        @Override
        public boolean isAvailable() {
            return true;
        }

        @Override
        IoHandlerFactory handlers() {
            return NioIoHandler.newFactory();
        }

        @Override
        SocketChannel socket() {
            return new NioSocketChannel();
        }

        @Override
        ServerSocketChannel serverSocket(boolean ipv4Only) {
            return ipv4Only
                    ? new NioServerSocketChannel(SelectorProvider.provider(), SocketProtocolFamily.INET)
                    : new NioServerSocketChannel();
        }

        // a system without such an option goes without it
        @Override
        void keepAlive(ChannelConfig config, int idleSeconds, int probeSeconds, int probes) {
            super.keepAlive(config, idleSeconds, probeSeconds, probes);
            config.setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE), idleSeconds);
            config.setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL), probeSeconds);
            config.setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT), probes);
        }

        @Override
        DatagramChannel datagram(boolean ipv6) {
            DatagramChannel channel =
                    new NioDatagramChannel(ipv6 ? SocketProtocolFamily.INET6 : SocketProtocolFamily.INET);
            channel.config().setOption(NioChannelOption.of(ExtendedSocketOptions.IP_DONTFRAGMENT), true);
            return channel;
        }

        // what other systems than Linux do is not known
        @Override
        boolean identifiesWithZero(DatagramChannel channel) {
            return Files.isDirectory(LINUX_SETTINGS)
                    && Objects.equals(
                            channel.config().getOption(NioChannelOption.of(ExtendedSocketOptions.IP_DONTFRAGMENT)),
                            true);
        }
    },
    /**
     * Linux io_uring, through Netty's native library; automatic progress only, since its ring belongs to one thread. Never chosen by
     * itself: it was slower than epoll in every measurement.
     */
    IO_URING {
        @Override
        public boolean isAvailable() {
            return present("io.netty.channel.uring.IoUring") && IoUring.isAvailable();
        }

        @Override
        IoHandlerFactory handlers() {
            return IoUringIoHandler.newFactory();
        }

        @Override
        SocketChannel socket() {
            return new IoUringSocketChannel();
        }

        @Override
        ServerSocketChannel serverSocket(boolean ipv4Only) {
            // Netty makes no other one; who listens has to look at what comes
            return new IoUringServerSocketChannel();
        }

        @Override
        void keepAlive(ChannelConfig config, int idleSeconds, int probeSeconds, int probes) {
            super.keepAlive(config, idleSeconds, probeSeconds, probes);
            config.setOption(IoUringChannelOption.TCP_KEEPIDLE, idleSeconds);
            config.setOption(IoUringChannelOption.TCP_KEEPINTVL, probeSeconds);
            config.setOption(IoUringChannelOption.TCP_KEEPCNT, probes);
        }
    };

    private static final Path LINUX_SETTINGS = Path.of("/proc/sys/net/ipv4");

    /** Whether it works on this host, with the libraries that are on the path. */
    public abstract boolean isAvailable();

    /** {@link #EPOLL} where it works, else {@link #NIO}. */
    public static IoBackend best() {
        return EPOLL.isAvailable() ? EPOLL : NIO;
    }

    abstract IoHandlerFactory handlers();

    IoRegistration register(IoHandler handler, IoHandle handle) throws Exception {
        return handler.register(handle);
    }

    abstract SocketChannel socket();

    /**
     * A socket to listen with.
     *
     * @param ipv4Only whether IPv4 peers alone are to reach it, where the backend can tell the system so; else those of both families reach
     *     a wildcard address, {@code 0.0.0.0} too
     */
    abstract ServerSocketChannel serverSocket(boolean ipv4Only);

    /**
     * Has the system ask the peer of a silent connection for a sign of life.
     *
     * @param idleSeconds of silence before the first question
     * @param probeSeconds between questions
     * @param probes questions without an answer after which the connection is reset
     */
    void keepAlive(ChannelConfig config, int idleSeconds, int probeSeconds, int probes) {
        config.setOption(ChannelOption.SO_KEEPALIVE, true);
    }

    /** A datagram socket of one address family that never fragments. */
    DatagramChannel datagram(boolean ipv6) {
        throw new UnsupportedOperationException(this + " has no datagrams here");
    }

    /**
     * Whether the system sends each IPv4 datagram of that unconnected socket with identification 0 and "don't fragment": the ICRC covers
     * both, and the sender cannot see them.
     */
    boolean identifiesWithZero(DatagramChannel channel) {
        return false;
    }

    /**
     * Sends the first bytes of a direct buffer past Netty's outbound queue, which must be empty. Saves the queue's work, and its garbage on
     * threads that are not Netty's.
     *
     * @return bytes that the socket took; fewer than {@code length} if it is full, or if the backend cannot do that: the rest goes through
     *     the queue
     */
    int sendNow(SocketChannel channel, ByteBuffer bytes, int length) throws IOException {
        return 0;
    }

    /**
     * Lets the system choose the local port when it knows the peer, where it can: else each connection that is bound to an address takes a
     * port away from all others.
     */
    void chooseLocalPortLate(SocketChannel channel) {}

    /** The native transports are optional: their classes may be missing. */
    private static boolean present(String className) {
        try {
            Class.forName(className, false, IoBackend.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError missing) {
            return false;
        }
    }
}
