package io.jrdma.wire.iwarp;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/**
 * Atomic Request and Atomic Response headers (RFC 7306 section 5), behind the untagged DDP header.
 *
 * <p>{@code at} is the header's first byte: the segment's first byte plus {@link DdpHeader#UNTAGGED_LENGTH}.
 */
public final class AtomicHeaders {
    /** Atomic operation code: fetch and add. */
    public static final int FETCH_ADD = 0;
    /** Atomic operation code: compare and swap. */
    public static final int COMPARE_SWAP = 2;

    private AtomicHeaders() {}

    /**
     * Atomic Request, 52 bytes [RFC7306-5.2.1-1].
     *
     * <pre>
     *  0  operation code in the low 4 bits (4)   4  request identifier (4)   8  remote STag (4)   12  remote tagged offset (8)
     * 20  add or swap data (8)   28  add or swap mask (8)   36  compare data (8)   44  compare mask (8)
     * </pre>
     */
    public static final class Request {
        /** Bytes. */
        public static final int LENGTH = 52;

        private static final int OPERATION = 0;
        private static final int REQUEST_ID = 4;
        private static final int REMOTE_STAG = 8;
        private static final int REMOTE_TAGGED_OFFSET = 12;
        private static final int DATA = 20;
        private static final int MASK = 28;
        private static final int COMPARE_DATA = 36;
        private static final int COMPARE_MASK = 44;

        private Request() {}

        /** The atomic operation code, 0..15. */
        public static int operation(MemorySegment segment, long at) {
            return Bytes.u32(segment, at + OPERATION) & 0xF;
        }

        /** The identifier that the response echoes. */
        public static int requestId(MemorySegment segment, long at) {
            return Bytes.u32(segment, at + REQUEST_ID);
        }

        /** STag of the responder's buffer. */
        public static int remoteStag(MemorySegment segment, long at) {
            return Bytes.u32(segment, at + REMOTE_STAG);
        }

        /** Tagged offset in the responder's buffer. */
        public static long remoteTaggedOffset(MemorySegment segment, long at) {
            return Bytes.u64(segment, at + REMOTE_TAGGED_OFFSET);
        }

        /** What to add, or to swap in. */
        public static long data(MemorySegment segment, long at) {
            return Bytes.u64(segment, at + DATA);
        }

        /** Add: set bits cut the carry; swap: set bits are replaced. */
        public static long mask(MemorySegment segment, long at) {
            return Bytes.u64(segment, at + MASK);
        }

        /** What to compare with. */
        public static long compareData(MemorySegment segment, long at) {
            return Bytes.u64(segment, at + COMPARE_DATA);
        }

        /** Which bits to compare. */
        public static long compareMask(MemorySegment segment, long at) {
            return Bytes.u64(segment, at + COMPARE_MASK);
        }

        /**
         * Writes the header.
         *
         * @param operation 0..15
         */
        public static void put(
                MemorySegment segment,
                long at,
                int operation,
                int requestId,
                int remoteStag,
                long remoteTaggedOffset,
                long data,
                long mask,
                long compareData,
                long compareMask) {
            assert (operation & ~0xF) == 0 : operation;
            Bytes.putU32(segment, at + OPERATION, operation);
            Bytes.putU32(segment, at + REQUEST_ID, requestId);
            Bytes.putU32(segment, at + REMOTE_STAG, remoteStag);
            Bytes.putU64(segment, at + REMOTE_TAGGED_OFFSET, remoteTaggedOffset);
            Bytes.putU64(segment, at + DATA, data);
            Bytes.putU64(segment, at + MASK, mask);
            Bytes.putU64(segment, at + COMPARE_DATA, compareData);
            Bytes.putU64(segment, at + COMPARE_MASK, compareMask);
        }

        /** All fields, for tests and logs. */
        public static RequestView view(MemorySegment segment, long at) {
            return new RequestView(
                    operation(segment, at),
                    requestId(segment, at),
                    remoteStag(segment, at),
                    remoteTaggedOffset(segment, at),
                    data(segment, at),
                    mask(segment, at),
                    compareData(segment, at),
                    compareMask(segment, at));
        }
    }

    /**
     * Atomic Response, 12 bytes [RFC7306-5.2.2-1]: the request's identifier (4) and the value before the operation (8).
     */
    public static final class Response {
        /** Bytes. */
        public static final int LENGTH = 12;

        private static final int REQUEST_ID = 0;
        private static final int ORIGINAL_VALUE = 4;

        private Response() {}

        /** The identifier of the request that is answered. */
        public static int requestId(MemorySegment segment, long at) {
            return Bytes.u32(segment, at + REQUEST_ID);
        }

        /** The value that stood at the remote address before. */
        public static long originalValue(MemorySegment segment, long at) {
            return Bytes.u64(segment, at + ORIGINAL_VALUE);
        }

        /** Writes the header. */
        public static void put(MemorySegment segment, long at, int requestId, long originalValue) {
            Bytes.putU32(segment, at + REQUEST_ID, requestId);
            Bytes.putU64(segment, at + ORIGINAL_VALUE, originalValue);
        }

        /** All fields, for tests and logs. */
        public static ResponseView view(MemorySegment segment, long at) {
            return new ResponseView(requestId(segment, at), originalValue(segment, at));
        }
    }

    /**
     * The fields of a request.
     *
     * @param operation 0..15
     * @param requestId echoed
     * @param remoteStag STag
     * @param remoteTaggedOffset TO
     * @param data add or swap data
     * @param mask add or swap mask
     * @param compareData compare data
     * @param compareMask compare mask
     */
    public record RequestView(
            int operation,
            int requestId,
            int remoteStag,
            long remoteTaggedOffset,
            long data,
            long mask,
            long compareData,
            long compareMask) {}

    /**
     * The fields of a response.
     *
     * @param requestId of the request
     * @param originalValue before the operation
     */
    public record ResponseView(int requestId, long originalValue) {}
}
