package io.jrdma.verbs;

import io.jrdma.verbs.spi.DeviceDriver;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Waits in manual mode, where whoever waits is the loop. */
final class Waiting {
    private Waiting() {}

    /** Nanoseconds of a duration, 0 if it is negative, {@code Long.MAX_VALUE} if it is longer than that. */
    static long nanos(Duration duration) {
        if (duration.isNegative()) {
            return 0;
        }
        try {
            return duration.toNanos();
        } catch (ArithmeticException tooLong) {
            return Long.MAX_VALUE;
        }
    }

    /** Makes progress until the source gives something or the time is over, at least once; null if it gave nothing. */
    static <T> @Nullable T progressing(DeviceDriver driver, Duration timeout, Supplier<@Nullable T> source)
            throws InterruptedException {
        long left = nanos(timeout);
        long end = driver.nowNs() + left;
        T found = source.get();
        while (found == null) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            driver.progress(Math.max(left, 0));
            found = source.get();
            left = end - driver.nowNs();
            if (left <= 0) {
                break;
            }
        }
        return found;
    }
}
