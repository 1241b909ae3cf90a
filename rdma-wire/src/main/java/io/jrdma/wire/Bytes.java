package io.jrdma.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Big-endian (network order) integers at any offset of a segment, aligned or not.
 *
 * <p>Getters of 8 to 24 bits return the unsigned value; {@link #u32} and {@link #u64} return the raw bits and {@link #u32AsLong} the
 * unsigned value. Putters assert that the value fits. Nothing here allocates. An offset outside the segment throws
 * {@link IndexOutOfBoundsException}: a fault of the caller, who checks lengths first.
 */
public final class Bytes {
    private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT_LE = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Bytes() {}

    /** The unsigned byte at {@code at}, 0..255. */
    public static int u8(MemorySegment segment, long at) {
        return segment.get(BYTE, at) & 0xFF;
    }

    /** The unsigned 16-bit value at {@code at}, 0..65535. */
    public static int u16(MemorySegment segment, long at) {
        return segment.get(SHORT, at) & 0xFFFF;
    }

    /** The unsigned 24-bit value at {@code at}, 0..2^24-1. */
    public static int u24(MemorySegment segment, long at) {
        return (u16(segment, at) << 8) | u8(segment, at + 2);
    }

    /** The 32 bits at {@code at}; read as unsigned they may be negative here. */
    public static int u32(MemorySegment segment, long at) {
        return segment.get(INT, at);
    }

    /** The unsigned 32-bit value at {@code at}, 0..2^32-1. */
    public static long u32AsLong(MemorySegment segment, long at) {
        return segment.get(INT, at) & 0xFFFF_FFFFL;
    }

    /** The unsigned 48-bit value at {@code at}, 0..2^48-1. */
    public static long u48(MemorySegment segment, long at) {
        return ((long) u16(segment, at) << 32) | u32AsLong(segment, at + 2);
    }

    /** The 64 bits at {@code at}; read as unsigned they may be negative here. */
    public static long u64(MemorySegment segment, long at) {
        return segment.get(LONG, at);
    }

    /** The 32 bits at {@code at}, least significant byte first: the order of the MPA CRC field. */
    public static int u32LittleEndian(MemorySegment segment, long at) {
        return segment.get(INT_LE, at);
    }

    /** Writes one byte; {@code value} 0..255. */
    public static void putU8(MemorySegment segment, long at, int value) {
        assert value >>> 8 == 0 : value;
        segment.set(BYTE, at, (byte) value);
    }

    /** Writes two bytes; {@code value} 0..65535. */
    public static void putU16(MemorySegment segment, long at, int value) {
        assert value >>> 16 == 0 : value;
        segment.set(SHORT, at, (short) value);
    }

    /** Writes three bytes; {@code value} 0..2^24-1. */
    public static void putU24(MemorySegment segment, long at, int value) {
        assert value >>> 24 == 0 : value;
        segment.set(SHORT, at, (short) (value >>> 8));
        segment.set(BYTE, at + 2, (byte) value);
    }

    /** Writes four bytes, any bits. */
    public static void putU32(MemorySegment segment, long at, int value) {
        segment.set(INT, at, value);
    }

    /** Writes four bytes; {@code value} 0..2^32-1. */
    public static void putU32(MemorySegment segment, long at, long value) {
        assert value >>> 32 == 0 : value;
        segment.set(INT, at, (int) value);
    }

    /** Writes six bytes; {@code value} 0..2^48-1. */
    public static void putU48(MemorySegment segment, long at, long value) {
        assert value >>> 48 == 0 : value;
        segment.set(SHORT, at, (short) (value >>> 32));
        segment.set(INT, at + 2, (int) value);
    }

    /** Writes eight bytes, any bits. */
    public static void putU64(MemorySegment segment, long at, long value) {
        segment.set(LONG, at, value);
    }

    /** Writes four bytes, least significant byte first. */
    public static void putU32LittleEndian(MemorySegment segment, long at, int value) {
        segment.set(INT_LE, at, value);
    }
}
