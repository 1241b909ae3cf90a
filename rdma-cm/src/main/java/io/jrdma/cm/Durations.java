package io.jrdma.cm;

import java.math.BigDecimal;
import java.time.Duration;

/** Time limits: in nanoseconds, and in words. */
final class Durations {
    /** As good as for ever. */
    static final Duration FOREVER = Duration.ofDays(36_500);

    /** How long one of several loops of one thread may wait before the next has its turn. */
    static final long TURN_NS = 1_000_000;

    private Durations() {}

    /** The duration as people write it, in seconds or milliseconds. */
    static String text(Duration duration) {
        return duration.toNanosPart() == 0
                ? duration.toSeconds() + " s"
                : BigDecimal.valueOf(duration.toNanos(), 6).stripTrailingZeros().toPlainString() + " ms";
    }

    /** The duration in nanoseconds; what does not fit is for ever. */
    static long nanos(Duration duration) {
        return duration.compareTo(FOREVER) >= 0 ? FOREVER.toNanos() : duration.toNanos();
    }
}
