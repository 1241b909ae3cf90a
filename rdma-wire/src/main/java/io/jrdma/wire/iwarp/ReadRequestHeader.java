package io.jrdma.wire.iwarp;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/**
 * RDMA Read Request header, 28 bytes behind the untagged DDP header (RFC 5040 section 4.4; [RFC5040-4.4-1]).
 *
 * <pre>
 *  0  data sink STag (4)   4  data sink tagged offset (8)   12  read size (4)
 * 16  data source STag (4)   20  data source tagged offset (8)
 * </pre>
 *
 * <p>{@code at} is the header's first byte: the segment's first byte plus {@link DdpHeader#UNTAGGED_LENGTH}. The sink is the
 * requester's buffer, the source the responder's.
 */
public final class ReadRequestHeader {
    /** Bytes. */
    public static final int LENGTH = 28;

    private static final int SINK_STAG = 0;
    private static final int SINK_TAGGED_OFFSET = 4;
    private static final int READ_BYTES = 12;
    private static final int SOURCE_STAG = 16;
    private static final int SOURCE_TAGGED_OFFSET = 20;

    private ReadRequestHeader() {}

    /** STag of the requester's buffer, to be echoed in the Read Response. */
    public static int sinkStag(MemorySegment segment, long at) {
        return Bytes.u32(segment, at + SINK_STAG);
    }

    /** Tagged offset in the requester's buffer, to be echoed in the Read Response. */
    public static long sinkTaggedOffset(MemorySegment segment, long at) {
        return Bytes.u64(segment, at + SINK_TAGGED_OFFSET);
    }

    /** RDMA Read Message Size in bytes, 0..2^32-1. */
    public static long readBytes(MemorySegment segment, long at) {
        return Bytes.u32AsLong(segment, at + READ_BYTES);
    }

    /** STag of the responder's buffer; not to be looked at if the size is 0. */
    public static int sourceStag(MemorySegment segment, long at) {
        return Bytes.u32(segment, at + SOURCE_STAG);
    }

    /** Tagged offset in the responder's buffer. */
    public static long sourceTaggedOffset(MemorySegment segment, long at) {
        return Bytes.u64(segment, at + SOURCE_TAGGED_OFFSET);
    }

    /**
     * Writes the header.
     *
     * @param readBytes 0..2^32-1
     */
    public static void put(
            MemorySegment segment,
            long at,
            int sinkStag,
            long sinkTaggedOffset,
            long readBytes,
            int sourceStag,
            long sourceTaggedOffset) {
        Bytes.putU32(segment, at + SINK_STAG, sinkStag);
        Bytes.putU64(segment, at + SINK_TAGGED_OFFSET, sinkTaggedOffset);
        Bytes.putU32(segment, at + READ_BYTES, readBytes);
        Bytes.putU32(segment, at + SOURCE_STAG, sourceStag);
        Bytes.putU64(segment, at + SOURCE_TAGGED_OFFSET, sourceTaggedOffset);
    }

    /** All fields, for tests and logs. */
    public static View view(MemorySegment segment, long at) {
        return new View(
                sinkStag(segment, at),
                sinkTaggedOffset(segment, at),
                readBytes(segment, at),
                sourceStag(segment, at),
                sourceTaggedOffset(segment, at));
    }

    /**
     * The fields.
     *
     * @param sinkStag requester's STag
     * @param sinkTaggedOffset requester's tagged offset
     * @param readBytes 0..2^32-1
     * @param sourceStag responder's STag
     * @param sourceTaggedOffset responder's tagged offset
     */
    public record View(int sinkStag, long sinkTaggedOffset, long readBytes, int sourceStag, long sourceTaggedOffset) {}
}
