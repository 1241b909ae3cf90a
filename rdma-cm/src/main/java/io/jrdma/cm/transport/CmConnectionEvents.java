package io.jrdma.cm.transport;

/**
 * What becomes of one connection, in the events of {@code rdma_cma.h}. Called on the loop; exactly one of the first four calls, and after
 * {@link #onEstablished} exactly one {@link #onDisconnected}; nothing once the connection was destroyed. Status codes are those that the
 * kernel's connection manager of that wire gives.
 */
public interface CmConnectionEvents {
    /**
     * {@code ESTABLISHED}.
     *
     * @param privateData that of the reply, on the active side
     */
    void onEstablished(byte[] privateData, ConnectionTerms terms);

    /** {@code REJECTED}: a negative errno on iWARP, the reason of the REJ message on RoCE. */
    void onRejected(int status, byte[] privateData, String text);

    /** {@code UNREACHABLE}: -ETIMEDOUT, or why there is no way to the peer. */
    void onUnreachable(int status, String text);

    /** {@code CONNECT_ERROR}: the handshake broke (-EINVAL), or what kept this side from taking part. */
    void onConnectError(int status, String text);

    /**
     * {@code DISCONNECTED}: every work request of the queue pair has its completion.
     *
     * @param status 0, or -ETIMEDOUT if the peer never answered
     */
    void onDisconnected(int status);

    /** The peer went away before its request was answered; an accept that comes still ends in {@link #onConnectError}. */
    void onRequestGone();

    /** {@code TIMEWAIT_EXIT}: the connection's numbers may be used again; not on iWARP. */
    void onTimewaitExit();
}
