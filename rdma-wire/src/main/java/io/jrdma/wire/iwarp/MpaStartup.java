package io.jrdma.wire.iwarp;

import io.jrdma.wire.Bytes;
import io.jrdma.wire.Malformed;
import java.lang.foreign.MemorySegment;

/**
 * MPA Request and Reply frames (RFC 5044 section 7.1.1, RFC 6581 section 9).
 *
 * <pre>
 *  0  key, 16 bytes of ASCII        16  flags: M 80, C 40, R 20, S 10 | revision (1 byte)
 * 18  PD_Length (2 bytes)           20  private data; with enhanced connection data its first 4 bytes are
 * 20  A 8000 | B 4000 | IRD 3FFF    22  C 8000 | D 4000 | ORD 3FFF
 * </pre>
 *
 * <p>{@code at} is the first byte of the key everywhere. Enhanced connection data exists if S is set, the revision is 2 and
 * PD_Length leaves room for it; PD_Length counts it, {@link #privateDataBytes} does not.
 */
public final class MpaStartup {
    /** Bytes before the private data. */
    public static final int LENGTH = 20;
    /** Bytes of enhanced connection data. */
    public static final int ENHANCED_LENGTH = 4;
    /** The largest PD_Length, enhanced connection data included. */
    public static final int MAX_PD_LENGTH = 512;
    /** The largest frame. */
    public static final int MAX_LENGTH = LENGTH + MAX_PD_LENGTH;

    /** RDMA Consortium's revision. */
    public static final int REVISION_0 = 0;
    /** RFC 5044. */
    public static final int REVISION_1 = 1;
    /** RFC 6581. */
    public static final int REVISION_2 = 2;

    /** Frame kind: sent by the initiator. */
    public static final int REQUEST = 0;
    /** Frame kind: sent by the responder. */
    public static final int REPLY = 1;

    /** Flag M: the sender of the frame wants markers in what it receives. */
    public static final int MARKERS = 0x80;
    /** Flag C: the sender of the frame wants CRCs, which turns them on both ways. */
    public static final int CRC = 0x40;
    /** Flag R: the connection is rejected; means nothing in a Request. */
    public static final int REJECT = 0x20;
    /** Flag S (revision 2): the private data begin with enhanced connection data. */
    public static final int ENHANCED = 0x10;

    /** Control flag A: peer-to-peer model, a ready-to-receive message follows the Reply. */
    public static final int PEER_TO_PEER = 0x8000_0000;
    /** Control flag B: ready-to-receive by a zero-length Send. */
    public static final int RTR_SEND = 0x4000_0000;
    /** Control flag C: ready-to-receive by a zero-length RDMA Write. */
    public static final int RTR_WRITE = 0x0000_8000;
    /** Control flag D: ready-to-receive by a zero-length RDMA Read. */
    public static final int RTR_READ = 0x0000_4000;
    /** All control flags. */
    public static final int CONTROL_FLAGS = PEER_TO_PEER | RTR_SEND | RTR_WRITE | RTR_READ;
    /** The largest IRD or ORD, which means "negotiated by the consumer, leave it alone". */
    public static final int DEPTH_BY_CONSUMER = 0x3FFF;

    /** {@link #check} result: the bytes so far are right and more are needed. */
    public static final int NEED_MORE = 0;

    private static final int FLAGS = 16;
    private static final int REVISION = 17;
    private static final int PD_LENGTH = 18;
    private static final int ENHANCED_DATA = 20;
    private static final int KIND_BYTE = 9;

    private static final int FLAG_MASK = MARKERS | CRC | REJECT | ENHANCED;
    private static final int DEPTH_MASK = 0x3FFF;

    // "MPA ID Re" + 'q' or 'p' + " Frame"; only byte 9 tells the two frames apart
    private static final long KEY_HIGH = 0x4D50_4120_4944_2052L;
    private static final long KEY_LOW_REQUEST = 0x6571_2046_7261_6D65L;
    private static final long KEY_LOW_REPLY = 0x6570_2046_7261_6D65L;

    private MpaStartup() {}

