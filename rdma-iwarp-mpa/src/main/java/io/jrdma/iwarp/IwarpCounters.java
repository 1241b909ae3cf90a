package io.jrdma.iwarp;

import io.jrdma.wire.Malformed;

/** What happened on a device, in numbers that only grow. Loop thread writes; others may read values that are a little old. */
public final class IwarpCounters {
    /** Connections that came up. */
    public static final int ESTABLISHED = 0;
    /** Handshakes that ended without a connection, rejections not counted. */
    public static final int HANDSHAKES_FAILED = 1;
    /** Requests and Replies that said no, sent or received. */
    public static final int REJECTED = 2;
    /** FPDUs sent. */
    public static final int FPDUS_SENT = 3;
    /** Stream bytes sent, start-up frames not counted. */
    public static final int BYTES_SENT = 4;
    /** FPDUs received in good order. */
    public static final int FPDUS_RECEIVED = 5;
    /** Stream bytes received, start-up frames not counted. */
    public static final int BYTES_RECEIVED = 6;
    /** Terminates sent. */
    public static final int TERMINATES_SENT = 7;
    /** Terminates received. */
    public static final int TERMINATES_RECEIVED = 8;
    /** Messages sent only to wake a peer up. */
    public static final int NUDGES_SENT = 9;
    /** Streams given up because the peer did not take what was sent, or did not close. */
    public static final int RESETS_SENT = 10;

    private static final int FIRST_MALFORMED = 11;
    /** Number of counters: 0..COUNT-1. */
    public static final int COUNT = FIRST_MALFORMED + Malformed.COUNT;

    private static final String[] NAMES = {
        "ESTABLISHED",
        "HANDSHAKES_FAILED",
        "REJECTED",
        "FPDUS_SENT",
        "BYTES_SENT",
        "FPDUS_RECEIVED",
        "BYTES_RECEIVED",
        "TERMINATES_SENT",
        "TERMINATES_RECEIVED",
        "NUDGES_SENT",
        "RESETS_SENT"
    };

    private final long[] values = new long[COUNT];

    IwarpCounters() {}

    /** The counter of received bytes that were rejected for that reason, a {@link Malformed} code. */
    public static int ofMalformed(int malformed) {
        return FIRST_MALFORMED + malformed;
    }

    /** A counter's name. */
    public static String name(int counter) {
        return counter < FIRST_MALFORMED ? NAMES[counter] : Malformed.name(counter - FIRST_MALFORMED);
    }

    /** A counter's value. */
    public long value(int counter) {
        return values[counter];
    }

    void add(int counter, long amount) {
        values[counter] += amount;
    }
}
