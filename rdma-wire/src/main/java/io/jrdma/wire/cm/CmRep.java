package io.jrdma.wire.cm;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/**
 * Connect Reply (IBTA volume 1, 12.6.8; [IBTA-12.6-5]).
 *
 * <p>"Local" is the sender of the REP. The starting PSN is that of the first request the <em>receiver</em> will send; the RNR retry count is
 * for the receiver as well.
 *
 * @param localCommId the sender's id of the connection
 * @param remoteCommId the receiver's, from its REQ
 * @param localQKey 0: it is of datagrams
 * @param localQpn the sender's QP, 0..2^24-1; 0 for XRC
 * @param localEecn for XRC the sender's target QP; 0..2^24-1
 * @param startingPsn 0..2^24-1
 * @param vendorId 0..2^24-1; 0 without enhanced connection establishment
 * @param responderResources 0..255
 * @param initiatorDepth 0..255
 * @param targetAckDelay exponent, 0..31: how long the sender takes to acknowledge
 * @param failoverAccepted 0..3; 0 if the alternate path was taken
 * @param endToEndFlowControl whether the sender sends credits
 * @param rnrRetryCount 0..7; 7 is for ever
 * @param srq whether the sender's QP has a shared receive queue
 * @param localCaGuid the sender's channel adapter
 * @param privateData up to 196 bytes
 */
