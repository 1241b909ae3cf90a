package io.jrdma.wire.cm;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/**
 * Connect Request: everything that the passive side needs for its QP (IBTA volume 1, 12.6.5; [IBTA-12.6-2]).
 *
 * <p>Names are the standard's. "Local" is the sender. Responder resources are what the sender offers for Reads and Atomics towards it,
 * initiator depth what it wants to have under way itself. The starting PSN is that of the first request the <em>receiver</em> will send.
 *
 * @param localCommId the sender's id of the connection
 * @param vendorId 0..2^24-1; 0 without enhanced connection establishment
 * @param serviceId what to connect to, see {@link ServiceId}
 * @param localCaGuid the sender's channel adapter
 * @param localQKey 0: it is of datagrams
 * @param localQpn the sender's QP, 0..2^24-1
 * @param responderResources 0..255
 * @param localEecn 0: it is of reliable datagrams; 0..2^24-1
 * @param initiatorDepth 0..255
 * @param remoteEecn 0: it is of reliable datagrams; 0..2^24-1
 * @param remoteCmResponseTimeout exponent, 0..31: how long the receiver may take to answer
 * @param transportServiceType {@link #TYPE_RC}, {@link #TYPE_UC}, {@link #TYPE_RD} or {@link #TYPE_EXTENDED}
 * @param endToEndFlowControl whether the sender sends credits
 * @param startingPsn 0..2^24-1
 * @param localCmResponseTimeout exponent, 0..31: how long the sender takes to answer a REP
 * @param retryCount 0..7
 * @param pKey 0..65535
 * @param pathMtu a code, 0..15, see {@link io.jrdma.wire.ib.PathMtu}
 * @param rdcExists of reliable datagrams
 * @param rnrRetryCount 0..7: how often the receiver shall try again; 7 is for ever
 * @param maxCmRetries 0..15
 * @param srq whether the sender's QP has a shared receive queue
 * @param extendedTransportType {@link #EXTENDED_XRC} if the type is {@link #TYPE_EXTENDED}; 0..7
 * @param primary the path
 * @param alternate another path, or {@link CmPath#NONE}
 * @param sapSupported whether the sender can suggest alternate paths
 * @param privateData up to 92 bytes; of the RDMA IP CM service an {@link IpCmPrivateData} and 56 bytes
 */
