package io.jrdma.wire.cm;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/**
 * Message Receipt Acknowledgement: the message arrived, its answer takes longer (IBTA volume 1, 12.6.6; [IBTA-12.6-3]).
 *
 * @param localCommId the sender's id of the connection
 * @param remoteCommId the receiver's
 * @param messageMraed {@link #OF_REQ}, {@link #OF_REP} or {@link #OF_LAP}; 0..3
 * @param serviceTimeout exponent, 0..31: how long to wait
 * @param privateData up to 222 bytes
 */
public record CmMra(int localCommId, int remoteCommId, int messageMraed, int serviceTimeout, CmBytes privateData)
        implements CmMessage {
    /** It acknowledges a REQ. */
    public static final int OF_REQ = 0;
    /** It acknowledges a REP. */
    public static final int OF_REP = 1;
    /** It acknowledges a LAP. */
    public static final int OF_LAP = 2;
    /** Bytes of private data that it has room for. */
    public static final int PRIVATE_DATA_MAX = 222;

    private static final int PRIVATE_DATA = 10;

    /** Checks the ranges. */
    public CmMra {
        Fields.check("messageMraed", messageMraed, 3);
        Fields.timeout("serviceTimeout", serviceTimeout);
        Fields.fits("privateData", privateData, PRIVATE_DATA_MAX);
    }

    @Override
    public int attributeId() {
        return CmAttribute.MRA;
    }

    static CmMra of(MemorySegment body) {
        return new CmMra(
                Bytes.u32(body, 0),
                Bytes.u32(body, 4),
                Bytes.u8(body, 8) >>> 6,
                Bytes.u8(body, 9) >>> 3,
                CmBytes.of(body, PRIVATE_DATA, PRIVATE_DATA_MAX));
    }

    void put(MemorySegment body) {
        Bytes.putU32(body, 0, localCommId);
        Bytes.putU32(body, 4, remoteCommId);
        Bytes.putU8(body, 8, messageMraed << 6);
        Bytes.putU8(body, 9, serviceTimeout << 3);
        privateData.put(body, PRIVATE_DATA);
    }
}
