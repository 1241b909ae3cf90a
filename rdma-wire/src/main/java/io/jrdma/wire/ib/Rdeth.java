package io.jrdma.wire.ib;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/**
 * Reliable Datagram Extended Transport Header, 4 bytes: reserved (1), end-to-end context (3) (IBTA volume 1,
 * 9.3.1; [IBTA-9.3-1]).
 *
 * <p>For printing what others send: jrdma has no reliable datagrams.
 */
public final class Rdeth {
    /** Bytes. */
    public static final int LENGTH = 4;

    private Rdeth() {}

    /** The end-to-end context, 0..2^24-1. */
    public static int eeContext(MemorySegment segment, long at) {
        return Bytes.u32(segment, at) & 0xFF_FFFF;
    }
}
