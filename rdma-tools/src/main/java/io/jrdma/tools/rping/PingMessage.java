package io.jrdma.tools.rping;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The message of rping, 16 bytes in network order: address (8), key (4) and size (4) of a buffer. The server's messages have the same length
 * and no meaning but "go on".
 *
 * @param address where the buffer begins
 * @param key its remote key
 * @param size its bytes, unsigned
 */
record PingMessage(long address, int key, int size) {
    static final int LENGTH = 16;

    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /** The message in that memory. */
    static PingMessage read(MemorySegment from) {
        return new PingMessage(from.get(U64, 0), from.get(U32, 8), from.get(U32, 12));
    }

    /** Writes it. */
    void write(MemorySegment to) {
        to.set(U64, 0, address);
        to.set(U32, 8, key);
        to.set(U32, 12, size);
    }

    @Override
    public String toString() {
        return "rkey %x addr %x len %s".formatted(key, address, Integer.toUnsignedString(size));
    }
}
