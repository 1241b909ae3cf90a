package io.jrdma.cm;

import io.jrdma.verbs.IbCmOptions;
import io.jrdma.verbs.MpaOptions;

/**
 * What one side brings to a connection ({@code struct rdma_conn_param}). Immutable. The same type serves connect and accept.
 *
 * @param privateData for the peer's application; default none. On iWARP a connect carries up to {@link #MAX_REQUEST_PRIVATE_DATA} bytes, an
 *     accept or a reject up to {@link #MAX_REPLY_PRIVATE_DATA}; on RoCE the limits are {@link #MAX_IB_REQUEST_PRIVATE_DATA}, {@link
 *     #MAX_IB_REPLY_PRIVATE_DATA} and {@link #MAX_IB_REJECT_PRIVATE_DATA}, and the peer sees as many bytes, with zeros behind what was sent
 * @param responderResources Reads and atomics of the peer that this side serves at once (iWARP: IRD), 0 to {@link #MAX_DEPTH}, or {@link
 *     #DEVICE_MAXIMUM}, the default; beyond the device's limit is refused
 * @param initiatorDepth Reads and atomics that this side wants to keep outstanding (iWARP: ORD), as {@code responderResources}
 * @param retryCount how often the transport of both sides repeats, 0 to 7; default 7. The connecting side's value counts. Not used on
 *     iWARP, where TCP repeats
 * @param rnrRetryCount how often the peer's transport repeats when this side has no receive posted, 0 to 7, where 7 means for ever; default
 *     7. Not used on iWARP
 * @param flowControl whether the transport's end-to-end flow control is used; default true. Not used on iWARP
 * @param mpa iWARP: options of the MPA handshake; default {@link MpaOptions#RECOMMENDED}
 * @param ib RoCE: options of the connection management messages; default {@link IbCmOptions#RECOMMENDED}
 */
@SuppressWarnings("ArrayRecordComponent") // copied on the way in and out
public record ConnectionParameters(
        byte[] privateData,
        int responderResources,
        int initiatorDepth,
        int retryCount,
        int rnrRetryCount,
        boolean flowControl,
        MpaOptions mpa,
        IbCmOptions ib) {
    /**
     * As many as the device allows; on the accepting side, as many as the device allows and the peer has asked for ({@code
     * RDMA_MAX_RESP_RES}, {@code RDMA_MAX_INIT_DEPTH}).
     */
    public static final int DEVICE_MAXIMUM = Integer.MAX_VALUE;

    /** The largest depth that can be said in numbers: RFC 6581 section 9.1 has 14 bits and keeps the highest value. */
    public static final int MAX_DEPTH = 0x3FFE;

    /** Bytes of private data that fit an iWARP connect: 512 (RFC 5044 section 7.1.1) less the enhanced connection data (RFC 6581 section 9). */
    public static final int MAX_REQUEST_PRIVATE_DATA = 508;

    /**
     * Bytes of private data in an iWARP accept or reject: 256 less the enhanced connection data. The standard allows more, but a longer
     * reply brings down a Linux {@code siw} peer that asked for the connection.
     */
    public static final int MAX_REPLY_PRIVATE_DATA = 252;

    /** Bytes of private data in a RoCE connect: the 92 of a REQ less the 36 that name addresses and port. */
    public static final int MAX_IB_REQUEST_PRIVATE_DATA = 56;

    /** Bytes of private data in a RoCE accept: those of a REP. */
    public static final int MAX_IB_REPLY_PRIVATE_DATA = 196;

    /** Bytes of private data in a RoCE reject: those of a REJ. */
    public static final int MAX_IB_REJECT_PRIVATE_DATA = 148;

    /** The defaults. */
    public static final ConnectionParameters RECOMMENDED = new ConnectionParameters(
            new byte[0], DEVICE_MAXIMUM, DEVICE_MAXIMUM, 7, 7, true, MpaOptions.RECOMMENDED, IbCmOptions.RECOMMENDED);

    public ConnectionParameters {
        if (privateData.length > 512) {
            throw new IllegalArgumentException("private data of " + privateData.length + " bytes is outside 0..512");
        }
        depth("responderResources", responderResources);
        depth("initiatorDepth", initiatorDepth);
        range("retryCount", retryCount, 7);
        range("rnrRetryCount", rnrRetryCount, 7);
        privateData = privateData.clone();
    }

    /** A copy of the private data. */
    @Override
    public byte[] privateData() {
        return privateData.clone();
    }

    /** A builder that starts from {@link #RECOMMENDED}. */
    public static Builder builder() {
        return new Builder(RECOMMENDED);
    }

    /** A builder that starts from these parameters. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    private static void depth(String name, int value) {
        if (value != DEVICE_MAXIMUM) {
            range(name, value, MAX_DEPTH);
        }
    }

    private static void range(String name, int value, int max) {
        if (value < 0 || value > max) {
            throw new IllegalArgumentException(name + " " + value + " is outside 0.." + max);
        }
    }

    /** Collects changes; see {@link ConnectionParameters} for what each means. */
    public static final class Builder {
        private byte[] privateData;
        private int responderResources;
        private int initiatorDepth;
        private int retryCount;
        private int rnrRetryCount;
        private boolean flowControl;
        private MpaOptions mpa;
        private IbCmOptions ib;

        private Builder(ConnectionParameters from) {
            privateData = from.privateData;
            responderResources = from.responderResources;
            initiatorDepth = from.initiatorDepth;
            retryCount = from.retryCount;
            rnrRetryCount = from.rnrRetryCount;
            flowControl = from.flowControl;
            mpa = from.mpa;
            ib = from.ib;
        }

        public Builder privateData(byte[] value) {
            privateData = value.clone();
            return this;
        }

        public Builder responderResources(int value) {
            responderResources = value;
            return this;
        }

        public Builder initiatorDepth(int value) {
            initiatorDepth = value;
            return this;
        }

        public Builder retryCount(int value) {
            retryCount = value;
            return this;
        }

        public Builder rnrRetryCount(int value) {
            rnrRetryCount = value;
            return this;
        }

        public Builder flowControl(boolean value) {
            flowControl = value;
            return this;
        }

        public Builder mpa(MpaOptions value) {
            mpa = value;
            return this;
        }

        public Builder ib(IbCmOptions value) {
            ib = value;
            return this;
        }

        /** The parameters; throws {@link IllegalArgumentException} naming the value that is out of range. */
        public ConnectionParameters build() {
            return new ConnectionParameters(
                    privateData, responderResources, initiatorDepth, retryCount, rnrRetryCount, flowControl, mpa, ib);
        }
    }
}
