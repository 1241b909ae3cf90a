package io.jrdma.tools.rping;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * The data of rping: {@code "rdma-ping-N: "}, then letters that go round from {@code A} to {@code z} (and what ASCII has between), beginning
 * one later at every ping, and a zero byte at the end. What does not fit is cut off. The numbers N count from 0.
 */
final class PingPattern {
    private static final int FIRST_LETTER = 'A';
    private static final int LETTERS = 'z' - 'A' + 1;

    private PingPattern() {}

    /** Writes the data of a ping over the whole buffer, 1 byte or more. */
    static void fill(MemorySegment buffer, int ping) {
        byte[] prefix = prefix(ping);
        for (long i = 0; i < buffer.byteSize(); i++) {
            buffer.set(ValueLayout.JAVA_BYTE, i, at(i, prefix, ping, buffer.byteSize()));
        }
    }

    /** The index of the first byte that is not the ping's, or -1 if all are. */
    static long firstDifference(MemorySegment buffer, int ping) {
        byte[] prefix = prefix(ping);
        for (long i = 0; i < buffer.byteSize(); i++) {
            if (buffer.get(ValueLayout.JAVA_BYTE, i) != at(i, prefix, ping, buffer.byteSize())) {
                return i;
            }
        }
        return -1;
    }

    /** The bytes in front of the first zero byte, all of them if there is none. */
    static String text(MemorySegment buffer) {
        return new String(
                buffer.asSlice(0, textBytes(buffer)).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.ISO_8859_1);
    }

    /** How many bytes are in front of the first zero byte; the size of the buffer if there is none. */
    static long textBytes(MemorySegment buffer) {
        long length = 0;
        while (length < buffer.byteSize() && buffer.get(ValueLayout.JAVA_BYTE, length) != 0) {
            length++;
        }
        return length;
    }

    private static byte[] prefix(int ping) {
        return ("rdma-ping-" + ping + ": ").getBytes(StandardCharsets.US_ASCII);
    }

    private static byte at(long index, byte[] prefix, int ping, long size) {
        if (index == size - 1) {
            return 0;
        }
        if (index < prefix.length) {
            return prefix[(int) index];
        }
        return (byte) (FIRST_LETTER + (ping + index - prefix.length) % LETTERS);
    }
}
