package io.jrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.DeviceOptions.Progress;
import io.jrdma.verbs.spi.StreamListening;
import io.netty.buffer.ByteBufUtil;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** Two peers, and waiting for what happens between them. */
final class Rig implements AutoCloseable {
    private static final long PATIENCE_NS = 20_000_000_000L;
    private static final List<String> LEAKS = new CopyOnWriteArrayList<>();

    static {
        ByteBufUtil.setLeakListener((type, records) -> LEAKS.add(type + records));
    }

    /** Who makes progress. */
    enum Driving {
        AUTOMATIC,
        /** Both peers on the thread of the test. */
        MANUAL,
        /** The right peer on a thread of its own that polls. */
        MANUAL_TWO_THREADS
    }

    /** A way to run. */
    record Way(IoBackend backend, Driving driving) {
        NettyOptions.Builder options() {
            return NettyOptions.builder().backend(backend).closeTimeout(Duration.ofMillis(300));
        }
    }

    static Stream<Way> ways() {
        return Stream.of(IoBackend.values())
                .filter(IoBackend::isAvailable)
                .flatMap(backend -> Stream.of(Driving.values())
                        .filter(driving -> backend != IoBackend.IO_URING || driving == Driving.AUTOMATIC)
                        .map(driving -> new Way(backend, driving)));
    }

    final Peer left;
    final Peer right;
    private final Way way;
    private final Thread poller;
    private volatile boolean done;

    Rig(Way way) {
        this(way, way.options().build());
    }

    Rig(Way way, NettyOptions options) {
        this.way = way;
        RecordedLog.take();
        Progress progress = way.driving() == Driving.AUTOMATIC ? Progress.AUTOMATIC : Progress.MANUAL;
        left = new Peer(options, progress);
        right = new Peer(options, progress);
        poller = new Thread(this::pollRight, "polls the right peer");
        if (way.driving() == Driving.MANUAL_TWO_THREADS) {
            poller.start();
        }
    }

    private void pollRight() {
        while (!done) {
            right.driver.progress(1_000_000);
        }
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
        assertThat(within(PATIENCE_NS, condition))
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
        long end = System.nanoTime() + timeoutNs;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
            switch (way.driving()) {
                case AUTOMATIC -> LockSupport.parkNanos(100_000);
                case MANUAL -> {
                    if (!left.driver.progress(0) && !right.driver.progress(0)) {
                        right.driver.progress(100_000);
                    }
                }
                case MANUAL_TWO_THREADS -> left.driver.progress(100_000);
            }
        }
        return true;
    }

    @Override
    public void close() throws InterruptedException {
        left.close();
        right.close();
        done = true;
        poller.join(10_000);
        assertThat(poller.isAlive()).isFalse();
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
        assertThat(LEAKS).isEmpty();
    }
}
