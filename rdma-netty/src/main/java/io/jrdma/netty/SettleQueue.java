package io.jrdma.netty;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Who wants {@link Hosted#settle} to be called, in the order of asking; linked through the waiting ones themselves. Loop only. */
final class SettleQueue {
    private static final Logger LOG = LoggerFactory.getLogger(SettleQueue.class);

    private @Nullable Hosted first;
    private @Nullable Hosted last;

    boolean isEmpty() {
        return first == null;
    }

    /** Harmless for one that waits already. */
    void add(Hosted hosted) {
        if (hosted.ready) {
            return;
        }
        hosted.ready = true;
        Hosted before = last;
        if (before == null) {
            first = hosted;
        } else {
            before.nextReady = hosted;
        }
        last = hosted;
    }

    /** Settles each that waits now once; who comes meanwhile, or is not through, waits for the next call. */
    @SuppressWarnings("ReferenceEquality") // it is this very one
    void settleAll() {
        Hosted end = last;
        Hosted next;
        do {
            next = first;
            if (next == null) {
                return;
            }
            first = next.nextReady;
            if (first == null) {
                last = null;
            }
            next.nextReady = null;
            next.ready = false;
            if (settle(next)) {
                add(next);
            }
        } while (next != end);
    }

    private static boolean settle(Hosted hosted) {
        try {
            return hosted.settle();
        } catch (Throwable fault) {
            LOG.error("{} failed to settle", hosted, fault);
            return false;
        }
    }
}
