package io.jrdma.testkit.sim;

import java.util.SplittableRandom;

/**
 * How a host's datagram ports behave: what its socket and its network interface are in reality. Immutable; {@link #builder()} starts from
 * {@link #CALM}.
 *
 * @param interfaceMtu MTU of the interface in bytes, 576 to 65,535; longer packets are not sent
 * @param receiveBufferBytes what the socket holds while the device is busy, in bytes of UDP payload; what does not fit is dropped
 * @param maxReadNs how long the device may be busy before it reads what has arrived, in nanoseconds
 * @param maxReadPackets datagrams that it reads at once
 * @param maxSegments packets of one train, 1 or more
 * @param sinkBytes the sink is full when so many bytes wait to be sent, 1 or more; one train may pass the limit
 * @param maxFlushNs how long a full sink may stay full, in nanoseconds
 * @param refusePerMille of 1000 claims so many find the sink full though it is not
 * @param pollBytes what the driver asks the engine for at once, in bytes
 * @param randomIdentification whether packets of IPv4 carry identifications by chance, as Linux rxe's do, and not 0, 1, 2 within a train
 */
public record PortOptions(
        int interfaceMtu,
        int receiveBufferBytes,
        long maxReadNs,
        int maxReadPackets,
        int maxSegments,
        int sinkBytes,
        long maxFlushNs,
        int refusePerMille,
        int pollBytes,
        boolean randomIdentification) {
    /** An interface of 1500 bytes, a mebibyte of buffer, nothing late. */
    public static final PortOptions CALM = new PortOptions(1500, 1 << 20, 0, 64, 64, 1 << 20, 0, 0, 1 << 17, false);

    private static final long MAX_NS = Long.MAX_VALUE / 4;

    public PortOptions {
        DatagramOptions.require("interfaceMtu", interfaceMtu, 576, 65_535);
        DatagramOptions.require("receiveBufferBytes", receiveBufferBytes, 1, Integer.MAX_VALUE);
        DatagramOptions.require("maxReadNs", maxReadNs, 0, MAX_NS);
        DatagramOptions.require("maxReadPackets", maxReadPackets, 1, Integer.MAX_VALUE);
        DatagramOptions.require("maxSegments", maxSegments, 1, 1024);
        DatagramOptions.require("sinkBytes", sinkBytes, 1, Integer.MAX_VALUE);
        DatagramOptions.require("maxFlushNs", maxFlushNs, 0, MAX_NS);
        DatagramOptions.require("refusePerMille", refusePerMille, 0, 999);
        DatagramOptions.require("pollBytes", pollBytes, 1, Integer.MAX_VALUE);
    }

    /** A builder that starts from {@link #CALM}. */
    public static Builder builder() {
        return new Builder(CALM);
    }

    /** A builder that starts from these options. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Options by chance, with that interface MTU: small trains, small sinks, a device that is busy. The receive buffer stays large. */
    public static PortOptions random(SplittableRandom random, int interfaceMtu) {
        Builder builder = builder().interfaceMtu(interfaceMtu).randomIdentification(random.nextBoolean());
        if (random.nextBoolean()) {
            builder.reading(random.nextLong(0, 100_000), random.nextInt(1, 65));
        }
        if (random.nextBoolean()) {
            builder.maxSegments(random.nextInt(1, 17));
        }
        if (random.nextBoolean()) {
            builder.sink(1 << random.nextInt(0, 17), random.nextLong(0, 50_000));
        }
        if (random.nextBoolean()) {
            builder.refusals(random.nextInt(1, 300));
        }
        if (random.nextBoolean()) {
            builder.pollBytes(1 << random.nextInt(0, 17));
        }
        return builder.build();
    }

    /** Collects changes; see {@link PortOptions} for what each means. */
    public static final class Builder {
        private int interfaceMtu;
        private int receiveBufferBytes;
        private long maxReadNs;
        private int maxReadPackets;
        private int maxSegments;
        private int sinkBytes;
        private long maxFlushNs;
        private int refusePerMille;
        private int pollBytes;
        private boolean randomIdentification;

        private Builder(PortOptions from) {
            interfaceMtu = from.interfaceMtu;
            receiveBufferBytes = from.receiveBufferBytes;
            maxReadNs = from.maxReadNs;
            maxReadPackets = from.maxReadPackets;
            maxSegments = from.maxSegments;
            sinkBytes = from.sinkBytes;
            maxFlushNs = from.maxFlushNs;
            refusePerMille = from.refusePerMille;
            pollBytes = from.pollBytes;
            randomIdentification = from.randomIdentification;
        }

        public Builder interfaceMtu(int value) {
            interfaceMtu = value;
            return this;
        }

        public Builder receiveBufferBytes(int value) {
            receiveBufferBytes = value;
            return this;
        }

        public Builder reading(long maxNs, int maxPackets) {
            maxReadNs = maxNs;
            maxReadPackets = maxPackets;
            return this;
        }

        public Builder maxSegments(int value) {
            maxSegments = value;
            return this;
        }

        public Builder sink(int bytes, long maxNs) {
            sinkBytes = bytes;
            maxFlushNs = maxNs;
            return this;
        }

        public Builder refusals(int perMille) {
            refusePerMille = perMille;
            return this;
        }

        public Builder pollBytes(int value) {
            pollBytes = value;
            return this;
        }

        public Builder randomIdentification(boolean value) {
            randomIdentification = value;
            return this;
        }

        /** The options; throws {@link IllegalArgumentException} naming the value that is out of range. */
        public PortOptions build() {
            return new PortOptions(
                    interfaceMtu,
                    receiveBufferBytes,
                    maxReadNs,
                    maxReadPackets,
                    maxSegments,
                    sinkBytes,
                    maxFlushNs,
                    refusePerMille,
                    pollBytes,
                    randomIdentification);
        }
    }
}
