package io.jrdma.verbs;

import java.util.function.Consumer;

/**
 * Where datagrams go to ({@code ibv_ah}), with the path to there kept ready. Close it when no posted request names it any more: one
 * that is sent after that is lost or goes to another's peer. Made by {@link ProtectionDomain#createAddressHandle}. Thread-safe.
 */
public final class AddressHandle implements AutoCloseable {
    private final int protectionDomain;
    private final AddressVector destination;
    private final int pathId;
    private final Consumer<AddressHandle> release;
    private boolean closed;

    /**
     * A handle for a path that is known already; for transports. Applications call {@link ProtectionDomain#createAddressHandle}.
     *
     * @param protectionDomain number of the domain
     * @param pathId the transport's number of the path
     * @param release told once, when the handle is closed
     */
    public AddressHandle(int protectionDomain, AddressVector destination, int pathId, Consumer<AddressHandle> release) {
        this.protectionDomain = protectionDomain;
        this.destination = destination;
        this.pathId = pathId;
        this.release = release;
    }

    /** Where it leads. */
    public AddressVector destination() {
        return destination;
    }

    /** The number of the domain that it belongs to. */
    public int protectionDomain() {
        return protectionDomain;
    }

    /** The transport's number of the path. */
    public int pathId() {
        return pathId;
    }

    /** Whether it was closed. */
    public synchronized boolean isClosed() {
        return closed;
    }

    /** Lets the path go ({@code ibv_destroy_ah}). Harmless when repeated. */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        release.accept(this);
    }

    @Override
    public String toString() {
        return "AddressHandle[" + destination.destination().getHostAddress() + "]";
    }
}
