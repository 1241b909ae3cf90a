package io.jrdma.cm;

import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Things that arrive for whoever waits for them, each side in its order. Thread-safe, for one putting thread at a time. */
final class Mailbox<T> {
    private final ArrayDeque<T> arrived = new ArrayDeque<>();
    private final ArrayDeque<CompletableFuture<T>> waiting = new ArrayDeque<>();
    private @Nullable Throwable end;

    /** The next thing, when there is one; fails once the box has ended and is empty. */
    synchronized CompletableFuture<T> next() {
        CompletableFuture<T> future = new CompletableFuture<>();
        T thing = arrived.poll();
        if (thing != null) {
            future.complete(thing);
        } else if (end != null) {
            future.completeExceptionally(end);
        } else {
            waiting.add(future);
        }
        return future;
    }

    /**
     * Takes back a future of {@link #next}.
     *
     * @return false if it has its result, or is about to get it
     */
    @SuppressWarnings("UndefinedEquals") // futures are equal to themselves alone
    synchronized boolean withdraw(CompletableFuture<T> future) {
        return waiting.remove(future);
    }

    /** Things that wait. */
    synchronized int size() {
        return arrived.size();
    }

    /** Puts a thing in; whatever depends on the future of it runs now. */
    void put(T thing) {
        CompletableFuture<T> receiver;
        do {
            synchronized (this) {
                receiver = waiting.poll();
                if (receiver == null) {
                    arrived.add(thing);
                }
            }
            // outside the lock; a future that was cancelled takes nothing
        } while (receiver != null && !receiver.complete(thing));
    }

    /** Nothing more arrives; what has arrived can still be taken. Only the first reason counts. */
    void end(Throwable reason) {
        ArrayDeque<CompletableFuture<T>> disappointed;
        Throwable first;
        synchronized (this) {
            if (end == null) {
                end = reason;
            }
            first = end;
            disappointed = new ArrayDeque<>(waiting);
            waiting.clear();
        }
        disappointed.forEach(future -> future.completeExceptionally(first));
    }

    /** Takes out everything that has arrived. */
    synchronized ArrayDeque<T> clear() {
        ArrayDeque<T> left = new ArrayDeque<>(arrived);
        arrived.clear();
        return left;
    }
}
