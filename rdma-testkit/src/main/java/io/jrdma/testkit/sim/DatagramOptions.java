package io.jrdma.testkit.sim;

import java.util.SplittableRandom;

/**
 * How one direction between two hosts treats datagrams. Immutable; {@link #builder()} starts from {@link #CALM}.
 *
 * @param minLatencyNs shortest way of a datagram in nanoseconds, 0 or more
 * @param maxLatencyNs longest way, at least the shortest; a datagram that is slow holds up the ones behind it
 * @param lossPerMille of 1000 datagrams so many vanish
 * @param duplicatePerMille of 1000 datagrams so many arrive twice
 * @param maxDuplicateNs how much later the second one may arrive, in nanoseconds
 * @param reorderPerMille of 1000 datagrams so many are held back, and overtaken by the ones behind them
 * @param maxReorderNs the longest that they are held back, in nanoseconds
 * @param corruptPerMille of 1000 datagrams so many get one flipped bit behind the UDP header
 * @param bytesPerSecond bandwidth in bytes of IP packets a second, 0 for no limit
 * @param queueBytes bytes that wait in front of a limited bandwidth; a datagram that finds no room vanishes
 * @param markBytes a datagram that finds more bytes than that in the queue gets the ECN mark; -1 for never
 * @param mtuBytes the longest IP packet that goes through; longer ones vanish, as in a tunnel that nobody told of
 * @param partitionFromNs virtual time from which nothing goes through
 * @param partitionToNs virtual time from which it does again; not after {@code partitionFromNs} for no partition
 */
