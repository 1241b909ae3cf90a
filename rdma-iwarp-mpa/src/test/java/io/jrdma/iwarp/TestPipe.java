package io.jrdma.iwarp;

import io.jrdma.verbs.spi.TransmitSink;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** One direction of a stream: a sink on one end, bytes on the other. Allocates nothing after construction. */
final class TestPipe implements TransmitSink {
    private static final int BYTES = 1 << 18;
    private static final byte DIRT = (byte) 0xDB;

    private final MemorySegment buffer = Arena.ofAuto().allocate(BYTES, 8);
    private int from;
    private int to;
    private int claimed;
    private boolean inClaim;
    private int room = BYTES;
    private boolean dirty = true;
    private long claims;

    /** Lets at most so many bytes wait in the pipe. */
    void limit(int bytes) {
        room = bytes;
    }

    /** Leaves claims as they are: filling them makes garbage on the Java heap. */
    void leaveClean() {
        dirty = false;
    }

    int waiting() {
        return to - from;
    }

    long claims() {
        return claims;
    }

    long position() {
        return from;
    }

    void take(int bytes) {
        from += bytes;
        if (from == to) {
            from = 0;
            to = 0;
        }
    }

    byte[] takeAll() {
        byte[] all = buffer.asSlice(from, waiting()).toArray(ValueLayout.JAVA_BYTE);
        take(all.length);
        return all;
    }

    void put(byte[] bytes) {
        MemorySegment.copy(bytes, 0, buffer, ValueLayout.JAVA_BYTE, to, bytes.length);
        to += bytes.length;
    }

    @Override
    public boolean tryClaim(int length) {
        if (inClaim || length < 1 || length > maxClaim()) {
            throw new AssertionError("claim of " + length + " bytes, inside a claim: " + inClaim);
        }
        if (waiting() + length > room || to + length > BYTES) {
            return false;
        }
        inClaim = true;
        claimed = length;
        claims++;
        if (dirty) {
            // a sink's memory is not clean
            buffer.asSlice(to, length).fill(DIRT);
        }
        return true;
    }

    @Override
    public int maxClaim() {
        return 1 << 17;
    }

    @Override
    public MemorySegment segment() {
        return buffer;
    }

    @Override
    public long offset() {
        return to;
    }

    @Override
    public void commit(int length) {
        if (!inClaim || length < 0 || length > claimed) {
            throw new AssertionError("commit of " + length + " of " + claimed);
        }
        inClaim = false;
        to += length;
    }

    @Override
    public void abort() {
        if (!inClaim) {
            throw new AssertionError("abort without a claim");
        }
        inClaim = false;
    }
}
