package io.jrdma.cm.iwarp;

/** What can happen to a connection: commands of the connection manager, then reports of the stream. */
enum IwarpConnectionInput {
    CONNECT,
    ACCEPT,
    REJECT,
    DISCONNECT,
    DESTROY,
    ON_REQUEST,
    ON_ESTABLISHED,
    ON_REJECTED,
    ON_FAILED,
    ON_DISCONNECTED
}
