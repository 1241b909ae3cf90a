package io.jrdma.wire.ib;

/**
 * Times coded as an exponent: 4.096 us * 2^n, n of 5 bits (IBTA volume 1, 9.7.6).
 *
 * <p>The QP attribute {@code timeout}, the local ACK timeout and target ACK delay, and all timeouts of connection management. For an
 * ACK timeout 0 means that there is none; that is the caller's to know.
 */
public final class AckTimeout {
    /** The largest exponent: 2.4 hours. */
    public static final int MAX = 31;

    private static final long UNIT_NS = 4096;

    private AckTimeout() {}

    /** The time in nanoseconds: 4096 to 8796093022208. Of a larger number its low five bits count. */
    public static long toNanos(int exponent) {
        // [IBTA-9.7.6-1] 4.096 us times 2^n
        return UNIT_NS << (exponent & MAX);
    }

    /** The exponent of the shortest time that is at least {@code nanos}, 0..31; 31 if none is. */
    public static int fromNanos(long nanos) {
        int exponent = 0;
        while (exponent < MAX && toNanos(exponent) < nanos) {
            exponent++;
        }
        return exponent;
    }
}
