package io.jrdma.interop.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.cm.RdmaClient;
import io.jrdma.cm.RdmaConnectException;
import io.jrdma.cm.RdmaConnection;
import io.jrdma.cm.RdmaConnectionOptions;
import io.jrdma.cm.RdmaServer;
import io.jrdma.cm.RemoteMemory;
import io.jrdma.cm.WorkCompletionException;
import io.jrdma.verbs.MemoryRegion;
import io.jrdma.verbs.Sge;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.WcStatus;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The short way over TCP on the loopback interface. */
@Timeout(120)
class ShortWayLoopbackTest {
    private interface Blocking<T> {
        T run() throws Exception;
    }

    private static <T> CompletableFuture<T> async(Blocking<T> work) {
        CompletableFuture<T> future = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                future.complete(work.run());
            } catch (Throwable thrown) {
                future.completeExceptionally(thrown);
            }
        });
        return future;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @AfterEach
    void nothingRunsOn() {
        assertThat(CmEnds.threads()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1", "localhost"})
    void programOfTheReadmeWorks(String host) throws Exception {
        try (RdmaServer server = RdmaServer.listen(Transport.IWARP, host, 0)) {
            CompletableFuture<String> serving = async(() -> {
                try (RdmaConnection client = server.accept()) {
                    MemoryRegion board = client.allocate(4096);
                    byte[] hello = client.receive();
                    client.send(RemoteMemory.of(board).toBytes());
                    client.receive();
                    client.send(bytes("thanks"));
                    return new String(hello, StandardCharsets.UTF_8)
                            + board.segment().getString(0);
                }
            });
            try (RdmaConnection peer = RdmaClient.connect(
                    Transport.IWARP, host, server.localAddress().getPort())) {
                peer.send(bytes("hello "));
                RemoteMemory board = RemoteMemory.of(peer.receive());
                MemoryRegion own = peer.allocate(4096);
                own.segment().setString(0, "world");
                peer.write(own, board);
                peer.send(bytes("written"));
                assertThat(peer.receive()).asString(StandardCharsets.UTF_8).isEqualTo("thanks");
            }
            assertThat(serving.get(20, TimeUnit.SECONDS)).isEqualTo("hello world");
        }
    }

    /** More messages in one read than there are receives: they find receives all the same. */
    @Test
    void burstOfSmallMessagesFindsReceives() throws Exception {
        RdmaConnectionOptions options = RdmaConnectionOptions.RECOMMENDED
                .withReceives(64, 8)
                .withSendDepth(4000)
                .withQueuedMessages(10_000);
        try (RdmaServer server = RdmaServer.listen(Transport.IWARP, "127.0.0.1", 0, options)) {
            CompletableFuture<RdmaConnection> accepted = async(server::accept);
            try (RdmaConnection client = RdmaClient.connect(
                            Transport.IWARP, "127.0.0.1", server.localAddress().getPort(), options);
                    RdmaConnection far = accepted.get(20, TimeUnit.SECONDS)) {
                List<CompletableFuture<Void>> sent = new ArrayList<>();
                for (int i = 0; i < 4000; i++) {
                    sent.add(client.sendAsync(new byte[] {(byte) i, (byte) (i >> 8)}));
                }
                for (int i = 0; i < 4000; i++) {
                    assertThat(far.receive()).containsExactly(i, i >> 8);
                }
                CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void largeMemoryGoesBothWays() throws Exception {
        try (RdmaServer server = RdmaServer.listen(Transport.IWARP, "127.0.0.1", 0)) {
            CompletableFuture<RdmaConnection> accepted = async(server::accept);
            try (RdmaConnection client = RdmaClient.connect(
                            Transport.IWARP, "127.0.0.1", server.localAddress().getPort());
                    RdmaConnection far = accepted.get(20, TimeUnit.SECONDS)) {
                int size = 8 << 20;
                MemoryRegion target = far.allocate(size);
                MemoryRegion source = client.allocate(size);
                for (int i = 0; i < size; i += 4096) {
                    source.segment().set(ValueLayout.JAVA_INT, i, i);
                }
                client.write(source, RemoteMemory.of(target));
                MemoryRegion back = client.allocate(size);
                client.read(back, RemoteMemory.of(target));
                assertThat(back.segment().mismatch(source.segment())).isEqualTo(-1);
            }
        }
    }

    @Test
    void accessThatIsNotAllowedEndsTheConnection() throws Exception {
        try (RdmaServer server = RdmaServer.listen(Transport.IWARP, "127.0.0.1", 0)) {
            CompletableFuture<RdmaConnection> accepted = async(server::accept);
            try (RdmaConnection client = RdmaClient.connect(
                            Transport.IWARP, "127.0.0.1", server.localAddress().getPort());
                    RdmaConnection far = accepted.get(20, TimeUnit.SECONDS)) {
                MemoryRegion own = client.allocate(64);
                RemoteMemory nowhere = new RemoteMemory(4096, 0x1234, 64);
                assertThatThrownBy(() ->
                                client.readAsync(Sge.of(own, 0, 64), nowhere).get(20, TimeUnit.SECONDS))
                        .cause()
                        .isInstanceOfSatisfying(
                                WorkCompletionException.class,
                                failed -> assertThat(failed.status()).isEqualTo(WcStatus.REM_ACCESS_ERR));
                client.ended().get(20, TimeUnit.SECONDS);
                far.ended().get(20, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void serverThatNeverAcceptsTimesOut() throws Exception {
        RdmaConnectionOptions options = RdmaConnectionOptions.RECOMMENDED.withTimeout(Duration.ofMillis(100));
        try (RdmaServer server = RdmaServer.listen(Transport.IWARP, "127.0.0.1", 0)) {
            assertThatThrownBy(() -> RdmaClient.connect(
                            Transport.IWARP, "127.0.0.1", server.localAddress().getPort(), options))
                    .isInstanceOfSatisfying(
                            RdmaConnectException.class,
                            why -> assertThat(why.reason()).isEqualTo(RdmaConnectException.Reason.TIMEOUT));
        }
    }

    @Test
    void manyConnectionsOfOneClient() throws Exception {
        try (RdmaServer server = RdmaServer.listen(Transport.IWARP, "127.0.0.1", 0);
                RdmaClient client = RdmaClient.open(Transport.IWARP, RdmaConnectionOptions.RECOMMENDED)) {
            List<RdmaConnection> near = new ArrayList<>();
            List<RdmaConnection> far = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                CompletableFuture<RdmaConnection> accepted = async(server::accept);
                near.add(client.connectTo(server.localAddress()));
                far.add(accepted.get(20, TimeUnit.SECONDS));
            }
            for (int i = 0; i < 50; i++) {
                near.get(i).send(new byte[] {(byte) i});
            }
            for (int i = 0; i < 50; i++) {
                assertThat(far.get(i).receive()).containsExactly(i);
                far.get(i).send(new byte[] {(byte) -i});
                assertThat(near.get(i).receive()).containsExactly(-i);
            }
        }
    }
}
