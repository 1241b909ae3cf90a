package io.jrdma.wire.cm;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/**
 * The header that all management datagrams have, 24 bytes of 256 (IBTA volume 1, 13.4.2).
 *
 * <pre>
 *  0  base version    1  class    2  class version    3  R 80 | method 7F    4  status (2)    6  class specific (2)
 *  8  transaction id (8)        16  attribute id (2)           18  reserved (2)       20  attribute modifier (4)
 * </pre>
 */
public final class MadHeader {
    /** Bytes. */
    public static final int LENGTH = 24;
    /** Bytes of a whole management datagram, always. */
    public static final int MAD_LENGTH = 256;
    /** The only base version. */
    public static final int BASE_VERSION = 1;
    /** Management class: communication management. */
    public static final int CLASS_CM = 0x07;
    /** The version of that class. */
    public static final int CLASS_VERSION_CM = 2;
    /** The method of all its messages, answers too: Send. */
    public static final int METHOD_SEND = 0x03;

    private static final int CLASS = 1;
    private static final int CLASS_VERSION = 2;
    private static final int METHOD = 3;
    private static final int STATUS = 4;
    private static final int CLASS_SPECIFIC = 6;
    private static final int TRANSACTION_ID = 8;
    private static final int ATTRIBUTE_ID = 16;
    private static final int RESERVED = 18;
    private static final int ATTRIBUTE_MODIFIER = 20;

    private MadHeader() {}

    /** The base version, 0..255. */
    public static int baseVersion(MemorySegment segment, long at) {
        return Bytes.u8(segment, at);
    }

    /** The management class, 0..255. */
    public static int managementClass(MemorySegment segment, long at) {
        return Bytes.u8(segment, at + CLASS);
    }

    /** The class version, 0..255. */
    public static int classVersion(MemorySegment segment, long at) {
        return Bytes.u8(segment, at + CLASS_VERSION);
    }

    /** The method with the response bit, 0..255. */
    public static int method(MemorySegment segment, long at) {
        return Bytes.u8(segment, at + METHOD);
    }

    /** The status, 0..65535. */
    public static int status(MemorySegment segment, long at) {
        return Bytes.u16(segment, at + STATUS);
    }

    /** The transaction id. */
    public static long transactionId(MemorySegment segment, long at) {
        return Bytes.u64(segment, at + TRANSACTION_ID);
    }

    /** The attribute id, 0..65535: which message it is. */
    public static int attributeId(MemorySegment segment, long at) {
        return Bytes.u16(segment, at + ATTRIBUTE_ID);
    }

    /** The attribute modifier. */
    public static int attributeModifier(MemorySegment segment, long at) {
        return Bytes.u32(segment, at + ATTRIBUTE_MODIFIER);
    }

    /**
     * Writes the header of a message of communication management.
     *
     * @param transactionId any 64 bits
     * @param attributeId 0..65535
     * @param attributeModifier any 32 bits
     */
    public static void putCm(
            MemorySegment segment, long at, long transactionId, int attributeId, int attributeModifier) {
        Bytes.putU8(segment, at, BASE_VERSION);
        Bytes.putU8(segment, at + CLASS, CLASS_CM);
        Bytes.putU8(segment, at + CLASS_VERSION, CLASS_VERSION_CM);
        Bytes.putU8(segment, at + METHOD, METHOD_SEND);
        Bytes.putU16(segment, at + STATUS, 0);
        Bytes.putU16(segment, at + CLASS_SPECIFIC, 0);
        Bytes.putU64(segment, at + TRANSACTION_ID, transactionId);
        Bytes.putU16(segment, at + ATTRIBUTE_ID, attributeId);
        Bytes.putU16(segment, at + RESERVED, 0);
        Bytes.putU32(segment, at + ATTRIBUTE_MODIFIER, attributeModifier);
    }

    /**
     * Whether bytes are a message of communication management as far as the header tells.
     *
     * @param length bytes at {@code at}, all inside the segment; any number
     * @return {@link CmMalformed#OK} or the first thing that is wrong
     */
    public static CmMalformed check(MemorySegment segment, long at, int length) {
        // [IBTA-13.4-1] a management datagram is 256 bytes, no more and no less
        if (length != MAD_LENGTH) {
            return CmMalformed.LENGTH;
        }
        // [IBTA-13.4-2] another base version is dropped
        if (baseVersion(segment, at) != BASE_VERSION) {
            return CmMalformed.BASE_VERSION;
        }
        // [IBTA-12.6-1] class 7 in version 2, method Send
        if (managementClass(segment, at) != CLASS_CM) {
            return CmMalformed.MANAGEMENT_CLASS;
        }
        if (classVersion(segment, at) != CLASS_VERSION_CM) {
            return CmMalformed.CLASS_VERSION;
        }
        if (method(segment, at) != METHOD_SEND) {
            return CmMalformed.METHOD;
        }
        return CmAttribute.isKnown(attributeId(segment, at)) ? CmMalformed.OK : CmMalformed.ATTRIBUTE_UNKNOWN;
    }
}
