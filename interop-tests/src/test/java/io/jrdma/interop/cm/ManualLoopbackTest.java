package io.jrdma.interop.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.cm.ConnectionParameters;
import io.jrdma.cm.RdmaClient;
import io.jrdma.cm.RdmaCmEvent;
import io.jrdma.cm.RdmaCmEvent.ConnectRequest;
import io.jrdma.cm.RdmaCmEvent.Disconnected;
import io.jrdma.cm.RdmaCmEvent.Established;
import io.jrdma.cm.RdmaCmId;
import io.jrdma.cm.RdmaConnection;
import io.jrdma.cm.RdmaConnectionOptions;
import io.jrdma.cm.RdmaEventChannel;
import io.jrdma.cm.RdmaRequest;
import io.jrdma.cm.RdmaServer;
import io.jrdma.netty.NettyDriverProvider;
import io.jrdma.netty.NettyOptions;
import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.Transport;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Manual mode over TCP: the test's thread is the only one there is. */
@Timeout(60)
class ManualLoopbackTest {
    /** One thread cannot close both ends at once, so the first one closes without the other's consent, and shall not wait long for it. */
    private static final DeviceOptions MANUAL = DeviceOptions.DEFAULT
            .withProgress(DeviceOptions.Progress.MANUAL)
            .withDriver(new NettyDriverProvider(
                    NettyOptions.builder().linger(Duration.ofMillis(20)).build()));

    /** Takes the next event of one channel while the other one makes progress, too. */
    private static RdmaCmEvent next(RdmaEventChannel wanted, RdmaEventChannel other) throws InterruptedException {
        long end = System.nanoTime() + CmEnds.SOON.toNanos();
        while (System.nanoTime() - end < 0) {
            RdmaCmEvent event = wanted.poll(Duration.ofMillis(1));
            if (event != null) {
                return event;
            }
            other.progress(Duration.ZERO);
        }
        throw new AssertionError("no event within " + CmEnds.SOON);
    }

    @Test
    void oneThreadConnectsAndDisconnects() throws InterruptedException {
        try (CmEnds ends = new CmEnds(MANUAL)) {
            InetSocketAddress peer = ends.listen("127.0.0.1", 4);
            for (int i = 0; i < 20; i++) {
                RdmaCmId active = ends.connecting(peer, ConnectionParameters.RECOMMENDED);
                ConnectRequest request = (ConnectRequest) next(ends.server, ends.client);
                CmEnds.queuePair(request.id());
                request.id().accept(ConnectionParameters.RECOMMENDED);
                assertThat(next(ends.server, ends.client)).isInstanceOf(Established.class);
                assertThat(next(ends.client, ends.server)).isInstanceOf(Established.class);
                active.disconnect();
                assertThat(next(ends.client, ends.server)).isInstanceOf(Disconnected.class);
                assertThat(next(ends.server, ends.client)).isInstanceOf(Disconnected.class);
                CmEnds.release(active);
                CmEnds.release(request.id());
            }
            assertThat(CmEnds.threads()).isEmpty();
        }
    }

    @Test
    void shortWayNeedsNoThreadEither() throws Exception {
        RdmaConnectionOptions options = RdmaConnectionOptions.RECOMMENDED.withDevice(MANUAL);
        try (RdmaServer server = RdmaServer.listen(Transport.IWARP, "127.0.0.1", 0, options);
                RdmaClient client = RdmaClient.open(Transport.IWARP, options)) {
            CompletableFuture<RdmaConnection> connecting = client.connectToAsync(server.localAddress());
            RdmaRequest request = finish(server.nextRequestAsync(), server, client);
            RdmaConnection far = finish(request.acceptAsync(ConnectionParameters.RECOMMENDED), server, client);
            RdmaConnection near = finish(connecting, server, client);
            for (int i = 0; i < 100; i++) {
                near.send(("ping " + i).getBytes(StandardCharsets.UTF_8));
                assertThat(far.receive()).asString(StandardCharsets.UTF_8).isEqualTo("ping " + i);
                far.send(new byte[] {(byte) i});
                assertThat(near.receive()).containsExactly(i);
            }
            assertThat(CmEnds.threads()).isEmpty();
        }
    }

    private static <T> T finish(CompletableFuture<T> future, RdmaServer server, RdmaClient client) {
        long end = System.nanoTime() + CmEnds.SOON.toNanos();
        while (!future.isDone()) {
            assertThat(System.nanoTime() - end).isNegative();
            server.progress(Duration.ofMillis(1));
            client.progress(Duration.ZERO);
        }
        return future.join();
    }
}
