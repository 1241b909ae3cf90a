package io.jrdma.wire.ib;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/**
 * Atomic Extended Transport Header, 28 bytes (IBTA volume 1, 9.3.4; [IBTA-9.3-1]).
 *
 * <pre>
 *  0  virtual address (8)     8  R_Key (4)     12  swap or add data (8)     20  compare data (8)
 * </pre>
 *
 * <p>A Fetch and Add has no use for the compare data, and Linux rxe leaves arbitrary bytes there.
 */
public final class AtomicEth {
    /** Bytes. */
    public static final int LENGTH = 28;

    private static final int VIRTUAL_ADDRESS = 0;
    private static final int R_KEY = 8;
    private static final int SWAP_OR_ADD = 12;
    private static final int COMPARE = 20;

    private AtomicEth() {}

    /** The address of the 8 bytes at the responder. */
    public static long virtualAddress(MemorySegment segment, long at) {
        return Bytes.u64(segment, at + VIRTUAL_ADDRESS);
    }

    /** The key of the responder's memory region. */
    public static int rkey(MemorySegment segment, long at) {
        return Bytes.u32(segment, at + R_KEY);
    }

    /** What to swap in, or to add. */
    public static long swapOrAdd(MemorySegment segment, long at) {
        return Bytes.u64(segment, at + SWAP_OR_ADD);
    }

    /** What to compare with; of a Fetch and Add it means nothing. */
    public static long compare(MemorySegment segment, long at) {
        return Bytes.u64(segment, at + COMPARE);
    }

    /**
     * Writes the header.
     *
     * @param virtualAddress any 64 bits
     * @param rkey any 32 bits
     * @param swapOrAdd any 64 bits
     * @param compare any 64 bits; 0 for a Fetch and Add
     */
    public static void put(
            MemorySegment segment, long at, long virtualAddress, int rkey, long swapOrAdd, long compare) {
        Bytes.putU64(segment, at + VIRTUAL_ADDRESS, virtualAddress);
        Bytes.putU32(segment, at + R_KEY, rkey);
        Bytes.putU64(segment, at + SWAP_OR_ADD, swapOrAdd);
        Bytes.putU64(segment, at + COMPARE, compare);
    }

    /** All fields; for tests, logs and the control plane. */
    public static View view(MemorySegment segment, long at) {
        return new View(virtualAddress(segment, at), rkey(segment, at), swapOrAdd(segment, at), compare(segment, at));
    }

    /**
     * The fields of a header.
     *
     * @param virtualAddress address at the responder
     * @param rkey key of the memory region
     * @param swapOrAdd what to swap in, or to add
     * @param compare what to compare with
     */
    public record View(long virtualAddress, int rkey, long swapOrAdd, long compare) {}
}
