package io.jrdma.verbs;

import io.jrdma.verbs.spi.DeviceContext;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Where datagrams go to ({@code ibv_ah}), with the path to there kept ready. It may be closed while requests that name it are still to be
 * sent: they go where they were meant to go, and the path stays until then. Made by {@link ProtectionDomain#createAddressHandle}.
 * Thread-safe.
 */
public final class AddressHandle implements AutoCloseable {
    private final DeviceContext device;
    private final int protectionDomain;
    private final AddressVector destination;
    private final int pathId;
    private final Consumer<AddressHandle> release;
    private boolean closed;
    /** Posted requests that name it and have no result yet. */
    private int holders;

    /**
     * A handle for a path that is known already; for transports. Applications call {@link ProtectionDomain#createAddressHandle}.
     *
     * @param device that the domain belongs to
     * @param protectionDomain number of the domain
     * @param pathId the transport's number of the path
     * @param release told once, when the path is not needed any more
     */
    public AddressHandle(
            DeviceContext device,
            int protectionDomain,
            AddressVector destination,
            int pathId,
            Consumer<AddressHandle> release) {
        this.device = device;
        this.protectionDomain = protectionDomain;
        this.destination = destination;
        this.pathId = pathId;
        this.release = release;
    }

    /** Where it leads. */
    public AddressVector destination() {
        return destination;
    }

    /** Whether it belongs to that domain of that device. */
    public boolean isOf(DeviceContext owner, int domain) {
        return device.equals(owner) && protectionDomain == domain;
    }

    /** The transport's number of the path. */
    public int pathId() {
        return pathId;
    }

    /** Whether it was closed. */
    public synchronized boolean isClosed() {
        return closed;
    }

    /**
     * Keeps the path for a request that is being posted; for the queue pair.
     *
     * @return false if the handle is closed: there is nothing to keep
     */
    public synchronized boolean hold() {
        if (closed) {
            return false;
        }
        holders++;
        return true;
    }

    /**
     * Takes back one {@link #hold}.
     *
     * @param later runs what is to be done if the path is let go with it: not inside this call, because the transport may be in the middle
     *     of its work
     */
    public void letGo(Executor later) {
        boolean last;
        synchronized (this) {
            last = --holders == 0 && closed;
        }
        if (last) {
            later.execute(() -> release.accept(this));
        }
    }

    /** Lets the path go, at the latest when the requests that name it have their results ({@code ibv_destroy_ah}). Harmless when repeated. */
    @Override
    public void close() {
        boolean last;
        synchronized (this) {
            last = !closed && holders == 0;
            closed = true;
        }
        if (last) {
            release.accept(this);
        }
    }

    @Override
    public String toString() {
        return "AddressHandle[" + destination.destination().getHostAddress() + "]";
    }
}
