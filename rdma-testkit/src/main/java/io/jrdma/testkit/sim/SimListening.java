package io.jrdma.testkit.sim;

import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.spi.StreamAcceptor;
import io.jrdma.verbs.spi.StreamListening;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A listening address. Streams beyond the backlog that nobody has answered get no answer from the network either. */
final class SimListening implements StreamListening {
    private final SimStreams streams;
    private final InetSocketAddress local;
    private final int backlog;
    private final MpaOptions options;
    private final StreamAcceptor acceptor;
    private final Set<SimStream> unanswered = new LinkedHashSet<>();
    private boolean closed;

    SimListening(
            SimStreams streams, InetSocketAddress local, int backlog, MpaOptions options, StreamAcceptor acceptor) {
        this.streams = streams;
        this.local = local;
        this.backlog = backlog;
        this.options = options;
        this.acceptor = acceptor;
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    boolean hasRoom() {
        return unanswered.size() < backlog;
    }

    /** A new stream from a peer, not open yet; null if listening has ended. */
    @Nullable
    SimStream accept(InetSocketAddress at, InetSocketAddress peer, int number) {
        if (closed) {
            return null;
        }
        SimStream stream = streams.newStream(this, at, peer);
        streams.driver().burst(() -> stream.host(streams.transport().responder(options, acceptor.onStream(stream))));
        unanswered.add(stream);
        streams.add(stream);
        return stream;
    }

    /** The stream was accepted or rejected, or has ended. */
    void answered(SimStream stream) {
        unanswered.remove(stream);
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        new ArrayList<>(unanswered).forEach(SimStream::abort);
        streams.forget(this);
    }
}
