package io.jrdma.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MemoryRegion;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.WcStatus;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How connections of the short way begin and end. */
@Timeout(60)
class RdmaClientServerTest extends ShortWayFixture {
    // ---- connecting ----

    @Test
    void privateDataGoesBothWays() throws Exception {
        Ends ends = connect(options.withPrivateData(bytes("ask")), options.withPrivateData(bytes("answer")));
        assertThat(text(ends.server().privateData())).isEqualTo("ask");
        assertThat(text(ends.client().privateData())).isEqualTo("answer");
    }

    @Test
    void rejectionTellsReasonAndPrivateData() throws Exception {
        RdmaServer server = listen(options);
        CompletableFuture<RdmaRequest> request = server.nextRequestAsync();
        CompletableFuture<RdmaConnection> connecting = async(() -> RdmaClient.connect(
                transport(),
                "127.0.0.1",
                server.localAddress().getPort(),
                options.withPrivateData(bytes("let me in"))));
        RdmaRequest asked = request.get(20, TimeUnit.SECONDS);
        assertThat(text(asked.privateData())).isEqualTo("let me in");
        asked.reject(bytes("no"));
        assertThatThrownBy(() -> connecting.get(20, TimeUnit.SECONDS))
                .hasCauseInstanceOf(RdmaConnectException.class)
                .satisfies(thrown -> {
                    RdmaConnectException why = (RdmaConnectException) thrown.getCause();
                    assertThat(why.reason()).isEqualTo(RdmaConnectException.Reason.REJECTED);
                    assertThat(why.status()).isEqualTo(transport() == Transport.IWARP ? -104 : 28);
                    assertThat(text(why.privateData())).isEqualTo("no");
                    assertThat(why).hasMessageContaining("127.0.0.1").hasMessageContaining("REJECTED");
                });
        assertThatThrownBy(() -> asked.accept())
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("before");
        assertThatThrownBy(() -> asked.reject(new byte[0])).isInstanceOf(VerbsException.class);
    }

    @Test
    void portThatNobodyListensOnRefuses() throws Exception {
        assertThatThrownBy(() -> RdmaClient.connect(transport(), "127.0.0.1", 9, options))
                .isInstanceOfSatisfying(RdmaConnectException.class, why -> {
                    assertThat(why.reason()).isEqualTo(RdmaConnectException.Reason.REJECTED);
                    assertThat(why.status()).isEqualTo(-111);
                });
    }

    @Test
    void addressWithoutRouteIsNoAddress() {
        network.noRouteTo(CmPair.address("10.1.1.1", 1).getAddress());
        assertThatThrownBy(() -> RdmaClient.connect(transport(), "10.1.1.1", 9, options))
                .isInstanceOfSatisfying(RdmaConnectException.class, why -> {
                    assertThat(why.reason()).isEqualTo(RdmaConnectException.Reason.ADDRESS);
                    assertThat(why.status()).isEqualTo(-101);
                });
    }

    @Test
    void clientConnectsFromTheAddressAndPortThatItIsGiven() throws Exception {
        InetSocketAddress source = CmPair.address("127.0.0.3", 4711);
        Ends ends = connect(options.withSource(source), options);
        assertThat(ends.client().localAddress()).isEqualTo(source);
        assertThat(ends.server().peerAddress()).isEqualTo(source);
        assertThat(ends.client().device().localAddress()).isEqualTo(source.getAddress());
    }

    @Test
    void sourceWithoutAPortLeavesThePortToTheSystem() throws Exception {
        Ends ends = connect(options.withSource(CmPair.address("127.0.0.3", 0)), options);
        assertThat(ends.client().localAddress())
                .isEqualTo(ends.server().peerAddress())
                .satisfies(from -> {
                    assertThat(from.getAddress().getHostAddress()).isEqualTo("127.0.0.3");
                    assertThat(from.getPort()).isNotZero();
                });
    }

