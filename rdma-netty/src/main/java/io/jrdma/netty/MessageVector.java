package io.jrdma.netty;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * An array of {@code struct mmsghdr}, each with one piece of data, an address and room for control messages; laid out once, for
 * {@link LinuxUdp}. glibc and musl agree on it where lengths that musl keeps in 32 bits have zeros beside them. Loop only.
 *
 * <pre>
 * mmsghdr: name 8 | name length 4, pad 4 | iovec 8 | iovecs 8 | control 8 | control length 8 | flags 4, pad 4 | bytes 4, pad 4
 * iovec:   address 8 | length 8
 * cmsghdr: length 8 | level 4 | type 4 | data, padded to 8
 * </pre>
 */
final class MessageVector {
    private static final int HEADER = 64;
    private static final int NAME_LENGTH = 8;
    private static final int IOVEC = 16;
    private static final int IOVECS = 24;
    private static final int CONTROL = 32;
    private static final int CONTROL_LENGTH = 40;
    private static final int FLAGS = 48;
    private static final int BYTES = 56;

    private static final int IOVEC_BYTES = 16;
    private static final int NAME_BYTES = 32;
    /** Room for three control messages of four bytes each. */
    private static final int CONTROL_BYTES = 80;

    private static final int CMSG_LEVEL = 8;
    private static final int CMSG_TYPE = 12;
    private static final int CMSG_DATA = 16;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    private final MemorySegment headers;
    private final MemorySegment iovecs;
    private final MemorySegment names;
    private final MemorySegment controls;

    MessageVector(Arena arena, int messages) {
        headers = arena.allocate((long) messages * HEADER, 64);
        iovecs = arena.allocate((long) messages * IOVEC_BYTES, 64);
        names = arena.allocate((long) messages * NAME_BYTES, 64);
        controls = arena.allocate((long) messages * CONTROL_BYTES, 64);
        for (int i = 0; i < messages; i++) {
            long header = (long) i * HEADER;
            headers.set(LONG, header, names.address() + (long) i * NAME_BYTES);
            headers.set(LONG, header + IOVEC, iovecs.address() + (long) i * IOVEC_BYTES);
            headers.set(LONG, header + IOVECS, 1);
            headers.set(LONG, header + CONTROL, controls.address() + (long) i * CONTROL_BYTES);
        }
    }

    /** Address of the header of a message, and so of the rest of the vector. */
    long address(int message) {
        return headers.address() + (long) message * HEADER;
    }

    MemorySegment names() {
        return names;
    }

    /** Where the address of a message is in {@link #names}. */
    long name(int message) {
        return (long) message * NAME_BYTES;
    }

    void nameLength(int message, int bytes) {
        headers.set(INT, (long) message * HEADER + NAME_LENGTH, bytes);
    }

    void data(int message, long address, long bytes) {
        iovecs.set(LONG, (long) message * IOVEC_BYTES, address);
        iovecs.set(LONG, (long) message * IOVEC_BYTES + 8, bytes);
    }

    // ---- sending ----

    /** Takes away the control messages. */
    void clearControl(int message) {
        headers.set(LONG, (long) message * HEADER + CONTROL_LENGTH, 0);
    }

    /** Adds a control message. */
    void addControl(int message, int level, int type, int value, int valueBytes) {
        long header = (long) message * HEADER;
        long used = headers.get(LONG, header + CONTROL_LENGTH);
        long at = (long) message * CONTROL_BYTES + used;
        controls.set(LONG, at, CMSG_DATA + valueBytes);
        controls.set(INT, at + CMSG_LEVEL, level);
        controls.set(INT, at + CMSG_TYPE, type);
        controls.set(LONG, at + CMSG_DATA, value);
        headers.set(LONG, header + CONTROL_LENGTH, used + CMSG_DATA + 8);
    }

    // ---- receiving ----

    /** Makes a message ready to be received. */
    void reset(int message) {
        long header = (long) message * HEADER;
        headers.set(LONG, header + NAME_LENGTH, SourceTable.SOCKADDR_BYTES);
        headers.set(LONG, header + CONTROL_LENGTH, CONTROL_BYTES);
        headers.set(LONG, header + FLAGS, 0);
        names.set(LONG, name(message), 0);
    }

    int flags(int message) {
        return headers.get(INT, (long) message * HEADER + FLAGS);
    }

    /** Bytes received. */
    int bytes(int message) {
        return headers.get(INT, (long) message * HEADER + BYTES);
    }

    /**
     * The value of a control message that came.
     *
     * @param valueBytes 1 or 4
     * @return -1 if there is none
     */
    int control(int message, int level, int type, int valueBytes) {
        long begin = (long) message * CONTROL_BYTES;
        long left = headers.get(LONG, (long) message * HEADER + CONTROL_LENGTH);
        for (long at = begin; left >= CMSG_DATA + valueBytes; ) {
            long length = controls.get(LONG, at);
            if (length < CMSG_DATA || length > left) {
                return -1;
            }
            if (controls.get(INT, at + CMSG_LEVEL) == level && controls.get(INT, at + CMSG_TYPE) == type) {
                return valueBytes == 1
                        ? Byte.toUnsignedInt(controls.get(ValueLayout.JAVA_BYTE, at + CMSG_DATA))
                        : controls.get(INT, at + CMSG_DATA);
            }
            long padded = (length + 7) & ~7L;
            at += padded;
            left -= padded;
        }
        return -1;
    }
}
