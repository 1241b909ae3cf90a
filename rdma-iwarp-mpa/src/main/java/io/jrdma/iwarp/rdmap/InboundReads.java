package io.jrdma.iwarp.rdmap;

import io.jrdma.iwarp.mpa.MpaDepths;

/** The Reads that the peer asked for and that are not answered in full, oldest first: never more than IRD (RFC 5040 section 6.1). */
public final class InboundReads {
    private final int capacity;
    private final int mask;
    private final int[] ddpMsn;
    private final int[] sinkStag;
    private final long[] sinkOffset;
    private final long[] bytes;
    private final int[] sourceStag;
    private final long[] sourceOffset;
    private long head;
    private long tail;

    /** No Reads; as many at once as {@link MpaDepths#tolerated} says. */
    public InboundReads(int ird) {
        capacity = MpaDepths.tolerated(ird);
        int slots = Math.max(1, capacity);
        mask = slots - 1;
        ddpMsn = new int[slots];
        sinkStag = new int[slots];
        sinkOffset = new long[slots];
        bytes = new long[slots];
        sourceStag = new int[slots];
        sourceOffset = new long[slots];
    }

    /** Whether there is nothing to answer. */
    public boolean isEmpty() {
        return head == tail;
    }

    /** Whether one more would be too many. */
    public boolean isFull() {
        return tail - head >= capacity;
    }

    /** Requests so far. */
    public long requested() {
        return tail;
    }

    /** Requests that were answered in full. */
    public long answered() {
        return head;
    }

    void push(int msn, int newSinkStag, long newSinkOffset, long readBytes, int newSourceStag, long newSourceOffset) {
        int slot = (int) tail++ & mask;
        ddpMsn[slot] = msn;
        sinkStag[slot] = newSinkStag;
        sinkOffset[slot] = newSinkOffset;
        bytes[slot] = readBytes;
        sourceStag[slot] = newSourceStag;
        sourceOffset[slot] = newSourceOffset;
    }

    int ddpMsn() {
        return ddpMsn[(int) head & mask];
    }

    int sinkStag() {
        return sinkStag[(int) head & mask];
    }

    long sinkOffset() {
        return sinkOffset[(int) head & mask];
    }

    long bytes() {
        return bytes[(int) head & mask];
    }

    int sourceStag() {
        return sourceStag[(int) head & mask];
    }

    long sourceOffset() {
        return sourceOffset[(int) head & mask];
    }

    void pop() {
        head++;
    }
}
