package io.jrdma.wire;

/**
 * Serial arithmetic modulo 2^32, as DDP message sequence numbers use it (RFC 5041 section 4.3): the number after
 * {@code 0xFFFFFFFF} is 0, and of two numbers the one less than 2^31 ahead is the later.
 */
public final class Serial32 {
    private Serial32() {}

    /** {@code serial + count} modulo 2^32. */
    public static int add(int serial, int count) {
        return serial + count;
    }

    /** The number after {@code serial}. */
    public static int next(int serial) {
        return serial + 1;
    }

    /** How far {@code later} is ahead of {@code earlier}: -2^31..2^31-1, negative if it is behind. */
    public static int diff(int later, int earlier) {
        return later - earlier;
    }

    /** Negative, zero or positive as {@code left} is before, equal to or after {@code right}. */
    public static int compare(int left, int right) {
        return Integer.signum(left - right);
    }

    /**
     * Whether {@code serial} is one of the {@code size} numbers that start with {@code first}.
     *
     * @param size window size, read as unsigned, 0..2^32-1
     */
    public static boolean inWindow(int serial, int first, int size) {
        return Integer.compareUnsigned(serial - first, size) < 0;
    }
}
