package io.jrdma.cm;

/** What a {@link RdmaCmId} has been through. Which call is allowed in which state stands with the calls. */
public enum RdmaCmState {
    /** New. */
    IDLE,
    /** Bound to a local address. */
    ADDRESS_BOUND,
    /** {@link RdmaCmId#resolveAddress} is under way. */
    ADDRESS_QUERY,
    /** The peer's address is known, and the device that reaches it. */
    ADDRESS_RESOLVED,
    /** {@link RdmaCmId#resolveRoute} is under way. */
    ROUTE_QUERY,
    /** Ready to connect. */
    ROUTE_RESOLVED,
    /** Listening. */
    LISTEN,
    /** A peer's request, not answered yet. */
    REQUEST_RECEIVED,
    /** {@link RdmaCmId#connect} is under way. */
    CONNECTING,
    /** {@link RdmaCmId#accept} is under way. */
    ACCEPTING,
    /** Connected. */
    ESTABLISHED,
    /** {@link RdmaCmId#disconnect} is under way. */
    DISCONNECTING,
    /** The connection is over or did not come up, or the device was removed; only closing is left. */
    CLOSED,
    /** The id was closed. */
    DESTROYED
}
