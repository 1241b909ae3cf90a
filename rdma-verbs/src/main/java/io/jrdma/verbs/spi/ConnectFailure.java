package io.jrdma.verbs.spi;

import io.jrdma.verbs.Errno;

/**
 * Why a connection did not come up.
 *
 * @param kind which event the connection manager makes of it
 * @param errno Linux's number for it
 * @param text for people: the thing, its value, what is allowed
 */
public record ConnectFailure(Kind kind, Errno errno, String text) {
    /** Kinds of failure, by the event of {@code rdma_cma.h} that reports them. */
    public enum Kind {
        /** Nobody answered in time, or no route. */
        UNREACHABLE,
        /** The peer's system refused (no listener), or the peer closed before it replied. */
        REFUSED,
        /** The peer broke the protocol of the handshake, or a local fault. */
        ERROR
    }
}
