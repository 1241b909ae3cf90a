package io.jrdma.cm;

import io.jrdma.verbs.VerbsException;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * What {@link RdmaServer#accept} brings up: all requests that come while somebody waits, side by side, so that a peer that goes silent in
 * the middle of its handshake holds up nobody else. Thread-safe.
 */
final class Acceptances {
    /** A peer that never finishes costs the buffers of a connection until the transport gives it up; more such requests wait. */
    private static final int MAX_AT_ONCE = 64;

    private final ConnectionGroup group;
    private final Mailbox<RdmaRequest> requests;
    private final Mailbox<CompletableFuture<RdmaConnection>> results = new Mailbox<>();
    private int takers;
    private int begun;

    Acceptances(ConnectionGroup group, Mailbox<RdmaRequest> requests) {
        this.group = group;
        this.requests = requests;
    }

    /** As {@link RdmaServer#accept}. */
    RdmaConnection take() throws IOException, InterruptedException {
        synchronized (this) {
            takers++;
        }
        try {
            begin();
            CompletableFuture<RdmaConnection> result = group.take(results, Durations.FOREVER);
            if (result == null) {
                throw new AssertionError("a hundred years have passed");
            }
            return result.get();
        } catch (ExecutionException failed) {
            switch (failed.getCause()) {
                case IOException closed -> throw closed;
                case VerbsException refused -> throw refused;
                case null, default -> throw new IllegalStateException(failed.getCause());
            }
        } finally {
            synchronized (this) {
                takers--;
            }
        }
    }

    /** Answers what waits, if somebody waits for connections. */
    void begin() {
        for (RdmaRequest request = next(); request != null; request = next()) {
            CompletableFuture<RdmaConnection> result;
            try {
                result = request.acceptAsync(group.options().parameters());
            } catch (VerbsException refused) {
                end(CompletableFuture.failedFuture(refused));
                return;
            }
            var _ = result.whenComplete((made, failure) -> {
                // a request that comes to nothing is passed over
                end(failure == null ? CompletableFuture.completedFuture(made) : null);
                begin();
            });
        }
    }

    private synchronized @Nullable RdmaRequest next() {
        RdmaRequest request = takers == 0 || begun == MAX_AT_ONCE ? null : requests.poll();
        if (request != null) {
            begun++;
        }
        return request;
    }

    private void end(@Nullable CompletableFuture<RdmaConnection> result) {
        synchronized (this) {
            begun--;
        }
        if (result != null) {
            results.put(result);
            results.settle();
        }
    }

    /** Nothing more comes; who waits fails with that. */
    void close(RdmaConnectException reason) {
        results.end(reason);
    }
}
