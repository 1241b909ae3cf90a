package io.jrdma.interop.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.cm.ConnectionParameters;
import io.jrdma.cm.RdmaClient;
import io.jrdma.cm.RdmaCmEvent.ConnectError;
import io.jrdma.cm.RdmaCmEvent.ConnectRequest;
import io.jrdma.cm.RdmaCmEvent.Disconnected;
import io.jrdma.cm.RdmaCmEvent.Rejected;
import io.jrdma.cm.RdmaCmEvent.Unreachable;
import io.jrdma.cm.RdmaConnection;
import io.jrdma.cm.RdmaConnectionOptions;
import io.jrdma.cm.RdmaServer;
import io.jrdma.verbs.Transport;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Peers that are not what they seem: each has its one event, and the others go on. */
@Timeout(60)
class CmHostilePeerTest {
    private final CmEnds ends = new CmEnds();

    @AfterEach
    void closeAll() {
        ends.close();
    }

    private interface Peer {
        void meet(Socket socket) throws IOException;
    }

    /** Connects to a plain TCP server that does that. */
    private void connectTo(Peer peer) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            ends.connecting(new InetSocketAddress(server.getInetAddress(), server.getLocalPort()), CmEnds.impatient());
            try (Socket socket = server.accept()) {
                peer.meet(socket);
            }
        }
    }

    private static void readRequest(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        assertThat(in.readNBytes(24)).hasSize(24);
    }

    @Test
    void peerThatClosesAtOnceHasRejected() throws Exception {
        connectTo(socket -> {});
        assertThat(CmEnds.expect(ends.client, Rejected.class).status()).isEqualTo(-104);
    }

    @Test
    void peerThatResetsHasRejected() throws Exception {
        connectTo(socket -> {
            readRequest(socket);
            socket.setSoLinger(true, 0);
        });
        assertThat(CmEnds.expect(ends.client, Rejected.class).status()).isEqualTo(-104);
    }

    @Test
    void peerThatTalksSomethingElseIsAConnectError() throws Exception {
        connectTo(socket -> {
            readRequest(socket);
            socket.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            // until this side has closed
            assertThat(socket.getInputStream().read()).isNegative();
        });
        assertThat(CmEnds.expect(ends.client, ConnectError.class).status()).isEqualTo(-22);
    }

    @Test
    void peerThatSaysNothingIsUnreachable() throws Exception {
        connectTo(socket -> {
            readRequest(socket);
            assertThat(socket.getInputStream().read()).isNegative();
        });
        assertThat(CmEnds.expect(ends.client, Unreachable.class).status()).isEqualTo(-110);
    }

    @Test
    void clientsThatComeAndGoAreNoRequestsAndHarmNobody() throws Exception {
        InetSocketAddress at = ends.listen("127.0.0.1", 128);
        for (int i = 0; i < 200; i++) {
            try (Socket socket = new Socket(at.getAddress(), at.getPort())) {
                if (i % 3 == 1) {
                    socket.getOutputStream()
                            .write("GET / HTTP/1.1\r\n\r\nAccept: */*\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                } else if (i % 3 == 2) {
                    socket.setSoLinger(true, 0);
                }
            }
        }
        assertThat(ends.server.poll(Duration.ofMillis(20))).isNull();
        CmEnds.Connected connected = ends.connected(at);
        connected.active().disconnect();
        CmEnds.expect(ends.server, Disconnected.class);
    }

    @Test
    void clientThatLeavesBeforeItIsAnsweredIsNoHarm() throws Exception {
        InetSocketAddress at = ends.listen("127.0.0.1", 1);
        // a correct request of revision 1, without private data: RFC 5044 section 7.1.1
        byte[] request = "MPA ID Req Frame    ".getBytes(StandardCharsets.US_ASCII);
        request[16] = 0x40;
        request[17] = 1;
        request[18] = 0;
        request[19] = 0;
        for (int i = 0; i < 20; i++) {
            try (Socket socket = new Socket(at.getAddress(), at.getPort())) {
                socket.getOutputStream().write(request);
                ConnectRequest event = CmEnds.expect(ends.server, ConnectRequest.class);
                if (i % 2 == 0) {
                    socket.setSoLinger(true, 0);
                }
                socket.close();
                CmEnds.queuePair(event.id());
                event.id().accept(ConnectionParameters.RECOMMENDED);
                // it may come up for a moment before the end of the stream is seen
                assertThat(ends.server.poll(CmEnds.SOON))
                        .satisfiesAnyOf(
                                first -> assertThat(first).isInstanceOf(ConnectError.class),
                                first -> assertThat(CmEnds.expect(ends.server, Disconnected.class))
                                        .isNotNull());
                CmEnds.release(event.id());
            }
        }
        ends.connected(at);
    }

    /** It asks for the peer-to-peer model, in which the accepting side waits for its first message, and never sends one. */
    @Test
    void clientThatNeverFinishesHoldsUpNobodyElse() throws Exception {
        byte[] request = "MPA ID Req Frame________".getBytes(StandardCharsets.US_ASCII);
        // CRC and enhanced data, revision 2, four bytes: IRD 1 with the flags of peer-to-peer and of a Send as the
        // first message, ORD 1
        // (RFC 6581 section 4)
        byte[] rest = {0x50, 2, 0, 4, (byte) 0xC0, 1, 0, 1};
        System.arraycopy(rest, 0, request, 16, rest.length);
        RdmaConnectionOptions options = RdmaConnectionOptions.RECOMMENDED.withBacklog(16);
        try (RdmaServer server = RdmaServer.listen(Transport.IWARP, "127.0.0.1", 0, options);
                Socket one = new Socket("127.0.0.1", server.localAddress().getPort());
                Socket two = new Socket("127.0.0.1", server.localAddress().getPort())) {
            one.getOutputStream().write(request);
            two.getOutputStream().write(request);
            // both are being accepted: they have their replies
            CompletableFuture<RdmaConnection> accepted = new CompletableFuture<>();
            Thread.ofVirtual().start(() -> {
                try {
                    accepted.complete(server.accept());
                } catch (IOException | InterruptedException failed) {
                    accepted.completeExceptionally(failed);
                }
            });
            assertThat(one.getInputStream().readNBytes(16)).asString().isEqualTo("MPA ID Rep Frame");
            assertThat(two.getInputStream().readNBytes(16)).asString().isEqualTo("MPA ID Rep Frame");
            try (RdmaConnection good = RdmaClient.connect(
                            Transport.IWARP, "127.0.0.1", server.localAddress().getPort());
                    RdmaConnection served = accepted.get()) {
                good.send(new byte[] {1, 2, 3});
                assertThat(served.receive()).containsExactly(1, 2, 3);
            }
        }
    }
}
