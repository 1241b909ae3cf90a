package io.jrdma.interop.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.cm.RdmaClient;
import io.jrdma.cm.RdmaConnection;
import io.jrdma.cm.RdmaConnectionOptions;
import io.jrdma.cm.RdmaServer;
import io.jrdma.cm.RemoteMemory;
import io.jrdma.cm.WorkCompletionException;
import io.jrdma.netty.NettyDriverProvider;
import io.jrdma.netty.NettyOptions;
import io.jrdma.tools.UdpPorts;
import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.MemoryRegion;
import io.jrdma.verbs.Sge;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.WcStatus;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the two ends of a connection of the short way say of its end, over either wire. */
@Timeout(120)
class EndReasonTest {
    private interface Case {
        void run(RdmaConnection client, RdmaConnection server) throws Exception;
    }

    private static void connected(Transport transport, Case work) throws Exception {
        UdpPorts ports = UdpPorts.choose();
        RdmaConnectionOptions ofServer =
                options(ports.passive(), ports.active()).withReceives(64, 8);
        try (RdmaServer server = RdmaServer.listen(transport, "127.0.0.1", 0, ofServer);
                RdmaClient connecting = RdmaClient.open(transport, options(ports.active(), ports.passive()))) {
            CompletableFuture<RdmaConnection> client = connecting.connectToAsync(server.localAddress());
            try (RdmaConnection accepted = server.accept();
                    RdmaConnection connected = client.get(20, TimeUnit.SECONDS)) {
                assertThat(connected.endReason()).isNull();
                assertThat(accepted.endReason()).isNull();
                work.run(connected, accepted);
            }
        }
    }

    private static RdmaConnectionOptions options(int port, int peerPort) {
        NettyOptions netty =
                NettyOptions.builder().rocePort(port).rocePeerPort(peerPort).build();
        return RdmaConnectionOptions.RECOMMENDED.withDevice(
                DeviceOptions.DEFAULT.withDriver(new NettyDriverProvider(netty)));
    }

    private static void failsBecauseOf(String reason, ThrowingCallable operation) {
        assertThatThrownBy(operation)
                .hasMessageEndingWith(": " + reason)
                .isInstanceOfSatisfying(WorkCompletionException.class, over -> {
                    assertThat(over.status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
                    assertThat(over.reason()).isEqualTo(reason);
                });
    }

    private static void ended(RdmaConnection one, RdmaConnection other) throws Exception {
        one.ended().get(20, TimeUnit.SECONDS);
        other.ended().get(20, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void eitherSideMayDisconnect(Transport transport) throws Exception {
        connected(transport, (client, server) -> {
            CompletableFuture<byte[]> waiting = server.receiveAsync();
            client.close();
            ended(client, server);
            assertThat(client.endReason()).isEqualTo("this side disconnected");
            assertThat(server.endReason()).isEqualTo("the peer disconnected");
            assertThatThrownBy(() -> waiting.get(20, TimeUnit.SECONDS)).hasMessageContaining("the peer disconnected");
            failsBecauseOf("the peer disconnected", server::receive);
            failsBecauseOf("the peer disconnected", () -> server.send(new byte[8]));
            failsBecauseOf("this side disconnected", client::receive);
            failsBecauseOf("this side disconnected", () -> client.send(new byte[8]));
            server.close();
            assertThat(server.endReason()).as("still").isEqualTo("the peer disconnected");
        });
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void requestThatThePeerRefusesIsTheReasonOnBothSides(Transport transport) throws Exception {
        connected(transport, (client, server) -> {
            MemoryRegion own = client.allocate(64);
            RemoteMemory nowhere = new RemoteMemory(4096, 0x1234, 64);
            assertThatThrownBy(() -> client.read(Sge.of(own, 0, 64), nowhere))
                    .isInstanceOfSatisfying(
                            WorkCompletionException.class,
                            failed -> assertThat(failed.status()).isEqualTo(WcStatus.REM_ACCESS_ERR));
            ended(client, server);
            String near = client.endReason();
            String far = server.endReason();
            if (transport == Transport.ROCE_V2) {
                assertThat(near).isEqualTo("the peer refused a request: remote access error");
                assertThat(far).startsWith("this side refused a request of the peer's: ");
            } else {
                assertThat(near).startsWith("Terminate ").contains(" received: ");
                assertThat(far).startsWith("Terminate ").contains(" sent: ");
            }
            failsBecauseOf(near, () -> client.send(new byte[8]));
            failsBecauseOf(far, server::receive);
        });
    }

    /** The other way round: the peer has done what this side refuses, and no operation of this side fails but by the end. */
    @ParameterizedTest
    @EnumSource(Transport.class)
    void messageThatIsTooLongIsTheReasonOnBothSides(Transport transport) throws Exception {
        connected(transport, (client, server) -> {
            client.sendAsync(new byte[65]);
            ended(client, server);
            assertThat(server.endReason())
                    .isNotEqualTo("the peer disconnected")
                    .startsWith(transport == Transport.ROCE_V2 ? "this side refused" : "Terminate ");
            assertThat(client.endReason())
                    .startsWith(transport == Transport.ROCE_V2 ? "the peer refused a request: " : "Terminate ");
            failsBecauseOf(client.endReason(), client::receive);
        });
    }
}
