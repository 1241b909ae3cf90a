package io.jrdma.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;

/**
 * The one receive buffer of a loop, handed to every read of every stream: an engine consumes what arrived before the read returns. A read
 * costs no copy and no allocation. Not for io_uring, whose reads are under way at the same time.
 */
final class ReceiveBuffer extends DefaultMaxMessagesRecvByteBufAllocator {
    /** Reads of one stream in a turn of the loop; the others wait meanwhile. */
    private static final int READS_PER_TURN = 4;

    private final SegmentBuffer buffer;

    ReceiveBuffer(int bytes) {
        super(READS_PER_TURN);
        buffer = new SegmentBuffer(bytes);
    }

    SegmentBuffer buffer() {
        return buffer;
    }

    @Override
    @SuppressWarnings("deprecation") // the return type, in Netty's own contract
    public Handle newHandle() {
        return new SharedHandle();
    }

    private final class SharedHandle extends MaxMessageHandle {
        @Override
        public int guess() {
            return buffer.capacity();
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            return buffer.forReading();
        }
    }
}
