package io.jrdma.cm;

import io.jrdma.verbs.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one server or client: one event channel whose events go to whoever is attached to the id, and the two ways of waiting,
 * on a future or by making progress.
 */
final class ConnectionGroup {
    /** What is attached to an id of the short way. */
    interface Sink {
        /** An event of the id; one at a time. */
        void onEvent(RdmaCmEvent event);
    }

    private final Transport transport;
    private final RdmaConnectionOptions options;
    private final RdmaEventChannel channel;
    private final Set<RdmaConnection> connections = ConcurrentHashMap.newKeySet();
    private final Object closing = new Object();

    ConnectionGroup(Transport transport, RdmaConnectionOptions options) {
        this.transport = transport;
        this.options = options;
        this.channel = RdmaEventChannel.create(options.device());
        channel.onEvent(ConnectionGroup::dispatch);
    }

    private static void dispatch(RdmaCmEvent event) {
        RdmaCmId id = event instanceof RdmaCmEvent.ConnectRequest request ? request.listenId() : event.id();
        if (id.context() instanceof Sink sink) {
            sink.onEvent(event);
        }
    }

    Transport transport() {
        return transport;
    }

    RdmaConnectionOptions options() {
        return options;
    }

    RdmaEventChannel channel() {
        return channel;
    }

    boolean isManual() {
        return channel.isManual();
    }

    void add(RdmaConnection connection) {
        connections.add(connection);
    }

    void remove(RdmaConnection connection) {
        connections.remove(connection);
    }

    /** Waits for a future; in manual mode by making progress. */
    <T> T await(CompletableFuture<T> future, Duration timeout)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (!isManual()) {
            return future.get(Durations.nanos(timeout), TimeUnit.NANOSECONDS);
        }
        long left = Durations.nanos(timeout);
        while (!future.isDone()) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (left <= 0) {
                throw new TimeoutException();
            }
            left -= channel.progressFor(left);
        }
        return future.get();
    }

    /** Waits for an operation, however long it takes. */
    void complete(CompletableFuture<Void> operation) throws InterruptedException {
        try {
            await(operation, Durations.FOREVER);
        } catch (ExecutionException failed) {
            throw unwrap(failed);
        } catch (TimeoutException impossible) {
            throw new AssertionError("a hundred years have passed", impossible);
        }
    }

    /** What an operation failed with. */
    static RuntimeException unwrap(ExecutionException failed) {
        if (failed.getCause() instanceof WorkCompletionException cause) {
            return cause;
        }
        throw new AssertionError("operations fail with a completion's status", failed);
    }

    /** Waits for the end of a connection, as long as the options say; what comes next does not depend on it. */
    void awaitEnd(CompletableFuture<Void> end) {
        try {
            await(end, options.timeout());
        } catch (TimeoutException peerIsGone) {
            return;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException impossible) {
            throw new AssertionError("the end of a connection never fails", impossible);
        }
    }

    /**
     * Takes what arrives in a mailbox.
     *
     * @return null if nothing did in that time
     */
    <T> @Nullable T take(Mailbox<T> mailbox, Duration timeout) throws InterruptedException, ExecutionException {
        CompletableFuture<T> next = mailbox.next();
        try {
            return await(next, timeout);
        } catch (TimeoutException none) {
            return mailbox.withdraw(next) ? null : next.get();
        } catch (InterruptedException interrupted) {
            if (mailbox.withdraw(next)) {
                throw interrupted;
            }
            // it has come already: losing it would be worse than being a moment late
            Thread.currentThread().interrupt();
            return next.join();
        }
    }

    /**
     * Ends all connections in good order, side by side, then closes the channel and its devices. Where what it waits for comes from, on a
     * loop or where events are handed out, it goes on in the background.
     *
     * @throws io.jrdma.verbs.VerbsException EBUSY in manual mode on the loop, where there is no background; nothing was closed
     */
    void close() {
        if (!isManual() && (!channel.canClose() || channel.isDispatching())) {
            Thread.ofVirtual().name("jrdma-cm-close").start(this::closeNow);
        } else {
            closeNow();
        }
    }

    private void closeNow() {
        channel.checkCanClose();
        // whoever comes second shall find everything closed when this returns
        synchronized (closing) {
            List<RdmaConnection> left = new ArrayList<>(connections);
            left.forEach(RdmaConnection::disconnect);
            left.forEach(RdmaConnection::closeWithoutGroup);
            channel.close();
        }
    }
}
