package io.jrdma.wire;

/**
 * Every reason to reject received bytes, as {@code int} codes: 0 is "nothing wrong", all others are positive.
 *
 * <p>Names double as counter names. Codes stand in memory and logs of one process only and never go on the wire; which Terminate
 * answers a code is the business of {@link io.jrdma.wire.iwarp.TerminateCode#forMalformed}.
 */
public final class Malformed {
    /** Nothing wrong. */
    public static final int OK = 0;

    /** MPA start-up: the first bytes are no MPA key at all. */
    public static final int MPA_KEY_INVALID = 1;
    /** MPA start-up: the key of the other frame; a Request where a Reply is due means that both sides initiate. */
    public static final int MPA_KEY_UNEXPECTED = 2;
    /** MPA start-up: a revision above 2. */
    public static final int MPA_REVISION_UNSUPPORTED = 3;
    /** MPA start-up: PD_Length above 512. */
    public static final int MPA_PRIVATE_DATA_TOO_LONG = 4;
    /** MPA start-up: the S flag without room for the four bytes of enhanced connection data. */
    public static final int MPA_ENHANCED_DATA_MISSING = 5;
    /** MPA: the CRC of an FPDU does not match. */
    public static final int MPA_CRC_MISMATCH = 6;
    /** MPA: a marker does not point at the start of its FPDU. */
    public static final int MPA_MARKER_MISMATCH = 7;
    /** MPA: a ULPDU too short for the two control bytes that start every DDP segment. */
    public static final int MPA_ULPDU_TOO_SHORT = 8;

    /** DDP: wrong version in a tagged segment. */
    public static final int DDP_VERSION_TAGGED = 9;
    /** DDP: wrong version in an untagged segment. */
    public static final int DDP_VERSION_UNTAGGED = 10;
    /** DDP: shorter than the tagged header. */
    public static final int DDP_TAGGED_TOO_SHORT = 11;
    /** DDP: shorter than the untagged header. */
    public static final int DDP_UNTAGGED_TOO_SHORT = 12;
    /** DDP: a queue number that the opcode does not use. */
    public static final int DDP_QN_INVALID = 13;
    /** DDP: a message offset other than 0 in a message that is always one segment. */
    public static final int DDP_MO_INVALID = 14;
    /** DDP: L bit not set in a message that is always one segment. */
    public static final int DDP_LAST_MISSING = 15;

    /** RDMAP: wrong version. */
    public static final int RDMAP_VERSION = 16;
    /** RDMAP: an opcode that no specification assigns. */
    public static final int RDMAP_OPCODE_UNKNOWN = 17;
    /** RDMAP: an assigned opcode that the receiver does not take part in. */
    public static final int RDMAP_OPCODE_UNSUPPORTED = 18;
    /** RDMAP: an opcode of the tagged model in an untagged segment. */
    public static final int RDMAP_TAGGED_EXPECTED = 19;
    /** RDMAP: an opcode of the untagged model in a tagged segment. */
    public static final int RDMAP_UNTAGGED_EXPECTED = 20;
    /** RDMAP: Read Request shorter than its header. */
    public static final int RDMAP_READ_REQUEST_TOO_SHORT = 21;
    /** RDMAP: Read Request with bytes behind its header. */
    public static final int RDMAP_READ_REQUEST_TOO_LONG = 22;
    /** RDMAP: Terminate shorter than its control word. */
    public static final int RDMAP_TERMINATE_TOO_SHORT = 23;
    /** RDMAP: Immediate Data message with less than 8 bytes of data. */
    public static final int RDMAP_IMMEDIATE_TOO_SHORT = 24;
    /** RDMAP: Immediate Data message with more than 8 bytes of data. */
    public static final int RDMAP_IMMEDIATE_TOO_LONG = 25;
    /** RDMAP: Atomic Request shorter than its header. */
    public static final int RDMAP_ATOMIC_REQUEST_TOO_SHORT = 26;
    /** RDMAP: Atomic Request with bytes behind its header. */
    public static final int RDMAP_ATOMIC_REQUEST_TOO_LONG = 27;
    /** RDMAP: Atomic Response shorter than its header. */
    public static final int RDMAP_ATOMIC_RESPONSE_TOO_SHORT = 28;
    /** RDMAP: Atomic Response with bytes behind its header. */
    public static final int RDMAP_ATOMIC_RESPONSE_TOO_LONG = 29;

