package io.jrdma.verbs.spi;

import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.queue.QueuePairCore;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** Sets up streams for the connection manager; implemented by drivers, loop thread only. */
public interface StreamConnector {
    /**
     * Opens a stream and runs the handshake on it. Results come through the listener, never inside this call.
     *
     * @param local address and port to bind, or null for the device's address and any port
     * @throws io.jrdma.verbs.VerbsException as {@link StreamTransport#initiator}; nothing was begun
     */
    StreamConnection connect(
            @Nullable InetSocketAddress local,
            InetSocketAddress remote,
            QueuePairCore queuePair,
            StreamParameters parameters,
            StreamListener listener);

    /**
     * Accepts streams.
     *
     * @param local port 0 takes a free one; a wildcard address covers all addresses of the host
     * @param backlog requests that may wait for the application, 1 or more
     * @param options for the handshake of each
     * @throws io.jrdma.verbs.VerbsException EADDRINUSE, EADDRNOTAVAIL or EACCES, with the address in the message
     */
    StreamListening listen(InetSocketAddress local, int backlog, MpaOptions options, StreamAcceptor acceptor);
}
