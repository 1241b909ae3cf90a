package io.jrdma.wire.ib;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/** Immediate Data Extended Transport Header, 4 bytes of the consumer's (IBTA volume 1, 9.3.6; [IBTA-9.3-1]). */
public final class ImmDt {
    /** Bytes. */
    public static final int LENGTH = 4;

    private ImmDt() {}

    /** The immediate data, read in network order. */
    public static int immediate(MemorySegment segment, long at) {
        return Bytes.u32(segment, at);
    }

    /** Writes the header; any 32 bits, in network order. */
    public static void put(MemorySegment segment, long at, int immediate) {
        Bytes.putU32(segment, at, immediate);
    }
}
