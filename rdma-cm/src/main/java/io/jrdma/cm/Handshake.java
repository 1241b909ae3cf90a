package io.jrdma.cm;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.VerbsException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Brings up one connection of the short way, in either role, and afterwards tells it of its end. */
final class Handshake implements ConnectionGroup.Sink {
    private static final byte[] NOTHING = {};

    private final ConnectionGroup group;
    private final RdmaCmId id;
    private final ConnectionParameters parameters;
    private final byte @Nullable [] requestData;
    private final CompletableFuture<RdmaConnection> result = new CompletableFuture<>();
    private @Nullable RdmaConnection connection;

    private Handshake(
            ConnectionGroup group, RdmaCmId id, ConnectionParameters parameters, byte @Nullable [] requestData) {
        this.group = group;
        this.id = id;
        this.parameters = parameters;
        this.requestData = requestData;
    }

    /** Begins to connect to a peer. */
    static Handshake connect(ConnectionGroup group, InetSocketAddress peer) {
        RdmaCmId id = group.channel().createId(group.transport());
        Handshake handshake = new Handshake(group, id, group.options().parameters(), null);
        id.context(handshake);
        try {
            id.resolveAddress(group.options().source(), peer, group.options().timeout());
        } catch (VerbsException refused) {
            id.close();
            throw refused;
        }
        return handshake;
    }

    /** Begins to accept a request. */
    static Handshake accept(
            ConnectionGroup group, RdmaCmId request, ConnectionParameters parameters, byte[] requestData) {
        Handshake handshake = new Handshake(group, request, parameters, requestData);
        request.context(handshake);
        try {
            synchronized (handshake) {
                handshake.prepare();
                request.accept(parameters);
            }
        } catch (VerbsException refused) {
            handshake.release();
            throw refused;
        }
        return handshake;
    }

    /** The connection, or a {@link RdmaConnectException}. */
    CompletableFuture<RdmaConnection> result() {
        return result;
    }

    /** Waits for the connection; gives up when the time limit of the options has passed. */
    RdmaConnection await() throws IOException, InterruptedException {
        try {
            return group.await(result, group.options().timeout());
        } catch (TimeoutException late) {
            return giveUp(new RdmaConnectException(
                    RdmaConnectException.Reason.TIMEOUT,
                    -Errno.ETIMEDOUT.number(),
                    NOTHING,
                    peer() + " was not connected within "
                            + Durations.text(group.options().timeout())));
        } catch (InterruptedException interrupted) {
            cancel(interrupted);
            throw interrupted;
        } catch (ExecutionException failed) {
            throw unwrap(failed);
        }
    }

    private RdmaConnection giveUp(RdmaConnectException reason) throws IOException, InterruptedException {
        cancel(reason);
        try {
            // it may have come up at the last moment
            return result.get();
        } catch (ExecutionException failed) {
            throw unwrap(failed);
        }
    }

    /** Gives up, unless the connection has come up. */
    void cancel(Exception reason) {
        if (result.completeExceptionally(reason)) {
            release();
        }
    }

    @Override
    public void onEvent(RdmaCmEvent event) {
        Runnable after;
        synchronized (this) {
            after = handle(event);
        }
        // outside the lock: whatever depends on the result runs here
        after.run();
    }

    private Runnable handle(RdmaCmEvent event) {
        try {
            switch (event) {
                case RdmaCmEvent.AddressResolved resolved ->
                    resolved.id().resolveRoute(group.options().timeout());
                case RdmaCmEvent.RouteResolved resolved -> {
                    prepare();
                    resolved.id().connect(parameters);
                }
                case RdmaCmEvent.Established established -> {
                    return up(established);
                }
                case RdmaCmEvent.Disconnected over -> {
                    return ended();
                }
                case RdmaCmEvent.DeviceRemoval over -> {
                    return result.isDone() ? ended() : failed(event, RdmaConnectException.Reason.CLOSED);
                }
                case RdmaCmEvent.Rejected refused -> {
                    return failed(refused, RdmaConnectException.Reason.REJECTED);
                }
                case RdmaCmEvent.Unreachable refused -> {
                    return failed(refused, RdmaConnectException.Reason.UNREACHABLE);
                }
                case RdmaCmEvent.ConnectError refused -> {
                    return failed(refused, RdmaConnectException.Reason.ERROR);
                }
                case RdmaCmEvent.AddressError refused -> {
                    return failed(refused, RdmaConnectException.Reason.ADDRESS);
                }
                case RdmaCmEvent.RouteError refused -> {
                    return failed(refused, RdmaConnectException.Reason.ADDRESS);
                }
                case RdmaCmEvent.ConnectRequest request -> throw new IllegalStateException("a request to " + id);
                case RdmaCmEvent.ConnectResponse response -> throw new IllegalStateException("no queue pair on " + id);
                case RdmaCmEvent.TimewaitExit over -> {}
            }
            return () -> {};
        } catch (VerbsException refused) {
            return failure(new RdmaConnectException(
                    RdmaConnectException.Reason.ERROR,
                    -refused.errno().number(),
                    NOTHING,
                    peer() + ": " + refused.getMessage()));
        }
    }

    private void prepare() {
        RdmaDevice device = id.device();
        if (device == null) {
            throw new IllegalStateException(id + " without a device");
        }
        connection = new RdmaConnection(group, id, device);
    }

    private Runnable up(RdmaCmEvent.Established event) {
        RdmaConnection made = connection;
        if (made == null) {
            throw new IllegalStateException(id + " came up without its queue pair");
        }
        made.established(requestData == null ? event.privateData() : requestData);
        return () -> {
            if (!result.complete(made)) {
                // whoever wanted it has given up
                made.closeInBackground();
            }
        };
    }

    private Runnable ended() {
        RdmaConnection over = connection;
        return over == null ? () -> {} : over::onEnded;
    }

    private Runnable failed(RdmaCmEvent event, RdmaConnectException.Reason reason) {
        return failure(new RdmaConnectException(
                reason,
                event.status(),
                event.privateData(),
                peer() + ": " + event.type() + " (status " + event.status() + ") " + event.text()));
    }

    private Runnable failure(RdmaConnectException reason) {
        return () -> {
            release();
            result.completeExceptionally(reason);
        };
    }

    private synchronized void release() {
        if (connection != null) {
            connection.closeWithoutGroup();
        }
        id.close();
    }

    private String peer() {
        return "connection with " + AddressText.of(id.peerAddress()) + " over "
                + group.transport().id();
    }

    private static IOException unwrap(ExecutionException failed) {
        if (failed.getCause() instanceof IOException cause) {
            return cause;
        }
        throw new IllegalStateException(failed.getCause());
    }
}
