package io.jrdma.verbs;

/**
 * How one RoCE connection is set up and ended by connection management messages (IBTA volume 1, chapter 12). Immutable; {@link #builder()}
 * starts from {@link #RECOMMENDED}. Times that go on the wire are exponents n: 4.096 us times 2^n, which is taken for 2^(n-8) ms.
 *
 * @param responseTimeout exponent of the time that either side takes to answer a message, 0 to 24; default 20 (4 s), as Linux has it
 * @param packetLifetime exponent of the longest time that a packet is on its way, 0 to 24; default 18 (1 s), as Linux has it on Ethernet.
 *     A REQ is repeated after two of these and the response time (6.1 s); the ACK time limit of the queue pairs and the time wait follow
 *     from it as well (2 s)
 * @param maxRetries how often a REQ, a REP or a SIDR_REQ is repeated, 0 to 15; default 15, as Linux has it. That of the
 *     side that connects holds for both
 * @param serviceTimeout exponent of the time that an MRA asks the peer for while the application thinks, 0 to 24; default 24 (65 s)
 * @param disconnectTimeoutNs after how long a DREQ is repeated, in nanoseconds, more than 0; default 500 ms
 * @param disconnectRetries how often a DREQ is repeated before the peer is taken for gone, 0 to 15, and no more often
 *     than {@code maxRetries} of the side that connected; default 7, so that closing takes 4 s at most when the peer is dead
 * @param drainTimeoutNs how long a disconnect waits for the next completion of what was posted before it, in nanoseconds, 0 or more;
 *     default 10 s
 * @param minRnrTimer code of the time that the peer is asked to wait when this side has no receive posted, 0 to 31; default 12 (0.64 ms).
 *     Linux leaves it 0, which means 655 ms
 * @param trafficClass IP traffic class of the connection's packets, 0 to 255; default 0. The side that connects says it for both. A driver
 *     may have to leave it to the system ({@link AddressVector}); management messages go without
 * @param hopLimit IP hop limit of the connection's packets that this side sends, 1 to 255; default 64. A driver may have to leave it to the
 *     system; management messages have 64
 */
public record IbCmOptions(
        int responseTimeout,
        int packetLifetime,
        int maxRetries,
        int serviceTimeout,
        long disconnectTimeoutNs,
        int disconnectRetries,
        long drainTimeoutNs,
        int minRnrTimer,
        int trafficClass,
        int hopLimit) {
    /** The defaults. */
    public static final IbCmOptions RECOMMENDED =
            new IbCmOptions(20, 18, 15, 24, 500_000_000L, 7, 10_000_000_000L, 12, 0, 64);

    public IbCmOptions {
        range("responseTimeout", responseTimeout, 0, 24);
        range("packetLifetime", packetLifetime, 0, 24);
        range("maxRetries", maxRetries, 0, 15);
        range("serviceTimeout", serviceTimeout, 0, 24);
        if (disconnectTimeoutNs <= 0) {
            throw new IllegalArgumentException(
                    "disconnectTimeoutNs is " + disconnectTimeoutNs + "; it must be more than 0");
        }
        range("disconnectRetries", disconnectRetries, 0, 15);
        if (drainTimeoutNs < 0) {
            throw new IllegalArgumentException("drainTimeoutNs is " + drainTimeoutNs + "; it must be 0 or more");
        }
        range("minRnrTimer", minRnrTimer, 0, 31);
        range("trafficClass", trafficClass, 0, 255);
        range("hopLimit", hopLimit, 1, 255);
    }

    /** A builder that starts from {@link #RECOMMENDED}. */
    public static Builder builder() {
        return new Builder(RECOMMENDED);
    }

    /** A builder that starts from these options. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    private static void range(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " " + value + " is outside " + min + ".." + max);
        }
    }

    /** Collects changes; see {@link IbCmOptions} for what each means. */
    public static final class Builder {
        private int responseTimeout;
        private int packetLifetime;
        private int maxRetries;
        private int serviceTimeout;
        private long disconnectTimeoutNs;
        private int disconnectRetries;
        private long drainTimeoutNs;
        private int minRnrTimer;
        private int trafficClass;
        private int hopLimit;

        private Builder(IbCmOptions from) {
            responseTimeout = from.responseTimeout;
            packetLifetime = from.packetLifetime;
            maxRetries = from.maxRetries;
            serviceTimeout = from.serviceTimeout;
            disconnectTimeoutNs = from.disconnectTimeoutNs;
            disconnectRetries = from.disconnectRetries;
            drainTimeoutNs = from.drainTimeoutNs;
            minRnrTimer = from.minRnrTimer;
            trafficClass = from.trafficClass;
            hopLimit = from.hopLimit;
        }

        public Builder responseTimeout(int value) {
            responseTimeout = value;
            return this;
        }

        public Builder packetLifetime(int value) {
            packetLifetime = value;
            return this;
        }

        public Builder maxRetries(int value) {
            maxRetries = value;
            return this;
        }

        public Builder serviceTimeout(int value) {
            serviceTimeout = value;
            return this;
        }

        public Builder disconnectTimeoutNs(long value) {
            disconnectTimeoutNs = value;
            return this;
        }

        public Builder disconnectRetries(int value) {
            disconnectRetries = value;
            return this;
        }

        public Builder drainTimeoutNs(long value) {
            drainTimeoutNs = value;
            return this;
        }

        public Builder minRnrTimer(int value) {
            minRnrTimer = value;
            return this;
        }

        public Builder trafficClass(int value) {
            trafficClass = value;
            return this;
        }

        public Builder hopLimit(int value) {
            hopLimit = value;
            return this;
        }

        /** The options; throws {@link IllegalArgumentException} naming the value that is out of range. */
        public IbCmOptions build() {
            return new IbCmOptions(
                    responseTimeout,
                    packetLifetime,
                    maxRetries,
                    serviceTimeout,
                    disconnectTimeoutNs,
                    disconnectRetries,
                    drainTimeoutNs,
                    minRnrTimer,
                    trafficClass,
                    hopLimit);
        }
    }
}
