package io.jrdma.cm;

import io.jrdma.verbs.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * The connecting side, the short way. {@link #connect} makes one connection; a client that was {@link #open opened} makes many. Which
 * devices they share, {@link RdmaEventChannel} says.
 *
 * <pre>{@code
 * try (RdmaConnection server = RdmaClient.connect(Transport.IWARP, "127.0.0.1", 7471)) {
 *     server.send("hello".getBytes(UTF_8));
 *     System.out.println(new String(server.receive(), UTF_8));
 * }
 * }</pre>
 */
public final class RdmaClient implements AutoCloseable {
    private final ConnectionGroup group;

    private RdmaClient(ConnectionGroup group) {
        this.group = group;
    }

    /** Connects with {@link RdmaConnectionOptions#RECOMMENDED}; see {@link #connect(Transport, String, int, RdmaConnectionOptions)}. */
    public static RdmaConnection connect(Transport transport, String host, int port)
            throws IOException, InterruptedException {
        return connect(transport, host, port, RdmaConnectionOptions.RECOMMENDED);
    }

    /**
     * Connects; closing the connection closes all that was opened for it.
     *
     * @param host an address, or a name, which is looked up
     * @throws RdmaConnectException if the connection does not come up within {@link RdmaConnectionOptions#timeout}
     * @throws java.net.UnknownHostException if the name is not known
     * @throws io.jrdma.verbs.VerbsException if the call itself is wrong, or there is no transport or driver on the path; EADDRNOTAVAIL if
     *     {@link RdmaConnectionOptions#source} is not this host's, EINVAL if it is of another family than the peer's address
     */
    public static RdmaConnection connect(Transport transport, String host, int port, RdmaConnectionOptions options)
            throws IOException, InterruptedException {
        InetSocketAddress peer = new InetSocketAddress(InetAddress.getByName(host), port);
        RdmaClient client = open(transport, options);
        try {
            RdmaConnection connection = client.connectTo(peer);
            connection.ownGroup();
            return connection;
        } catch (Exception | Error failed) {
            client.close();
            throw failed;
        }
    }

    /** A client for many connections, which share a device for each local address. */
    public static RdmaClient open(Transport transport, RdmaConnectionOptions options) {
        return new RdmaClient(new ConnectionGroup(transport, options));
    }

    /** Connects; as {@link #connect(Transport, String, int, RdmaConnectionOptions)}, on the client's devices. */
    public RdmaConnection connectTo(InetSocketAddress peer) throws IOException, InterruptedException {
        return Handshake.connect(group, peer).await();
    }

    /**
     * Connects; the future completes on a thread that events come on and must not be held up. It fails with {@link RdmaConnectException}
     * when the transport gives up; the time limit of the options does not count.
     */
    public CompletableFuture<RdmaConnection> connectToAsync(InetSocketAddress peer) {
        return Handshake.connect(group, peer).result();
    }

    /** Manual mode: makes progress for the client and all its connections; zero only looks. */
    public void progress(Duration timeout) {
        group.channel().progress(timeout);
    }

    /**
     * Ends all connections in good order and closes the devices. Harmless when repeated. Called where a future completes, it goes on in
     * the background; in manual mode it is refused there with EBUSY.
     */
    @Override
    public void close() {
        group.close();
    }
}
