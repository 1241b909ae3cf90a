package io.jrdma.testkit.sim;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.StreamAcceptor;
import io.jrdma.verbs.spi.StreamConnection;
import io.jrdma.verbs.spi.StreamConnector;
import io.jrdma.verbs.spi.StreamListener;
import io.jrdma.verbs.spi.StreamListening;
import io.jrdma.verbs.spi.StreamParameters;
import io.jrdma.verbs.spi.StreamTransport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The streams of one device. */
final class SimStreams implements StreamConnector {
    private final SimDriver driver;
    private final StreamTransport transport;
    private final Set<SimStream> streams = new LinkedHashSet<>();
    private final Set<SimListening> listenings = new LinkedHashSet<>();
    private int created;
    private boolean closing;

    SimStreams(SimDriver driver, StreamTransport transport) {
        this.driver = driver;
        this.transport = transport;
    }

    SimDriver driver() {
        return driver;
    }

    StreamTransport transport() {
        return transport;
    }

    @Override
    public StreamConnection connect(
            @Nullable InetSocketAddress local,
            InetSocketAddress remote,
            QueuePairCore queuePair,
            StreamParameters parameters,
            StreamListener listener) {
        SimStream stream = newStream(null, localEnd(local, remote), remote);
        stream.host(transport.initiator(queuePair, parameters, listener));
        add(stream);
        driver.host().network().connect(stream, remote);
        return stream;
    }

    private InetSocketAddress localEnd(@Nullable InetSocketAddress local, InetSocketAddress remote) {
        InetAddress address = local == null ? driver.localAddress() : local.getAddress();
        if (address.isAnyLocalAddress()) {
            address = driver.host().localAddressFor(remote.getAddress());
        }
        if (!driver.host().addresses().contains(address)) {
            throw new VerbsException(
                    Errno.EADDRNOTAVAIL, address.getHostAddress() + " is no address of host " + driver.host());
        }
        int port = local == null || local.getPort() == 0 ? driver.host().ephemeralPort() : local.getPort();
        return new InetSocketAddress(address, port);
    }

    @Override
    public StreamListening listen(InetSocketAddress local, int backlog, MpaOptions options, StreamAcceptor acceptor) {
        if (closing) {
            throw new VerbsException(Errno.ENODEV, "device " + driver.name() + " is being closed");
        }
        if (backlog < 1) {
            throw new VerbsException(Errno.EINVAL, "backlog " + backlog + " is less than 1");
        }
        if (!local.getAddress().isAnyLocalAddress()
                && !driver.host().addresses().contains(local.getAddress())) {
            throw new VerbsException(Errno.EADDRNOTAVAIL, local + " is no address of host " + driver.host());
        }
        InetSocketAddress bound = local.getPort() == 0
                ? new InetSocketAddress(local.getAddress(), driver.host().ephemeralPort())
                : local;
        SimListening listening = new SimListening(this, bound, backlog, options, acceptor);
        driver.host().add(listening);
        listenings.add(listening);
        return listening;
    }

    SimStream newStream(@Nullable SimListening listening, InetSocketAddress local, InetSocketAddress remote) {
        return new SimStream(this, listening, driver.name() + "#" + created++, local, remote);
    }

    void add(SimStream stream) {
        streams.add(stream);
        if (closing) {
            stream.end();
        }
    }

    void forget(SimStream stream) {
        streams.remove(stream);
        driver.host().network().forget(stream);
    }

    void forget(SimListening listening) {
        listenings.remove(listening);
        driver.host().remove(listening);
    }

    boolean isEmpty() {
        return streams.isEmpty();
    }

    /** Ends listening, and all streams in good order. */
    void beginClose() {
        closing = true;
        new ArrayList<>(listenings).forEach(SimListening::close);
        new ArrayList<>(streams).forEach(SimStream::end);
    }

    /** Drops what has not ended, at once. */
    void drop() {
        new ArrayList<>(streams).forEach(SimStream::dropNow);
    }
}
