package io.jrdma.wire.cm;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/**
 * Reject (IBTA volume 1, 12.6.7; [IBTA-12.6-4]).
 *
 * @param localCommId the sender's id of the connection; 0 if it has none
 * @param remoteCommId the receiver's; 0 if the sender does not know it
 * @param messageRejected {@link #OF_REQ}, {@link #OF_REP} or {@link #OF_OTHER}; 0..3. Linux rxe says {@link #OF_OTHER} in states where
 *     another is due: the ids tell
 * @param rejectInfoLength how much of {@code additionalRejectInfo} means something, 0..127
 * @param reason 0..65535, see {@link CmRejReason}
 * @param additionalRejectInfo up to 72 bytes that belong to the reason, such as a GID
 * @param privateData up to 148 bytes
 */
public record CmRej(
        int localCommId,
        int remoteCommId,
        int messageRejected,
        int rejectInfoLength,
        int reason,
        CmBytes additionalRejectInfo,
        CmBytes privateData)
        implements CmMessage {
    /** It rejects a REQ. */
    public static final int OF_REQ = 0;
    /** It rejects a REP. */
    public static final int OF_REP = 1;
    /** It rejects no message. */
    public static final int OF_OTHER = 2;
    /** Bytes of additional reject information that it has room for. */
    public static final int REJECT_INFO_MAX = 72;
    /** Bytes of private data that it has room for. */
    public static final int PRIVATE_DATA_MAX = 148;

    private static final int REJECT_INFO = 12;
    private static final int PRIVATE_DATA = 84;

    /** Checks the ranges. */
    public CmRej {
        Fields.check("messageRejected", messageRejected, 3);
        Fields.check("rejectInfoLength", rejectInfoLength, 127);
        Fields.u16("reason", reason);
        Fields.fits("additionalRejectInfo", additionalRejectInfo, REJECT_INFO_MAX);
        Fields.fits("privateData", privateData, PRIVATE_DATA_MAX);
    }

    /** One whose length of additional reject information is that of the bytes given. */
    public CmRej(
            int localCommId,
            int remoteCommId,
            int messageRejected,
            int reason,
            CmBytes additionalRejectInfo,
            CmBytes privateData) {
        this(
                localCommId,
                remoteCommId,
                messageRejected,
                additionalRejectInfo.length(),
                reason,
                additionalRejectInfo,
                privateData);
    }

    @Override
    public int attributeId() {
        return CmAttribute.REJ;
    }

    static CmRej of(MemorySegment body) {
        return new CmRej(
                Bytes.u32(body, 0),
                Bytes.u32(body, 4),
                Bytes.u8(body, 8) >>> 6,
                Bytes.u8(body, 9) >>> 1,
                Bytes.u16(body, 10),
                CmBytes.of(body, REJECT_INFO, REJECT_INFO_MAX),
                CmBytes.of(body, PRIVATE_DATA, PRIVATE_DATA_MAX));
    }

    void put(MemorySegment body) {
        Bytes.putU32(body, 0, localCommId);
        Bytes.putU32(body, 4, remoteCommId);
        Bytes.putU8(body, 8, messageRejected << 6);
        Bytes.putU8(body, 9, rejectInfoLength << 1);
        Bytes.putU16(body, 10, reason);
        additionalRejectInfo.put(body, REJECT_INFO);
        privateData.put(body, PRIVATE_DATA);
    }
}
