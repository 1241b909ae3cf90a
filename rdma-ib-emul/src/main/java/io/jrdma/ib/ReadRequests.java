package io.jrdma.ib;

/**
 * The Read and atomic requests that were sent and are not answered in full, oldest first: never more than max_rd_atomic. A Read work
 * request may take several, each for a part of its data; a part that is asked for again keeps its end, so that the responder knows it.
 */
final class ReadRequests {
    private final long[] end;
    private final int mask;
    private final int capacity;
    private int head;
    private int tail;

    /** None; at most {@code maxRdAtomic} at once. */
    ReadRequests(int maxRdAtomic) {
        capacity = maxRdAtomic;
        int slots = maxRdAtomic <= 1 ? 1 : Integer.highestOneBit(maxRdAtomic - 1) << 1;
        mask = slots - 1;
        end = new long[slots];
    }

    /** How many may be on the way. */
    int capacity() {
        return capacity;
    }

    boolean isEmpty() {
        return head == tail;
    }

    boolean hasRoom() {
        return tail - head < capacity;
    }

    /** A request was sent for the PSNs up to that one, exclusive. */
    void add(long endPsn) {
        assert hasRoom() : capacity;
        end[tail++ & mask] = endPsn;
    }

    /** Where the request ends that covers that PSN, or -1 if there is none yet. */
    long endOf(long psn) {
        for (int i = head; i != tail; i++) {
            if (end[i & mask] > psn) {
                return end[i & mask];
            }
        }
        return -1;
    }

    /** Everything before that PSN is answered. */
    void answered(long psn) {
        while (head != tail && end[head & mask] <= psn) {
            head++;
        }
    }
}
