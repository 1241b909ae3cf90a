package io.jrdma.ib;

import org.jspecify.annotations.Nullable;

/** Who has something to send, in the order in which they get their turns. */
final class ReadyQueue {
    private @Nullable IbEndpoint head;
    private @Nullable IbEndpoint tail;

    /** To the end of the queue, if it does not stand in it. */
    void add(IbEndpoint endpoint) {
        if (endpoint.isReady) {
            return;
        }
        endpoint.isReady = true;
        IbEndpoint last = tail;
        if (last == null) {
            head = endpoint;
        } else {
            last.nextReady = endpoint;
            endpoint.previousReady = last;
        }
        tail = endpoint;
    }

    /** Whose turn it is, or null. */
    @Nullable
    IbEndpoint first() {
        return head;
    }

    /** Takes it away, wherever it stands; harmless if it does not stand here. */
    void remove(IbEndpoint endpoint) {
        if (!endpoint.isReady) {
            return;
        }
        IbEndpoint before = endpoint.previousReady;
        IbEndpoint behind = endpoint.nextReady;
        if (before == null) {
            head = behind;
        } else {
            before.nextReady = behind;
        }
        if (behind == null) {
            tail = before;
        } else {
            behind.previousReady = before;
        }
        endpoint.previousReady = null;
        endpoint.nextReady = null;
        endpoint.isReady = false;
    }
}
