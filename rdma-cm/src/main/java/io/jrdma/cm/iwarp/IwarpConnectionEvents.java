package io.jrdma.cm.iwarp;

import io.jrdma.verbs.MpaNegotiated;

/**
 * What becomes of one connection, in the events of {@code rdma_cma.h}. Called on the loop; exactly one of the first four calls, and after
 * {@link #onEstablished} exactly one {@link #onDisconnected}; nothing once the connection was destroyed. Status codes are 0 or a negative
 * errno, as the kernel's iWARP connection manager gives them.
 */
public interface IwarpConnectionEvents {
    /** {@code ESTABLISHED}. */
    void onEstablished(byte[] privateData, MpaNegotiated negotiated);

    /** {@code REJECTED}: -ECONNRESET if the peer's application said no, -ECONNREFUSED if nobody listens there. */
    void onRejected(int status, byte[] privateData, String text);

    /** {@code UNREACHABLE}: -ETIMEDOUT, or why there is no way to the peer. */
    void onUnreachable(int status, String text);

    /** {@code CONNECT_ERROR}: the handshake broke (-EINVAL), or what kept this side from taking part. */
    void onConnectError(int status, String text);

    /** {@code DISCONNECTED}: every work request of the queue pair has its completion. */
    void onDisconnected();

    /** The peer went away before its request was answered; an accept that comes still ends in {@link #onConnectError}. */
    void onRequestGone();
}
