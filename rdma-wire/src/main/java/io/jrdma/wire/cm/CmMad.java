package io.jrdma.wire.cm;

import java.lang.foreign.MemorySegment;

/**
 * A message of communication management with the fields of its header: 256 bytes.
 *
 * @param transactionId whoever begins an exchange chooses it, answers copy it
 * @param attributeModifier 0 but for enhanced connection establishment
 * @param message the message
 */
public record CmMad(long transactionId, int attributeModifier, CmMessage message) implements CmDecoded {
    /** Bytes. */
    public static final int LENGTH = MadHeader.MAD_LENGTH;

    /** One with attribute modifier 0. */
    public CmMad(long transactionId, CmMessage message) {
        this(transactionId, 0, message);
    }

    /** The 256 bytes. */
    public byte[] encode() {
        // [IBTA-12.6-8] what no field writes stays zero
        byte[] bytes = new byte[LENGTH];
        MemorySegment mad = MemorySegment.ofArray(bytes);
        MadHeader.putCm(mad, 0, transactionId, message.attributeId(), attributeModifier);
        MemorySegment body = mad.asSlice(MadHeader.LENGTH);
        switch (message) {
            case CmReq m -> m.put(body);
            case CmMra m -> m.put(body);
            case CmRej m -> m.put(body);
            case CmRep m -> m.put(body);
            case CmRtu m -> m.put(body);
            case CmDreq m -> m.put(body);
            case CmDrep m -> m.put(body);
            case CmSidrReq m -> m.put(body);
            case CmSidrRep m -> m.put(body);
            case CmLap m -> m.put(body);
            case CmApr m -> m.put(body);
        }
        return bytes;
    }

    /**
     * Reads a management datagram.
     *
     * @param length bytes at {@code at}, all inside the segment; any number, any bytes
     * @return the message, or why there is none; values inside it may be any that the fields can hold
     */
    public static CmDecoded decode(MemorySegment segment, long at, int length) {
        CmMalformed malformed = MadHeader.check(segment, at, length);
        if (malformed != CmMalformed.OK) {
            return new Refused(malformed);
        }
        MemorySegment body = segment.asSlice(at + MadHeader.LENGTH, LENGTH - MadHeader.LENGTH);
        CmMessage message = switch (MadHeader.attributeId(segment, at)) {
            case CmAttribute.REQ -> CmReq.of(body);
            case CmAttribute.MRA -> CmMra.of(body);
            case CmAttribute.REJ -> CmRej.of(body);
            case CmAttribute.REP -> CmRep.of(body);
            case CmAttribute.RTU -> CmRtu.of(body);
            case CmAttribute.DREQ -> CmDreq.of(body);
            case CmAttribute.DREP -> CmDrep.of(body);
            case CmAttribute.SIDR_REQ -> CmSidrReq.of(body);
            case CmAttribute.SIDR_REP -> CmSidrRep.of(body);
            case CmAttribute.LAP -> CmLap.of(body);
            case CmAttribute.APR -> CmApr.of(body);
            default -> throw new AssertionError("the check lets known attributes through");
        };
        return new CmMad(MadHeader.transactionId(segment, at), MadHeader.attributeModifier(segment, at), message);
    }

    /** {@link #decode(MemorySegment, long, int)} of a whole array. */
    public static CmDecoded decode(byte[] bytes) {
        return decode(MemorySegment.ofArray(bytes), 0, bytes.length);
    }
}
