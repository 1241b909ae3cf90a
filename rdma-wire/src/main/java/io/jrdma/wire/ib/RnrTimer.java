package io.jrdma.wire.ib;

/**
 * The 5-bit timer codes of RNR NAKs and of the QP attribute {@code minRnrTimer} (IBTA volume 1, 9.7.5.2.8).
 *
 * <p>Code 0 is the longest time of all, 655.36 ms; codes 1 to 31 grow from 10 us to 491.52 ms.
 */
public final class RnrTimer {
    /** Number of codes. */
    public static final int COUNT = 32;
    /** The code of the longest time. */
    public static final int LONGEST = 0;

    private static final long UNIT_NS = 10_000;

    // [IBTA-9.7.5-3] in units of 10 us
    private static final int[] UNITS = {
        65_536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072,
        4096, 6144, 8192, 12_288, 16_384, 24_576, 32_768, 49_152
    };

    private RnrTimer() {}

    /** How long a code says to wait, in nanoseconds; of a larger number its low five bits count. */
    public static long toNanos(int code) {
        return UNITS[code & (COUNT - 1)] * UNIT_NS;
    }

    /** The code of the shortest time that is at least {@code nanos}; {@link #LONGEST} if none is. */
    public static int fromNanos(long nanos) {
        for (int code = 1; code < COUNT; code++) {
            if (toNanos(code) >= nanos) {
                return code;
            }
        }
        return LONGEST;
    }
}
