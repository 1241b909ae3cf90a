package io.jrdma.wire.cm;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/**
 * Service ID Resolution Response (IBTA volume 1, 12.11.2; [IBTA-12.11-1]).
 *
 * @param requestId that of the request
 * @param status 0..255, see {@link SidrStatus}
 * @param infoLength how much of {@code additionalInfo} means something, 0..255
 * @param vendorId 0..2^24-1; 0 without enhanced connection establishment
 * @param qpn the QP that serves, 0..2^24-1
 * @param serviceId that of the request
 * @param qKey the Q_Key to send with
 * @param additionalInfo up to 72 bytes that belong to the status
 * @param privateData up to 136 bytes
 */
public record CmSidrRep(
        int requestId,
        int status,
        int infoLength,
        int vendorId,
        int qpn,
        long serviceId,
        int qKey,
        CmBytes additionalInfo,
        CmBytes privateData)
        implements CmMessage {
    /** Bytes of additional information that it has room for. */
    public static final int INFO_MAX = 72;
    /** Bytes of private data that it has room for. */
    public static final int PRIVATE_DATA_MAX = 136;

    private static final int INFO = 24;
    private static final int PRIVATE_DATA = 96;

    /** Checks the ranges. */
    public CmSidrRep {
        Fields.u8("status", status);
        Fields.u8("infoLength", infoLength);
        Fields.u24("vendorId", vendorId);
        Fields.u24("qpn", qpn);
        Fields.fits("additionalInfo", additionalInfo, INFO_MAX);
        Fields.fits("privateData", privateData, PRIVATE_DATA_MAX);
    }

    /** One without vendor id and additional information. */
    public CmSidrRep(int requestId, int status, int qpn, long serviceId, int qKey, CmBytes privateData) {
        this(requestId, status, 0, 0, qpn, serviceId, qKey, CmBytes.EMPTY, privateData);
    }

    @Override
    public int attributeId() {
        return CmAttribute.SIDR_REP;
    }

    static CmSidrRep of(MemorySegment body) {
        return new CmSidrRep(
                Bytes.u32(body, 0),
                Bytes.u8(body, 4),
                Bytes.u8(body, 5),
                (Bytes.u16(body, 6) << 8) | Bytes.u8(body, 11),
                Bytes.u24(body, 8),
                Bytes.u64(body, 12),
                Bytes.u32(body, 20),
                CmBytes.of(body, INFO, INFO_MAX),
                CmBytes.of(body, PRIVATE_DATA, PRIVATE_DATA_MAX));
    }

    void put(MemorySegment body) {
        Bytes.putU32(body, 0, requestId);
        Bytes.putU8(body, 4, status);
        Bytes.putU8(body, 5, infoLength);
        Bytes.putU16(body, 6, vendorId >>> 8);
        Bytes.putU24(body, 8, qpn);
        Bytes.putU8(body, 11, vendorId & 0xFF);
        Bytes.putU64(body, 12, serviceId);
        Bytes.putU32(body, 20, qKey);
        additionalInfo.put(body, INFO);
        privateData.put(body, PRIVATE_DATA);
    }
}