public record DatagramOptions(
        long minLatencyNs,
        long maxLatencyNs,
        int lossPerMille,
        int duplicatePerMille,
        long maxDuplicateNs,
        int reorderPerMille,
        long maxReorderNs,
        int corruptPerMille,
        long bytesPerSecond,
        int queueBytes,
        int markBytes,
        int mtuBytes,
        long partitionFromNs,
        long partitionToNs) {
    /** Ten microseconds, nothing limited, nothing wrong. */
    public static final DatagramOptions CALM =
            new DatagramOptions(10_000, 10_000, 0, 0, 0, 0, 0, 0, 0, Integer.MAX_VALUE, -1, 65_535, 0, 0);

    private static final long MAX_NS = Long.MAX_VALUE / 4;

    public DatagramOptions {
        require("minLatencyNs", minLatencyNs, 0, MAX_NS);
        require("maxLatencyNs", maxLatencyNs, minLatencyNs, MAX_NS);
        require("lossPerMille", lossPerMille, 0, 1000);
        require("duplicatePerMille", duplicatePerMille, 0, 1000);
        require("maxDuplicateNs", maxDuplicateNs, 0, MAX_NS);
        require("reorderPerMille", reorderPerMille, 0, 1000);
        require("maxReorderNs", maxReorderNs, 0, MAX_NS);
        require("corruptPerMille", corruptPerMille, 0, 1000);
        require("bytesPerSecond", bytesPerSecond, 0, 1_000_000_000_000L);
        require("queueBytes", queueBytes, 1, Integer.MAX_VALUE);
        require("markBytes", markBytes, -1, Integer.MAX_VALUE);
        require("mtuBytes", mtuBytes, 68, 65_535);
        require("partitionFromNs", partitionFromNs, 0, Long.MAX_VALUE);
        require("partitionToNs", partitionToNs, 0, Long.MAX_VALUE);
    }

    static void require(String name, long value, long min, long max) {
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

    /**
     * The same without loss of any kind, duplicates, reordering, corruption and limit of bandwidth: what a run ends with, to see that all
     * work finishes. Latency and MTU stay, as they are no trouble but a path's nature.
     */
    public DatagramOptions calmed() {
        return toBuilder()
                .loss(0)
                .duplicates(0, 0)
                .reordering(0, 0)
                .corruption(0)
                .bandwidth(0, Integer.MAX_VALUE)
                .markAbove(-1)
                .partition(0, 0)
                .build();
    }

    /**
     * Options by chance: each kind of trouble is on or off, and has wild weights when it is on; of each kind at most one datagram of five.
     * No partition: that is added by whoever knows how long its peers are patient.
     */
    public static DatagramOptions random(SplittableRandom random) {
        Builder builder = builder();
        if (random.nextBoolean()) {
            long min = random.nextLong(0, 200_000);
            builder.latencyNs(min, min + random.nextLong(0, 500_000));
        }
        if (random.nextBoolean()) {
            builder.loss(random.nextInt(1, 201));
        }
        if (random.nextInt(3) == 0) {
            builder.duplicates(random.nextInt(1, 201), random.nextLong(0, 2_000_000));
        }
        if (random.nextInt(3) == 0) {
            builder.reordering(random.nextInt(1, 201), random.nextLong(1, 1_000_000));
        }
        if (random.nextInt(3) == 0) {
            builder.corruption(random.nextInt(1, 201));
        }
        if (random.nextInt(3) == 0) {
            builder.bandwidth(1_000_000L << random.nextInt(0, 12), 3_000 << random.nextInt(0, 9));
            if (random.nextBoolean()) {
                builder.markAbove(random.nextInt(0, 100_000));
            }
        }
        return builder.build();
    }

    /** Collects changes; see {@link DatagramOptions} for what each means. */
    public static final class Builder {
        private long minLatencyNs;
        private long maxLatencyNs;
        private int lossPerMille;
        private int duplicatePerMille;
        private long maxDuplicateNs;
        private int reorderPerMille;
        private long maxReorderNs;
        private int corruptPerMille;
        private long bytesPerSecond;
        private int queueBytes;
        private int markBytes;
        private int mtuBytes;
        private long partitionFromNs;
        private long partitionToNs;

        private Builder(DatagramOptions from) {
            minLatencyNs = from.minLatencyNs;
            maxLatencyNs = from.maxLatencyNs;
            lossPerMille = from.lossPerMille;
            duplicatePerMille = from.duplicatePerMille;
            maxDuplicateNs = from.maxDuplicateNs;
            reorderPerMille = from.reorderPerMille;
            maxReorderNs = from.maxReorderNs;
            corruptPerMille = from.corruptPerMille;
            bytesPerSecond = from.bytesPerSecond;
            queueBytes = from.queueBytes;
            markBytes = from.markBytes;
            mtuBytes = from.mtuBytes;
            partitionFromNs = from.partitionFromNs;
            partitionToNs = from.partitionToNs;
        }

        public Builder latencyNs(long min, long max) {
            minLatencyNs = min;
            maxLatencyNs = max;
            return this;
        }

        public Builder loss(int perMille) {
            lossPerMille = perMille;
            return this;
        }

        public Builder duplicates(int perMille, long maxNs) {
            duplicatePerMille = perMille;
            maxDuplicateNs = maxNs;
            return this;
        }

        public Builder reordering(int perMille, long maxNs) {
            reorderPerMille = perMille;
            maxReorderNs = maxNs;
            return this;
        }

        public Builder corruption(int perMille) {
            corruptPerMille = perMille;
            return this;
        }

        public Builder bandwidth(long perSecond, int queue) {
            bytesPerSecond = perSecond;
            queueBytes = queue;
            return this;
        }

        public Builder markAbove(int bytes) {
            markBytes = bytes;
            return this;
        }

        public Builder mtuBytes(int value) {
            mtuBytes = value;
            return this;
        }

        public Builder partition(long fromNs, long toNs) {
            partitionFromNs = fromNs;
            partitionToNs = toNs;
            return this;
        }

        /** The options; throws {@link IllegalArgumentException} naming the value that is out of range. */
        public DatagramOptions build() {
            return new DatagramOptions(
                    minLatencyNs,
                    maxLatencyNs,
                    lossPerMille,
                    duplicatePerMille,
                    maxDuplicateNs,
                    reorderPerMille,
                    maxReorderNs,
                    corruptPerMille,
                    bytesPerSecond,
                    queueBytes,
                    markBytes,
                    mtuBytes,
                    partitionFromNs,
                    partitionToNs);
        }
    }
}
