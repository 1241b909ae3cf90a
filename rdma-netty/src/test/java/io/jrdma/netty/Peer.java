package io.jrdma.netty;

import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.MpaNegotiated;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.spi.ConnectFailure;
import io.jrdma.verbs.spi.DeviceDriver;
import io.jrdma.verbs.spi.LoopGuard;
import io.jrdma.verbs.spi.StreamConnection;
import io.jrdma.verbs.spi.StreamListener;
import io.jrdma.verbs.spi.StreamListening;
import io.jrdma.verbs.spi.StreamParameters;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** A driver with {@link PatternTransport}, and what its listeners heard. */
final class Peer implements AutoCloseable {
    static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    final PatternTransport transport = new PatternTransport();
    final CheckingGuard guard = new CheckingGuard();
    final DeviceDriver driver;
    /** Connections that came in, in order. */
    final List<Heard> accepted = new CopyOnWriteArrayList<>();
    /** Accepts each request at once. */
    volatile boolean accepting = true;

    Peer(NettyOptions options, DeviceOptions.Progress progress) {
        driver = new NettyDriverProvider(options)
                .open(Transport.IWARP, LOOPBACK, DeviceOptions.DEFAULT.withProgress(progress));
        guard.driver = driver;
        driver.start(transport, guard);
    }

    static StreamParameters parameters() {
        return new StreamParameters(MpaOptions.RECOMMENDED, 0, 0, new byte[0]);
    }

    /** Runs it on the loop and gives what it returns. */
    <T> T inLoop(Supplier<T> work) {
        AtomicReference<T> result = new AtomicReference<>();
        driver.call(() -> result.set(work.get()));
        return result.get();
    }

    StreamListening listen(int backlog) {
        return listen(new InetSocketAddress(LOOPBACK, 0), backlog);
    }

    StreamListening listen(InetSocketAddress local, int backlog) {
        return inLoop(() -> driver.streams().listen(local, backlog, MpaOptions.RECOMMENDED, connection -> {
            Heard heard = new Heard();
            heard.connection = connection;
            heard.answersRequests = true;
            accepted.add(heard);
            return heard;
        }));
    }

    Heard connect(InetSocketAddress remote) {
        return connect(null, remote);
    }

    Heard connect(InetSocketAddress local, InetSocketAddress remote) {
        Heard heard = new Heard();
        driver.call(() -> {
            heard.connection = driver.streams().connect(local, remote, null, parameters(), heard);
            heard.insideConnect = false;
        });
        return heard;
    }

    /** The engine of the n-th connection on this side, in the order in which they came up. */
    PatternEngine engine(int index) {
        return transport.opened.get(index);
    }

    void send(PatternEngine engine, long bytes) {
        driver.execute(() -> engine.send(bytes));
    }

    @Override
    public void close() {
        driver.close();
    }

    /** What a listener heard. */
    final class Heard implements StreamListener {
        final List<String> calls = new CopyOnWriteArrayList<>();
        volatile StreamConnection connection;
        volatile ConnectFailure failure;
        volatile boolean insideConnect = true;
        private boolean answersRequests;

        private void hear(String call) {
            if (!answersRequests && insideConnect) {
                calls.add("inside connect:");
            }
            if (!driver.inLoop()) {
                calls.add("outside the loop:");
            }
            calls.add(call);
        }

        @Override
        public void onRequest(byte[] privateData, int peerIrd, int peerOrd) {
            hear("request");
            if (accepting) {
                connection.accept(null, parameters());
            }
        }

        @Override
        public void onEstablished(byte[] privateData, MpaNegotiated negotiated) {
            hear("established");
        }

        @Override
        public void onRejected(byte[] privateData) {
            hear("rejected");
        }

        @Override
        public void onFailed(ConnectFailure newFailure) {
            failure = newFailure;
            hear("failed");
        }

        @Override
        public void onDisconnected() {
            hear("disconnected");
        }
    }

    /** Sees to it that bursts do not nest and are the loop's. */
    static final class CheckingGuard implements LoopGuard {
        volatile DeviceDriver driver;
        volatile long bursts;
        volatile boolean inside;
        volatile boolean broken;

        @Override
        public void enter() {
            broken |= inside || !driver.inLoop();
            inside = true;
        }

        @Override
        public void exit() {
            broken |= !inside || !driver.inLoop();
            inside = false;
            bursts++;
        }
    }
}
