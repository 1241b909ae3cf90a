package io.jrdma.cm;

import org.jspecify.annotations.Nullable;

/** What moves an id from state to state: the application's calls, then what happens to it. */
enum CmInput {
    BIND("bind"),
    LISTEN("listen"),
    RESOLVE_ADDRESS("resolveAddress"),
    RESOLVE_ROUTE("resolveRoute"),
    CREATE_QUEUE_PAIR("createQueuePair"),
    CONNECT("connect"),
    ACCEPT("accept"),
    REJECT("reject"),
    DISCONNECT("disconnect"),
    CLOSE("close"),
    ADDRESS_FOUND(null),
    ADDRESS_FAILED(null),
    ROUTE_FOUND(null),
    ROUTE_FAILED(null),
    CONNECTION_UP(null),
    CONNECTION_FAILED(null),
    CONNECTION_DOWN(null),
    TIMEWAIT_OVER(null),
    DEVICE_REMOVED(null);

    private final @Nullable String call;

    CmInput(@Nullable String call) {
        this.call = call;
    }

    /** Whether the application does it, so that a wrong state is its mistake. */
    boolean isCall() {
        return call != null;
    }

    /** The method's name, or the constant's. */
    String text() {
        return call == null ? name() : call;
    }
}
