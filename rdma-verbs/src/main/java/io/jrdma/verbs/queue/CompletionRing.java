package io.jrdma.verbs.queue;

import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WorkCompletion;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A ring of work completions, in columns: written by the loop alone, drained by any thread under a lock. Allocates nothing after construction. */
public final class CompletionRing {
    private static final VarHandle TAIL;
    private static final VarHandle HEAD;

    static {
        try {
            TAIL = MethodHandles.lookup().findVarHandle(CompletionRing.class, "tail", long.class);
            HEAD = MethodHandles.lookup().findVarHandle(CompletionRing.class, "head", long.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final int mask;
    private final long[] id;
    private final byte[] status;
    private final byte[] opcode;
    private final int[] vendorError;
    private final long[] byteLength;
    private final int[] immediateOrKey;
    private final int[] qpNum;
    private final int[] sourceQp;
    private final int[] flags;
    private long tail;
    private long head;

    /**
     * An empty ring.
     *
     * @param capacity entries at least, 1 or more; rounded up to a power of two
     */
    public CompletionRing(int capacity) {
        int slots = SendQueue.slots(capacity);
        mask = slots - 1;
        id = new long[slots];
        status = new byte[slots];
        opcode = new byte[slots];
        vendorError = new int[slots];
        byteLength = new long[slots];
        immediateOrKey = new int[slots];
        qpNum = new int[slots];
        sourceQp = new int[slots];
        flags = new int[slots];
    }

    /** Entries that fit. */
    public int capacity() {
        return mask + 1;
    }

    /** Whether there is nothing to drain; any thread. */
    public boolean isEmpty() {
        return (long) HEAD.getAcquire(this) == (long) TAIL.getAcquire(this);
    }

    /**
     * Adds an entry; loop only.
     *
     * @return false if the ring is full; nothing was changed
     */
    public boolean push(
            long wrId,
            WcStatus newStatus,
            WcOpcode newOpcode,
            int vendor,
            long length,
            int immediate,
            int qp,
            int source,
            int newFlags) {
        long at = tail;
        if (at - (long) HEAD.getAcquire(this) > mask) {
            return false;
        }
        int slot = (int) at & mask;
        id[slot] = wrId;
        status[slot] = (byte) newStatus.code();
        opcode[slot] = (byte) newOpcode.code();
        vendorError[slot] = vendor;
        byteLength[slot] = length;
        immediateOrKey[slot] = immediate;
        qpNum[slot] = qp;
        sourceQp[slot] = source;
        flags[slot] = newFlags;
        TAIL.setRelease(this, at + 1);
        return true;
    }

    /**
     * Moves entries into the holders, oldest first; any thread.
     *
     * @param from first holder to fill
     * @param count holders to fill at most
     * @return entries moved
     */
    public synchronized int drain(WorkCompletion[] holders, int from, int count) {
        long first = head;
        int n = (int) Math.min(count, (long) TAIL.getAcquire(this) - first);
        for (int i = 0; i < n; i++) {
            int slot = (int) (first + i) & mask;
            holders[from + i].set(
                    id[slot],
                    WcStatus.ofCode(status[slot]),
                    WcOpcode.ofCode(opcode[slot] & 0xFF),
                    vendorError[slot],
                    byteLength[slot],
                    immediateOrKey[slot],
                    qpNum[slot],
                    sourceQp[slot],
                    flags[slot]);
        }
        HEAD.setRelease(this, first + n);
        return n;
    }
}
