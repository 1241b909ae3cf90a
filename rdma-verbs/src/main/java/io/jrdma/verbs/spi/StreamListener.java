package io.jrdma.verbs.spi;

import io.jrdma.verbs.MpaNegotiated;

/**
 * What an engine tells the connection manager about one stream. Called on the loop, never from inside a command of the same stream's
 * caller thread other than the loop. Private data is without the enhanced connection data.
 *
 * <p>Order: active side {@code onEstablished | onRejected | onFailed}; passive side {@code onRequest}, then {@code onEstablished} after an
 * accept, or {@code onFailed}, which may come before {@code onRequest} as well, when the peer's request never came whole or in order;
 * nothing follows a {@link PassiveStreamEngine#reject}. After {@code onEstablished} exactly one {@code onDisconnected} follows, when every
 * work request of the queue pair has its completion. A queue pair whose connection failed before it was accepted, or before the reply had
 * come, stays in INIT and may be connected again; otherwise it ends in ERROR.
 */
public interface StreamListener {
    /**
     * Passive side: a valid request arrived.
     *
     * @param peerIrd Reads that the peer serves at once
     * @param peerOrd Reads that the peer wants to keep outstanding
     */
    void onRequest(byte[] privateData, int peerIrd, int peerOrd);

    /**
     * The connection is up.
     *
     * @param privateData of the reply (active side), empty on the passive side
     */
    void onEstablished(byte[] privateData, MpaNegotiated negotiated);

    /** Active side: the peer's application said no. */
    void onRejected(byte[] privateData);

    /** The connection did not come up, for a reason other than a rejection. */
    void onFailed(ConnectFailure failure);

    /** The established connection is over, from either side. */
    void onDisconnected();
}
