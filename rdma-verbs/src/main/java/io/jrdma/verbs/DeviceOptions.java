package io.jrdma.verbs;

import io.jrdma.verbs.spi.DriverProvider;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * How a device is opened. Immutable; the {@code with...} methods give changed copies.
 *
 * @param progress who makes progress; default {@link Progress#AUTOMATIC}
 * @param driver the driver to use, or null for the best one found on the class or module path
 * @param seed the seed of every number that has to look random, or empty to let the driver draw one; fixed seeds are for tests
 */
public record DeviceOptions(Progress progress, @Nullable DriverProvider driver, OptionalLong seed) {
    /** Who makes progress. */
    public enum Progress {
        /** An event loop thread of the driver's. */
        AUTOMATIC,
        /** The thread that polls, waits or calls {@link RdmaDevice#progress}; no hand-off between threads. One thread only. */
        MANUAL
    }

    /** The defaults. */
    public static final DeviceOptions DEFAULT = new DeviceOptions(Progress.AUTOMATIC, null, OptionalLong.empty());

    /** The same with that way of progress. */
    public DeviceOptions withProgress(Progress newProgress) {
        return new DeviceOptions(newProgress, driver, seed);
    }

    /** The same on that driver. */
    public DeviceOptions withDriver(@Nullable DriverProvider newDriver) {
        return new DeviceOptions(progress, newDriver, seed);
    }

    /** The same with that seed. */
    public DeviceOptions withSeed(long newSeed) {
        return new DeviceOptions(progress, driver, OptionalLong.of(newSeed));
    }
}
