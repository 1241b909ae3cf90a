package io.jrdma.wire.cm;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/**
 * Ready To Use: the REP arrived, the connection stands (IBTA volume 1, 12.6.9; [IBTA-12.6-6]).
 *
 * @param localCommId the sender's id of the connection
 * @param remoteCommId the receiver's
 * @param privateData up to 224 bytes
 */
public record CmRtu(int localCommId, int remoteCommId, CmBytes privateData) implements CmMessage {
    /** Bytes of private data that it has room for. */
    public static final int PRIVATE_DATA_MAX = 224;

    private static final int PRIVATE_DATA = 8;

    /** Checks the ranges. */
    public CmRtu {
        Fields.fits("privateData", privateData, PRIVATE_DATA_MAX);
    }

    /** One without private data. */
    public CmRtu(int localCommId, int remoteCommId) {
        this(localCommId, remoteCommId, CmBytes.EMPTY);
    }

    @Override
    public int attributeId() {
        return CmAttribute.RTU;
    }

    static CmRtu of(MemorySegment body) {
        return new CmRtu(Bytes.u32(body, 0), Bytes.u32(body, 4), CmBytes.of(body, PRIVATE_DATA, PRIVATE_DATA_MAX));
    }

    void put(MemorySegment body) {
        Bytes.putU32(body, 0, localCommId);
        Bytes.putU32(body, 4, remoteCommId);
        privateData.put(body, PRIVATE_DATA);
    }
}
