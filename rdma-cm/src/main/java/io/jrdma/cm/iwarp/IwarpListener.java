package io.jrdma.cm.iwarp;

import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.spi.StreamConnector;
import io.jrdma.verbs.spi.StreamListening;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A listening address: turns streams into connection requests and keeps the number of unanswered ones within the backlog; a request beyond
 * it is rejected at once, so that its client learns of it now and not at the end of its patience. Loop only.
 */
public final class IwarpListener {
    /** Who gets the requests. */
    @FunctionalInterface
    public interface Requests {
        /**
         * A request arrived; it stands until {@link IwarpConnection#accept}, {@link IwarpConnection#reject} or {@link
         * IwarpConnection#destroy}.
         *
         * @param peerIrd Reads that the peer serves at once
         * @param peerOrd Reads that the peer wants to keep outstanding
         */
        void onRequest(IwarpConnection request, byte[] privateData, int peerIrd, int peerOrd);
    }

    private final Requests requests;
    private final int backlog;
    private @Nullable StreamListening listening;
    private int unanswered;

    /**
     * A listener that is not open yet.
     *
     * @param backlog requests that may be unanswered at once, 1 or more
     */
    public IwarpListener(int backlog, Requests requests) {
        this.backlog = backlog;
        this.requests = requests;
    }

    /**
     * Begins to listen.
     *
     * @param local port 0 takes a free one
     * @throws io.jrdma.verbs.VerbsException EADDRINUSE, EADDRNOTAVAIL or EACCES
     */
    public void open(StreamConnector connector, InetSocketAddress local, MpaOptions options) {
        listening =
                connector.listen(local, backlog, options, stream -> new IwarpConnection(this, stream).streamListener());
    }

    /** Where it listens, with the port that was taken; null before {@link #open}. */
    public @Nullable InetSocketAddress localAddress() {
        return listening == null ? null : listening.localAddress();
    }

    /** Takes no more requests; unanswered ones are dropped, accepted connections stay. Harmless when repeated. */
    public void close() {
        StreamListening open = listening;
        listening = null;
        if (open != null) {
            open.close();
        }
    }

    boolean admit() {
        if (listening == null || unanswered >= backlog) {
            return false;
        }
        unanswered++;
        return true;
    }

    void answered() {
        unanswered--;
    }

    void onRequest(IwarpConnection request, byte[] privateData, int peerIrd, int peerOrd) {
        requests.onRequest(request, privateData, peerIrd, peerOrd);
    }
}
