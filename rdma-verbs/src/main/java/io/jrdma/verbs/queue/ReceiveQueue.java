package io.jrdma.verbs.queue;

import io.jrdma.verbs.RecvWr;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A ring of posted receives, in columns. Posted under a lock by application threads, read and retired in order by the loop; sequence
 * numbers as in {@link SendQueue}. Everything but {@link #offer} is for the loop.
 */
public final class ReceiveQueue {
    private static final VarHandle POSTED;
    private static final VarHandle HEAD;

    static {
        try {
            POSTED = MethodHandles.lookup().findVarHandle(ReceiveQueue.class, "posted", long.class);
            HEAD = MethodHandles.lookup().findVarHandle(ReceiveQueue.class, "head", long.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final int capacity;
    private final int mask;
    private final long[] id;
    private final long[] length;
    private final SgeColumns sges;
    private long posted;
    private long head;

    /**
     * An empty ring.
     *
     * @param capacity receives outstanding at most, 0 or more
     * @param maxSge elements of a scatter/gather list at most
     */
    public ReceiveQueue(int capacity, int maxSge) {
        this.capacity = capacity;
        int slots = SendQueue.slots(capacity);
        mask = slots - 1;
        id = new long[slots];
        length = new long[slots];
        sges = new SgeColumns(slots, maxSge);
    }

    /** Receives outstanding at most. */
    public int capacity() {
        return capacity;
    }

    /** Elements of a scatter/gather list at most. */
    public int maxSge() {
        return sges.perSlot();
    }

    boolean hasRoom() {
        return posted - (long) HEAD.getAcquire(this) < capacity;
    }

    /** Adds a receive that was checked before; under the poster's lock. */
    void offer(RecvWr request) {
        int slot = (int) posted & mask;
        id[slot] = request.id();
        sges.set(slot, request);
        length[slot] = sges.total(slot);
        POSTED.setVolatile(this, posted + 1);
    }

    /** The number that the next receive to be posted will have. */
    public long posted() {
        return (long) POSTED.getVolatile(this); // see SendQueue
    }

    /** The oldest receive without completion. */
    public long head() {
        return head;
    }

    /** The caller's mark. */
    public long id(long sequence) {
        return id[(int) sequence & mask];
    }

    /** Bytes that fit. */
    public long length(long sequence) {
        return length[(int) sequence & mask];
    }

    public int sgeCount(long sequence) {
        return sges.count((int) sequence & mask);
    }

    public long sgeAddress(long sequence, int index) {
        return sges.address((int) sequence & mask, index);
    }

    public long sgeLength(long sequence, int index) {
        return sges.length((int) sequence & mask, index);
    }

    public int sgeKey(long sequence, int index) {
        return sges.key((int) sequence & mask, index);
    }

    /** Frees the oldest slot. */
    void retire() {
        HEAD.setRelease(this, head + 1);
    }
}