    /** Number of codes, {@link #OK} included: codes are 0..COUNT-1. */
    public static final int COUNT = 30;

    private static final Reason[] REASONS = {
        new Reason(OK, "OK", "nothing wrong", ""),
        new Reason(MPA_KEY_INVALID, "MPA_KEY_INVALID", "the peer does not speak MPA: wrong key", "RFC5044-7.1.1-1"),
        new Reason(
                MPA_KEY_UNEXPECTED,
                "MPA_KEY_UNEXPECTED",
                "an MPA Request where a Reply is due, or a Reply where a Request is due",
                "RFC5044-7.1.1-2"),
        new Reason(MPA_REVISION_UNSUPPORTED, "MPA_REVISION_UNSUPPORTED", "an MPA revision above 2", "RFC5044-7.1.1-7"),
        new Reason(
                MPA_PRIVATE_DATA_TOO_LONG,
                "MPA_PRIVATE_DATA_TOO_LONG",
                "more than 512 bytes of MPA private data announced",
                "RFC5044-7.1.1-8"),
        new Reason(
                MPA_ENHANCED_DATA_MISSING,
                "MPA_ENHANCED_DATA_MISSING",
                "MPA S flag without the 4 bytes of enhanced connection data",
                "RFC6581-9-1"),
        new Reason(MPA_CRC_MISMATCH, "MPA_CRC_MISMATCH", "wrong CRC32c of an FPDU", "RFC5044-4.4-5"),
        new Reason(
                MPA_MARKER_MISMATCH,
                "MPA_MARKER_MISMATCH",
                "a marker that does not point at the start of its FPDU",
                "RFC5044-8-2"),
        new Reason(
                MPA_ULPDU_TOO_SHORT,
                "MPA_ULPDU_TOO_SHORT",
                "a ULPDU too short for the DDP and RDMAP control bytes",
                "RFC5041-4.1-1"),
        new Reason(DDP_VERSION_TAGGED, "DDP_VERSION_TAGGED", "wrong DDP version, tagged", "RFC5041-4.1-4"),
        new Reason(DDP_VERSION_UNTAGGED, "DDP_VERSION_UNTAGGED", "wrong DDP version, untagged", "RFC5041-4.1-4"),
        new Reason(DDP_TAGGED_TOO_SHORT, "DDP_TAGGED_TOO_SHORT", "shorter than the tagged DDP header", "RFC5041-4.2-1"),
        new Reason(
                DDP_UNTAGGED_TOO_SHORT,
                "DDP_UNTAGGED_TOO_SHORT",
                "shorter than the untagged DDP header",
                "RFC5041-4.3-1"),
        new Reason(DDP_QN_INVALID, "DDP_QN_INVALID", "DDP queue number wrong for the opcode", "RFC5040-4.2-2"),
        new Reason(
                DDP_MO_INVALID,
                "DDP_MO_INVALID",
                "DDP message offset other than 0 in a one-segment message",
                "RFC5041-4.3-4"),
        new Reason(
                DDP_LAST_MISSING,
                "DDP_LAST_MISSING",
                "DDP L bit not set in a message that must be one segment",
                "RFC5040-4.4-2"),
        new Reason(RDMAP_VERSION, "RDMAP_VERSION", "wrong RDMAP version", "RFC5040-4.1-1"),
        new Reason(RDMAP_OPCODE_UNKNOWN, "RDMAP_OPCODE_UNKNOWN", "unassigned RDMAP opcode", "RFC5040-4.1-3"),
        new Reason(
                RDMAP_OPCODE_UNSUPPORTED,
                "RDMAP_OPCODE_UNSUPPORTED",
                "RDMAP opcode that this side does not support",
                "RFC5040-4.1-3"),
        new Reason(
                RDMAP_TAGGED_EXPECTED,
                "RDMAP_TAGGED_EXPECTED",
                "RDMAP opcode of the tagged model in an untagged segment",
                "RFC5040-4.2-1"),
        new Reason(
                RDMAP_UNTAGGED_EXPECTED,
                "RDMAP_UNTAGGED_EXPECTED",
                "RDMAP opcode of the untagged model in a tagged segment",
                "RFC5040-4.2-1"),
        new Reason(
                RDMAP_READ_REQUEST_TOO_SHORT,
                "RDMAP_READ_REQUEST_TOO_SHORT",
                "RDMA Read Request shorter than its header",
                "RFC5040-4.4-1"),
        new Reason(
                RDMAP_READ_REQUEST_TOO_LONG,
                "RDMAP_READ_REQUEST_TOO_LONG",
                "RDMA Read Request with bytes behind its header",
                "RFC5040-4.4-1"),
        new Reason(
                RDMAP_TERMINATE_TOO_SHORT,
                "RDMAP_TERMINATE_TOO_SHORT",
                "Terminate shorter than its control word",
                "RFC5040-4.8-1"),
        new Reason(
                RDMAP_IMMEDIATE_TOO_SHORT,
                "RDMAP_IMMEDIATE_TOO_SHORT",
                "Immediate Data message with less than 8 bytes",
                "RFC7306-6.2-1"),
        new Reason(
                RDMAP_IMMEDIATE_TOO_LONG,
                "RDMAP_IMMEDIATE_TOO_LONG",
                "Immediate Data message with more than 8 bytes",
                "RFC7306-6.2-1"),
        new Reason(
                RDMAP_ATOMIC_REQUEST_TOO_SHORT,
                "RDMAP_ATOMIC_REQUEST_TOO_SHORT",
                "Atomic Request shorter than its header",
                "RFC7306-5.2.1-1"),
        new Reason(
                RDMAP_ATOMIC_REQUEST_TOO_LONG,
                "RDMAP_ATOMIC_REQUEST_TOO_LONG",
                "Atomic Request with bytes behind its header",
                "RFC7306-5.2.1-1"),
        new Reason(
                RDMAP_ATOMIC_RESPONSE_TOO_SHORT,
                "RDMAP_ATOMIC_RESPONSE_TOO_SHORT",
                "Atomic Response shorter than its header",
                "RFC7306-5.2.2-1"),
        new Reason(
                RDMAP_ATOMIC_RESPONSE_TOO_LONG,
                "RDMAP_ATOMIC_RESPONSE_TOO_LONG",
                "Atomic Response with bytes behind its header",
                "RFC7306-5.2.2-1"),
    };

    static {
        if (REASONS.length != COUNT) {
            throw new AssertionError("COUNT is " + COUNT + ", reasons are " + REASONS.length);
        }
        for (int code = 0; code < COUNT; code++) {
            if (REASONS[code].code != code) {
                throw new AssertionError(REASONS[code] + " stands at " + code);
            }
        }
    }

    private Malformed() {}

    /** The constant's name, or {@code MALFORMED_n} for a number that is no code. */
    public static String name(int code) {
        return isCode(code) ? REASONS[code].name : "MALFORMED_" + code;
    }

    /** What is wrong, for a person; never empty. */
    public static String description(int code) {
        return isCode(code) ? REASONS[code].text : "no known reason";
    }

    /** The id (in {@code specs/requirements}) of the sentence that a sender of such bytes breaks; empty for {@link #OK}. */
    public static String requirement(int code) {
        return isCode(code) ? REASONS[code].requirement : "";
    }

    private static boolean isCode(int code) {
        return code >= 0 && code < COUNT;
    }

    private record Reason(int code, String name, String text, String requirement) {}
}
