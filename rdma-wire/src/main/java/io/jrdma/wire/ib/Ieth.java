package io.jrdma.wire.ib;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/** Invalidate Extended Transport Header, 4 bytes: the key to invalidate (IBTA volume 1, 9.3.7; [IBTA-9.3-1]). */
public final class Ieth {
    /** Bytes. */
    public static final int LENGTH = 4;

    private Ieth() {}

    /** The key that the responder shall invalidate. */
    public static int rkey(MemorySegment segment, long at) {
        return Bytes.u32(segment, at);
    }

    /** Writes the header; any 32 bits. */
    public static void put(MemorySegment segment, long at, int rkey) {
        Bytes.putU32(segment, at, rkey);
    }
}
