package io.jrdma.verbs.queue;

import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WorkCompletion;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;

/** A completion ring with its notification: the loop's side of a completion queue. */
public final class CompletionPort {
    private static final int DISARMED = 0;
    private static final int SOLICITED = 1;
    private static final int ANY = 2;

    private final int number;
    private final CompletionRing ring;
    private final Runnable onNotify;
    private final Runnable onOverflow;
    private final AtomicInteger armed = new AtomicInteger(DISARMED);
    private boolean overflowed;

    /**
     * A port in front of an empty ring.
     *
     * @param number the completion queue's number
     * @param onNotify called on the loop when an armed port gets a completion that it waits for
     * @param onOverflow called on the loop when a completion had no room; again only after there was room in between
     */
    public CompletionPort(int number, int capacity, Runnable onNotify, Runnable onOverflow) {
        this.number = number;
        this.ring = new CompletionRing(capacity);
        this.onNotify = onNotify;
        this.onOverflow = onOverflow;
    }

    /** The completion queue's number. */
    public int number() {
        return number;
    }

    /** Entries that fit. */
    public int capacity() {
        return ring.capacity();
    }

    /** Whether there is nothing to drain; any thread. */
    public boolean isEmpty() {
        return ring.isEmpty();
    }

    /** Moves completions into the holders; any thread. */
    public int drain(WorkCompletion[] holders, int from, int count) {
        return ring.drain(holders, from, count);
    }

    /** Asks for one notification, for the next completion; any thread. */
    public void arm(boolean solicitedOnly) {
        // an arm for any completion is the stronger one and is not weakened by a later solicited-only arm
        int wanted = solicitedOnly ? SOLICITED : ANY;
        int now = armed.get();
        while (now < wanted && !armed.compareAndSet(now, wanted)) {
            now = armed.get();
        }
        // the caller's next look at the ring must not move before this
        VarHandle.fullFence();
    }

    /**
     * Adds a completion and notifies; loop only.
     *
     * @return false if there was no room: the completion is lost and the overflow was reported
     */
    boolean complete(
            long id,
            WcStatus status,
            WcOpcode opcode,
            int vendorError,
            long byteLength,
            int immediateOrKey,
            int qpNum,
            int flags,
            boolean solicited) {
        return complete(id, status, opcode, vendorError, byteLength, immediateOrKey, qpNum, 0, flags, solicited);
    }

    /** As above, with the queue pair that a datagram came from. */
    boolean complete(
            long id,
            WcStatus status,
            WcOpcode opcode,
            int vendorError,
            long byteLength,
            int immediateOrKey,
            int qpNum,
            int sourceQp,
            int flags,
            boolean solicited) {
        if (!ring.push(id, status, opcode, vendorError, byteLength, immediateOrKey, qpNum, sourceQp, flags)) {
            if (!overflowed) {
                overflowed = true;
                onOverflow.run();
            }
            return false;
        }
        // the queue was drained and goes on, so the next loss is news
        overflowed = false;
        // whoever arms and then finds the ring empty must be seen armed here, so the push comes before the look
        VarHandle.fullFence();
        int wanted = armed.get();
        if (wanted == ANY || (wanted == SOLICITED && (solicited || status != WcStatus.SUCCESS))) {
            armed.set(DISARMED); // an arm in between is served by the event that follows it
            onNotify.run();
        }
        return true;
    }
}
