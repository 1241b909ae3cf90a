package io.jrdma.wire.iwarp;

import io.jrdma.wire.Malformed;
import java.lang.foreign.MemorySegment;

/**
 * A whole DDP segment, which is what an FPDU carries: its check, and where its parts stand.
 *
 * <p>The check looks at what the segment alone can tell: versions, opcode, T and L bits, lengths, and queue number and message offset
 * where the opcode fixes them. Message sequence numbers, offsets of Sends, STags and everything else that depends on the connection are
 * the engine's. Reserved bits are ignored (RFC 5040 section 4.1, RFC 5041 section 4.1). {@code at} is the segment's first byte.
 */
public final class DdpSegment {
    private DdpSegment() {}

    /** {@link #check(MemorySegment, long, int, int)} for a receiver that takes every opcode that has a format. */
    public static int check(MemorySegment segment, long at, int length) {
        return check(segment, at, length, RdmapOpcode.ALL);
    }

    /**
     * Checks a segment. After {@link Malformed#OK} no accessor of the segment's header classes can fail.
     *
     * @param length the segment's bytes (ULPDU_Length), 0..65535, all inside {@code segment}
     * @param supported bit set of the opcodes that the receiver takes, such as {@link RdmapOpcode#RFC5040}
     * @return {@link Malformed#OK} or the first thing that is wrong, in the order DDP version, RDMAP version, opcode, T bit, DDP header
     *     length, queue, message offset, L bit, message length; {@link TerminateCode#forMalformed} has the answer to each
     */
    public static int check(MemorySegment segment, long at, int length, int supported) {
        // [RFC5041-4.1-1] every segment starts with the two control bytes
        if (length < 2) {
            return Malformed.MPA_ULPDU_TOO_SHORT;
        }
        boolean tagged = DdpHeader.isTagged(segment, at);
        // [RFC5041-4.1-4] [RFC5041-7.1-1] any other DDP version is an error, reported by model
        if (DdpHeader.version(segment, at) != DdpHeader.VERSION) {
            return tagged ? Malformed.DDP_VERSION_TAGGED : Malformed.DDP_VERSION_UNTAGGED;
        }
        // [RFC5040-4.1-1] any other RDMAP version is an error
        if (RdmapHeader.version(segment, at) != RdmapHeader.VERSION) {
            return Malformed.RDMAP_VERSION;
        }
        int opcode = RdmapHeader.opcode(segment, at);
        // [RFC5040-4.1-3]
        if (!RdmapOpcode.isKnown(opcode)) {
            return Malformed.RDMAP_OPCODE_UNKNOWN;
        }
        if (!RdmapOpcode.in(supported, opcode)) {
            return Malformed.RDMAP_OPCODE_UNSUPPORTED;
        }
        // [RFC5040-4.2-1] the opcode decides the model
        if (tagged != RdmapOpcode.isTagged(opcode)) {
            return tagged ? Malformed.RDMAP_UNTAGGED_EXPECTED : Malformed.RDMAP_TAGGED_EXPECTED;
        }
        if (tagged) {
            return length < DdpHeader.TAGGED_LENGTH ? Malformed.DDP_TAGGED_TOO_SHORT : Malformed.OK;
        }
        return length < DdpHeader.UNTAGGED_LENGTH
                ? Malformed.DDP_UNTAGGED_TOO_SHORT
                : checkUntagged(segment, at, length, opcode);
    }

    private static int checkUntagged(MemorySegment segment, long at, int length, int opcode) {
        // [RFC5040-4.2-2] the opcode decides the queue
        if (DdpHeader.queueNumber(segment, at) != RdmapOpcode.queueNumber(opcode)) {
            return Malformed.DDP_QN_INVALID;
        }
        if (RdmapOpcode.mayBeSegmented(opcode)) {
            return Malformed.OK;
        }
        // [RFC5041-4.3-4] the only segment of a message is also its first
        if (DdpHeader.messageOffset(segment, at) != 0) {
            return Malformed.DDP_MO_INVALID;
        }
        // [RFC5040-4.4-2] [RFC5040-4.8-5] [RFC7306-4.2-1] these messages are never segmented
        if (!DdpHeader.isLast(segment, at)) {
            return Malformed.DDP_LAST_MISSING;
        }
        return checkLength(opcode, length);
    }

    private static int checkLength(int opcode, int length) {
        int excess = Integer.signum(length - RdmapOpcode.headerBytes(opcode));
        return switch (opcode) {
            // [RFC5040-4.4-1]
            case RdmapOpcode.RDMA_READ_REQUEST ->
                exactly(excess, Malformed.RDMAP_READ_REQUEST_TOO_SHORT, Malformed.RDMAP_READ_REQUEST_TOO_LONG);
            case RdmapOpcode.TERMINATE -> excess < 0 ? Malformed.RDMAP_TERMINATE_TOO_SHORT : Malformed.OK;
            // [RFC7306-6.2-1]
            case RdmapOpcode.IMMEDIATE, RdmapOpcode.IMMEDIATE_SOLICITED ->
                exactly(excess, Malformed.RDMAP_IMMEDIATE_TOO_SHORT, Malformed.RDMAP_IMMEDIATE_TOO_LONG);
            // [RFC7306-5.2.1-1]
            case RdmapOpcode.ATOMIC_REQUEST ->
                exactly(excess, Malformed.RDMAP_ATOMIC_REQUEST_TOO_SHORT, Malformed.RDMAP_ATOMIC_REQUEST_TOO_LONG);
            // [RFC7306-5.2.2-1]
            case RdmapOpcode.ATOMIC_RESPONSE ->
                exactly(excess, Malformed.RDMAP_ATOMIC_RESPONSE_TOO_SHORT, Malformed.RDMAP_ATOMIC_RESPONSE_TOO_LONG);
            default -> throw new AssertionError("opcode " + opcode + " may be segmented");
        };
    }

    private static int exactly(int excess, int tooShort, int tooLong) {
        return excess == 0 ? Malformed.OK : excess < 0 ? tooShort : tooLong;
    }

    /** The opcode of a checked segment, see {@link RdmapOpcode}. */
    public static int opcode(MemorySegment segment, long at) {
        return RdmapHeader.opcode(segment, at);
    }

    /** Where the RDMAP header or the payload starts, counted from {@code at}: 14 or 18. */
    public static int bodyAt(MemorySegment segment, long at) {
        return DdpHeader.headerBytes(segment, at);
    }

    /** Bytes behind the DDP header of a checked segment: of a segmented message its payload, 0..65521. */
    public static int bodyBytes(MemorySegment segment, long at, int length) {
        return length - DdpHeader.headerBytes(segment, at);
    }

    /** Bytes of consumer data in a checked segment: 0 for messages that are RDMAP's own. */
    public static int payloadBytes(MemorySegment segment, long at, int length) {
        return RdmapOpcode.mayBeSegmented(opcode(segment, at)) ? bodyBytes(segment, at, length) : 0;
    }
}
