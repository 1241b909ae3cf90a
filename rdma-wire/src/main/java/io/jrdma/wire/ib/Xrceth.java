package io.jrdma.wire.ib;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/**
 * XRC Extended Transport Header, 4 bytes: reserved (1), number of the shared receive queue (3) (IBTA annex A14;
 * [IBTA-9.3-1]).
 */
public final class Xrceth {
    /** Bytes. */
    public static final int LENGTH = 4;

    private Xrceth() {}

    /** The shared receive queue, 0..2^24-1. */
    public static int srqNumber(MemorySegment segment, long at) {
        return Bytes.u32(segment, at) & 0xFF_FFFF;
    }

    /** Writes the header; {@code srqNumber} 0..2^24-1. */
    public static void put(MemorySegment segment, long at, int srqNumber) {
        assert srqNumber >>> 24 == 0 : srqNumber;
        Bytes.putU32(segment, at, srqNumber);
    }
}
