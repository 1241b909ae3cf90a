package io.jrdma.iwarp.rdmap;

/**
 * The Reads that this side asked for and whose responses are not complete, oldest first: never more than ORD (RFC 5040 section 6.1).
 * Responses come in the order of requests, so only the oldest is looked at.
 */
public final class OutboundReads {
    /** Stands for the work request of a Read that the engine added itself to learn that what was before it has arrived. */
    public static final long FLUSH = -1;
    /** Stands for the work request of the Read that is the ready-to-receive message. */
    public static final long READY_TO_RECEIVE = -2;

    private final int capacity;
    private final int mask;
    private final long[] sequence;
    private final long[] proves;
    private final int[] ddpMsn;
    private final int[] sinkStag;
    private final long[] sinkOffset;
    private final long[] bytes;
    private final int[] sourceStag;
    private final long[] sourceOffset;
    private int head;
    private int tail;
    private long received;

    /** No Reads; at most {@code ord} at once. */
    public OutboundReads(int ord) {
        capacity = ord;
        int slots = ord <= 1 ? 1 : Integer.highestOneBit(ord - 1) << 1;
        mask = slots - 1;
        sequence = new long[slots];
        proves = new long[slots];
        ddpMsn = new int[slots];
        sinkStag = new int[slots];
        sinkOffset = new long[slots];
        bytes = new long[slots];
        sourceStag = new int[slots];
        sourceOffset = new long[slots];
    }

    /** ORD. */
    public int capacity() {
        return capacity;
    }

    /** Whether none is outstanding. */
    public boolean isEmpty() {
        return head == tail;
    }

    /** Whether one more may be asked for. */
    public boolean hasRoom() {
        return tail - head < capacity;
    }

    /**
     * Adds a Read that was sent.
     *
     * @param workRequest its sequence number in the send queue, {@link #FLUSH} or {@link #READY_TO_RECEIVE}
     * @param provesUpTo its response proves that all work requests before this one have arrived
     */
    void push(
            long workRequest,
            long provesUpTo,
            int msn,
            int newSinkStag,
            long newSinkOffset,
            long readBytes,
            int newSourceStag,
            long newSourceOffset) {
        assert hasRoom() : capacity;
        int slot = tail++ & mask;
        sequence[slot] = workRequest;
        proves[slot] = provesUpTo;
        ddpMsn[slot] = msn;
        sinkStag[slot] = newSinkStag;
        sinkOffset[slot] = newSinkOffset;
        bytes[slot] = readBytes;
        sourceStag[slot] = newSourceStag;
        sourceOffset[slot] = newSourceOffset;
    }

    /** Whether a part of the oldest Read's response came. */
    public boolean isOpen() {
        return received > 0;
    }

    long sequence() {
        return sequence[head & mask];
    }

    long proves() {
        return proves[head & mask];
    }

    int sinkStag() {
        return sinkStag[head & mask];
    }

    /** Where the next byte of the oldest Read's response belongs. */
    long nextSinkOffset() {
        return sinkOffset[head & mask] + received;
    }

    long bytes() {
        return bytes[head & mask];
    }

    long missing() {
        return bytes[head & mask] - received;
    }

    void receive(int payloadBytes) {
        received += payloadBytes;
    }

    /** The oldest is complete. */
    void pop() {
        head++;
        received = 0;
    }

    /** The work request of the Read with that message number, or -1. */
    long byMsn(int msn) {
        for (int i = head; i != tail; i++) {
            if (ddpMsn[i & mask] == msn) {
                return sequence[i & mask];
            }
        }
        return -1;
    }

    /**
     * The work request of the Read that such a request header belongs to, or -1: number and source, else the source alone (Linux siw puts
     * something else in the place of the number), else the number alone (of a Read that was answered in part).
     */
    long find(int msn, int stag, long offset, long readBytes) {
        long found = -1;
        for (int i = head; i != tail; i++) {
            int slot = i & mask;
            if (sourceStag[slot] == stag && sourceOffset[slot] == offset && bytes[slot] == readBytes) {
                if (ddpMsn[slot] == msn) {
                    return sequence[slot];
                }
                found = found == -1 ? sequence[slot] : found;
            }
        }
        return found == -1 ? byMsn(msn) : found;
    }
}
