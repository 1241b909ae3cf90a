package io.jrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.netty.UdpCounters.Counter;
import io.jrdma.testing.Satisfies;
import io.jrdma.verbs.AddressVector;
import io.jrdma.verbs.DeviceOptions.Progress;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.VerbsException;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** How sockets are set up, and what that makes of the headers in front of a packet. */
class UdpSocketTest {
    private static final int UDP = 17;
    private static final int SOCK_RAW = 3;
    private static final int SOCK_NONBLOCK = 0x800;
    private static final int AF_INET = 2;
    private static final int DONT_FRAGMENT = 0x4000;
    private static final int IPV4_HEADER_BYTES = 20;

    static Stream<UdpRig.Way> drivers() {
        return UdpRig.drivers();
    }

    static Stream<UdpRig.Way> batch() {
        Assumptions.assumeTrue(UdpRig.batchWorks(), "the batch driver does not work here");
        return UdpRig.ways().filter(way -> way.io() == UdpIo.BATCH && way.driving() == DriverPair.Driving.AUTOMATIC);
    }

    static Stream<UdpRig.Way> portable() {
        return UdpRig.drivers().filter(way -> way.io() == UdpIo.PORTABLE);
    }

    /** A socket that sees the IPv4 headers of the UDP datagrams that arrive at an address; the system gives it to few. */
    private static Socket rawSocket(String address) throws Throwable {
        Assumptions.assumeTrue(IoBackend.EPOLL.isAvailable(), "no native library to read a raw socket with");
        FunctionDescriptor descriptor = FunctionDescriptor.of(
                ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
        Linker linker = Linker.nativeLinker();
        int fd = (int) linker.downcallHandle(linker.defaultLookup().findOrThrow("socket"), descriptor)
                .invokeExact(AF_INET, SOCK_RAW | SOCK_NONBLOCK, UDP);
        Assumptions.assumeTrue(fd >= 0, "a raw socket is not allowed here (CAP_NET_RAW)");
        Socket raw = new Socket(fd);
        raw.bind(new InetSocketAddress(address, 0));
        return raw;
    }

    /** IBTA annex A17: the ICRC covers identification and flags, so the sender has to know them. */
    @ParameterizedTest
    @MethodSource("drivers")
    void datagramsLeaveWithIdentificationZeroAndMustNotBeFragmented(UdpRig.Way way) throws Throwable {
        Socket raw = rawSocket("127.0.0.3");
        try (UdpRig rig = new UdpRig(way)) {
            rig.left.send(rig.right.address, 12, 64, 64, 4);
            rig.until(() -> rig.left.engine.acknowledged == 12);
            List<Integer> headers = new ArrayList<>();
            ByteBuffer bytes = ByteBuffer.allocateDirect(1 << 16);
            int length;
            while ((length = raw.recv(bytes.clear(), 0, bytes.capacity())) > 0) {
                if (length > IPV4_HEADER_BYTES + 4
                        && Short.toUnsignedInt(bytes.getShort(IPV4_HEADER_BYTES + 2))
                                == rig.right.options.rocePeerPort()) {
                    headers.add(bytes.getInt(4));
                }
            }
            assertThat(headers).isNotEmpty().containsOnly(DONT_FRAGMENT);
        } finally {
            raw.close();
        }
    }

    @Test
    void theRuleOfIdentificationIsReadBackFromTheSocket() {
        Assumptions.assumeTrue(IoBackend.EPOLL.isAvailable(), "not Linux");
        assertRule(IoBackend.NIO, new NioDatagramChannel(SocketProtocolFamily.INET), false);
        assertRule(IoBackend.NIO, IoBackend.NIO.datagram(false), true);
        assertRule(IoBackend.EPOLL, new EpollDatagramChannel(SocketProtocolFamily.INET), false);
        assertRule(IoBackend.EPOLL, IoBackend.EPOLL.datagram(false), true);
    }

    private static void assertRule(IoBackend backend, DatagramChannel channel, boolean holds) {
        try {
            assertThat(backend.identifiesWithZero(channel)).as("%s", channel).isEqualTo(holds);
        } finally {
            channel.unsafe().closeForcibly();
        }
    }

    @ParameterizedTest
    @MethodSource("portable")
    void aSocketWithoutTheRuleIsRefused(UdpRig.Way way) {
        DriverLoop loop =
                new DriverLoop(NettyOptions.builder().backend(way.backend()).build(), true);
        InetAddress address = UdpRig.address("127.0.0.2");
        int number = UdpRig.freePort(address);
        NettyOptions options = way.options().rocePort(number).build();
        DatagramChannel plain = way.backend() == IoBackend.EPOLL
                ? new EpollDatagramChannel(SocketProtocolFamily.INET)
                : new NioDatagramChannel(SocketProtocolFamily.INET);
        try {
            assertThatThrownBy(() -> loop.call(() -> new UdpPort(
                            loop,
                            options,
                            new DatagramEngine(),
                            address,
                            1,
                            true,
                            (port, local, given) -> new PortableSocket(port, local, given, plain))))
                    .isInstanceOfSatisfying(
                            VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP))
                    .hasMessageContaining("identification 0");
            assertThat(plain.isOpen()).isFalse();
            assertThat(UdpRig.freePort(address)).isPositive();
        } finally {
            loop.stop();
        }
    }

