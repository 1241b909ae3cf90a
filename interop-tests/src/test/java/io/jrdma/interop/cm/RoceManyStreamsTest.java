package io.jrdma.interop.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.cm.RdmaClient;
import io.jrdma.cm.RdmaConnection;
import io.jrdma.cm.RdmaConnectionOptions;
import io.jrdma.cm.RdmaServer;
import io.jrdma.cm.RemoteMemory;
import io.jrdma.netty.NettyDriverProvider;
import io.jrdma.netty.NettyOptions;
import io.jrdma.tools.UdpPorts;
import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.MemoryRegion;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.Transport;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many queue pairs stream into one socket at once, whose buffer cannot hold what they may have on the way: packets may be lost, progress is not. */
@Timeout(180)
class RoceManyStreamsTest {
    private static final int STREAMS = 16;
    private static final int MESSAGE_BYTES = 1 << 20;
    private static final long STREAMING_NS = TimeUnit.SECONDS.toNanos(10);
    /** A quarter of one message. */
    private static final int SOCKET_BYTES = 256 << 10;

    @Test
    void sixteenStreamsGoOnWithASocketThatHoldsAQuarterOfOneMessage() throws Exception {
        UdpPorts ports = UdpPorts.choose();
        try (RdmaServer server =
                        RdmaServer.listen(Transport.ROCE_V2, "127.0.0.1", 0, options(ports.passive(), ports.active()));
                RdmaClient client = RdmaClient.open(Transport.ROCE_V2, options(ports.active(), ports.passive()));
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Long>> streams = new ArrayList<>();
            List<RdmaConnection> connections = new ArrayList<>();
            for (int i = 0; i < STREAMS; i++) {
                RdmaConnection sender = connect(server, client, connections);
                RdmaConnection receiver = connections.getLast();
                MemoryRegion target = receiver.allocate(MESSAGE_BYTES);
                connections.add(sender);
                streams.add(threads.submit(stream(sender, target)));
            }
            for (Future<Long> stream : streams) {
                assertThat(stream.get()).as("messages of a stream").isPositive();
            }
            assertThat(connections)
                    .allMatch(connection -> connection.queuePair().state() == QpState.RTS);
        }
    }

    /** Writes messages that no two are alike, and checks at the end that the last one is there. */
    private static Callable<Long> stream(RdmaConnection sender, MemoryRegion target) {
        return () -> {
            MemoryRegion source = sender.allocate(MESSAGE_BYTES);
            RemoteMemory remote = RemoteMemory.of(target);
            long end = System.nanoTime() + STREAMING_NS;
            long messages = 0;
            while (System.nanoTime() - end < 0) {
                fill(source.segment(), ++messages);
                sender.write(source, remote);
                assertThat(source.segment().mismatch(target.segment()))
                        .as("first wrong byte")
                        .isEqualTo(-1);
            }
            return messages;
        };
    }

    private static void fill(MemorySegment memory, long seed) {
        for (long at = 0; at < memory.byteSize(); at += Long.BYTES) {
            memory.set(ValueLayout.JAVA_LONG, at, seed * 0x9E37_79B9_7F4A_7C15L + at);
        }
    }

    private static RdmaConnection connect(RdmaServer server, RdmaClient client, List<RdmaConnection> accepted)
            throws InterruptedException, ExecutionException, IOException {
        var connecting = client.connectToAsync(server.localAddress());
        accepted.add(server.accept());
        return connecting.get();
    }

    private static RdmaConnectionOptions options(int own, int peer) {
        NettyOptions netty = NettyOptions.builder()
                .rocePort(own)
                .rocePeerPort(peer)
                .roceSocketReceiveBytes(SOCKET_BYTES)
                .build();
        return RdmaConnectionOptions.RECOMMENDED.withDevice(
                DeviceOptions.DEFAULT.withDriver(new NettyDriverProvider(netty)));
    }
}
