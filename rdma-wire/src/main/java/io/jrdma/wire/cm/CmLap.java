package io.jrdma.wire.cm;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/**
 * Load Alternate Path (IBTA volume 1, 12.8.1; [IBTA-12.8-1]). There is no path migration on RoCE: Linux drops it there.
 *
 * @param localCommId the sender's id of the connection
 * @param remoteCommId the receiver's
 * @param remoteQpn the receiver's QP, 0..2^24-1
 * @param remoteCmResponseTimeout exponent, 0..31: how long the receiver may take to answer
 * @param alternate the path
 * @param privateData up to 168 bytes
 */
public record CmLap(
        int localCommId,
        int remoteCommId,
        int remoteQpn,
        int remoteCmResponseTimeout,
        CmPath alternate,
        CmBytes privateData)
        implements CmMessage {
    /** Bytes of private data that it has room for. */
    public static final int PRIVATE_DATA_MAX = 168;

    private static final int ALTERNATE = 20;
    private static final int PRIVATE_DATA = 64;

    /** Checks the ranges. */
    public CmLap {
        Fields.u24("remoteQpn", remoteQpn);
        Fields.timeout("remoteCmResponseTimeout", remoteCmResponseTimeout);
        Fields.fits("privateData", privateData, PRIVATE_DATA_MAX);
    }

    @Override
    public int attributeId() {
        return CmAttribute.LAP;
    }

    static CmLap of(MemorySegment body) {
        return new CmLap(
                Bytes.u32(body, 0),
                Bytes.u32(body, 4),
                Bytes.u24(body, 12),
                Bytes.u8(body, 15) >>> 3,
                CmPath.ofLap(body, ALTERNATE),
                CmBytes.of(body, PRIVATE_DATA, PRIVATE_DATA_MAX));
    }

    void put(MemorySegment body) {
        Bytes.putU32(body, 0, localCommId);
        Bytes.putU32(body, 4, remoteCommId);
        Bytes.putU24(body, 12, remoteQpn);
        Bytes.putU8(body, 15, remoteCmResponseTimeout << 3);
        alternate.putLap(body, ALTERNATE);
        privateData.put(body, PRIVATE_DATA);
    }
}