    /**
     * Looks at the first bytes of a stream: do they hold the start-up frame that is due?
     *
     * <p>A wrong byte is reported as soon as it is there, so a peer that is no MPA peer is found out at once.
     *
     * @param available bytes at hand from {@code at} on; those behind the frame belong to the FPDU stream
     * @param expectedKind {@link #REQUEST} or {@link #REPLY}
     * @return the frame's length, 20..532, if it is complete and right; {@link #NEED_MORE}; or the negated {@link Malformed} code
     */
    public static int check(MemorySegment segment, long at, long available, int expectedKind) {
        int wrongKey = checkKey(segment, at, available, expectedKind);
        if (wrongKey != Malformed.OK) {
            return -wrongKey;
        }
        // [RFC5044-7.1.1-7] a revision one cannot work with ends the connection
        if (available > REVISION && revision(segment, at) > REVISION_2) {
            return -Malformed.MPA_REVISION_UNSUPPORTED;
        }
        if (available < LENGTH) {
            return NEED_MORE;
        }
        int pdLength = pdLength(segment, at);
        // [RFC5044-7.1.1-8] no more than 512 bytes of private data
        if (pdLength > MAX_PD_LENGTH) {
            return -Malformed.MPA_PRIVATE_DATA_TOO_LONG;
        }
        // [RFC6581-9-1] the S flag promises four bytes; Linux siw rejects without them, and that reject must be
        // understood
        boolean rejectReply = expectedKind == REPLY && isReject(segment, at);
        if (announcesEnhanced(segment, at) && pdLength < ENHANCED_LENGTH && !rejectReply) {
            return -Malformed.MPA_ENHANCED_DATA_MISSING;
        }
        // [RFC5044-7.1.1-9] a frame may end with its header
        int length = LENGTH + pdLength;
        return available < length ? NEED_MORE : length;
    }

    private static int checkKey(MemorySegment segment, long at, long available, int expectedKind) {
        int bytes = (int) Math.min(available, 16);
        boolean otherKind = false;
        // [RFC5044-7.1.1-1]
        for (int i = 0; i < bytes; i++) {
            int is = Bytes.u8(segment, at + i);
            if (is != keyByte(expectedKind, i)) {
                // [RFC5044-7.1.1-2] the other frame's key means that both sides took the same role
                if (is != keyByte(1 - expectedKind, i)) {
                    return Malformed.MPA_KEY_INVALID;
                }
                otherKind = true;
            }
        }
        return otherKind ? Malformed.MPA_KEY_UNEXPECTED : Malformed.OK;
    }

    private static int keyByte(int kind, int index) {
        long word = index < 8 ? KEY_HIGH : kind == REQUEST ? KEY_LOW_REQUEST : KEY_LOW_REPLY;
        return (int) (word >>> (56 - ((index & 7) << 3))) & 0xFF;
    }

    /** {@link #REQUEST} or {@link #REPLY}, after a good check. */
    public static int kind(MemorySegment segment, long at) {
        return Bytes.u8(segment, at + KIND_BYTE) == 'q' ? REQUEST : REPLY;
    }

    /** The four flags; reserved bits [RFC5044-7.1.1-6] are masked out. */
    public static int flags(MemorySegment segment, long at) {
        return Bytes.u8(segment, at + FLAGS) & FLAG_MASK;
    }

    /** Flag M. */
    public static boolean wantsMarkers(MemorySegment segment, long at) {
        return (flags(segment, at) & MARKERS) != 0;
    }

    /** Flag C of the frame (not the control flag C). */
    public static boolean wantsCrc(MemorySegment segment, long at) {
        return (flags(segment, at) & CRC) != 0;
    }

    /** Flag R; means nothing in a Request. */
    public static boolean isReject(MemorySegment segment, long at) {
        return (flags(segment, at) & REJECT) != 0;
    }

    /** [RFC6581-6-1] Flag S where it has a meaning: revision 2. The four bytes may still be missing in a reject. */
    public static boolean announcesEnhanced(MemorySegment segment, long at) {
        return (flags(segment, at) & ENHANCED) != 0 && revision(segment, at) >= REVISION_2;
    }

    /** The revision, 0..2 after a good check. */
    public static int revision(MemorySegment segment, long at) {
        return Bytes.u8(segment, at + REVISION);
    }

    /** PD_Length as it stands in the frame: bytes behind the first 20, enhanced connection data included. */
    public static int pdLength(MemorySegment segment, long at) {
        return Bytes.u16(segment, at + PD_LENGTH);
    }

    /** Whole length of the frame in bytes. */
    public static int frameBytes(MemorySegment segment, long at) {
        return LENGTH + pdLength(segment, at);
    }

    /** Whether the frame holds enhanced connection data: only then may the accessors of its parts be used. */
    public static boolean hasEnhanced(MemorySegment segment, long at) {
        return announcesEnhanced(segment, at) && pdLength(segment, at) >= ENHANCED_LENGTH;
    }

    /** [RFC6581-9-3] Control flags A, B, C, D of the enhanced connection data, as bits of {@link #CONTROL_FLAGS}. */
    public static int controlFlags(MemorySegment segment, long at) {
        return Bytes.u32(segment, at + ENHANCED_DATA) & CONTROL_FLAGS;
    }

    /** [RFC6581-9-2] Inbound RDMA Read queue depth of the frame's sender, 0..0x3FFF. */
    public static int ird(MemorySegment segment, long at) {
        return Bytes.u16(segment, at + ENHANCED_DATA) & DEPTH_MASK;
    }

