package io.jrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.spi.StreamListening;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Faults, deadlines, and ends that do not go as they should. */
class TcpFaultTest {
    static Stream<Rig.Way> ways() {
        return Rig.ways();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aFaultOfOneEngineEndsItsStreamAlone(Rig.Way way) throws Exception {
        for (String method : List.of(
                "onOpen", "onBytes", "pollTransmit", "nextDeadlineNs", "onEndOfStream", "onTimeout", "onClosed")) {
            try (Rig rig = new Rig(way)) {
                StreamListening listening = rig.right.listen(4);
                Peer.Heard good = rig.left.connect(listening.localAddress());
                rig.until(() -> good.calls.contains("established"));
                rig.right.transport.throwsIn = method;
                if (method.equals("onTimeout")) {
                    rig.right.transport.handshakeTimeoutNs = 1_000_000;
                }
                try (Socket socket =
                        new Socket(Peer.LOOPBACK, listening.localAddress().getPort())) {
                    if (!method.equals("onTimeout")) {
                        writeAndFinish(socket);
                    }
                    rig.until(() -> rig.right.transport.created.size() == 2
                            && rig.right.transport.created.get(1).inputs.contains("onClosed"));
                }
                rig.left.send(rig.left.engine(0), 100_000);
                rig.until(() -> rig.right.engine(0).received == 100_000);
            }
            assertThat(RecordedLog.take())
                    .as(method)
                    .singleElement()
                    .satisfies(line -> assertThat(line)
                            .startsWith("ERROR")
                            .contains("dropped after a fault", "planted in " + method));
        }
    }

    /** The other side may be gone already. */
    private static void writeAndFinish(Socket socket) {
        try {
            socket.getOutputStream().write('?');
            socket.shutdownOutput();
        } catch (IOException gone) {
            assertThat(gone).isNotNull();
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aStreamThatNeverSaysAnythingMeetsItsDeadline(Rig.Way way) throws Exception {
        try (Rig rig = new Rig(way)) {
            rig.right.transport.handshakeTimeoutNs = 50_000_000;
            StreamListening listening = rig.right.listen(4);
            long before = System.nanoTime();
            try (Socket socket =
                    new Socket(Peer.LOOPBACK, listening.localAddress().getPort())) {
                rig.until(() -> !rig.right.transport.opened.isEmpty()
                        && rig.right.engine(0).inputs.contains("onClosed"));
                assertThat(socket.isConnected()).isTrue();
            }
            assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(50_000_000);
            assertThat(rig.right.engine(0).inputs).containsExactly("onOpen", "onTimeout", "onClosed");
            assertThat(rig.right.engine(0).timeouts).isEqualTo(1);
        }
        RecordedLog.assertSilent();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void deadlinesAreKeptInOrderWhateverTheOrderOfSetting(Rig.Way way) throws Exception {
        try (Rig rig = new Rig(way)) {
            StreamListening listening = rig.right.listen(16);
            for (int i = 0; i < 5; i++) {
                Peer.Heard heard = rig.left.connect(listening.localAddress());
                rig.until(() -> heard.calls.contains("established"));
            }
            int[] delaysMs = {90, 30, 150, 60, 120};
            long start = System.nanoTime();
            rig.left.driver.call(() -> {
                for (int i = 0; i < delaysMs.length; i++) {
                    rig.left.engine(i).deadlineNs = start + delaysMs[i] * 1_000_000L;
                    rig.left.engine(i).stream.requestTransmit();
                }
                // moved to later, and taken away
                rig.left.engine(3).deadlineNs = start + 180_000_000L;
                rig.left.engine(2).deadlineNs = PatternEngine.NO_DEADLINE;
            });
            for (int index : new int[] {1, 0, 4, 3}) {
                PatternEngine engine = rig.left.engine(index);
                rig.until(() -> engine.timeouts == 1);
                assertThat(System.nanoTime() - start)
                        .isGreaterThanOrEqualTo(index == 3 ? 180_000_000L : delaysMs[index] * 1_000_000L);
            }
            assertThat(rig.left.engine(2).timeouts).isZero();
        }
        RecordedLog.assertSilent();
    }

    /** A peer that closes with input unread sends a RST; what it said before is read all the same. */
    @ParameterizedTest
    @MethodSource("ways")
    void theLastWordsOfAPeerAreReadThoughWritingFails(Rig.Way way) throws Exception {
        try (Rig rig = new Rig(way);
                ServerSocket server = new ServerSocket(0, 1, Peer.LOOPBACK)) {
            rig.left.connect((InetSocketAddress) server.getLocalSocketAddress());
            rig.until(() -> !rig.left.transport.opened.isEmpty());
            PatternEngine left = rig.left.engine(0);
            left.closesAtEnd = false;
            try (Socket socket = server.accept()) {
                socket.getOutputStream().write(new byte[] {'+', 0, 1, 2, 3});
                socket.shutdownOutput();
                rig.left.send(left, 1L << 30);
                rig.until(() -> left.sent > 1_000_000);
            }
            rig.until(() -> left.inputs.contains("onClosed"));
            assertThat(left.received).isEqualTo(4);
        }
        RecordedLog.assertSilent();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aPeerThatNeverClosesIsDroppedAfterTheLingerTime(Rig.Way way) throws Exception {
        NettyOptions options = way.options().linger(Duration.ofMillis(100)).build();
        try (Rig rig = new Rig(way, options);
                ServerSocket server = new ServerSocket(0, 1, Peer.LOOPBACK)) {
            Peer.Heard heard = rig.left.connect((InetSocketAddress) server.getLocalSocketAddress());
            rig.until(() -> !rig.left.transport.opened.isEmpty());
            PatternEngine left = rig.left.engine(0);
            try (Socket socket = server.accept()) {
                socket.getOutputStream().write('+');
                rig.until(() -> left.established);
                long before = System.nanoTime();
                rig.left.driver.execute(heard.connection::disconnect);
                assertThat(socket.getInputStream().read()).isEqualTo('?');
                if (way.driving() == DriverPair.Driving.AUTOMATIC) {
                    assertThat(socket.getInputStream().read()).as("FIN").isEqualTo(-1);
                }
                // unread input, which must not turn the FIN into a RST
                socket.getOutputStream().write(new byte[100_000]);
                rig.until(() -> left.inputs.contains("onClosed"));
                assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(100_000_000);
                assertThat(socket.getInputStream().read()).as("FIN").isEqualTo(-1);
            }
            assertThat(left.received).isZero();
        }
        RecordedLog.assertSilent();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void acceptingGoesOnAfterAFailure(Rig.Way way) throws Exception {
        try (Rig rig = new Rig(way)) {
            StreamListening listening = rig.right.listen(4);
            rig.right.driver.call(() -> {
                TcpListening tcp = (TcpListening) listening;
                tcp.channel().pipeline().fireExceptionCaught(new IOException("Too many open files"));
                tcp.channel().pipeline().fireExceptionCaught(new IOException("Too many open files"));
                assertThat(tcp.channel().config().isAutoRead()).isFalse();
            });
            Peer.Heard heard = rig.left.connect(listening.localAddress());
            rig.until(() -> heard.calls.contains("established"));
        }
        assertThat(RecordedLog.take()).isNotEmpty().allMatch(line -> line.contains("rests for"));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void closingTheDeviceEndsItsStreamsInGoodOrder(Rig.Way way) throws Exception {
        try (Rig rig = new Rig(way)) {
            Peer.Heard heard = rig.connect();
            rig.connect();
            rig.left.send(rig.left.engine(0), 1_000_000);
            rig.left.close();
            assertThat(heard.calls).containsExactly("established", "disconnected");
            rig.until(() -> rig.right.engine(0).inputs.contains("onClosed"));
            assertThat(rig.right.engine(0).received).isEqualTo(1_000_000);
            assertThat(rig.right.engine(0).inputs).contains("onEndOfStream");
        }
        RecordedLog.assertSilent();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aDeviceThatIsBeingClosedBeginsNothing(Rig.Way way) throws Exception {
        try (Rig rig = new Rig(way)) {
            StreamListening listening = rig.right.listen(4);
            Peer.Heard heard = rig.left.new Heard();
            rig.left.driver.call(() -> {
                ((TcpStreams) rig.left.driver.streams()).beginClose();
                assertThatThrownBy(() -> rig.left
                                .driver
                                .streams()
                                .listen(new InetSocketAddress(Peer.LOOPBACK, 0), 1, MpaOptions.RECOMMENDED, c -> heard))
                        .isInstanceOfSatisfying(
                                VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENODEV));
                rig.left.driver.streams().connect(null, listening.localAddress(), null, Peer.parameters(), heard);
                heard.insideConnect = false;
            });
            rig.until(() -> heard.calls.contains("failed"));
            assertThat(heard.calls).containsExactly("failed");
        }
        RecordedLog.assertSilent();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void closingTheDeviceDropsWhatDoesNotEnd(Rig.Way way) throws Exception {
        try (Rig rig = new Rig(way);
                ServerSocket server = new ServerSocket(0, 1, Peer.LOOPBACK)) {
            Peer.Heard silent = rig.left.connect((InetSocketAddress) server.getLocalSocketAddress());
            Peer.Heard stuck = rig.left.connect((InetSocketAddress) server.getLocalSocketAddress());
            rig.until(() -> rig.left.transport.opened.size() == 2);
            try (Socket first = server.accept();
                    Socket second = server.accept()) {
                assertThat(first.isConnected()).isTrue();
                second.getOutputStream().write('+');
                first.getOutputStream().write('+');
                rig.until(() -> rig.left.transport.opened.stream().allMatch(engine -> engine.established));
                rig.left.send(rig.left.engine(1), 1L << 30);
                rig.until(() -> rig.left.engine(1).sent > 1_000_000);
                long before = System.nanoTime();
                rig.left.close();
                assertThat(System.nanoTime() - before).isLessThan(5_000_000_000L);
            }
            assertThat(silent.calls).containsExactly("established", "disconnected");
            assertThat(stuck.calls).containsExactly("established", "disconnected");
        }
        RecordedLog.assertSilent();
    }
}
