package io.jrdma.cm.fake;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.DeviceDriver;
import io.jrdma.verbs.spi.DeviceEngine;
import io.jrdma.verbs.spi.LoopGuard;
import io.jrdma.verbs.spi.StreamAcceptor;
import io.jrdma.verbs.spi.StreamConnection;
import io.jrdma.verbs.spi.StreamConnector;
import io.jrdma.verbs.spi.StreamListener;
import io.jrdma.verbs.spi.StreamListening;
import io.jrdma.verbs.spi.StreamParameters;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** One device's loop on a {@link FakeNetwork}, and its streams. */
final class FakeDriver implements DeviceDriver, StreamConnector {
    private final FakeNetwork network;
    private final InetAddress localAddress;
    private final Transport transport;
    private LoopGuard guard;
    private FakeRoceTransport.Device roce;
    private FakeManagementPort management;
    private int depth;
    private volatile boolean closed;

    FakeDriver(FakeNetwork network, Transport transport, InetAddress localAddress) {
        this.network = network;
        this.transport = transport;
        this.localAddress = localAddress;
    }

    FakeNetwork network() {
        return network;
    }

    boolean isClosed() {
        return closed;
    }

    void enter() {
        if (depth++ == 0) {
            guard.enter();
        }
    }

    void exit() {
        if (--depth == 0) {
            guard.exit();
        }
    }

    @Override
    public void start(DeviceEngine engine, LoopGuard newGuard) {
        guard = newGuard;
        if (engine instanceof FakeRoceTransport.Device device) {
            roce = device;
            device.driver = this;
            management = new FakeManagementPort(this, device.context);
        }
    }

    Transport transport() {
        return transport;
    }

    InetAddress localAddress() {
        return localAddress;
    }

    FakeRoceTransport.Device roce() {
        return roce;
    }

    @Override
    public FakeManagementPort management() {
        return management;
    }

    @Override
    public void execute(Runnable task) {
        network.schedule(this, 0, task);
    }

    void later(Runnable task) {
        network.schedule(this, FakeNetwork.LATENCY_NS, task);
    }

    @Override
    public void call(Runnable task) {
        if (closed) {
            throw gone();
        }
        if (network.isManual() || network.inLoop()) {
            network.call(this, task);
            return;
        }
        CompletableFuture<Void> done = new CompletableFuture<>();
        network.schedule(
                this,
                0,
                () -> {
                    try {
                        task.run();
                        done.complete(null);
                    } catch (RuntimeException | Error thrown) {
                        done.completeExceptionally(thrown);
                    }
                },
                () -> done.completeExceptionally(gone()));
        try {
            done.join();
        } catch (CompletionException failed) {
            if (failed.getCause() instanceof RuntimeException thrown) {
                throw thrown;
            }
            throw failed;
        }
    }

    private static VerbsException gone() {
        return new VerbsException(Errno.ENODEV, "the device is closed");
    }

    @Override
    public boolean inLoop() {
        return network.inLoop();
    }

    @Override
    public long nowNs() {
        return network.nowNs();
    }

    @Override
    public boolean isManual() {
        return network.isManual();
    }

    @Override
    public boolean progress(long timeoutNs) {
        return network.isManual() && network.progress(timeoutNs);
    }

    @Override
    public boolean canAccess(MemorySegment memory) {
        return true;
    }

    @Override
    public int interfaceMtu() {
        return 1500;
    }

    @Override
    public long seed() {
        return 1;
    }

    @Override
    public StreamConnector streams() {
        return this;
    }

    @Override
    public boolean canClose() {
        return network.isManual() || !network.inLoop();
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        call(() -> {
            network.streamsOf(this).forEach(FakeStream::onDriverClosing);
            if (management != null) {
                management.close();
            }
            closed = true;
        });
        network.closed(this);
    }

    // ---- StreamConnector ----

    @Override
    public StreamConnection connect(
            InetSocketAddress local,
            InetSocketAddress remote,
            QueuePairCore queuePair,
            StreamParameters parameters,
            StreamListener listener) {
        FakeQueuePair own = FakeQueuePair.free(queuePair);
        InetAddress from = local == null ? localAddress : local.getAddress();
        int port = local == null || local.getPort() == 0 ? network.freePort() : local.getPort();
        FakeStream stream = new FakeStream(this, new InetSocketAddress(from, port), remote, listener);
        stream.connect(own, parameters);
        return stream;
    }

    @Override
    public StreamListening listen(InetSocketAddress local, int backlog, MpaOptions options, StreamAcceptor acceptor) {
        InetSocketAddress at =
                local.getPort() == 0 ? new InetSocketAddress(local.getAddress(), network.freePort()) : local;
        FakeListening listening = new FakeListening(this, at, acceptor);
        network.listen(listening);
        return listening;
    }
}