    @Test
    void sourceThatIsNotThisHostsIsRefusedByName() {
        InetSocketAddress foreign = CmPair.address("10.9.9.9", 0);
        network.notLocal(foreign.getAddress());
        assertThatThrownBy(() -> RdmaClient.connect(transport(), "127.0.0.1", 9, options.withSource(foreign)))
                .hasMessageContaining("10.9.9.9")
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EADDRNOTAVAIL));
        InetSocketAddress other = CmPair.address("::1", 0);
        assertThatThrownBy(() -> RdmaClient.connect(transport(), "127.0.0.1", 9, options.withSource(other)))
                .hasMessageContaining("different families")
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @Test
    void serverThatNeverAcceptsTimesOut() throws Exception {
        RdmaServer server = listen(options);
        assertThatThrownBy(() -> RdmaClient.connect(
                        transport(),
                        "127.0.0.1",
                        server.localAddress().getPort(),
                        options.withTimeout(Duration.ofMillis(20))))
                .isInstanceOfSatisfying(RdmaConnectException.class, why -> {
                    assertThat(why.reason()).isEqualTo(RdmaConnectException.Reason.TIMEOUT);
                    assertThat(why.status()).isEqualTo(-110);
                });
        // the request is dead: accepting goes on to the next one
        CompletableFuture<RdmaConnection> accepted = async(server::accept);
        open.add(RdmaClient.connect(
                transport(), "127.0.0.1", server.localAddress().getPort(), options));
        assertThat(accepted.get(20, TimeUnit.SECONDS).isOpen()).isTrue();
    }

    @Test
    void manyConnectionsShareTheDevicesOfOneClient() throws Exception {
        RdmaServer server = listen(options);
        RdmaClient client = RdmaClient.open(transport(), options);
        open.add(client);
        List<RdmaConnection> servers = new ArrayList<>();
        List<RdmaConnection> clients = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            CompletableFuture<RdmaConnection> accepted = async(server::accept);
            clients.add(client.connectTo(server.localAddress()));
            servers.add(accepted.get(20, TimeUnit.SECONDS));
        }
        assertThat(network.devices()).isEqualTo(2);
        for (int i = 0; i < 20; i++) {
            clients.get(i).send(new byte[] {(byte) i});
        }
        for (int i = 0; i < 20; i++) {
            assertThat(servers.get(i).receive()).containsExactly(i);
        }
    }

    @Test
    void connectingWithAFutureWorks() throws Exception {
        RdmaServer server = listen(options);
        RdmaClient client = RdmaClient.open(transport(), options);
        open.add(client);
        CompletableFuture<RdmaConnection> connected = client.connectToAsync(server.localAddress());
        RdmaRequest request = server.nextRequest(SOON);
        assertThat(request).isNotNull();
        CompletableFuture<RdmaConnection> accepted = request.acceptAsync(ConnectionParameters.RECOMMENDED);
        connected.get(20, TimeUnit.SECONDS).send(bytes("x"));
        assertThat(accepted.get(20, TimeUnit.SECONDS).receive()).hasSize(1);
    }

    @Test
    void waitingForARequestEndsInTimeAndWithTheServer() throws Exception {
        RdmaServer server = listen(options);
        assertThat(server.nextRequest(Duration.ZERO)).isNull();
        CompletableFuture<RdmaConnection> waiting = async(server::accept);
        server.close();
        assertThatThrownBy(() -> waiting.get(20, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        RdmaConnectException.class,
                        why -> assertThat(why.reason()).isEqualTo(RdmaConnectException.Reason.CLOSED));
        assertThatThrownBy(server::accept).isInstanceOf(RdmaConnectException.class);
    }

    @Test
    void privateDataThatNoReplyCanCarryIsRefusedBeforeListening() {
        assertThatThrownBy(() -> listen(options.withPrivateData(new byte[253])))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("253");
    }

    @Test
    void takenPortIsRefusedByName() throws Exception {
        RdmaServer server = listen(options);
        int port = server.localAddress().getPort();
        assertThatThrownBy(() -> RdmaServer.listen(transport(), "127.0.0.1", port, options))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("EADDRINUSE")
                // a RoCE device has its address to itself, whatever the port
                .hasMessageContaining(transport() == Transport.IWARP ? String.valueOf(port) : "127.0.0.1");
    }

    // ---- the end ----

    @Test
    void closingEndsBothSidesAndReleasesEverything() throws Exception {
        Ends ends = connect();
        MemoryRegion region = ends.client().allocate(8);
        ends.client().close();
        ends.client().close();
        assertThat(ends.client().isOpen()).isFalse();
        assertThat(region.segment().scope().isAlive()).isFalse();
        ends.server().ended().get(20, TimeUnit.SECONDS);
        assertThat(ends.server().isOpen()).isFalse();
        ends.server().close();
        assertThatThrownBy(() -> ends.client().allocate(1))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(() -> ends.client().send(bytes("x"))).isInstanceOf(WorkCompletionException.class);
        assertThatThrownBy(() -> ends.client().receive()).isInstanceOf(WorkCompletionException.class);
        // the client had a device of its own
        assertThat(network.devices()).isEqualTo(1);
    }

    @Test
    void messagesThatWereSentBeforeTheCloseArrive() throws Exception {
        Ends ends = connect();
        ends.client().send(bytes("last"));
        ends.client().close();
        ends.server().ended().get(20, TimeUnit.SECONDS);
        assertThat(ends.server().receive()).asString(StandardCharsets.UTF_8).isEqualTo("last");
        assertThatThrownBy(() -> ends.server().receive())
                .isInstanceOfSatisfying(
                        WorkCompletionException.class,
                        end -> assertThat(end.status()).isEqualTo(WcStatus.WR_FLUSH_ERR));
    }

    @Test
    void waitingReceiverLearnsOfTheEnd() throws Exception {
        Ends ends = connect();
        CompletableFuture<byte[]> waiting = ends.server().receiveAsync();
        ends.client().close();
        assertThatThrownBy(() -> waiting.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(WorkCompletionException.class);
    }

    @Test
    void connectionMayBeClosedWhereAFutureCompletes() throws Exception {
        Ends ends = connect();
        RdmaConnection server = ends.server();
        CompletableFuture<Void> closing = server.receiveAsync().thenAccept(message -> server.close());
        ends.client().send(bytes("bye"));
        closing.get(20, TimeUnit.SECONDS);
        ends.client().ended().get(20, TimeUnit.SECONDS);
        server.ended().get(20, TimeUnit.SECONDS);
    }

    /** On the loop, and where events are handed out: what close waits for comes from there. */
    @Test
    void serverAndClientMayBeClosedWhereAFutureCompletes() throws Exception {
        RdmaServer server = listen(options);
        RdmaClient client = RdmaClient.open(transport(), options);
        open.add(client);
        CompletableFuture<RdmaConnection> connected = client.connectToAsync(server.localAddress());
        CompletableFuture<RdmaConnection> accepted =
                server.nextRequestAsync().thenCompose(request -> request.acceptAsync(ConnectionParameters.RECOMMENDED));
        CompletableFuture<Void> leaving = connected.thenAccept(connection -> {
            connection.sendAsync(bytes("bye"));
            client.close();
        });
        CompletableFuture<Void> closing =
                accepted.thenCompose(RdmaConnection::receiveAsync).thenAccept(message -> server.close());
        leaving.get(20, TimeUnit.SECONDS);
        closing.get(20, TimeUnit.SECONDS);
        accepted.get(20, TimeUnit.SECONDS).ended().get(20, TimeUnit.SECONDS);
        connected.get(20, TimeUnit.SECONDS).ended().get(20, TimeUnit.SECONDS);
        server.close();
        client.close();
        assertThat(network.devices()).isZero();
    }

    @Test
    void deviceThatIsClosedEndsItsConnections() throws Exception {
        Ends ends = connect();
        CompletableFuture<byte[]> waiting = ends.client().receiveAsync();
        RdmaDevice device = ends.client().device();
        device.close();
        ends.client().ended().get(20, TimeUnit.SECONDS);
        assertThatThrownBy(() -> waiting.get(20, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
        ends.server().ended().get(20, TimeUnit.SECONDS);
        ends.client().close();
    }

    @Test
    void serverThatIsClosedEndsItsConnectionsInGoodOrder() throws Exception {
        RdmaServer server = listen(options);
        CompletableFuture<RdmaConnection> accepted = async(server::accept);
        RdmaConnection client = RdmaClient.connect(
                transport(), "127.0.0.1", server.localAddress().getPort(), options);
        open.add(client);
        accepted.get(20, TimeUnit.SECONDS).send(bytes("farewell"));
        server.close();
        client.ended().get(20, TimeUnit.SECONDS);
        assertThat(client.receive()).asString(StandardCharsets.UTF_8).isEqualTo("farewell");
    }
}
