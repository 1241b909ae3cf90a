package io.jrdma.wire.ib;

/** The codes of a NAK (IBTA volume 1, 9.7.5.2.1 and following; [IBTA-9.7.5-4]): five bits of the AETH's syndrome. */
public final class NakCode {
    /** A PSN ahead of the expected one: the requester sends again from the PSN of the NAK. */
    public static final int PSN_SEQUENCE_ERROR = 0;
    /** A request that the responder cannot or may not execute. */
    public static final int INVALID_REQUEST = 1;
    /** A key that is wrong, or does not reach that far, or does not allow it. */
    public static final int REMOTE_ACCESS_ERROR = 2;
    /** The responder failed locally. */
    public static final int REMOTE_OPERATIONAL_ERROR = 3;
    /** Reliable datagram only. */
    public static final int INVALID_RD_REQUEST = 4;

    private static final String[] NAMES = {
        "PSN_SEQUENCE_ERROR", "INVALID_REQUEST", "REMOTE_ACCESS_ERROR", "REMOTE_OPERATIONAL_ERROR", "INVALID_RD_REQUEST"
    };

    private NakCode() {}

    /** Whether a document gives the code a meaning. */
    public static boolean isKnown(int code) {
        return code >= 0 && code < NAMES.length;
    }

    /** Whether the requester tries again instead of failing: true of {@link #PSN_SEQUENCE_ERROR} alone. */
    public static boolean isRetried(int code) {
        return code == PSN_SEQUENCE_ERROR;
    }

    /** The constant's name; {@code NAK_n} for a code without one. */
    public static String name(int code) {
        return isKnown(code) ? NAMES[code] : "NAK_" + code;
    }
}