public record CmReq(
        int localCommId,
        int vendorId,
        long serviceId,
        long localCaGuid,
        int localQKey,
        int localQpn,
        int responderResources,
        int localEecn,
        int initiatorDepth,
        int remoteEecn,
        int remoteCmResponseTimeout,
        int transportServiceType,
        boolean endToEndFlowControl,
        int startingPsn,
        int localCmResponseTimeout,
        int retryCount,
        int pKey,
        int pathMtu,
        boolean rdcExists,
        int rnrRetryCount,
        int maxCmRetries,
        boolean srq,
        int extendedTransportType,
        CmPath primary,
        CmPath alternate,
        boolean sapSupported,
        CmBytes privateData)
        implements CmMessage {
    /** Transport service type: reliable connection. */
    public static final int TYPE_RC = 0;
    /** Transport service type: unreliable connection. */
    public static final int TYPE_UC = 1;
    /** Transport service type: reliable datagram. */
    public static final int TYPE_RD = 2;
    /** Transport service type: see the extended one. */
    public static final int TYPE_EXTENDED = 3;
    /** Extended transport type: XRC. */
    public static final int EXTENDED_XRC = 1;
    /** Bytes of private data that it has room for. */
    public static final int PRIVATE_DATA_MAX = 92;

    private static final int PRIMARY = 52;
    private static final int ALTERNATE = 96;
    private static final int ALTERNATE_ACK_TIMEOUT = 139;
    private static final int PRIVATE_DATA = 140;

    /** Checks the ranges. */
    public CmReq {
        Fields.u24("vendorId", vendorId);
        Fields.u24("localQpn", localQpn);
        Fields.u8("responderResources", responderResources);
        Fields.u24("localEecn", localEecn);
        Fields.u8("initiatorDepth", initiatorDepth);
        Fields.u24("remoteEecn", remoteEecn);
        Fields.timeout("remoteCmResponseTimeout", remoteCmResponseTimeout);
        Fields.check("transportServiceType", transportServiceType, 3);
        Fields.u24("startingPsn", startingPsn);
        Fields.timeout("localCmResponseTimeout", localCmResponseTimeout);
        Fields.three("retryCount", retryCount);
        Fields.u16("pKey", pKey);
        Fields.check("pathMtu", pathMtu, 15);
        Fields.three("rnrRetryCount", rnrRetryCount);
        Fields.check("maxCmRetries", maxCmRetries, 15);
        Fields.three("extendedTransportType", extendedTransportType);
        Fields.fits("privateData", privateData, PRIVATE_DATA_MAX);
    }

    @Override
    public int attributeId() {
        return CmAttribute.REQ;
    }

    static CmReq of(MemorySegment body) {
        return new CmReq(
                Bytes.u32(body, 0),
                Bytes.u24(body, 5),
                Bytes.u64(body, 8),
                Bytes.u64(body, 16),
                Bytes.u32(body, 28),
                Bytes.u24(body, 32),
                Bytes.u8(body, 35),
                Bytes.u24(body, 36),
                Bytes.u8(body, 39),
                Bytes.u24(body, 40),
                Bytes.u8(body, 43) >>> 3,
                (Bytes.u8(body, 43) >>> 1) & 3,
                (Bytes.u8(body, 43) & 1) != 0,
                Bytes.u24(body, 44),
                Bytes.u8(body, 47) >>> 3,
                Bytes.u8(body, 47) & 7,
                Bytes.u16(body, 48),
                Bytes.u8(body, 50) >>> 4,
                (Bytes.u8(body, 50) & 8) != 0,
                Bytes.u8(body, 50) & 7,
                Bytes.u8(body, 51) >>> 4,
                (Bytes.u8(body, 51) & 8) != 0,
                Bytes.u8(body, 51) & 7,
                CmPath.ofReq(body, PRIMARY),
                CmPath.ofReq(body, ALTERNATE),
                (Bytes.u8(body, ALTERNATE_ACK_TIMEOUT) & 4) != 0,
                CmBytes.of(body, PRIVATE_DATA, PRIVATE_DATA_MAX));
    }

    void put(MemorySegment body) {
        Bytes.putU32(body, 0, localCommId);
        Bytes.putU24(body, 5, vendorId);
        Bytes.putU64(body, 8, serviceId);
        Bytes.putU64(body, 16, localCaGuid);
        Bytes.putU32(body, 28, localQKey);
        Bytes.putU24(body, 32, localQpn);
        Bytes.putU8(body, 35, responderResources);
        Bytes.putU24(body, 36, localEecn);
        Bytes.putU8(body, 39, initiatorDepth);
        Bytes.putU24(body, 40, remoteEecn);
        int flow = Fields.bit(endToEndFlowControl, 0);
        Bytes.putU8(body, 43, (remoteCmResponseTimeout << 3) | (transportServiceType << 1) | flow);
        Bytes.putU24(body, 44, startingPsn);
        Bytes.putU8(body, 47, (localCmResponseTimeout << 3) | retryCount);
        Bytes.putU16(body, 48, pKey);
        Bytes.putU8(body, 50, (pathMtu << 4) | Fields.bit(rdcExists, 3) | rnrRetryCount);
        Bytes.putU8(body, 51, (maxCmRetries << 4) | Fields.bit(srq, 3) | extendedTransportType);
        primary.putReq(body, PRIMARY);
        alternate.putReq(body, ALTERNATE);
        int sap = Fields.bit(sapSupported, 2);
        Bytes.putU8(body, ALTERNATE_ACK_TIMEOUT, (alternate.localAckTimeout() << 3) | sap);
        privateData.put(body, PRIVATE_DATA);
    }

    /** Whether there is an alternate path. */
    public boolean hasAlternate() {
        return alternate.localLid() != 0;
    }

    /** A builder whose fields are all zero, or what the builder says. */
    public static Builder builder() {
        return new Builder();
    }

    /** Sets fields by name; one thread at a time. */
    public static final class Builder {
        private int localCommId;
        private int vendorId;
        private long serviceId;
        private long localCaGuid;
        private int localQKey;
        private int localQpn;
        private int responderResources;
        private int localEecn;
        private int initiatorDepth;
        private int remoteEecn;
        private int remoteCmResponseTimeout;
        private int transportServiceType;
        private boolean endToEndFlowControl;
        private int startingPsn;
        private int localCmResponseTimeout;
        private int retryCount;
        private int pKey = 0xFFFF;
        private int pathMtu;
        private boolean rdcExists;
        private int rnrRetryCount;
        private int maxCmRetries;
        private boolean srq;
        private int extendedTransportType;
        private CmPath primary = CmPath.NONE;
        private CmPath alternate = CmPath.NONE;
        private boolean sapSupported;
        private CmBytes privateData = CmBytes.EMPTY;

        private Builder() {}

        /** Sets {@link CmReq#localCommId}. */
        public Builder localCommId(int value) {
            localCommId = value;
            return this;
        }

        /** Sets {@link CmReq#vendorId}. */
        public Builder vendorId(int value) {
            vendorId = value;
            return this;
        }

        /** Sets {@link CmReq#serviceId}. */
        public Builder serviceId(long value) {
            serviceId = value;
            return this;
        }

        /** Sets {@link CmReq#localCaGuid}. */
        public Builder localCaGuid(long value) {
            localCaGuid = value;
            return this;
        }

        /** Sets {@link CmReq#localQKey}. */
        public Builder localQKey(int value) {
            localQKey = value;
            return this;
        }

        /** Sets {@link CmReq#localQpn}. */
        public Builder localQpn(int value) {
            localQpn = value;
            return this;
        }

        /** Sets {@link CmReq#responderResources}. */
        public Builder responderResources(int value) {
            responderResources = value;
            return this;
        }

        /** Sets {@link CmReq#localEecn}. */
        public Builder localEecn(int value) {
            localEecn = value;
            return this;
        }

        /** Sets {@link CmReq#initiatorDepth}. */
        public Builder initiatorDepth(int value) {
            initiatorDepth = value;
            return this;
        }

        /** Sets {@link CmReq#remoteEecn}. */
        public Builder remoteEecn(int value) {
            remoteEecn = value;
            return this;
        }

        /** Sets {@link CmReq#remoteCmResponseTimeout}. */
        public Builder remoteCmResponseTimeout(int value) {
            remoteCmResponseTimeout = value;
            return this;
        }

        /** Sets {@link CmReq#transportServiceType}. */
        public Builder transportServiceType(int value) {
            transportServiceType = value;
            return this;
        }

        /** Sets {@link CmReq#endToEndFlowControl}. */
        public Builder endToEndFlowControl(boolean value) {
            endToEndFlowControl = value;
            return this;
        }

        /** Sets {@link CmReq#startingPsn}. */
        public Builder startingPsn(int value) {
            startingPsn = value;
            return this;
        }

        /** Sets {@link CmReq#localCmResponseTimeout}. */
        public Builder localCmResponseTimeout(int value) {
            localCmResponseTimeout = value;
            return this;
        }

        /** Sets {@link CmReq#retryCount}. */
        public Builder retryCount(int value) {
            retryCount = value;
            return this;
        }

        /** Sets {@link CmReq#pKey}; without it the default partition. */
        public Builder pKey(int value) {
            pKey = value;
            return this;
        }

        /** Sets {@link CmReq#pathMtu}. */
        public Builder pathMtu(int value) {
            pathMtu = value;
            return this;
        }

        /** Sets {@link CmReq#rdcExists}. */
        public Builder rdcExists(boolean value) {
            rdcExists = value;
            return this;
        }

        /** Sets {@link CmReq#rnrRetryCount}. */
        public Builder rnrRetryCount(int value) {
            rnrRetryCount = value;
            return this;
        }

        /** Sets {@link CmReq#maxCmRetries}. */
        public Builder maxCmRetries(int value) {
            maxCmRetries = value;
            return this;
        }

        /** Sets {@link CmReq#srq}. */
        public Builder srq(boolean value) {
            srq = value;
            return this;
        }

        /** Sets {@link CmReq#extendedTransportType}. */
        public Builder extendedTransportType(int value) {
            extendedTransportType = value;
            return this;
        }

        /** Sets {@link CmReq#primary}; without it none. */
        public Builder primary(CmPath value) {
            primary = value;
            return this;
        }

        /** Sets {@link CmReq#alternate}; without it none. */
        public Builder alternate(CmPath value) {
            alternate = value;
            return this;
        }

        /** Sets {@link CmReq#sapSupported}. */
        public Builder sapSupported(boolean value) {
            sapSupported = value;
            return this;
        }

        /** Sets {@link CmReq#privateData}; without it none. */
        public Builder privateData(CmBytes value) {
            privateData = value;
            return this;
        }

        /** The message; throws {@link IllegalArgumentException} if a field is out of range. */
        public CmReq build() {
            return new CmReq(
                    localCommId,
                    vendorId,
                    serviceId,
                    localCaGuid,
                    localQKey,
                    localQpn,
                    responderResources,
                    localEecn,
                    initiatorDepth,
                    remoteEecn,
                    remoteCmResponseTimeout,
                    transportServiceType,
                    endToEndFlowControl,
                    startingPsn,
                    localCmResponseTimeout,
                    retryCount,
                    pKey,
                    pathMtu,
                    rdcExists,
                    rnrRetryCount,
                    maxCmRetries,
                    srq,
                    extendedTransportType,
                    primary,
                    alternate,
                    sapSupported,
                    privateData);
        }
    }
}
