package io.jrdma.cm;

import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Things that arrive for whoever waits for them, each side in its order. Thread-safe; things that {@link #settle} hands out on several
 * threads at once may overtake each other.
 */
final class Mailbox<T> {
    private final ArrayDeque<T> arrived = new ArrayDeque<>();
    private final ArrayDeque<CompletableFuture<T>> waiting = new ArrayDeque<>();
    private @Nullable Throwable end;

    /** The next thing, when there is one; fails once the box has ended and is empty. */
    synchronized CompletableFuture<T> next() {
        CompletableFuture<T> future = new CompletableFuture<>();
        T thing = waiting.isEmpty() ? arrived.poll() : null;
        if (thing != null) {
            future.complete(thing);
        } else if (end != null && arrived.isEmpty()) {
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

    /** Takes the oldest thing that nobody waits for, or null. */
    synchronized @Nullable T poll() {
        return waiting.isEmpty() ? arrived.poll() : null;
    }

    /** Things that wait. */
    synchronized int size() {
        return arrived.size();
    }

    /** Puts a thing in. Nothing that waits for it runs before {@link #settle}. */
    synchronized void put(T thing) {
        arrived.add(thing);
    }

    /** Hands what has arrived to those who wait; whatever depends on their futures runs now. */
    void settle() {
        while (true) {
            CompletableFuture<T> receiver;
            T thing;
            synchronized (this) {
                if (waiting.isEmpty() || arrived.isEmpty()) {
                    return;
                }
                receiver = waiting.remove();
                thing = arrived.remove();
            }
            // outside the lock; a future that was cancelled takes nothing
            if (!receiver.complete(thing)) {
                synchronized (this) {
                    arrived.addFirst(thing);
                }
            }
        }
    }

    /** Nothing more arrives; what has arrived can still be taken. Only the first reason counts. Settles. */
    void end(Throwable reason) {
        synchronized (this) {
            if (end == null) {
                end = reason;
            }
        }
        settle();
        ArrayDeque<CompletableFuture<T>> disappointed;
        Throwable first;
        synchronized (this) {
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
