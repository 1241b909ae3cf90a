package io.jrdma.ib;

import io.jrdma.verbs.WrOpcode;
import io.jrdma.verbs.queue.SendQueue;
import io.jrdma.wire.Psn;

/**
 * Which PSNs belong to which send work request, what was sent and what of it is acknowledged. PSNs are 64-bit numbers here that never
 * wrap; their low 24 bits go on the wire.
 *
 * <pre>
 *   oldest request, unacked PSN  &lt;=  cursor  &lt;=  sent PSN  &lt;=  next PSN, first request that is not started
 * </pre>
 *
 * <p>Everything between the cursor and the sent PSN was sent before and is being sent again.
 */
final class OutstandingRequests {
    private final SendQueue queue;
    private final int mask;
    private final long[] first;
    private final long[] end;

    /** The oldest request that is not complete. */
    long oldest;
    /** The first request of which nothing was sent. */
    long started;
    /** The oldest PSN that is not acknowledged. */
    long unackedPsn;
    /** The first PSN that no started request has. */
    long nextPsn;
    /** One more than the latest PSN that was sent. */
    long sentPsn;
    /** What is to be sent next. */
    long cursorPsn;
    /** The request that it belongs to. */
    long cursor;

    OutstandingRequests(SendQueue queue) {
        this.queue = queue;
        int slots = queue.capacity() <= 1 ? 1 : Integer.highestOneBit(queue.capacity() - 1) << 1;
        mask = slots - 1;
        first = new long[slots];
        end = new long[slots];
    }

    /** Nothing is started; the first PSN will be that. */
    void begin(int psn) {
        oldest = queue.head();
        started = oldest;
        cursor = oldest;
        unackedPsn = psn;
        nextPsn = psn;
        sentPsn = psn;
        cursorPsn = psn;
    }

    /** Whether anything was sent that is not acknowledged. */
    boolean isEmpty() {
        return unackedPsn == sentPsn;
    }

    /** The 64-bit number of a PSN of the wire, less than 2^23 away from the oldest unacknowledged one. */
    long unwrap(int psn) {
        return unackedPsn + Psn.diff(psn, (int) unackedPsn & Psn.MAX);
    }

    /** Of a started request, or of the next one to be started: its first PSN. */
    long firstPsn(long sequence) {
        return sequence == started ? nextPsn : first[(int) sequence & mask];
    }

    /** One more than the last PSN of a started request. */
    long endPsn(long sequence) {
        return end[(int) sequence & mask];
    }

    /** The next request has so many PSNs; 0 for one that sends nothing. */
    void start(long packets) {
        int slot = (int) started & mask;
        first[slot] = nextPsn;
        nextPsn += packets;
        end[slot] = nextPsn;
        started++;
    }

    /** So many PSNs from the cursor on were sent. */
    void advanceCursor(long packets) {
        cursorPsn += packets;
        sentPsn = Math.max(sentPsn, cursorPsn);
        if (cursorPsn == endPsn(cursor)) {
            cursor++;
        }
    }

    /** Sends again from the oldest unacknowledged PSN on. */
    void goBack() {
        cursor = oldest;
        cursorPsn = unackedPsn;
    }

    /** Sends nothing again after all. */
    void goForward() {
        cursor = sentPsn == nextPsn ? started : started - 1;
        cursorPsn = sentPsn;
    }

    /** Acknowledges everything before that PSN, which belongs to the oldest request or ends it. */
    void acknowledge(long psn) {
        assert psn > unackedPsn && psn <= sentPsn && psn <= endPsn(oldest) : psn;
        unackedPsn = psn;
        if (cursorPsn < psn) {
            cursorPsn = psn;
            cursor = psn == endPsn(oldest) ? oldest + 1 : oldest;
        }
    }

    /** Whether that request has its own response. */
    boolean isRead(long sequence) {
        return isRead(queue.opcode(sequence));
    }

    /** Whether such requests have their own response: Reads and atomics. */
    static boolean isRead(WrOpcode opcode) {
        return opcode == WrOpcode.RDMA_READ || isAtomic(opcode);
    }

    /** Whether such requests are atomics. */
    static boolean isAtomic(WrOpcode opcode) {
        return opcode == WrOpcode.ATOMIC_CMP_AND_SWP || opcode == WrOpcode.ATOMIC_FETCH_AND_ADD;
    }
}
