package io.jrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.Access;
import io.jrdma.verbs.CompletionQueue;
import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.DeviceOptions.Progress;
import io.jrdma.verbs.MemoryRegion;
import io.jrdma.verbs.MpaNegotiated;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.ProtectionDomain;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.QueuePair;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.spi.ConnectFailure;
import io.jrdma.verbs.spi.StreamConnection;
import io.jrdma.verbs.spi.StreamListener;
import io.jrdma.verbs.spi.StreamListening;
import io.jrdma.verbs.spi.StreamParameters;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Two iWARP devices on the loopback address with a connected queue pair each, without the connection manager. */
final class IwarpPair implements AutoCloseable {
    private static final long PATIENCE_NS = 20_000_000_000L;

    final Side left;
    final Side right;
    final Arena arena = Arena.ofShared();
    private final boolean manual;

    IwarpPair(NettyOptions options, Progress progress, MpaOptions mpa, int regionBytes) {
        manual = progress == Progress.MANUAL;
        RecordedLog.take();
        left = new Side(options, progress, regionBytes);
        right = new Side(options, progress, regionBytes);
        StreamListening[] listening = new StreamListening[1];
        StreamParameters parameters = new StreamParameters(mpa, 16, 16, new byte[0]);
        right.device
                .driver()
                .call(() -> listening[0] = right.device
                        .driver()
                        .streams()
                        .listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 4, mpa, connection -> {
                            right.connection = connection;
                            return right.new Calls(() -> connection.accept(right.queuePair.core(), parameters));
                        }));
        left.device
                .driver()
                .call(() -> left.connection = left.device
                        .driver()
                        .streams()
                        .connect(
                                null,
                                listening[0].localAddress(),
                                left.queuePair.core(),
                                parameters,
                                left.new Calls(null)));
        until(() -> left.calls.contains("established") && right.calls.contains("established"));
    }

    void until(BooleanSupplier condition) {
        long end = System.nanoTime() + PATIENCE_NS;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - end)
                    .as("waiting; left %s, right %s", left.calls, right.calls)
                    .isNegative();
            if (manual) {
                left.device.driver().progress(0);
                right.device.driver().progress(0);
            } else {
                LockSupport.parkNanos(10_000);
            }
        }
    }

    /** Waits for the next completion of that side. */
    WorkCompletion completion(Side side) {
        WorkCompletion[] holders = {new WorkCompletion()};
        until(() -> side.queue.poll(holders) == 1);
        return holders[0];
    }

    @Override
    public void close() {
        left.device.close();
        right.device.close();
        arena.close();
    }

    /** One device and what stands on it. */
    final class Side {
        final RdmaDevice device;
        final ProtectionDomain domain;
        final CompletionQueue queue;
        final QueuePair queuePair;
        final MemorySegment memory;
        final MemoryRegion region;
        final List<String> calls = new CopyOnWriteArrayList<>();
        volatile StreamConnection connection;

        Side(NettyOptions options, Progress progress, int regionBytes) {
            device = RdmaDevice.open(
                    Transport.IWARP,
                    InetAddress.getLoopbackAddress(),
                    DeviceOptions.DEFAULT.withProgress(progress).withDriver(new NettyDriverProvider(options)));
            domain = device.allocateProtectionDomain();
            queue = device.createCompletionQueue(1024);
            queuePair = domain.createQueuePair(QueuePairOptions.rc(queue).withDepths(256, 256));
            EnumSet<Access> rights = EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ);
            memory = arena.allocate(regionBytes, 64);
            region = domain.register(memory, rights);
            queuePair.modify(QpAttributes.builder()
                    .state(QpState.INIT)
                    .pKeyIndex(0)
                    .port(1)
                    .access(rights)
                    .build());
        }

        /** Records; runs the answer when a request comes. */
        final class Calls implements StreamListener {
            private final Runnable answer;

            Calls(Runnable answer) {
                this.answer = answer;
            }

            @Override
            public void onRequest(byte[] privateData, int peerIrd, int peerOrd) {
                calls.add("request");
                answer.run();
            }

            @Override
            public void onEstablished(byte[] privateData, MpaNegotiated negotiated) {
                calls.add("established");
            }

            @Override
            public void onRejected(byte[] privateData) {
                calls.add("rejected");
            }

            @Override
            public void onFailed(ConnectFailure failure) {
                calls.add("failed: " + failure);
            }

            @Override
            public void onDisconnected() {
                calls.add("disconnected");
            }
        }
    }
}
