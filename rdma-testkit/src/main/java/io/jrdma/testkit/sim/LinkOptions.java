package io.jrdma.testkit.sim;

import java.util.List;
import java.util.SplittableRandom;

/**
 * How one direction of a stream behaves. TCP neither loses nor reorders bytes, so there is no option for that; corruption stands for what
 * TCP's checksum misses. Immutable; {@link #builder()} starts from {@link #CALM}.
 *
 * @param minLatencyNs shortest way of a segment in nanoseconds, 0 or more
 * @param maxLatencyNs longest way, at least the shortest
 * @param maxSegmentBytes what is committed is cut into segments of 1 to so many bytes
 * @param maxReadBytes the receiver reads 1 to so many bytes at once
 * @param bufferBytes the sender's sink is full while so many bytes are on the way or unread, 1 or more; one claim may pass the limit
 * @param pollBytes what the driver asks the engine for at once, in bytes, 1 or more
 * @param stallPerMille of 1000 segments so many are held up
 * @param maxStallNs the longest of these stalls in nanoseconds
 * @param corruptPerMille of 1000 segments so many get one flipped bit
 * @param corruptFrom the first position that corruption may hit; positions before it are a start-up that no checksum covers
 * @param corruptAt positions of bytes that get one flipped bit
 * @param resetAt position at which the connection is reset instead of delivering the byte; -1 for never
 * @param closeAt position at which the sender is gone: the receiver gets a FIN instead of the byte, as from a process that died; -1 for
 *     never
 */
public record LinkOptions(
        long minLatencyNs,
        long maxLatencyNs,
        int maxSegmentBytes,
        int maxReadBytes,
        int bufferBytes,
        int pollBytes,
        int stallPerMille,
        long maxStallNs,
        int corruptPerMille,
        long corruptFrom,
        List<Long> corruptAt,
        long resetAt,
        long closeAt) {
    /** Ten microseconds, nothing cut, nothing wrong. */
    public static final LinkOptions CALM =
            new LinkOptions(10_000, 10_000, 1 << 20, 1 << 20, 1 << 20, 1 << 17, 0, 0, 0, 0, List.of(), -1, -1);

    public LinkOptions {
        require("minLatencyNs", minLatencyNs, 0, Long.MAX_VALUE / 4);
        require("maxLatencyNs", maxLatencyNs, minLatencyNs, Long.MAX_VALUE / 4);
        require("maxSegmentBytes", maxSegmentBytes, 1, Integer.MAX_VALUE);
        require("maxReadBytes", maxReadBytes, 1, 1 << 20);
        require("bufferBytes", bufferBytes, 1, Integer.MAX_VALUE);
        require("pollBytes", pollBytes, 1, Integer.MAX_VALUE);
        require("stallPerMille", stallPerMille, 0, 1000);
        require("maxStallNs", maxStallNs, 0, Long.MAX_VALUE / 4);
        require("corruptPerMille", corruptPerMille, 0, 1000);
        require("corruptFrom", corruptFrom, 0, Long.MAX_VALUE);
        require("resetAt", resetAt, -1, Long.MAX_VALUE);
        require("closeAt", closeAt, -1, Long.MAX_VALUE);
        corruptAt = List.copyOf(corruptAt);
    }

    private static void require(String name, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " is " + value + "; allowed is " + min + ".." + max);
        }
    }

    /** A builder that starts from {@link #CALM}. */
    public static Builder builder() {
        return new Builder(CALM);
    }

    /** A builder that starts from these options. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** The same without stalls, corruption and reset: what a run ends with, to see that all work finishes. */
    public LinkOptions calmed() {
        return toBuilder()
                .stalls(0, 0)
                .corruption(0, 0)
                .corruptAt(List.of())
                .resetAt(-1)
                .closeAt(-1)
                .build();
    }

    /**
     * Options by chance: each kind of trouble is on or off, and has wild weights when it is on. No corruption and no reset: those are
     * added by whoever knows what they must lead to.
     */
    public static LinkOptions random(SplittableRandom random) {
        Builder builder = builder();
        if (random.nextBoolean()) {
            long min = random.nextLong(0, 1_000_000);
            builder.latencyNs(min, min + random.nextLong(0, 2_000_000));
        }
        if (random.nextBoolean()) {
            builder.maxSegmentBytes(pick(random, 1, 7, 100, 536, 1460, 9000));
        }
        if (random.nextBoolean()) {
            builder.maxReadBytes(pick(random, 1, 3, 64, 512, 4096));
        }
        if (random.nextBoolean()) {
            builder.bufferBytes(pick(random, 1, 100, 2000, 20_000));
        }
        if (random.nextBoolean()) {
            builder.pollBytes(pick(random, 1, 100, 5000));
        }
        if (random.nextBoolean()) {
            builder.stalls(random.nextInt(1, 100), random.nextLong(1_000, 20_000_000));
        }
        return builder.build();
    }

    private static int pick(SplittableRandom random, int... values) {
        return values[random.nextInt(values.length)];
    }

    /** Collects changes; see {@link LinkOptions} for what each means. */
    public static final class Builder {
        private long minLatencyNs;
        private long maxLatencyNs;
        private int maxSegmentBytes;
        private int maxReadBytes;
        private int bufferBytes;
        private int pollBytes;
        private int stallPerMille;
        private long maxStallNs;
        private int corruptPerMille;
        private long corruptFrom;
        private List<Long> corruptAt;
        private long resetAt;
        private long closeAt;

        private Builder(LinkOptions from) {
            minLatencyNs = from.minLatencyNs;
            maxLatencyNs = from.maxLatencyNs;
            maxSegmentBytes = from.maxSegmentBytes;
            maxReadBytes = from.maxReadBytes;
            bufferBytes = from.bufferBytes;
            pollBytes = from.pollBytes;
            stallPerMille = from.stallPerMille;
            maxStallNs = from.maxStallNs;
            corruptPerMille = from.corruptPerMille;
            corruptFrom = from.corruptFrom;
            corruptAt = from.corruptAt;
            resetAt = from.resetAt;
            closeAt = from.closeAt;
        }

        public Builder latencyNs(long min, long max) {
            minLatencyNs = min;
            maxLatencyNs = max;
            return this;
        }

        public Builder maxSegmentBytes(int value) {
            maxSegmentBytes = value;
            return this;
        }

        public Builder maxReadBytes(int value) {
            maxReadBytes = value;
            return this;
        }

        public Builder bufferBytes(int value) {
            bufferBytes = value;
            return this;
        }

        public Builder pollBytes(int value) {
            pollBytes = value;
            return this;
        }

        public Builder stalls(int perMille, long maxNs) {
            stallPerMille = perMille;
            maxStallNs = maxNs;
            return this;
        }

        public Builder corruption(int perMille, long from) {
            corruptPerMille = perMille;
            corruptFrom = from;
            return this;
        }

        public Builder corruptAt(List<Long> positions) {
            corruptAt = positions;
            return this;
        }

        public Builder resetAt(long position) {
            resetAt = position;
            return this;
        }

        public Builder closeAt(long position) {
            closeAt = position;
            return this;
        }

        /** The options; throws {@link IllegalArgumentException} naming the value that is out of range. */
        public LinkOptions build() {
            return new LinkOptions(
                    minLatencyNs,
                    maxLatencyNs,
                    maxSegmentBytes,
                    maxReadBytes,
                    bufferBytes,
                    pollBytes,
                    stallPerMille,
                    maxStallNs,
                    corruptPerMille,
                    corruptFrom,
                    corruptAt,
                    resetAt,
                    closeAt);
        }
    }
}
