package io.jrdma.verbs;

import io.jrdma.verbs.spi.DriverProvider;
import java.time.Duration;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * How a device is opened. Immutable; the {@code with...} methods give changed copies.
 *
 * @param progress who makes progress; default {@link Progress#AUTOMATIC}
 * @param driver the driver to use, or null for the best one found on the class or module path
 * @param seed the seed of every number that has to look random, or empty to let the driver draw one; fixed seeds are for tests
 * @param peerTimeout an idle connection on which nothing comes for so long, although the peer is asked for a sign of life, is over; 5 s to
 *     12 h, or 0 for never; default 45 s. The peer is asked five times in the last third of that time. On iWARP the system asks, in whole
 *     seconds, and only while all that was sent is acknowledged; else TCP's own limits hold. A peer in manual mode answers only while its
 *     program makes progress; Linux and cards answer by themselves. Queue pairs that a program connects by hand are left alone
 */
public record DeviceOptions(
        Progress progress, @Nullable DriverProvider driver, OptionalLong seed, Duration peerTimeout) {
    /** Who makes progress. */
    public enum Progress {
        /** An event loop thread of the driver's. */
        AUTOMATIC,
        /** The thread that polls, waits or calls {@link RdmaDevice#progress}; no hand-off between threads. One thread only. */
        MANUAL
    }

    /** The system's own timers for TCP count in seconds; two thirds of the longest time must be no more than 32767 of them. */
    private static final Duration MIN_PEER_TIMEOUT = Duration.ofSeconds(5);

    private static final Duration MAX_PEER_TIMEOUT = Duration.ofHours(12);

    /** The defaults. */
    public static final DeviceOptions DEFAULT =
            new DeviceOptions(Progress.AUTOMATIC, null, OptionalLong.empty(), Duration.ofSeconds(45));

    public DeviceOptions {
        if (!peerTimeout.isZero()
                && (peerTimeout.compareTo(MIN_PEER_TIMEOUT) < 0 || peerTimeout.compareTo(MAX_PEER_TIMEOUT) > 0)) {
            throw new IllegalArgumentException("peerTimeout is " + peerTimeout.toMillis() + " ms; allowed are 0, and "
                    + MIN_PEER_TIMEOUT.toMillis() + ".." + MAX_PEER_TIMEOUT.toMillis() + " ms");
        }
    }

    /** The same with that way of progress. */
    public DeviceOptions withProgress(Progress newProgress) {
        return new DeviceOptions(newProgress, driver, seed, peerTimeout);
    }

    /** The same on that driver. */
    public DeviceOptions withDriver(@Nullable DriverProvider newDriver) {
        return new DeviceOptions(progress, newDriver, seed, peerTimeout);
    }

    /** The same with that seed. */
    public DeviceOptions withSeed(long newSeed) {
        return new DeviceOptions(progress, driver, OptionalLong.of(newSeed), peerTimeout);
    }

    /** The same with that limit to a peer's silence. */
    public DeviceOptions withPeerTimeout(Duration newPeerTimeout) {
        return new DeviceOptions(progress, driver, seed, newPeerTimeout);
    }
}
