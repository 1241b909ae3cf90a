package io.jrdma.wire.cm;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/**
 * Service ID Resolution Request: which QP serves datagrams (IBTA volume 1, 12.11.1; [IBTA-12.11-1]).
 *
 * @param requestId the sender's number of the request
 * @param pKey 0..65535
 * @param serviceId which service, see {@link ServiceId}
 * @param privateData up to 216 bytes; of the RDMA IP CM service an {@link IpCmPrivateData} and 180 bytes
 */
public record CmSidrReq(int requestId, int pKey, long serviceId, CmBytes privateData) implements CmMessage {
    /** Bytes of private data that it has room for. */
    public static final int PRIVATE_DATA_MAX = 216;

    private static final int PRIVATE_DATA = 16;

    /** Checks the ranges. */
    public CmSidrReq {
        Fields.u16("pKey", pKey);
        Fields.fits("privateData", privateData, PRIVATE_DATA_MAX);
    }

    @Override
    public int attributeId() {
        return CmAttribute.SIDR_REQ;
    }

    static CmSidrReq of(MemorySegment body) {
        return new CmSidrReq(
                Bytes.u32(body, 0),
                Bytes.u16(body, 4),
                Bytes.u64(body, 8),
                CmBytes.of(body, PRIVATE_DATA, PRIVATE_DATA_MAX));
    }

    void put(MemorySegment body) {
        Bytes.putU32(body, 0, requestId);
        Bytes.putU16(body, 4, pKey);
        Bytes.putU64(body, 8, serviceId);
        privateData.put(body, PRIVATE_DATA);
    }
}