    /** Netty closes a channel by itself when an error of the system seems to be the end of it. */
    @ParameterizedTest
    @MethodSource("portable")
    void thePortLearnsOfAChannelThatNettyCloses(UdpRig.Way way) {
        DriverLoop loop =
                new DriverLoop(NettyOptions.builder().backend(way.backend()).build(), true);
        InetAddress address = UdpRig.address("127.0.0.2");
        int number = UdpRig.freePort(address);
        NettyOptions options =
                way.options().rocePort(number).rocePeerPort(number).build();
        DatagramChannel channel = way.backend().datagram(false);
        DatagramEngine engine = new DatagramEngine();
        UdpPort[] port = new UdpPort[1];
        RecordedLog.take();
        try {
            loop.call(() -> {
                port[0] = new UdpPort(
                        loop,
                        options,
                        engine,
                        address,
                        1,
                        true,
                        (owner, local, given) -> new PortableSocket(owner, local, given, channel));
                port[0].open();
                var _ = channel.close();
                engine.send(address, 3, 64, 64, 1);
            });
            for (int turns = 0; turns < 100 && engine.inputs.size() < 2; turns++) {
                loop.progress(0);
            }
            assertThat(engine.inputs).containsExactly("onOpen", "onClosed");
            assertThat(port[0].isDrained()).isTrue();
            assertThat(RecordedLog.take())
                    .singleElement()
                    .asString()
                    .contains("failed, and is closed", "ClosedChannelException");
        } finally {
            loop.stop();
            if (port[0] != null) {
                port[0].free();
            }
        }
    }

    @Test
    void theBatchDriverIsChosenWhereItWorksAndRefusedWhereNot() {
        InetAddress address = UdpRig.address("127.0.0.2");
        NettyOptions.Builder options = NettyOptions.builder()
                .roceSocketReceiveBytes(UdpRig.SOCKET_BYTES)
                .roceSocketSendBytes(UdpRig.SOCKET_BYTES)
                .rocePort(UdpRig.freePort(address));
        try (UdpRig.Side chosen = new UdpRig.Side(options.build(), Progress.AUTOMATIC, address)) {
            assertThat(chosen.port().sendsTrains()).isEqualTo(UdpRig.batchWorks());
        }
        NettyOptions impossible =
                options.backend(IoBackend.NIO).udpIo(UdpIo.BATCH).build();
        assertThatThrownBy(() -> new UdpRig.Side(impossible, Progress.AUTOMATIC, address).close())
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP))
                .hasMessageContaining("batch");
        try (UdpRig.Side portable = new UdpRig.Side(options.udpIo(UdpIo.AUTO).build(), Progress.AUTOMATIC, address)) {
            assertThat(portable.port().sendsTrains()).isFalse();
        }
    }

    @Satisfies("IBTA-A17-1")
    @Test
    void packetsGoToPort4791UnlessToldOtherwise() {
        NettyOptions usual = NettyOptions.RECOMMENDED;
        assertThat(usual.rocePort()).isEqualTo(4791);
        InetAddress peer = UdpRig.address("10.0.0.2");
        PathTable paths = new PathTable(new SourceTable(
                UdpRig.address("10.0.0.1"), usual.rocePort(), usual.rocePeerPort(), 1, new UdpCounters()));
        assertThat(paths.destination(paths.pin(peer, 0, 64))).isEqualTo(new InetSocketAddress(peer, 4791));
    }

    @Test
    void buffersThatTheSystemCutsAreWarnedOfOnce() throws IOException {
        InetAddress address = UdpRig.address("127.0.0.2");
        NettyOptions large = NettyOptions.builder()
                .backend(IoBackend.NIO)
                .udpIo(UdpIo.PORTABLE)
                .roceSocketReceiveBytes(64 << 20)
                .roceSocketSendBytes(64 << 20)
                .rocePort(UdpRig.freePort(address))
                .build();
        RecordedLog.take();
        for (int i = 0; i < 2; i++) {
            try (UdpRig.Side side = new UdpRig.Side(large, Progress.AUTOMATIC, address)) {
                Assumptions.assumeTrue(
                        side.engine.port.receiveBufferBytes() < 64 << 20, "this system grants 64 MiB to everybody");
                assertThat(side.engine.port.receiveBufferBytes()).isGreaterThanOrEqualTo(64 << 10);
            }
        }
        assertThat(RecordedLog.take())
                .singleElement()
                .asString()
                .contains("net.core.rmem_max", "net.core.wmem_max", "of 67108864");
    }

    /** What is pinned later, or let go again, changes nothing of a path. */
    @ParameterizedTest
    @MethodSource("batch")
    void everyPathHasItsOwnTrafficClassAndHopLimit(UdpRig.Way way) throws IOException {
        InetAddress address = UdpRig.address(way.ipv6() ? "::1" : "127.0.0.2");
        InetAddress peer = UdpRig.address(way.ipv6() ? "::1" : "127.0.0.3");
        int own = UdpRig.freePort(address);
        try (HeaderWatch watch = new HeaderWatch(peer, 0);
                UdpRig.Side side = new UdpRig.Side(
                        way.options().rocePort(own).rocePeerPort(watch.port()).build(), Progress.AUTOMATIC, address)) {
            side.driver.call(() -> {
                UdpPort port = side.port();
                int usual = port.pin(AddressVector.to(peer));
                int marked = port.pin(new AddressVector(peer, 0x68, 17, 0));
                int other = port.pin(new AddressVector(peer, 0xB8, 200, 0));
                port.unpin(port.pin(AddressVector.to(peer)));
                assertThat(List.of(port.source(marked), port.source(other))).containsOnly(port.source(usual));
                // trains, and packets that nothing joins to
                for (int path : new int[] {marked, marked, usual, other, marked, other, usual, usual}) {
                    assertThat(port.queue().tryClaim(path, 64, 1)).isTrue();
                    port.queue().commit(64);
                }
                port.flush();
            });
            assertThat(watch.next(8))
                    .containsExactly("68 17", "68 17", "0 64", "b8 200", "68 17", "b8 200", "0 64", "0 64");
            assertThat(side.count(Counter.SENT_TRAINS)).isEqualTo(6);
        }
    }
}
