package io.jrdma.wire.cm;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/**
 * Alternate Path Response (IBTA volume 1, 12.8.2; [IBTA-12.8-1]).
 *
 * @param localCommId the sender's id of the connection
 * @param remoteCommId the receiver's
 * @param infoLength how much of {@code additionalInfo} means something, 0..255
 * @param status 0..255; 0 is success
 * @param additionalInfo up to 72 bytes that belong to the status
 * @param privateData up to 148 bytes
 */
public record CmApr(
        int localCommId, int remoteCommId, int infoLength, int status, CmBytes additionalInfo, CmBytes privateData)
        implements CmMessage {
    /** Bytes of additional information that it has room for. */
    public static final int INFO_MAX = 72;
    /** Bytes of private data that it has room for. */
    public static final int PRIVATE_DATA_MAX = 148;

    private static final int INFO = 12;
    private static final int PRIVATE_DATA = 84;

    /** Checks the ranges. */
    public CmApr {
        Fields.u8("infoLength", infoLength);
        Fields.u8("status", status);
        Fields.fits("additionalInfo", additionalInfo, INFO_MAX);
        Fields.fits("privateData", privateData, PRIVATE_DATA_MAX);
    }

    @Override
    public int attributeId() {
        return CmAttribute.APR;
    }

    static CmApr of(MemorySegment body) {
        return new CmApr(
                Bytes.u32(body, 0),
                Bytes.u32(body, 4),
                Bytes.u8(body, 8),
                Bytes.u8(body, 9),
                CmBytes.of(body, INFO, INFO_MAX),
                CmBytes.of(body, PRIVATE_DATA, PRIVATE_DATA_MAX));
    }

    void put(MemorySegment body) {
        Bytes.putU32(body, 0, localCommId);
        Bytes.putU32(body, 4, remoteCommId);
        Bytes.putU8(body, 8, infoLength);
        Bytes.putU8(body, 9, status);
        additionalInfo.put(body, INFO);
        privateData.put(body, PRIVATE_DATA);
    }
}
