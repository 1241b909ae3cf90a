package io.jrdma.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Native memory that Netty sees as a {@link ByteBuf} and engines as a {@link MemorySegment}; both views are made once. The only place
 * where the two meet. Loop only.
 *
 * <p>The buffer holds one reference itself; Netty releases those that it is given, so that the memory is free again when one is left.
 */
final class SegmentBuffer {
    private static final int CACHE_LINE = 64;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment segment;
    private final ByteBuffer bytes;
    private final ByteBuf buffer;

    SegmentBuffer(int bytes) {
        segment = arena.allocate(bytes, CACHE_LINE);
        this.bytes = segment.asByteBuffer();
        buffer = Unpooled.wrappedBuffer(this.bytes);
    }

    MemorySegment segment() {
        return segment;
    }

    ByteBuffer bytes() {
        return bytes;
    }

    int capacity() {
        return buffer.capacity();
    }

    /** Whether that is this memory as Netty sees it. */
    @SuppressWarnings("ReferenceEquality") // buffers are equal when their bytes are
    boolean is(Object message) {
        return message == buffer;
    }

    /** The empty buffer, with a reference for the taker. */
    ByteBuf forReading() {
        return buffer.clear().retain();
    }

    /** The bytes from one place to another, with a reference for the taker. */
    ByteBuf forWriting(int from, int to) {
        return buffer.setIndex(from, to).retain();
    }

    /** Some of the bytes, with a reference for the taker; there may be several at a time. */
    ByteBuf sharing(int from, int length) {
        return buffer.retainedSlice(from, length);
    }

    /** Whether Netty has no reference any more. */
    boolean isFree() {
        return buffer.refCnt() == 1;
    }

    /** The readable bytes of another buffer, for as long as the caller holds a reference to it. */
    static MemorySegment borrow(ByteBuf other) {
        return MemorySegment.ofBuffer(other.internalNioBuffer(other.readerIndex(), other.readableBytes()));
    }

    /** Frees the memory; Netty must have no reference any more. */
    void close() {
        buffer.release();
        arena.close();
    }
}
