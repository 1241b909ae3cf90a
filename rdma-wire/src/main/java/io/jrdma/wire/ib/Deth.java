package io.jrdma.wire.ib;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/**
 * Datagram Extended Transport Header, 8 bytes: Q_Key (4), reserved (1), source QP (3) (IBTA volume 1, 9.3.2;
 * [IBTA-9.3-1]).
 */
public final class Deth {
    /** Bytes. */
    public static final int LENGTH = 8;
    /** The Q_Key of the general services interface, QP 1. */
    public static final int Q_KEY_GSI = 0x8001_0000;

    private static final int Q_KEY = 0;
    private static final int SOURCE_QP = 4;

    private Deth() {}

    /** The queue key. */
    public static int qKey(MemorySegment segment, long at) {
        return Bytes.u32(segment, at + Q_KEY);
    }

    /** The QP that sent the datagram, 0..2^24-1. */
    public static int sourceQp(MemorySegment segment, long at) {
        return Bytes.u32(segment, at + SOURCE_QP) & 0xFF_FFFF;
    }

    /**
     * Writes the header.
     *
     * @param qKey any 32 bits
     * @param sourceQp 0..2^24-1
     */
    public static void put(MemorySegment segment, long at, int qKey, int sourceQp) {
        assert sourceQp >>> 24 == 0 : sourceQp;
        Bytes.putU32(segment, at + Q_KEY, qKey);
        Bytes.putU32(segment, at + SOURCE_QP, sourceQp);
    }

    /** All fields; for tests, logs and the control plane. */
    public static View view(MemorySegment segment, long at) {
        return new View(qKey(segment, at), sourceQp(segment, at));
    }

    /**
     * The fields of a header.
     *
     * @param qKey queue key
     * @param sourceQp 0..2^24-1
     */
    public record View(int qKey, int sourceQp) {}
}
