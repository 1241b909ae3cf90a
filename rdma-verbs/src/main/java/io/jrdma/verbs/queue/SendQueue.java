package io.jrdma.verbs.queue;

import io.jrdma.verbs.AddressHandle;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WrOpcode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A ring of posted send work requests, in columns. Posted under a lock by application threads, read and retired by the loop. A request is
 * named by its sequence number, which counts from 0 and never repeats; requests from {@link #head} to {@link #posted} (exclusive) are
 * outstanding.
 *
 * <p>Everything but {@link #offer} is for the loop.
 */
public final class SendQueue {
    private static final byte NOT_DONE = -1;
    private static final VarHandle POSTED;
    private static final VarHandle HEAD;

    static {
        try {
            POSTED = MethodHandles.lookup().findVarHandle(SendQueue.class, "posted", long.class);
            HEAD = MethodHandles.lookup().findVarHandle(SendQueue.class, "head", long.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final int capacity;
    private final int mask;
    private final int inlineStride;
    private final MemorySegment inlineMemory;
    private final long[] id;
    private final byte[] opcode;
    private final byte[] flags;
    private final long[] remoteAddress;
    private final int[] remoteKey;
    private final int[] immediateOrKey;
    private final long[] compareAdd;
    private final long[] swap;
    private final long[] length;
    private final @Nullable AddressHandle[] to;
    private final int[] remoteQp;
    private final int[] remoteQKey;
    private final SgeColumns sges;
    private final byte[] status;
    private final long[] doneLength;
    private final int[] vendorError;
    private long posted;
    private long head;

    /**
     * An empty ring.
     *
     * @param capacity requests outstanding at most, 0 or more
     * @param maxSge elements of a scatter/gather list at most
     * @param maxInline bytes of inline payload at most
     */
    public SendQueue(int capacity, int maxSge, int maxInline) {
        this(capacity, maxSge, maxInline, false);
    }

    /** As {@link #SendQueue(int, int, int)}; {@code datagrams} if each request has a destination of its own. */
    SendQueue(int capacity, int maxSge, int maxInline, boolean datagrams) {
        this.capacity = capacity;
        int slots = slots(capacity);
        mask = slots - 1;
        inlineStride = maxInline;
        inlineMemory =
                maxInline == 0 ? MemorySegment.NULL : Arena.ofAuto().allocate((long) slots * maxInline, Long.BYTES);
        id = new long[slots];
        opcode = new byte[slots];
        flags = new byte[slots];
        remoteAddress = new long[slots];
        remoteKey = new int[slots];
        immediateOrKey = new int[slots];
        compareAdd = new long[slots];
        swap = new long[slots];
        length = new long[slots];
        to = new AddressHandle[datagrams ? slots : 0];
        remoteQp = new int[datagrams ? slots : 0];
        remoteQKey = new int[datagrams ? slots : 0];
        sges = new SgeColumns(slots, maxSge);
        status = new byte[slots];
        doneLength = new long[slots];
        vendorError = new int[slots];
    }

    static int slots(int capacity) {
        return capacity <= 1 ? 1 : Integer.highestOneBit(capacity - 1) << 1;
    }

    /** Requests outstanding at most. */
    public int capacity() {
        return capacity;
    }

    /** Elements of a scatter/gather list at most. */
    public int maxSge() {
        return sges.perSlot();
    }

    /** Bytes of inline payload at most. */
    public int maxInline() {
        return inlineStride;
    }

    /** Whether one more can be posted; under the poster's lock. */
    boolean hasRoom() {
        return posted - (long) HEAD.getAcquire(this) < capacity;
    }

    /**
     * Where the next request's inline payload is to be written before {@link #offer}; under the poster's lock.
     *
     * @return offset in {@link #inlineMemory}
     */
    long nextInlineOffset() {
        return (posted & mask) * (long) inlineStride;
    }

    /** Adds a request that was checked before; under the poster's lock. */
    void offer(SendWr request, boolean inline) {
        int slot = (int) posted & mask;
        id[slot] = request.id();
        opcode[slot] = (byte) request.opcode().code();
        flags[slot] = (byte) request.flags();
        remoteAddress[slot] = request.remoteAddress();
        remoteKey[slot] = request.remoteKey();
        immediateOrKey[slot] = request.immediateOrKey();
        compareAdd[slot] = request.compareAdd();
        swap[slot] = request.swap();
        length[slot] = request.length();
        if (to.length > 0) {
            to[slot] = request.addressHandle();
            remoteQp[slot] = request.remoteQp();
            remoteQKey[slot] = request.remoteQKey();
        }
        if (inline) {
            sges.clear(slot);
        } else {
            sges.set(slot, request);
        }
        status[slot] = NOT_DONE;
        POSTED.setVolatile(this, posted + 1);
    }

    /** The number that the next request to be posted will have. */
    public long posted() {
        // volatile: the loop first says that it is awake or in ERROR, then looks; the poster does it the other way
        // round
        return (long) POSTED.getVolatile(this);
    }

    /** The oldest outstanding request; equal to {@link #posted} when there is none. */
    public long head() {
        return head;
    }

    /** The caller's mark. */
    public long id(long sequence) {
        return id[(int) sequence & mask];
    }

    /** What to do. */
    public WrOpcode opcode(long sequence) {
        return WrOpcode.ofCode(opcode[(int) sequence & mask]);
    }

    /** Bits of {@link io.jrdma.verbs.SendFlags}. */
    public int flags(long sequence) {
        return flags[(int) sequence & mask];
    }

    public long remoteAddress(long sequence) {
        return remoteAddress[(int) sequence & mask];
    }

    public int remoteKey(long sequence) {
        return remoteKey[(int) sequence & mask];
    }

    /** Immediate data, or the key to invalidate. */
    public int immediateOrKey(long sequence) {
        return immediateOrKey[(int) sequence & mask];
    }

    public long compareAdd(long sequence) {
        return compareAdd[(int) sequence & mask];
    }

    public long swap(long sequence) {
        return swap[(int) sequence & mask];
    }

    /** Of a datagram: the transport's number of the path. */
    public int path(long sequence) {
        return Objects.requireNonNull(to[(int) sequence & mask]).pathId();
    }

    /** Of a datagram: where it goes, which the queue forgets; null for any other request. */
    @Nullable
    AddressHandle takeDestination(long sequence) {
        if (to.length == 0) {
            return null;
        }
        AddressHandle handle = to[(int) sequence & mask];
        to[(int) sequence & mask] = null;
        return handle;
    }

    /** Of a datagram: the queue pair that it goes to. */
    public int remoteQp(long sequence) {
        return remoteQp[(int) sequence & mask];
    }

    /** Of a datagram: the queue key, as it was posted. */
    public int remoteQKey(long sequence) {
        return remoteQKey[(int) sequence & mask];
    }

    /** Bytes of payload, inline or gathered. */
    public long length(long sequence) {
        return length[(int) sequence & mask];
    }

    /** Elements of the scatter/gather list; 0 for inline payload. */
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

    /** Holds inline payload; see {@link #inlineOffset}. */
    public MemorySegment inlineMemory() {
        return inlineMemory;
    }

    /** Where a request's inline payload begins. */
    public long inlineOffset(long sequence) {
        return ((int) sequence & mask) * (long) inlineStride;
    }

    /** Whether the request is in the queue: posted, and neither completed nor forgotten. */
    public boolean isOutstanding(long sequence) {
        return sequence >= head && sequence < posted();
    }

    /** Whether the request's result is known already. */
    public boolean isDone(long sequence) {
        return status[(int) sequence & mask] != NOT_DONE;
    }

    void setDone(long sequence, WcStatus newStatus, long byteLength, int vendor) {
        int slot = (int) sequence & mask;
        status[slot] = (byte) newStatus.code();
        doneLength[slot] = byteLength;
        vendorError[slot] = vendor;
    }

    WcStatus status(long sequence) {
        return WcStatus.ofCode(status[(int) sequence & mask]);
    }

    long doneLength(long sequence) {
        return doneLength[(int) sequence & mask];
    }

    int vendorError(long sequence) {
        return vendorError[(int) sequence & mask];
    }

    /** Frees the oldest slot. */
    void retire() {
        HEAD.setRelease(this, head + 1);
    }
}
