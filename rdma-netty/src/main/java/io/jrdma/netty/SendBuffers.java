package io.jrdma.netty;

import java.util.ArrayDeque;

/**
 * The send buffers of a loop. Streams take one for a batch and give it back when the socket has taken the batch, mostly at once: then the
 * same memory, warm in the cache, serves one stream after another. Only a stream whose socket is full keeps its buffer, one at most, so
 * full sockets starve nobody; what they hold is a fraction of what the kernel holds for them. Loop only.
 */
final class SendBuffers {
    /** Free ones beyond this are given back to the system. */
    static final int SPARE = 8;

    private final int bytes;
    private final ArrayDeque<SegmentBuffer> free = new ArrayDeque<>(SPARE);
    private int taken;

    SendBuffers(int bytes) {
        this.bytes = bytes;
    }

    int bufferBytes() {
        return bytes;
    }

    /** How many are in the hands of streams. */
    int taken() {
        return taken;
    }

    SegmentBuffer take() {
        taken++;
        SegmentBuffer buffer = free.pollLast();
        return buffer == null ? new SegmentBuffer(bytes) : buffer;
    }

    void give(SegmentBuffer buffer) {
        taken--;
        if (free.size() < SPARE) {
            free.addLast(buffer);
        } else {
            buffer.close();
        }
    }

    /** Frees the spare ones. */
    void close() {
        free.forEach(SegmentBuffer::close);
        free.clear();
    }
}