public record CmRep(
        int localCommId,
        int remoteCommId,
        int localQKey,
        int localQpn,
        int localEecn,
        int startingPsn,
        int vendorId,
        int responderResources,
        int initiatorDepth,
        int targetAckDelay,
        int failoverAccepted,
        boolean endToEndFlowControl,
        int rnrRetryCount,
        boolean srq,
        long localCaGuid,
        CmBytes privateData)
        implements CmMessage {
    /** Bytes of private data that it has room for. */
    public static final int PRIVATE_DATA_MAX = 196;

    private static final int PRIVATE_DATA = 36;

    /** Checks the ranges. */
    public CmRep {
        Fields.u24("localQpn", localQpn);
        Fields.u24("localEecn", localEecn);
        Fields.u24("startingPsn", startingPsn);
        Fields.u24("vendorId", vendorId);
        Fields.u8("responderResources", responderResources);
        Fields.u8("initiatorDepth", initiatorDepth);
        Fields.timeout("targetAckDelay", targetAckDelay);
        Fields.check("failoverAccepted", failoverAccepted, 3);
        Fields.three("rnrRetryCount", rnrRetryCount);
        Fields.fits("privateData", privateData, PRIVATE_DATA_MAX);
    }

    @Override
    public int attributeId() {
        return CmAttribute.REP;
    }

    static CmRep of(MemorySegment body) {
        return new CmRep(
                Bytes.u32(body, 0),
                Bytes.u32(body, 4),
                Bytes.u32(body, 8),
                Bytes.u24(body, 12),
                Bytes.u24(body, 16),
                Bytes.u24(body, 20),
                (Bytes.u8(body, 15) << 16) | (Bytes.u8(body, 19) << 8) | Bytes.u8(body, 23),
                Bytes.u8(body, 24),
                Bytes.u8(body, 25),
                Bytes.u8(body, 26) >>> 3,
                (Bytes.u8(body, 26) >>> 1) & 3,
                (Bytes.u8(body, 26) & 1) != 0,
                Bytes.u8(body, 27) >>> 5,
                (Bytes.u8(body, 27) & 0x10) != 0,
                Bytes.u64(body, 28),
                CmBytes.of(body, PRIVATE_DATA, PRIVATE_DATA_MAX));
    }

    void put(MemorySegment body) {
        Bytes.putU32(body, 0, localCommId);
        Bytes.putU32(body, 4, remoteCommId);
        Bytes.putU32(body, 8, localQKey);
        Bytes.putU32(body, 12, (localQpn << 8) | (vendorId >>> 16));
        Bytes.putU32(body, 16, (localEecn << 8) | ((vendorId >>> 8) & 0xFF));
        Bytes.putU32(body, 20, (startingPsn << 8) | (vendorId & 0xFF));
        Bytes.putU8(body, 24, responderResources);
        Bytes.putU8(body, 25, initiatorDepth);
        int flow = Fields.bit(endToEndFlowControl, 0);
        Bytes.putU8(body, 26, (targetAckDelay << 3) | (failoverAccepted << 1) | flow);
        Bytes.putU8(body, 27, (rnrRetryCount << 5) | Fields.bit(srq, 4));
        Bytes.putU64(body, 28, localCaGuid);
        privateData.put(body, PRIVATE_DATA);
    }

    /** A builder whose fields are all zero, or what the builder says. */
    public static Builder builder() {
        return new Builder();
    }

    /** Sets fields by name; one thread at a time. */
    public static final class Builder {
        private int localCommId;
        private int remoteCommId;
        private int localQKey;
        private int localQpn;
        private int localEecn;
        private int startingPsn;
        private int vendorId;
        private int responderResources;
        private int initiatorDepth;
        private int targetAckDelay;
        private int failoverAccepted;
        private boolean endToEndFlowControl;
        private int rnrRetryCount;
        private boolean srq;
        private long localCaGuid;
        private CmBytes privateData = CmBytes.EMPTY;

        private Builder() {}

        /** Sets {@link CmRep#localCommId}. */
        public Builder localCommId(int value) {
            localCommId = value;
            return this;
        }

        /** Sets {@link CmRep#remoteCommId}. */
        public Builder remoteCommId(int value) {
            remoteCommId = value;
            return this;
        }

        /** Sets {@link CmRep#localQKey}. */
        public Builder localQKey(int value) {
            localQKey = value;
            return this;
        }

        /** Sets {@link CmRep#localQpn}. */
        public Builder localQpn(int value) {
            localQpn = value;
            return this;
        }

        /** Sets {@link CmRep#localEecn}. */
        public Builder localEecn(int value) {
            localEecn = value;
            return this;
        }

        /** Sets {@link CmRep#startingPsn}. */
        public Builder startingPsn(int value) {
            startingPsn = value;
            return this;
        }

        /** Sets {@link CmRep#vendorId}. */
        public Builder vendorId(int value) {
            vendorId = value;
            return this;
        }

        /** Sets {@link CmRep#responderResources}. */
        public Builder responderResources(int value) {
            responderResources = value;
            return this;
        }

        /** Sets {@link CmRep#initiatorDepth}. */
        public Builder initiatorDepth(int value) {
            initiatorDepth = value;
            return this;
        }

        /** Sets {@link CmRep#targetAckDelay}. */
        public Builder targetAckDelay(int value) {
            targetAckDelay = value;
            return this;
        }

        /** Sets {@link CmRep#failoverAccepted}. */
        public Builder failoverAccepted(int value) {
            failoverAccepted = value;
            return this;
        }

        /** Sets {@link CmRep#endToEndFlowControl}. */
        public Builder endToEndFlowControl(boolean value) {
            endToEndFlowControl = value;
            return this;
        }

        /** Sets {@link CmRep#rnrRetryCount}. */
        public Builder rnrRetryCount(int value) {
            rnrRetryCount = value;
            return this;
        }

        /** Sets {@link CmRep#srq}. */
        public Builder srq(boolean value) {
            srq = value;
            return this;
        }

        /** Sets {@link CmRep#localCaGuid}. */
        public Builder localCaGuid(long value) {
            localCaGuid = value;
            return this;
        }

        /** Sets {@link CmRep#privateData}; without it none. */
        public Builder privateData(CmBytes value) {
            privateData = value;
            return this;
        }

        /** The message; throws {@link IllegalArgumentException} if a field is out of range. */
        public CmRep build() {
            return new CmRep(
                    localCommId,
                    remoteCommId,
                    localQKey,
                    localQpn,
                    localEecn,
                    startingPsn,
                    vendorId,
                    responderResources,
                    initiatorDepth,
                    targetAckDelay,
                    failoverAccepted,
                    endToEndFlowControl,
                    rnrRetryCount,
                    srq,
                    localCaGuid,
                    privateData);
        }
    }
}
