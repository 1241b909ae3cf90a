package io.jrdma.wire.cm;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/**
 * Disconnect Reply: the connection is over on this side too (IBTA volume 1, 12.6.11; [IBTA-12.6-6]).
 *
 * @param localCommId the sender's id of the connection
 * @param remoteCommId the receiver's
 * @param privateData up to 224 bytes
 */
public record CmDrep(int localCommId, int remoteCommId, CmBytes privateData) implements CmMessage {
    /** Bytes of private data that it has room for. */
    public static final int PRIVATE_DATA_MAX = 224;

    private static final int PRIVATE_DATA = 8;

    /** Checks the ranges. */
    public CmDrep {
        Fields.fits("privateData", privateData, PRIVATE_DATA_MAX);
    }

    /** One without private data. */
    public CmDrep(int localCommId, int remoteCommId) {
        this(localCommId, remoteCommId, CmBytes.EMPTY);
    }

    @Override
    public int attributeId() {
        return CmAttribute.DREP;
    }

    static CmDrep of(MemorySegment body) {
        return new CmDrep(Bytes.u32(body, 0), Bytes.u32(body, 4), CmBytes.of(body, PRIVATE_DATA, PRIVATE_DATA_MAX));
    }

    void put(MemorySegment body) {
        Bytes.putU32(body, 0, localCommId);
        Bytes.putU32(body, 4, remoteCommId);
        privateData.put(body, PRIVATE_DATA);
    }
}
