package io.jrdma.wire.ib;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/**
 * ACK Extended Transport Header, 4 bytes: syndrome (1), MSN (3) (IBTA volume 1, 9.3.5; [IBTA-9.3-1]).
 *
 * <p>{@link AethSyndrome} takes the syndrome apart.
 */
public final class Aeth {
    /** Bytes. */
    public static final int LENGTH = 4;

    private Aeth() {}

    /** The syndrome, 0..255, see {@link AethSyndrome}. */
    public static int syndrome(MemorySegment segment, long at) {
        return Bytes.u8(segment, at);
    }

    /** The responder's count of completed requests, 0..2^24-1. */
    public static int aethMsn(MemorySegment segment, long at) {
        return Bytes.u32(segment, at) & 0xFF_FFFF;
    }

    /**
     * Writes the header.
     *
     * @param syndrome 0..255
     * @param aethMsn 0..2^24-1
     */
    public static void put(MemorySegment segment, long at, int syndrome, int aethMsn) {
        assert syndrome >>> 8 == 0 : syndrome;
        assert aethMsn >>> 24 == 0 : aethMsn;
        Bytes.putU32(segment, at, (syndrome << 24) | aethMsn);
    }

    /** All fields; for tests, logs and the control plane. */
    public static View view(MemorySegment segment, long at) {
        return new View(syndrome(segment, at), aethMsn(segment, at));
    }

    /**
     * The fields of a header.
     *
     * @param syndrome 0..255
     * @param aethMsn 0..2^24-1
     */
    public record View(int syndrome, int aethMsn) {}
}
