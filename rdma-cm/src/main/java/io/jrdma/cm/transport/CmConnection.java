package io.jrdma.cm.transport;

import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.DeviceDriver;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a wire, in either role. Loop only. Commands that come too late do nothing, because the report that settled the matter
 * is on its way to the application.
 */
public interface CmConnection {
    /** Passive side: who wants the reports; to be called inside {@link CmRequests#onRequest}. */
    void listen(CmConnectionEvents events);

    /** The own end, or null before it is known. */
    @Nullable
    InetSocketAddress localAddress();

    /** The peer's end, or null before it is known. */
    @Nullable
    InetSocketAddress remoteAddress();

    /**
     * Begins; what the transport refuses ends in {@link CmConnectionEvents#onConnectError}.
     *
     * @param driver of the device whose loop runs this
     * @param local address and port to connect from; null for the device's address and any port
     */
    void connect(
            DeviceDriver driver,
            @Nullable InetSocketAddress local,
            InetSocketAddress remote,
            QueuePairCore queuePair,
            ConnectionOffer offer,
            long nowNs);

    /** Answers the request with yes; what the transport refuses ends in a rejection and {@link CmConnectionEvents#onConnectError}. */
    void accept(QueuePairCore queuePair, ConnectionOffer offer, long nowNs);

    /** Answers the request with no. */
    void reject(byte[] privateData, long nowNs);

    /** Ends the connection in good order; ends in {@link CmConnectionEvents#onDisconnected}. */
    void disconnect(long nowNs);

    /**
     * The id has no more interest: no report follows. An established connection is ended in good order behind its back, a request that waits
     * is rejected, anything else is dropped.
     */
    void destroy(long nowNs);
}
