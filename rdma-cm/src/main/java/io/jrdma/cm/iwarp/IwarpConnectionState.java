package io.jrdma.cm.iwarp;

/** Where a connection stands between its stream and the connection manager. */
public enum IwarpConnectionState {
    /** Active side: nothing was begun. */
    IDLE,
    /** Active side: the stream and its handshake are under way. */
    CONNECTING,
    /** Passive side: a stream was opened, the peer's request has not arrived. */
    AWAITING_REQUEST,
    /** Passive side: the request waits for the application's answer. */
    REQUEST_RECEIVED,
    /** Passive side: the peer went away before the application answered. */
    REQUEST_GONE,
    /** Passive side: accepted, not up yet. */
    ACCEPTING,
    /** Up. */
    ESTABLISHED,
    /** Over, or never came up; the last state. */
    CLOSED
}
