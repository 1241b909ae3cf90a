package io.jrdma.testkit.sim;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Native memory for the regions of runs that are compared. Addresses go over the wire, so two runs send the same bytes only if their
 * regions lie at the same addresses: take the regions of each run from the same pool, {@link #reset} in between, in the same order.
 */
public final class SimMemory {
    private final MemorySegment block;
    private long used;

    /** A pool of so many bytes. */
    public SimMemory(long bytes) {
        block = Arena.ofAuto().allocate(bytes, 4096);
    }

    /**
     * The next piece, zeroed, on a multiple of 64 bytes.
     *
     * @throws IllegalStateException if the pool is used up
     */
    public MemorySegment allocate(long bytes) {
        if (bytes > block.byteSize() - used) {
            throw new IllegalStateException(
                    bytes + " bytes of " + block.byteSize() + ", of which " + used + " are in use");
        }
        MemorySegment piece = block.asSlice(used, bytes).fill((byte) 0);
        used = Math.min(block.byteSize(), (used + bytes + 63) & ~63L);
        return piece;
    }

    /** Takes everything back; the run that used it must be over. */
    public void reset() {
        used = 0;
    }
}
