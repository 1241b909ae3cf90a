package io.jrdma.cm;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The accepting side, the short way.
 *
 * <pre>{@code
 * try (RdmaServer server = RdmaServer.listen(Transport.IWARP, "127.0.0.1", 7471);
 *         RdmaConnection client = server.accept()) {
 *     client.send(client.receive());
 * }
 * }</pre>
 */
public final class RdmaServer implements AutoCloseable {
    private static final byte[] NOTHING = {};

    private final ConnectionGroup group;
    private final RdmaCmId id;
    private final Mailbox<RdmaRequest> requests = new Mailbox<>();
    private final Acceptances acceptances;

    private RdmaServer(ConnectionGroup group) {
        this.group = group;
        this.acceptances = new Acceptances(group, requests);
        this.id = group.channel().createId(group.transport());
        id.context((ConnectionGroup.Sink) this::onEvent);
    }

    /** Listens with {@link RdmaConnectionOptions#RECOMMENDED}; see {@link #listen(Transport, String, int, RdmaConnectionOptions)}. */
    public static RdmaServer listen(Transport transport, String host, int port) throws UnknownHostException {
        return listen(transport, host, port, RdmaConnectionOptions.RECOMMENDED);
    }

    /**
     * Listens.
     *
     * @param host a local address or a name, which is looked up; {@code 0.0.0.0} or {@code ::} for all addresses
     * @param port 0 takes a free one, see {@link #localAddress}
     * @param options for the connections; each accept uses its parameters
     * @throws VerbsException EADDRINUSE if the port is taken, EADDRNOTAVAIL if the address is not this host's, EINVAL if the private data
     *     are too long for a reply
     */
    public static RdmaServer listen(Transport transport, String host, int port, RdmaConnectionOptions options)
            throws UnknownHostException {
        CmParameters.checkReply(transport, options.parameters().privateData().length);
        InetSocketAddress local = new InetSocketAddress(InetAddress.getByName(host), port);
        ConnectionGroup group = new ConnectionGroup(transport, options);
        try {
            RdmaServer server = new RdmaServer(group);
            server.id.bind(local);
            server.id.listen(options.backlog(), options.parameters().mpa());
            return server;
        } catch (RuntimeException | Error refused) {
            group.close();
            throw refused;
        }
    }

    /** Where it listens. */
    public InetSocketAddress localAddress() {
        InetSocketAddress local = id.localAddress();
        if (local == null) {
            throw new IllegalStateException("a listening id without an address");
        }
        return local;
    }

    /**
     * Accepts the next request and waits for the connection. Requests that come meanwhile are accepted side by side, so a peer that is slow
     * or goes silent holds up nobody else; the connections are handed out as they come up, by this call and later ones. Requests that
     * come to nothing are passed over.
     *
     * @throws RdmaConnectException {@link RdmaConnectException.Reason#CLOSED} if the server is or gets closed
     * @throws VerbsException ENOMEM if the device has no room for another connection
     */
    public RdmaConnection accept() throws IOException, InterruptedException {
        return acceptances.take();
    }

    /**
     * Takes the next request without answering it, to look at its private data first.
     *
     * @param timeout how long to wait; zero only looks
     * @return null if there was none in that time
     * @throws RdmaConnectException {@link RdmaConnectException.Reason#CLOSED} if the server is or gets closed
     */
    public @Nullable RdmaRequest nextRequest(Duration timeout) throws IOException, InterruptedException {
        try {
            return group.take(requests, timeout);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof IOException closed) {
                throw closed;
            }
            throw new IllegalStateException(failed.getCause());
        }
    }

    /** A future of the next request; it completes on a thread that events come on and must not be held up. */
    public CompletableFuture<RdmaRequest> nextRequestAsync() {
        return requests.next();
    }

    /** Manual mode: makes progress for the server and all its connections; zero only looks. */
    public void progress(Duration timeout) {
        group.channel().progress(timeout);
    }

    private void onEvent(RdmaCmEvent event) {
        if (event instanceof RdmaCmEvent.ConnectRequest request) {
            requests.put(new RdmaRequest(group, request));
            requests.settle();
            acceptances.begin();
        } else if (event instanceof RdmaCmEvent.DeviceRemoval) {
            end("the device was closed");
        }
    }

    private void end(String why) {
        RdmaConnectException reason =
                new RdmaConnectException(RdmaConnectException.Reason.CLOSED, -Errno.ENODEV.number(), NOTHING, why);
        requests.end(reason);
        acceptances.close(reason);
    }

    /**
     * Stops listening, rejects the requests that wait, ends all connections in good order, closes the device. Harmless when repeated.
     * Called where a future completes, it goes on in the background; in manual mode it is refused there with EBUSY.
     */
    @Override
    public void close() {
        id.close();
        end("the server was closed");
        requests.clear().forEach(RdmaRequest::drop);
        group.close();
    }
}
