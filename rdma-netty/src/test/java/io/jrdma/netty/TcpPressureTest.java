package io.jrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.spi.StreamListening;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Full sockets, many streams, and what they may hold. */
class TcpPressureTest {
    /** More than the system's buffers between two sockets take. */
    private static final long MUCH = 64L << 20;

    private static final int SEND_BUFFER = 256 << 10;
    /** What Linux may let a socket's send buffer grow by. */
    private static final long SYSTEM_SEND_BUFFER = 8L << 20;

    static Stream<Rig.Way> ways() {
        return Rig.ways();
    }

    private static TcpStreams streams(Peer peer) {
        return (TcpStreams) peer.driver.streams();
    }

    private static Socket acceptAndShake(Rig rig, ServerSocket server, int index) throws IOException {
        rig.left.connect((InetSocketAddress) server.getLocalSocketAddress());
        rig.until(() -> rig.left.transport.opened.size() > index);
        Socket socket = server.accept();
        rig.until(() -> available(socket) > 0);
        assertThat(socket.getInputStream().read()).isEqualTo('?');
        socket.getOutputStream().write('+');
        rig.until(() -> rig.left.engine(index).established);
        return socket;
    }

    private static int available(Socket socket) {
        try {
            return socket.getInputStream().available();
        } catch (IOException failure) {
            throw new java.io.UncheckedIOException(failure);
        }
    }

    private static ServerSocket listenWithFixedReceiveBuffer() throws IOException {
        ServerSocket server = new ServerSocket();
        server.setReceiveBufferSize(SEND_BUFFER);
        server.bind(new InetSocketAddress(Peer.LOOPBACK, 0));
        return server;
    }

