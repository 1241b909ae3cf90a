package io.jrdma.wire.iwarp;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/**
 * DDP headers, tagged (14 bytes) and untagged (18 bytes) (RFC 5041 sections 4.1 to 4.3; [RFC5041-4.2-1],
 * [RFC5041-4.3-1]). Reserved bits [RFC5041-4.1-5] are written as zero, and no accessor looks at them.
 *
 * <pre>
 *          0  control: T 80, L 40, reserved 3C, DV 03        1  RsvdULP: the RDMAP control byte
 * tagged   2  STag (4)   6  tagged offset (8)
 * untagged 2  RsvdULP, continued (4): the STag to invalidate, or 0   6  queue number (4)   10  MSN (4)   14  message offset (4)
 * </pre>
 *
 * <p>{@code at} is the segment's first byte. Accessors of one model must not be used on a segment of the other.
 */
public final class DdpHeader {
    /** Bytes of the tagged header. */
    public static final int TAGGED_LENGTH = 14;
    /** Bytes of the untagged header. */
    public static final int UNTAGGED_LENGTH = 18;
    /** The only DDP version (RDMA Consortium's was 0). */
    public static final int VERSION = 1;

    /** Queue 0: Send messages and Immediate Data. */
    public static final int QN_SEND = 0;
    /** Queue 1: RDMA Read Requests and Atomic Requests. */
    public static final int QN_READ_REQUEST = 1;
    /** Queue 2: Terminate. */
    public static final int QN_TERMINATE = 2;
    /** Queue 3: Atomic Responses (RFC 7306). */
    public static final int QN_ATOMIC_RESPONSE = 3;
    /** The first message sequence number of every queue. */
    public static final int FIRST_MSN = 1;

    private static final int TAGGED = 0x80;
    private static final int LAST = 0x40;
    private static final int VERSION_MASK = 0x03;

    private static final int RSVD_ULP = 1;
    private static final int STAG = 2;
    private static final int TAGGED_OFFSET = 6;
    private static final int ULP_WORD = 2;
    private static final int QN = 6;
    private static final int MSN = 10;
    private static final int MESSAGE_OFFSET = 14;

    private DdpHeader() {}

    /** [RFC5041-4.1-2] Flag T: the tagged model. */
    public static boolean isTagged(MemorySegment segment, long at) {
        return (Bytes.u8(segment, at) & TAGGED) != 0;
    }

    /** Flag L: last or only segment of its message. */
    public static boolean isLast(MemorySegment segment, long at) {
        return (Bytes.u8(segment, at) & LAST) != 0;
    }

    /** DV, 0..3; {@link #VERSION} after a good check. */
    public static int version(MemorySegment segment, long at) {
        return Bytes.u8(segment, at) & VERSION_MASK;
    }

    /** The byte that belongs to RDMAP, {@link RdmapHeader}. */
    public static int rdmapControl(MemorySegment segment, long at) {
        return Bytes.u8(segment, at + RSVD_ULP);
    }

    /** Bytes of this segment's header, 14 or 18. */
    public static int headerBytes(MemorySegment segment, long at) {
        return isTagged(segment, at) ? TAGGED_LENGTH : UNTAGGED_LENGTH;
    }

    /** Tagged: the STag of the buffer at the receiver. */
    public static int stag(MemorySegment segment, long at) {
        return Bytes.u32(segment, at + STAG);
    }

    /** Tagged: where the payload's first byte goes in the buffer; any 64 bits. */
    public static long taggedOffset(MemorySegment segment, long at) {
        return Bytes.u64(segment, at + TAGGED_OFFSET);
    }

    /** Untagged: the four bytes that belong to RDMAP: the STag to invalidate, or 0. */
    public static int ulpWord(MemorySegment segment, long at) {
        return Bytes.u32(segment, at + ULP_WORD);
    }

    /** Untagged: the queue number, any 32 bits. */
    public static int queueNumber(MemorySegment segment, long at) {
        return Bytes.u32(segment, at + QN);
    }

    /** Untagged: the message sequence number, see {@link io.jrdma.wire.Serial32}. */
    public static int ddpMsn(MemorySegment segment, long at) {
        return Bytes.u32(segment, at + MSN);
    }

    /** Untagged: where the payload's first byte goes in its message, 0..2^32-1. */
    public static long messageOffset(MemorySegment segment, long at) {
        return Bytes.u32AsLong(segment, at + MESSAGE_OFFSET);
    }

    /**
     * Writes a tagged header, 14 bytes.
     *
     * @param rdmapControl {@link RdmapHeader#control}, 0..255
     */
    public static void putTagged(
            MemorySegment segment, long at, boolean last, int rdmapControl, int stag, long taggedOffset) {
        Bytes.putU8(segment, at, TAGGED | (last ? LAST : 0) | VERSION);
        Bytes.putU8(segment, at + RSVD_ULP, rdmapControl);
        Bytes.putU32(segment, at + STAG, stag);
        Bytes.putU64(segment, at + TAGGED_OFFSET, taggedOffset);
    }

    /**
     * Writes an untagged header, 18 bytes.
     *
     * @param rdmapControl {@link RdmapHeader#control}, 0..255
     * @param ulpWord the STag to invalidate, or 0
     * @param messageOffset 0..2^32-1
     */
    public static void putUntagged(
            MemorySegment segment,
            long at,
            boolean last,
            int rdmapControl,
            int ulpWord,
            int queueNumber,
            int ddpMsn,
            long messageOffset) {
        Bytes.putU8(segment, at, (last ? LAST : 0) | VERSION);
        Bytes.putU8(segment, at + RSVD_ULP, rdmapControl);
        Bytes.putU32(segment, at + ULP_WORD, ulpWord);
        Bytes.putU32(segment, at + QN, queueNumber);
        Bytes.putU32(segment, at + MSN, ddpMsn);
        Bytes.putU32(segment, at + MESSAGE_OFFSET, messageOffset);
    }

    /** All fields, for tests and logs. */
    public static View view(MemorySegment segment, long at) {
        return isTagged(segment, at)
                ? new Tagged(
                        isLast(segment, at),
                        version(segment, at),
                        rdmapControl(segment, at),
                        stag(segment, at),
                        taggedOffset(segment, at))
                : new Untagged(
                        isLast(segment, at),
                        version(segment, at),
                        rdmapControl(segment, at),
                        ulpWord(segment, at),
                        queueNumber(segment, at),
                        ddpMsn(segment, at),
                        messageOffset(segment, at));
    }

    /** The fields of either header. */
    public sealed interface View {
        /** Flag L. */
        boolean last();

        /** DV, 0..3. */
        int version();

        /** The byte that belongs to RDMAP. */
        int rdmapControl();
    }

    /**
     * The fields of a tagged header.
     *
     * @param last flag L
     * @param version DV
     * @param rdmapControl RDMAP's byte
     * @param stag STag
     * @param taggedOffset TO
     */
    public record Tagged(boolean last, int version, int rdmapControl, int stag, long taggedOffset) implements View {}

    /**
     * The fields of an untagged header.
     *
     * @param last flag L
     * @param version DV
     * @param rdmapControl RDMAP's byte
     * @param ulpWord RDMAP's four bytes
     * @param queueNumber QN
     * @param ddpMsn MSN
     * @param messageOffset MO, 0..2^32-1
     */
    public record Untagged(
            boolean last, int version, int rdmapControl, int ulpWord, int queueNumber, int ddpMsn, long messageOffset)
            implements View {}
}
