package io.jrdma.wire.iwarp;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/**
 * Immediate Data, 8 bytes behind the untagged DDP header (RFC 7306 section 6; [RFC7306-6.2-1]).
 *
 * <p>{@code at} is the first of the 8 bytes: the segment's first byte plus {@link DdpHeader#UNTAGGED_LENGTH}.
 */
public final class ImmediateData {
    /** Bytes. */
    public static final int LENGTH = 8;

    private ImmediateData() {}

    /** The data. */
    public static long data(MemorySegment segment, long at) {
        return Bytes.u64(segment, at);
    }

    /** Writes the data. */
    public static void put(MemorySegment segment, long at, long data) {
        Bytes.putU64(segment, at, data);
    }

    /** The data as a record, for tests and logs. */
    public static View view(MemorySegment segment, long at) {
        return new View(data(segment, at));
    }

    /**
     * The data.
     *
     * @param data any 64 bits
     */
    public record View(long data) {}
}