    /** [RFC6581-9-2] Outbound RDMA Read queue depth of the frame's sender, 0..0x3FFF. */
    public static int ord(MemorySegment segment, long at) {
        return Bytes.u16(segment, at + ENHANCED_DATA + 2) & DEPTH_MASK;
    }

    /** [RFC6581-9-4] Where the consumer's private data begin, counted from the frame's first byte: 20 or 24. */
    public static int privateDataAt(MemorySegment segment, long at) {
        return hasEnhanced(segment, at) ? LENGTH + ENHANCED_LENGTH : LENGTH;
    }

    /** Bytes of the consumer's private data, enhanced connection data not counted: 0..512. */
    public static int privateDataBytes(MemorySegment segment, long at) {
        return frameBytes(segment, at) - privateDataAt(segment, at);
    }

    /**
     * Writes the first 20 bytes of a frame without enhanced connection data. The private data follow.
     *
     * @param kind {@link #REQUEST} or {@link #REPLY}
     * @param flags any of {@link #MARKERS}, {@link #CRC}, {@link #REJECT} (Reply only)
     * @param revision 0..2
     * @param privateDataBytes bytes of private data that follow, 0..512
     */
    public static void put(MemorySegment segment, long at, int kind, int flags, int revision, int privateDataBytes) {
        assert (flags & ENHANCED) == 0 : flags;
        putHeader(segment, at, kind, flags, revision, privateDataBytes);
    }

    /**
     * Writes the first 24 bytes of a revision 2 frame with enhanced connection data. The consumer's private data follow.
     *
     * @param kind {@link #REQUEST} or {@link #REPLY}
     * @param flags any of {@link #MARKERS}, {@link #CRC}, {@link #REJECT} (Reply only); S is set here
     * @param controlFlags bits of {@link #CONTROL_FLAGS}
     * @param ird 0..0x3FFF
     * @param ord 0..0x3FFF
     * @param privateDataBytes bytes of the consumer's private data that follow, 0..508
     */
    public static void putEnhanced(
            MemorySegment segment,
            long at,
            int kind,
            int flags,
            int controlFlags,
            int ird,
            int ord,
            int privateDataBytes) {
        assert (controlFlags & ~CONTROL_FLAGS) == 0 : Integer.toHexString(controlFlags);
        assert ird >= 0 && ird <= DEPTH_MASK : ird;
        assert ord >= 0 && ord <= DEPTH_MASK : ord;
        putHeader(segment, at, kind, flags | ENHANCED, REVISION_2, privateDataBytes + ENHANCED_LENGTH);
        Bytes.putU32(segment, at + ENHANCED_DATA, controlFlags | (ird << 16) | ord);
    }

    private static void putHeader(MemorySegment segment, long at, int kind, int flags, int revision, int pdLength) {
        assert kind == REQUEST || kind == REPLY : kind;
        assert (flags & ~FLAG_MASK) == 0 : flags;
        // [RFC5044-7.1.1-5]
        assert kind == REPLY || (flags & REJECT) == 0 : "a Request must not carry R: Linux siw would echo it";
        assert revision >= REVISION_0 && revision <= REVISION_2 : revision;
        assert pdLength >= 0 && pdLength <= MAX_PD_LENGTH : pdLength;
        Bytes.putU64(segment, at, KEY_HIGH);
        Bytes.putU64(segment, at + 8, kind == REQUEST ? KEY_LOW_REQUEST : KEY_LOW_REPLY);
        Bytes.putU8(segment, at + FLAGS, flags);
        Bytes.putU8(segment, at + REVISION, revision);
        Bytes.putU16(segment, at + PD_LENGTH, pdLength);
    }

    /** All fields of a checked frame except the consumer's private data itself; for tests, logs and the control plane. */
    public static View view(MemorySegment segment, long at) {
        boolean enhanced = hasEnhanced(segment, at);
        return new View(
                kind(segment, at),
                flags(segment, at),
                revision(segment, at),
                pdLength(segment, at),
                enhanced,
                enhanced ? controlFlags(segment, at) : 0,
                enhanced ? ird(segment, at) : 0,
                enhanced ? ord(segment, at) : 0);
    }

    /**
     * The fields of a frame.
     *
     * @param kind {@link #REQUEST} or {@link #REPLY}
     * @param flags M, C, R, S
     * @param revision 0..2
     * @param pdLength 0..512
     * @param enhanced whether the next three are in the frame; if not they are 0
     * @param controlFlags A, B, C, D
     * @param ird the sender's inbound read depth
     * @param ord the sender's outbound read depth
     */
    public record View(
            int kind, int flags, int revision, int pdLength, boolean enhanced, int controlFlags, int ird, int ord) {}
}
