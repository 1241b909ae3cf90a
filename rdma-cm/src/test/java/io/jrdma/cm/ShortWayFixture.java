package io.jrdma.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.cm.fake.FakeNetwork;
import io.jrdma.verbs.MemoryRegion;
import io.jrdma.verbs.Transport;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;

/** A network with a thread of its own, and what the short way makes on it. */
abstract class ShortWayFixture {
    static final Duration SOON = Duration.ofSeconds(20);

    final FakeNetwork network = FakeNetwork.automatic();
    final RdmaConnectionOptions options = RdmaConnectionOptions.RECOMMENDED
            .withDevice(network.options())
            .withReceives(512, 4)
            .withTimeout(SOON);
    final List<AutoCloseable> open = new ArrayList<>();

    /** The wire; the tests are the same on all of them. */
    Transport transport() {
        return Transport.IWARP;
    }

    /** What the peer's application sent along, as a text; RoCE fills it up with zeros. */
    String text(byte[] privateData) {
        int length = privateData.length;
        while (transport() == Transport.ROCE_V2 && length > 0 && privateData[length - 1] == 0) {
            length--;
        }
        return new String(privateData, 0, length, StandardCharsets.UTF_8);
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
        assertThat(network.streams()).isZero();
        assertThat(network.devices()).isZero();
        network.close();
    }

    record Ends(RdmaConnection client, RdmaConnection server) {}

    RdmaServer listen(RdmaConnectionOptions with) throws Exception {
        RdmaServer server = RdmaServer.listen(transport(), "127.0.0.1", 0, with);
        open.add(server);
        return server;
    }

    Ends connect() throws Exception {
        return connect(options, options);
    }

    Ends connect(RdmaConnectionOptions clientOptions, RdmaConnectionOptions serverOptions) throws Exception {
        RdmaServer server = listen(serverOptions);
        CompletableFuture<RdmaConnection> accepted = async(server::accept);
        RdmaConnection client = RdmaClient.connect(
                transport(), "127.0.0.1", server.localAddress().getPort(), clientOptions);
        open.add(client);
        return new Ends(client, accepted.get(20, TimeUnit.SECONDS));
    }

    interface Blocking<T> {
        T run() throws Exception;
    }

    static <T> CompletableFuture<T> async(Blocking<T> work) {
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

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static byte[] pattern(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i * 31 + 7);
        }
        return bytes;
    }

    static void fill(MemoryRegion region, byte[] with) {
        MemorySegment.copy(with, 0, region.segment(), ValueLayout.JAVA_BYTE, 0, with.length);
    }

    static byte[] content(MemoryRegion region, int length) {
        return region.segment().asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    }
}
