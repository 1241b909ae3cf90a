package io.jrdma.wire.ib;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/** Atomic ACK Extended Transport Header, 8 bytes: what stood there before (IBTA volume 1, 9.3; [IBTA-9.3-1]). */
public final class AtomicAckEth {
    /** Bytes. */
    public static final int LENGTH = 8;

    private AtomicAckEth() {}

    /** The value before the operation. */
    public static long originalValue(MemorySegment segment, long at) {
        return Bytes.u64(segment, at);
    }

    /** Writes the header; any 64 bits. */
    public static void put(MemorySegment segment, long at, long originalValue) {
        Bytes.putU64(segment, at, originalValue);
    }
}
