package io.jrdma.wire.ib;

/**
 * Every reason to drop a received RoCEv2 packet on sight, as {@code int} codes: 0 is "nothing wrong", all others are positive.
 *
 * <p>Such packets are dropped in silence (IBTA volume 1, 9.6): no answer may be built from bytes that cannot be trusted. Names double
 * as counter names. Codes stand in memory and logs of one process only and never go on the wire.
 */
public final class IbMalformed {
    /** Nothing wrong. */
    public static final int OK = 0;
    /** Shorter than BTH and ICRC. */
    public static final int PACKET_TOO_SHORT = 1;
    /** Longer than any packet may be: headers, the largest path MTU and ICRC. */
    public static final int PACKET_TOO_LONG = 2;
    /** No multiple of four bytes. */
    public static final int LENGTH_NOT_PADDED = 3;
    /** A transport version other than 0. */
    public static final int TRANSPORT_VERSION = 4;
    /** An opcode without a format. */
    public static final int OPCODE_UNKNOWN = 5;
    /** Shorter than what the opcode's headers, pad and ICRC take. */
    public static final int HEADERS_CUT = 6;
    /** The ICRC does not match. */
    public static final int ICRC_MISMATCH = 7;

    /** Number of codes, {@link #OK} included: codes are 0..COUNT-1. */
    public static final int COUNT = 8;

    private static final Reason[] REASONS = {
        new Reason("OK", "nothing wrong", ""),
        new Reason("PACKET_TOO_SHORT", "shorter than BTH and ICRC", "IBTA-9.2-1"),
        new Reason("PACKET_TOO_LONG", "longer than headers, the largest path MTU and ICRC", "IBTA-9.4-2"),
        new Reason("LENGTH_NOT_PADDED", "no multiple of four bytes", "IBTA-9.4-1"),
        new Reason("TRANSPORT_VERSION", "wrong transport version", "IBTA-9.2-4"),
        new Reason("OPCODE_UNKNOWN", "an opcode without a format", "IBTA-9.2-2"),
        new Reason("HEADERS_CUT", "shorter than the opcode's headers, pad and ICRC", "IBTA-9.2-3"),
        new Reason("ICRC_MISMATCH", "wrong ICRC", "IBTA-A17-4"),
    };

    private IbMalformed() {}

    /** The constant's name, or {@code IB_MALFORMED_n} for a number that is no code. */
    public static String name(int code) {
        return isCode(code) ? REASONS[code].name : "IB_MALFORMED_" + code;
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

    private record Reason(String name, String text, String requirement) {}
}
