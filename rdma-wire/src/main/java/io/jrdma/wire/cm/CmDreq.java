package io.jrdma.wire.cm;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/**
 * Disconnect Request (IBTA volume 1, 12.6.10; [IBTA-12.6-6]).
 *
 * @param localCommId the sender's id of the connection
 * @param remoteCommId the receiver's
 * @param remoteQpn the receiver's QP, 0..2^24-1; Linux drops a DREQ with another one
 * @param privateData up to 220 bytes
 */
public record CmDreq(int localCommId, int remoteCommId, int remoteQpn, CmBytes privateData) implements CmMessage {
    /** Bytes of private data that it has room for. */
    public static final int PRIVATE_DATA_MAX = 220;

    private static final int PRIVATE_DATA = 12;

    /** Checks the ranges. */
    public CmDreq {
        Fields.u24("remoteQpn", remoteQpn);
        Fields.fits("privateData", privateData, PRIVATE_DATA_MAX);
    }

    /** One without private data. */
    public CmDreq(int localCommId, int remoteCommId, int remoteQpn) {
        this(localCommId, remoteCommId, remoteQpn, CmBytes.EMPTY);
    }

    @Override
    public int attributeId() {
        return CmAttribute.DREQ;
    }

    static CmDreq of(MemorySegment body) {
        return new CmDreq(
                Bytes.u32(body, 0),
                Bytes.u32(body, 4),
                Bytes.u24(body, 8),
                CmBytes.of(body, PRIVATE_DATA, PRIVATE_DATA_MAX));
    }

    void put(MemorySegment body) {
        Bytes.putU32(body, 0, localCommId);
        Bytes.putU32(body, 4, remoteCommId);
        Bytes.putU24(body, 8, remoteQpn);
        privateData.put(body, PRIVATE_DATA);
    }
}
