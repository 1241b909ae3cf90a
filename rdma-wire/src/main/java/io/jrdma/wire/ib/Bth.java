package io.jrdma.wire.ib;

import io.jrdma.wire.Bytes;
import io.jrdma.wire.Psn;
import java.lang.foreign.MemorySegment;

/**
 * Base Transport Header, the first 12 bytes of every packet (IBTA volume 1, 9.2; [IBTA-9.2-6]).
 *
 * <pre>
 *  0  opcode      1  SE 80 | M 40 | PadCnt 30 | TVer 0F      2  P_Key (2)
 *  4  FECN 80 | BECN 40 | reserved 3F                        5  destination QP (3)
 *  8  A 80 | reserved 7F                                     9  PSN (3)
 * </pre>
 */
public final class Bth {
    /** Bytes. */
    public static final int LENGTH = 12;
    /** The only transport version. */
    public static final int VERSION = 0;
    /** The default partition, full membership. */
    public static final int DEFAULT_P_KEY = 0xFFFF;
    /** The destination of every management datagram: the general services interface. */
    public static final int QP_GSI = 1;
    /** The destination of every multicast packet. */
    public static final int QP_MULTICAST = 0xFF_FFFF;

    /** Flag SE: the receiver's completion is a solicited one. */
    public static final int SOLICITED = 0x0080_0000;
    /** Flag M: path migration state; cards send it set, Linux rxe does not, and both ignore it. */
    public static final int MIGRATION = 0x0040_0000;
    /** Flag A: the responder shall acknowledge. */
    public static final int ACK_REQUEST = 0x8000_0000;
    /** Flag FECN: congestion on the way here. */
    public static final int FECN = 0x0000_0080;
    /** Flag BECN: congestion on the way there. */
    public static final int BECN = 0x0000_0040;
    /** All flags. */
    public static final int FLAGS = SOLICITED | MIGRATION | ACK_REQUEST | FECN | BECN;

    private static final int OPCODE = 0;
    private static final int PAD = 1;
    private static final int P_KEY = 2;
    private static final int DEST_QP = 4;
    private static final int ACK_PSN = 8;

    private static final int FIRST_WORD_FLAGS = SOLICITED | MIGRATION;
    private static final int CONGESTION = FECN | BECN;

    private Bth() {}

    /** The opcode, 0..255, see {@link IbOpcode}. */
    public static int opcode(MemorySegment segment, long at) {
        return Bytes.u8(segment, at + OPCODE);
    }

    /** All five flags, as bits of {@link #FLAGS}. */
    public static int flags(MemorySegment segment, long at) {
        return (Bytes.u32(segment, at) & FIRST_WORD_FLAGS)
                | (Bytes.u8(segment, at + DEST_QP) & CONGESTION)
                | (Bytes.u32(segment, at + ACK_PSN) & ACK_REQUEST);
    }

    /** Flag SE. */
    public static boolean isSolicited(MemorySegment segment, long at) {
        return (Bytes.u8(segment, at + PAD) & 0x80) != 0;
    }

    /** Flag M. */
    public static boolean isMigration(MemorySegment segment, long at) {
        return (Bytes.u8(segment, at + PAD) & 0x40) != 0;
    }

    /** PadCnt: bytes of pad behind the payload, 0..3. */
    public static int padBytes(MemorySegment segment, long at) {
        return (Bytes.u8(segment, at + PAD) >>> 4) & 3;
    }

    /** TVer, 0..15. */
    public static int version(MemorySegment segment, long at) {
        return Bytes.u8(segment, at + PAD) & 0xF;
    }

    /** The partition key, 0..65535. */
    public static int pKey(MemorySegment segment, long at) {
        return Bytes.u16(segment, at + P_KEY);
    }

    /** Flag FECN. */
    public static boolean isFecn(MemorySegment segment, long at) {
        return (Bytes.u8(segment, at + DEST_QP) & FECN) != 0;
    }

    /** Flag BECN. */
    public static boolean isBecn(MemorySegment segment, long at) {
        return (Bytes.u8(segment, at + DEST_QP) & BECN) != 0;
    }

    /** The destination QP, 0..2^24-1. */
    public static int destQp(MemorySegment segment, long at) {
        return Bytes.u32(segment, at + DEST_QP) & 0xFF_FFFF;
    }

    /** Flag A. */
    public static boolean isAckRequest(MemorySegment segment, long at) {
        return Bytes.u32(segment, at + ACK_PSN) < 0;
    }

    /** The packet sequence number, 0..2^24-1. */
    public static int psn(MemorySegment segment, long at) {
        return Bytes.u32(segment, at + ACK_PSN) & Psn.MAX;
    }

    /**
     * Writes the header, reserved bits [IBTA-9.2-5] as zero; no accessor looks at them.
     *
     * @param opcode 0..255
     * @param flags any of {@link #FLAGS}
     * @param padBytes 0..3, see {@link RoceV2Packet#padBytes}
     * @param pKey 0..65535
     * @param destQp 0..2^24-1
     * @param psn 0..2^24-1
     */
    public static void put(
            MemorySegment segment, long at, int opcode, int flags, int padBytes, int pKey, int destQp, int psn) {
        assert opcode >>> 8 == 0 : opcode;
        assert (flags & ~FLAGS) == 0 : Integer.toHexString(flags);
        assert padBytes >>> 2 == 0 : padBytes;
        assert pKey >>> 16 == 0 : pKey;
        assert destQp >>> 24 == 0 : destQp;
        assert psn >>> 24 == 0 : psn;
        Bytes.putU32(segment, at, (opcode << 24) | (flags & FIRST_WORD_FLAGS) | (padBytes << 20) | pKey);
        Bytes.putU32(segment, at + DEST_QP, ((flags & CONGESTION) << 24) | destQp);
        Bytes.putU32(segment, at + ACK_PSN, (flags & ACK_REQUEST) | psn);
    }

    /** All fields; for tests, logs and the control plane. */
    public static View view(MemorySegment segment, long at) {
        return new View(
                opcode(segment, at),
                flags(segment, at),
                padBytes(segment, at),
                version(segment, at),
                pKey(segment, at),
                destQp(segment, at),
                psn(segment, at));
    }

    /**
     * The fields of a header.
     *
     * @param opcode 0..255
     * @param flags bits of {@link #FLAGS}
     * @param padBytes 0..3
     * @param version 0..15
     * @param pKey partition key
     * @param destQp destination QP
     * @param psn packet sequence number
     */
    public record View(int opcode, int flags, int padBytes, int version, int pKey, int destQp, int psn) {}
}
