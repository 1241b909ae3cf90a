package io.jrdma.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.cm.fake.FakeNetwork;
import io.jrdma.verbs.MemoryRegion;
import io.jrdma.verbs.Transport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The short way in manual mode: one thread does everything, and time is what the network says. */
class ManualConnectionTest {
    private final FakeNetwork network = FakeNetwork.manual();
    private final RdmaConnectionOptions options = RdmaConnectionOptions.RECOMMENDED
            .withDevice(network.options())
            .withReceives(256, 4)
            .withSendDepth(2);
    private RdmaServer server;
    private RdmaClient clients;
    private RdmaConnection near;
    private RdmaConnection far;

    @BeforeEach
    void connect() throws IOException, InterruptedException {
        server = RdmaServer.listen(Transport.IWARP, "127.0.0.1", 7471, options);
        clients = RdmaClient.open(Transport.IWARP, options);
        CompletableFuture<RdmaConnection> connecting = clients.connectToAsync(server.localAddress());
        RdmaRequest request = finish(server.nextRequestAsync());
        far = finish(request.acceptAsync(ConnectionParameters.RECOMMENDED));
        near = finish(connecting);
    }

    @AfterEach
    void closeAll() {
        clients.close();
        server.close();
        assertThat(network.streams()).isZero();
        assertThat(network.devices()).isZero();
    }

    private <T> T finish(CompletableFuture<T> future) {
        for (int turns = 0; !future.isDone(); turns++) {
            assertThat(turns).as("turns").isLessThan(1000);
            clients.progress(Duration.ofMillis(1));
            server.progress(Duration.ofMillis(1));
        }
        return future.join();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void blockingCallsMakeTheProgressThemselves() throws InterruptedException {
        near.send(bytes("ping"));
        assertThat(far.receive()).asString(StandardCharsets.UTF_8).isEqualTo("ping");
        far.send(bytes("pong"));
        assertThat(near.receive(Duration.ofSeconds(1))).hasSize(4);
        MemoryRegion own = near.allocate(64);
        MemoryRegion target = far.allocate(64);
        target.segment().fill((byte) 5);
        near.read(own, RemoteMemory.of(target));
        assertThat(own.segment().mismatch(target.segment())).isEqualTo(-1);
    }

    @Test
    void waitingEndsByTheNetworksClock() throws InterruptedException {
        long before = network.nowNs();
        assertThat(near.receive(Duration.ofSeconds(5))).isNull();
        assertThat(network.nowNs() - before).isBetween(5_000_000_000L, 5_001_000_000L);
    }

    @Test
    void roomIsMadeByProgress() throws InterruptedException {
        for (int i = 0; i < 20; i++) {
            near.send(new byte[] {(byte) i});
        }
        for (int i = 0; i < 20; i++) {
            assertThat(far.receive()).containsExactly(i);
        }
    }

    @Test
    void closingInsideAFutureGoesOnByItself() {
        CompletableFuture<Void> closing = far.receiveAsync().thenAccept(message -> far.close());
        CompletableFuture<Void> sent = near.sendAsync(bytes("bye"));
        finish(closing);
        finish(sent);
        finish(far.ended());
        finish(near.ended());
        assertThatThrownBy(() -> far.allocate(1)).hasMessageContaining("closed");
    }

    @Test
    void interruptEndsAWait() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> near.receive(Duration.ofSeconds(1))).isInstanceOf(InterruptedException.class);
    }

    @Test
    void clientThatNobodyAcceptsTimesOutByTheNetworksClock() {
        assertThatThrownBy(() -> clients.connectTo(server.localAddress()))
                .isInstanceOfSatisfying(
                        RdmaConnectException.class,
                        why -> assertThat(why.reason()).isEqualTo(RdmaConnectException.Reason.TIMEOUT));
        assertThat(network.nowNs()).isGreaterThanOrEqualTo(TimeUnit.SECONDS.toNanos(10));
    }
}
