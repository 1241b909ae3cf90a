package io.jrdma.wire.iwarp;

/**
 * The sixteen RDMAP opcodes and what each implies (RFC 5040 section 4.2, RFC 7306 section 4; RFC 6580 for the last).
 *
 * <p>Predicates take any {@code int}: a number outside 0..15 is an opcode that nothing holds for.
 */
public final class RdmapOpcode {
    /** RDMA Write: tagged. */
    public static final int RDMA_WRITE = 0x0;
    /** RDMA Read Request: untagged, queue 1, one segment. */
    public static final int RDMA_READ_REQUEST = 0x1;
    /** RDMA Read Response: tagged. */
    public static final int RDMA_READ_RESPONSE = 0x2;
    /** Send: untagged, queue 0. */
    public static final int SEND = 0x3;
    /** Send with Invalidate. */
    public static final int SEND_INVALIDATE = 0x4;
    /** Send with Solicited Event. */
    public static final int SEND_SOLICITED = 0x5;
    /** Send with Solicited Event and Invalidate. */
    public static final int SEND_SOLICITED_INVALIDATE = 0x6;
    /** Terminate: untagged, queue 2, one segment. */
    public static final int TERMINATE = 0x7;
    /** Immediate Data (RFC 7306): untagged, queue 0, one segment. */
    public static final int IMMEDIATE = 0x8;
    /** Immediate Data with Solicited Event (RFC 7306). */
    public static final int IMMEDIATE_SOLICITED = 0x9;
    /** Atomic Request (RFC 7306): untagged, queue 1, one segment. */
    public static final int ATOMIC_REQUEST = 0xA;
    /** Atomic Response (RFC 7306): untagged, queue 3, one segment. */
    public static final int ATOMIC_RESPONSE = 0xB;
    /** For experiments (RFC 6580): no format is defined, so receivers treat it as unknown. */
    public static final int EXPERIMENTAL = 0xF;

    /** Bit set of the opcodes of RFC 5040, for {@link DdpSegment#check}. */
    public static final int RFC5040 = 0x00FF;
    /** Bit set of the opcodes that RFC 7306 adds. */
    public static final int RFC7306 = 0x0F00;
    /** Bit set of all opcodes that have a format. */
    public static final int ALL = RFC5040 | RFC7306;

    private static final int TAGGED_SET = set(RDMA_WRITE) | set(RDMA_READ_RESPONSE);
    private static final int SEND_SET =
            set(SEND) | set(SEND_INVALIDATE) | set(SEND_SOLICITED) | set(SEND_SOLICITED_INVALIDATE);
    private static final int INVALIDATE_SET = set(SEND_INVALIDATE) | set(SEND_SOLICITED_INVALIDATE);
    private static final int SOLICITED_SET =
            set(SEND_SOLICITED) | set(SEND_SOLICITED_INVALIDATE) | set(IMMEDIATE_SOLICITED);

    private static final String[] NAMES = {
        "RDMA Write",
        "RDMA Read Request",
        "RDMA Read Response",
        "Send",
        "Send with Invalidate",
        "Send with SE",
        "Send with SE and Invalidate",
        "Terminate",
        "Immediate Data",
        "Immediate Data with SE",
        "Atomic Request",
        "Atomic Response",
        "Unassigned C",
        "Unassigned D",
        "Unassigned E",
        "Experimental",
    };

    private RdmapOpcode() {}

    private static int set(int opcode) {
        return 1 << opcode;
    }

    /** Whether an opcode is in a bit set such as {@link #RFC5040}. */
    public static boolean in(int bitSet, int opcode) {
        return (opcode & ~0xF) == 0 && ((bitSet >>> opcode) & 1) != 0;
    }

    /** Whether a specification gives the opcode a format. */
    public static boolean isKnown(int opcode) {
        return in(ALL, opcode);
    }

    /** Whether it belongs to the tagged model. */
    public static boolean isTagged(int opcode) {
        return in(TAGGED_SET, opcode);
    }

    /** Whether it is one of the four Sends. */
    public static boolean isSend(int opcode) {
        return in(SEND_SET, opcode);
    }

    /** Whether it names an STag to invalidate. */
    public static boolean invalidates(int opcode) {
        return in(INVALIDATE_SET, opcode);
    }

    /** Whether it asks for a solicited event. */
    public static boolean solicits(int opcode) {
        return in(SOLICITED_SET, opcode);
    }

    /** Whether its messages may have more than one segment; they are also those that carry the consumer's data. */
    public static boolean mayBeSegmented(int opcode) {
        return in(TAGGED_SET | SEND_SET, opcode);
    }

    /** The queue its untagged messages go to, 0..3; -1 if tagged or unknown. */
    public static int queueNumber(int opcode) {
        // [RFC7306-4.2-1] Immediate Data share the queue of Sends, Atomic Requests that of Read Requests
        return switch (opcode) {
            case SEND, SEND_INVALIDATE, SEND_SOLICITED, SEND_SOLICITED_INVALIDATE, IMMEDIATE, IMMEDIATE_SOLICITED ->
                DdpHeader.QN_SEND;
            case RDMA_READ_REQUEST, ATOMIC_REQUEST -> DdpHeader.QN_READ_REQUEST;
            case TERMINATE -> DdpHeader.QN_TERMINATE;
            case ATOMIC_RESPONSE -> DdpHeader.QN_ATOMIC_RESPONSE;
            default -> -1;
        };
    }

    /** Bytes of the RDMAP header behind the DDP header; of Terminate the part that is always there; 0 if unknown. */
    public static int rdmapHeaderBytes(int opcode) {
        return switch (opcode) {
            case RDMA_READ_REQUEST -> ReadRequestHeader.LENGTH;
            case TERMINATE -> TerminateHeader.LENGTH;
            case IMMEDIATE, IMMEDIATE_SOLICITED -> ImmediateData.LENGTH;
            case ATOMIC_REQUEST -> AtomicHeaders.Request.LENGTH;
            case ATOMIC_RESPONSE -> AtomicHeaders.Response.LENGTH;
            default -> 0;
        };
    }

    /** Bytes of DDP and RDMAP header: the shortest ULPDU of the opcode. */
    public static int headerBytes(int opcode) {
        return (isTagged(opcode) ? DdpHeader.TAGGED_LENGTH : DdpHeader.UNTAGGED_LENGTH) + rdmapHeaderBytes(opcode);
    }

    /** The name of the message, as the specifications have it. */
    public static String name(int opcode) {
        return (opcode & ~0xF) == 0 ? NAMES[opcode] : "Opcode " + opcode;
    }
}
