package io.jrdma.wire.ib;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/**
 * RDMA Extended Transport Header, 16 bytes (IBTA volume 1, 9.3.3; [IBTA-9.3-1]).
 *
 * <pre>
 *  0  virtual address (8)     8  R_Key (4)     12  DMA length (4)
 * </pre>
 */
public final class Reth {
    /** Bytes. */
    public static final int LENGTH = 16;

    private static final int VIRTUAL_ADDRESS = 0;
    private static final int R_KEY = 8;
    private static final int DMA_LENGTH = 12;

    private Reth() {}

    /** The address in the responder's memory region, any 64 bits. */
    public static long virtualAddress(MemorySegment segment, long at) {
        return Bytes.u64(segment, at + VIRTUAL_ADDRESS);
    }

    /** The key of the responder's memory region. */
    public static int rkey(MemorySegment segment, long at) {
        return Bytes.u32(segment, at + R_KEY);
    }

    /** Bytes of the whole message, of a Read the bytes asked for: 0..2^32-1. */
    public static long dmaLength(MemorySegment segment, long at) {
        return Bytes.u32AsLong(segment, at + DMA_LENGTH);
    }

    /**
     * Writes the header.
     *
     * @param virtualAddress any 64 bits
     * @param rkey any 32 bits
     * @param dmaLength 0..2^32-1
     */
    public static void put(MemorySegment segment, long at, long virtualAddress, int rkey, long dmaLength) {
        Bytes.putU64(segment, at + VIRTUAL_ADDRESS, virtualAddress);
        Bytes.putU32(segment, at + R_KEY, rkey);
        Bytes.putU32(segment, at + DMA_LENGTH, dmaLength);
    }

    /** All fields; for tests, logs and the control plane. */
    public static View view(MemorySegment segment, long at) {
        return new View(virtualAddress(segment, at), rkey(segment, at), dmaLength(segment, at));
    }

    /**
     * The fields of a header.
     *
     * @param virtualAddress address at the responder
     * @param rkey key of the memory region
     * @param dmaLength 0..2^32-1
     */
    public record View(long virtualAddress, int rkey, long dmaLength) {}
}
