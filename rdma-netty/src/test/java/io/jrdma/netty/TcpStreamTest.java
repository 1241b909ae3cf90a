package io.jrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.spi.ConnectFailure;
import io.jrdma.verbs.spi.StreamListening;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The TCP driver over loopback, with an engine that checks every byte. */
class TcpStreamTest {
    static Stream<Rig.Way> ways() {
        return Rig.ways();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void bytesGoBothWaysInOrder(Rig.Way way) throws Exception {
        try (Rig rig = new Rig(way)) {
            Peer.Heard heard = rig.connect();
            assertThat(heard.calls).containsExactly("established");
            assertThat(heard.connection.localAddress()).isNotNull();
            assertThat(rig.right.accepted.get(0).connection.remoteAddress()).isEqualTo(heard.connection.localAddress());
            assertThat(rig.right.accepted.get(0).calls).containsExactly("request", "established");
            PatternEngine left = rig.left.engine(0);
            PatternEngine right = rig.right.engine(0);
            rig.left.send(left, 20_000_001);
            rig.right.send(right, 30_000_003);
            rig.until(() -> right.received == 20_000_001 && left.received == 30_000_003);
            rig.left.send(left, 1);
            rig.until(() -> right.received == 20_000_002);
        }
        RecordedLog.assertSilent();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void whatIsReceivedCanBeSentBackAtOnce(Rig.Way way) throws Exception {
        try (Rig rig = new Rig(way)) {
            rig.connect();
            rig.right.engine(0).echoes = true;
            PatternEngine left = rig.left.engine(0);
            rig.left.send(left, 10_000_000);
            rig.until(() -> left.received == 10_000_000);
        }
        RecordedLog.assertSilent();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aClosedStreamEndsOnBothSidesAfterItsLastByte(Rig.Way way) throws Exception {
        try (Rig rig = new Rig(way)) {
            Peer.Heard heard = rig.connect();
            PatternEngine left = rig.left.engine(0);
            PatternEngine right = rig.right.engine(0);
            rig.left.driver.execute(() -> {
                left.send(3_000_000);
                heard.connection.disconnect();
            });
            rig.until(() -> heard.calls.contains("disconnected")
                    && rig.right.accepted.get(0).calls.contains("disconnected"));
            assertThat(right.received).isEqualTo(3_000_000);
            assertThat(right.inputs).containsExactly("onOpen", "onEndOfStream", "onClosed");
            // what arrives after close() is discarded, the peer's FIN too
            assertThat(left.inputs).containsExactly("onOpen", "disconnect", "onClosed");
            assertThat(heard.calls).containsExactly("established", "disconnected");
            assertThat(rig.right.accepted.get(0).calls).containsExactly("request", "established", "disconnected");
        }
        RecordedLog.assertSilent();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aSideMayGoOnSendingAfterItsPeerHasFinished(Rig.Way way) throws Exception {
        try (Rig rig = new Rig(way);
                ServerSocket server = new ServerSocket(0, 1, Peer.LOOPBACK)) {
            Peer.Heard heard = rig.left.connect((InetSocketAddress) server.getLocalSocketAddress());
            rig.until(() -> !rig.left.transport.opened.isEmpty());
            PatternEngine left = rig.left.engine(0);
            left.closesAtEnd = false;
            try (Socket socket = server.accept()) {
                rig.until(() -> available(socket) > 0);
                assertThat(socket.getInputStream().read()).isEqualTo('?');
                socket.getOutputStream().write('+');
                socket.shutdownOutput();
                rig.until(() -> left.inputs.contains("onEndOfStream"));
                rig.left.send(left, 5_000_000);
                long read = 0;
                while (read < 5_000_000) {
                    rig.until(() -> available(socket) > 0);
                    read += socket.getInputStream().readNBytes(available(socket)).length;
                }
                assertThat(left.inputs).doesNotContain("onClosed");
                rig.left.driver.execute(heard.connection::disconnect);
                rig.until(() -> left.inputs.contains("onClosed"));
                assertThat(socket.getInputStream().read()).isEqualTo(-1);
            }
        }
        RecordedLog.assertSilent();
    }

    private static int available(Socket socket) {
        try {
            return socket.getInputStream().available();
        } catch (java.io.IOException failure) {
            throw new java.io.UncheckedIOException(failure);
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aResetIsSeenAsAResetAndDropsWhatIsUnsent(Rig.Way way) throws Exception {
        try (Rig rig = new Rig(way);
                ServerSocket server = new ServerSocket(0, 1, Peer.LOOPBACK)) {
            rig.left.connect((InetSocketAddress) server.getLocalSocketAddress());
            rig.until(() -> !rig.left.transport.opened.isEmpty());
            PatternEngine left = rig.left.engine(0);
            try (Socket socket = server.accept()) {
                rig.left.send(left, 1L << 30);
                rig.until(() -> left.sent > 1_000_000);
                rig.left.driver.execute(() -> left.stream.reset());
                rig.until(() -> left.inputs.contains("onClosed"));
                assertThatThrownBy(() -> socket.getInputStream().transferTo(java.io.OutputStream.nullOutputStream()))
                        .isInstanceOf(SocketException.class);
            }
            assertThat(left.inputs).containsExactly("onOpen", "onClosed");
        }
        RecordedLog.assertSilent();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aPeersResetClosesTheStream(Rig.Way way) throws Exception {
        try (Rig rig = new Rig(way);
                ServerSocket server = new ServerSocket(0, 1, Peer.LOOPBACK)) {
            Peer.Heard heard = rig.left.connect((InetSocketAddress) server.getLocalSocketAddress());
            rig.until(() -> !rig.left.transport.opened.isEmpty());
            try (Socket socket = server.accept()) {
                socket.setSoLinger(true, 0);
            }
            rig.until(() -> heard.calls.contains("failed"));
            assertThat(heard.calls).containsExactly("failed");
            // the system may report the end of the input as well, before the reset
            assertThat(rig.left.engine(0).inputs)
                    .startsWith("onOpen")
                    .endsWith("onClosed")
                    .containsOnlyOnce("onClosed")
                    .isSubsetOf("onOpen", "onEndOfStream", "onClosed");
        }
        RecordedLog.assertSilent();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void anAbortedConnectionIsReportedOnce(Rig.Way way) throws Exception {
        try (Rig rig = new Rig(way)) {
            Peer.Heard heard = rig.connect();
            rig.left.driver.execute(heard.connection::abort);
            rig.until(() -> heard.calls.contains("disconnected")
                    && rig.right.accepted.get(0).calls.contains("disconnected"));
            assertThat(heard.calls).containsExactly("established", "disconnected");
            assertThat(rig.right.accepted.get(0).calls).containsExactly("request", "established", "disconnected");
        }
        RecordedLog.assertSilent();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aConnectionCanBeAbortedBeforeItIsUp(Rig.Way way) throws Exception {
        try (Rig rig = new Rig(way)) {
            StreamListening listening = rig.right.listen(4);
            Peer.Heard atOnce = rig.left.connect(listening.localAddress());
            rig.left.driver.execute(atOnce.connection::abort);
            rig.until(() -> atOnce.calls.contains("failed") || atOnce.calls.contains("disconnected"));
        }
        RecordedLog.assertSilent();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aPortWithoutListenerRefuses(Rig.Way way) throws Exception {
        try (Rig rig = new Rig(way)) {
            int port;
            try (ServerSocket server = new ServerSocket(0, 1, Peer.LOOPBACK)) {
                port = server.getLocalPort();
            }
            Peer.Heard heard = rig.left.connect(new InetSocketAddress(Peer.LOOPBACK, port));
            rig.until(() -> heard.failure != null);
            assertThat(heard.failure.kind()).isEqualTo(ConnectFailure.Kind.REFUSED);
            assertThat(heard.failure.errno()).isEqualTo(Errno.ECONNREFUSED);
            assertThat(heard.calls).containsExactly("failed");
            assertThat(rig.left.transport.created.get(0).inputs).containsExactly("onOpenFailed");
        }
        RecordedLog.assertSilent();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aLocalEndThatIsTakenIsAnError(Rig.Way way) throws Exception {
        try (Rig rig = new Rig(way);
                ServerSocket taken = new ServerSocket(0, 1, Peer.LOOPBACK)) {
            StreamListening listening = rig.right.listen(4);
            Peer.Heard heard = rig.left.new Heard();
            rig.left.driver.call(() -> {
                rig.left
                        .driver
                        .streams()
                        .connect(
                                (InetSocketAddress) taken.getLocalSocketAddress(),
                                listening.localAddress(),
                                null,
                                Peer.parameters(),
                                heard);
                heard.insideConnect = false;
            });
            rig.until(() -> heard.failure != null);
            assertThat(heard.failure.kind()).isEqualTo(ConnectFailure.Kind.ERROR);
            assertThat(heard.failure.errno()).isEqualTo(Errno.EADDRINUSE);
        }
        RecordedLog.assertSilent();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aPeerThatDoesNotAnswerIsUnreachable(Rig.Way way) throws Exception {
        NettyOptions options =
                way.options().connectTimeout(Duration.ofMillis(200)).build();
        // a full accept queue: the system drops further SYNs
        try (Rig rig = new Rig(way, options);
                ServerSocket server = new ServerSocket(0, 1, Peer.LOOPBACK)) {
            List<Socket> fillers = new ArrayList<>();
            try {
                for (int i = 0; i < 2; i++) {
                    fillers.add(new Socket(Peer.LOOPBACK, server.getLocalPort()));
                }
                Peer.Heard heard = rig.left.connect((InetSocketAddress) server.getLocalSocketAddress());
                rig.until(() -> heard.failure != null);
                assertThat(heard.failure.kind()).isEqualTo(ConnectFailure.Kind.UNREACHABLE);
                assertThat(heard.failure.errno()).isEqualTo(Errno.ETIMEDOUT);
            } finally {
                for (Socket filler : fillers) {
                    filler.close();
                }
            }
        }
        RecordedLog.assertSilent();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aRejectionEndsTheStream(Rig.Way way) throws Exception {
        try (Rig rig = new Rig(way)) {
            rig.right.accepting = false;
            StreamListening listening = rig.right.listen(4);
            Peer.Heard heard = rig.left.connect(listening.localAddress());
            rig.until(() -> rig.right.accepted.size() == 1
                    && rig.right.accepted.get(0).calls.contains("request"));
            rig.right.driver.execute(() -> rig.right.accepted.get(0).connection.reject(new byte[0]));
            rig.until(() -> heard.calls.contains("rejected")
                    && rig.right.engine(0).inputs.contains("onClosed"));
            assertThatThrownBy(() -> rig.right.driver.call(
                            () -> rig.right.accepted.get(0).connection.reject(new byte[0])))
                    .isInstanceOfSatisfying(
                            VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        }
        RecordedLog.assertSilent();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aClosedListenerDropsUnansweredStreamsAndKeepsAcceptedOnes(Rig.Way way) throws Exception {
        try (Rig rig = new Rig(way)) {
            StreamListening listening = rig.right.listen(4);
            Peer.Heard first = rig.left.connect(listening.localAddress());
            rig.until(() -> first.calls.contains("established"));
            rig.right.accepting = false;
            Peer.Heard second = rig.left.connect(listening.localAddress());
            rig.until(() -> rig.right.accepted.size() == 2
                    && rig.right.accepted.get(1).calls.contains("request"));
            rig.right.driver.execute(listening::close);
            rig.until(() -> second.calls.contains("failed"));
            Peer.Heard third = rig.left.connect(listening.localAddress());
            rig.until(() -> third.failure != null);
            assertThat(third.failure.kind()).isEqualTo(ConnectFailure.Kind.REFUSED);
            rig.left.send(rig.left.engine(0), 100_000);
            rig.until(() -> rig.right.engine(0).received == 100_000);
            assertThat(first.calls).containsExactly("established");
        }
        RecordedLog.assertSilent();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aTakenListeningAddressIsRefusedAtOnce(Rig.Way way) throws Exception {
        try (Rig rig = new Rig(way)) {
            StreamListening listening = rig.right.listen(4);
            assertThatThrownBy(() -> rig.left.inLoop(() -> rig.left
                            .driver
                            .streams()
                            .listen(listening.localAddress(), 4, MpaOptions.RECOMMENDED, connection -> null)))
                    .isInstanceOfSatisfying(
                            VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EADDRINUSE))
                    .hasMessageContaining(
                            String.valueOf(listening.localAddress().getPort()));
        }
        RecordedLog.assertSilent();
    }

    /** What the peers of an IPv6 socket are called, and that scopes and mapped addresses get through. */
    @ParameterizedTest
    @MethodSource("ways")
    void bothAddressFamiliesReachAWildcardListener(Rig.Way way) throws Exception {
        Assumptions.assumeTrue(hasIpv6(), "this host has no IPv6");
        try (Rig rig = new Rig(way)) {
            StreamListening listening = rig.right.listen(new InetSocketAddress("::", 0), 4);
            int port = listening.localAddress().getPort();
            for (String address : new String[] {"127.0.0.1", "::1"}) {
                int index = rig.right.accepted.size();
                InetAddress local = InetAddress.getByName(address);
                Peer.Heard heard =
                        rig.left.connect(new InetSocketAddress(local, 0), new InetSocketAddress(local, port));
                rig.until(() -> heard.calls.contains("established"));
                assertThat(heard.connection.localAddress().getAddress()).isEqualTo(local);
                assertThat(rig.right.accepted.get(index).connection.remoteAddress())
                        .isEqualTo(heard.connection.localAddress());
                assertThat(rig.right.accepted.get(index).connection.localAddress())
                        .isEqualTo(new InetSocketAddress(local, port));
            }
        }
        RecordedLog.assertSilent();
    }

    private static boolean hasIpv6() {
        try {
            Addresses.checkLocal(InetAddress.getByName("::1"));
            return true;
        } catch (VerbsException | java.net.UnknownHostException none) {
            return false;
        }
    }
}