    /** Waits until the engine has not been asked for output for a while. */
    private static void untilStuck(Rig rig, PatternEngine engine) {
        long[] before = {-1};
        rig.until(() -> {
            before[0] = engine.sent;
            return before[0] > 0 && !rig.within(100_000_000, () -> engine.sent != before[0]);
        });
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aReaderThatStopsHoldsOneBufferAndGetsEverythingWhenItGoesOn(Rig.Way way) throws Exception {
        try (Rig rig = new Rig(way);
                ServerSocket server = listenWithFixedReceiveBuffer();
                Socket socket = acceptAndShake(rig, server, 0)) {
            PatternEngine engine = rig.left.engine(0);
            rig.left.send(engine, MUCH);
            untilStuck(rig, engine);
            assertThat(rig.left.<Integer>inLoop(
                            () -> streams(rig.left).sendBuffers().taken()))
                    .isEqualTo(1);
            long stuckAt = engine.sent;
            assertThat(stuckAt).isLessThan(MUCH);
            InputStream in = socket.getInputStream();
            byte[] bytes = new byte[SEND_BUFFER];
            long read = 0;
            while (read < MUCH) {
                rig.until(() -> available(socket) > 0);
                int count = in.read(bytes);
                for (int i = 0; i < count; i++) {
                    if (bytes[i] != (byte) ((read + i) % 251)) {
                        assertThat(read + i).as("place of a wrong byte").isEqualTo(-1);
                    }
                }
                read += count;
                assertThat(engine.sent - read)
                        .as("bytes between engine and reader")
                        .isLessThanOrEqualTo(stuckAt + SYSTEM_SEND_BUFFER + SEND_BUFFER);
            }
            assertThat(engine.sent).isEqualTo(MUCH);
            rig.until(() -> rig.left.<Integer>inLoop(
                            () -> streams(rig.left).sendBuffers().taken())
                    == 0);
        }
        RecordedLog.assertSilent();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void fullSocketsDoNotStarveOthers(Rig.Way way) throws Exception {
        int full = 2 * SendBuffers.SPARE;
        List<Socket> sockets = new ArrayList<>();
        try (Rig rig = new Rig(way);
                ServerSocket server = new ServerSocket(0, 1, Peer.LOOPBACK)) {
            for (int i = 0; i < full; i++) {
                sockets.add(acceptAndShake(rig, server, i));
                rig.left.send(rig.left.engine(i), MUCH);
            }
            rig.until(() -> rig.left.<Integer>inLoop(
                            () -> streams(rig.left).sendBuffers().taken())
                    == full);
            rig.connect();
            PatternEngine live = rig.left.engine(full);
            rig.left.send(live, 10_000_000);
            rig.until(() -> rig.right.engine(0).received == 10_000_000);
            rig.left.driver.call(() -> rig.left.transport.opened.forEach(engine -> engine.stream.reset()));
            rig.until(() -> rig.left.transport.opened.stream().allMatch(engine -> engine.inputs.contains("onClosed")));
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
        RecordedLog.assertSilent();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void twoHundredConnectionsAtOnce(Rig.Way way) throws Exception {
        int count = 200;
        try (Rig rig = new Rig(way)) {
            StreamListening listening = rig.right.listen(count);
            List<Peer.Heard> heard = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                heard.add(rig.left.connect(listening.localAddress()));
            }
            rig.until(() -> heard.stream().allMatch(one -> one.calls.contains("established")));
            rig.until(() -> rig.right.transport.opened.stream().allMatch(engine -> engine.established));
            for (int i = 0; i < count; i++) {
                rig.left.send(rig.left.engine(i), 100_000 + i);
                rig.right.send(rig.right.engine(i), 50_000);
            }
            long expected = count * 100_000L + count * (count - 1) / 2;
            rig.until(() -> rig.right.transport.opened.stream()
                                    .mapToLong(engine -> engine.received)
                                    .sum()
                            == expected
                    && rig.left.transport.opened.stream().allMatch(engine -> engine.received == 50_000));
            rig.left.driver.call(() -> heard.forEach(one -> one.connection.disconnect()));
            rig.until(() -> heard.stream().allMatch(one -> one.calls.contains("disconnected")));
            rig.until(() -> rig.right.accepted.stream().allMatch(one -> one.calls.contains("disconnected")));
        }
        RecordedLog.assertSilent();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void unansweredRequestsAreBounded(Rig.Way way) throws Exception {
        int backlog = 3;
        int limit = backlog + TcpListening.HANDSHAKES;
        List<Socket> sockets = new ArrayList<>();
        try (Rig rig = new Rig(way)) {
            rig.right.accepting = false;
            StreamListening listening = rig.right.listen(backlog);
            for (int i = 0; i < limit + 1; i++) {
                Socket socket = new Socket();
                sockets.add(socket);
                socket.connect(listening.localAddress(), 5_000);
                int expected = Math.min(limit, i + 1);
                rig.until(() -> rig.right.accepted.size() == expected);
            }
            assertThat(rig.within(50_000_000, () -> rig.right.accepted.size() > limit))
                    .isFalse();
            sockets.get(0).close();
            rig.until(() -> rig.right.accepted.size() == limit + 1);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
        RecordedLog.assertSilent();
    }

    /** A connection that the system has no room for is not refused but waits for a second and more, which is over the limit here. */
    @ParameterizedTest
    @MethodSource("ways")
    void systemHoldsABurstWhateverTheBacklog(Rig.Way way) throws Exception {
        int more = 100; // below the limit that any system has of its own
        List<Socket> sockets = new ArrayList<>();
        try (Rig rig = new Rig(way)) {
            rig.right.accepting = false;
            StreamListening listening = rig.right.listen(1);
            for (int i = 0; i < 1 + TcpListening.HANDSHAKES; i++) {
                Socket socket = new Socket();
                sockets.add(socket);
                socket.connect(listening.localAddress(), 5_000);
                int expected = i + 1;
                rig.until(() -> rig.right.accepted.size() == expected);
            }
            // nobody accepts these
            for (int i = 0; i < more; i++) {
                Socket socket = new Socket();
                sockets.add(socket);
                socket.connect(listening.localAddress(), 5_000);
            }
            assertThat(sockets).allMatch(Socket::isConnected);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
        RecordedLog.assertSilent();
    }
}
