package io.jrdma.netty;

import io.jrdma.verbs.spi.TransmitSink;
import java.lang.foreign.MemorySegment;

/** Lets one engine at a time write into a send buffer, claim behind claim. Loop only. */
final class TcpSink implements TransmitSink {
    private final int capacity;
    private MemorySegment segment = MemorySegment.NULL;
    private int position;
    private int claimed;

    TcpSink(int capacity) {
        this.capacity = capacity;
    }

    void begin(SegmentBuffer buffer) {
        segment = buffer.segment();
        position = 0;
        claimed = 0;
    }

    /** Bytes that were committed since {@link #begin}. */
    int end() {
        segment = MemorySegment.NULL;
        return position;
    }

    @Override
    public boolean tryClaim(int length) {
        assert claimed == 0 : "claim while one is open";
        assert length > 0 && length <= capacity : "claim of " + length + " outside 1.." + capacity;
        if (length > capacity - position) {
            return false;
        }
        claimed = length;
        return true;
    }

    @Override
    public int maxClaim() {
        return capacity;
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public long offset() {
        return position;
    }

    @Override
    public void commit(int length) {
        assert length >= 0 && length <= claimed : "commit of " + length + " outside 0.." + claimed;
        position += length;
        claimed = 0;
    }

    @Override
    public void abort() {
        claimed = 0;
    }
}
