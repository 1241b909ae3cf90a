package io.jrdma.wire;

/**
 * Packet sequence numbers of InfiniBand transports: 24 bits that wrap (IBTA volume 1, 9.2.7 and 9.7.2).
 *
 * <p>The message sequence number of an AETH counts the same way. Every argument called a number is 0..2^24-1, and so is every result.
 * Of two numbers that are not equal, the one less than 2^23 ahead is the later.
 */
public final class Psn {
    /** The largest number. */
    public static final int MAX = 0xFF_FFFF;

    private static final int BITS_ABOVE = 8;

    private Psn() {}

    /** {@code psn + count} modulo 2^24; {@code count} is any number, negative ones go back. */
    public static int add(int psn, int count) {
        return (psn + count) & MAX;
    }

    /** The number after {@code psn}. */
    public static int next(int psn) {
        return (psn + 1) & MAX;
    }

    /** The number before {@code psn}. */
    public static int previous(int psn) {
        return (psn - 1) & MAX;
    }

    /** How far {@code later} is ahead of {@code earlier}: -2^23..2^23-1, negative if it is behind. */
    public static int diff(int later, int earlier) {
        // [IBTA-9.2-7] the sign of a difference of 24 bits
        return ((later - earlier) << BITS_ABOVE) >> BITS_ABOVE;
    }

    /** Steps forward from {@code from} to {@code to}: 0..2^24-1. */
    public static int distance(int from, int to) {
        return (to - from) & MAX;
    }
}
