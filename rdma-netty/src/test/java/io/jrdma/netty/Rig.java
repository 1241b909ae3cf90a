package io.jrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.spi.StreamListening;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** Two peers, and waiting for what happens between them. */
final class Rig implements AutoCloseable {
    /** A way to run. */
    record Way(IoBackend backend, DriverPair.Driving driving) {
        NettyOptions.Builder options() {
            return NettyOptions.builder().backend(backend).closeTimeout(Duration.ofMillis(300));
        }
    }

    static Stream<Way> ways() {
        return Stream.of(IoBackend.values())
                .filter(IoBackend::isAvailable)
                .flatMap(backend -> Stream.of(DriverPair.Driving.values())
                        .filter(driving -> backend != IoBackend.IO_URING || driving == DriverPair.Driving.AUTOMATIC)
                        .map(driving -> new Way(backend, driving)));
    }

    final Peer left;
    final Peer right;
    private final DriverPair drivers;

    Rig(Way way) {
        this(way, way.options().build());
    }

    Rig(Way way, NettyOptions options) {
        RecordedLog.take();
        left = new Peer(options, way.driving().progress());
        right = new Peer(options, way.driving().progress());
        drivers = new DriverPair(way.driving(), left.driver, right.driver);
    }

    /** Connects both; gives what the left one heard. */
    Peer.Heard connect() {
        StreamListening listening = right.listen(16);
        Peer.Heard heard = left.connect(listening.localAddress());
        until(() -> heard.calls.contains("established"));
        return heard;
    }

    /** Waits for it, making progress. */
    void until(BooleanSupplier condition) {
        assertThat(within(DriverPair.PATIENCE_NS, condition))
                .as(
                        "left %s %s, right %s %s",
                        left.transport.opened.stream().map(e -> e.inputs).toList(),
                        left.transport.opened.stream().map(e -> e.received).toList(),
                        right.transport.opened.stream().map(e -> e.inputs).toList(),
                        right.transport.opened.stream().map(e -> e.received).toList())
                .isTrue();
    }

    /** Waits for it, making progress, but not longer than that. */
    boolean within(long timeoutNs, BooleanSupplier condition) {
        return drivers.within(timeoutNs, condition);
    }

    @Override
    public void close() throws InterruptedException {
        drivers.close();
        for (Peer peer : List.of(left, right)) {
            assertThat(peer.guard.broken).as("bursts").isFalse();
            assertThat(peer.guard.inside).as("in a burst").isFalse();
            TcpStreams streams = (TcpStreams) peer.driver.streams();
            assertThat(streams.size()).as("streams").isZero();
            assertThat(streams.sendBuffers().taken()).as("send buffers").isZero();
        }
        List<PatternEngine> engines = new ArrayList<>(left.transport.created);
        engines.addAll(right.transport.created);
        for (PatternEngine engine : engines) {
            assertThat(engine.wrongAt).as("place of a wrong byte").isEqualTo(-1);
        }
    }
}
