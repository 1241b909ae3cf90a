package io.jrdma.testkit.sim;

import io.jrdma.verbs.spi.TransmitSink;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Takes what an engine sends in one call, and checks that it keeps the rules. A claim is never clean memory. */
final class SimSink implements TransmitSink {
    static final int MAX_CLAIM = 1 << 17;
    private static final byte DIRT = (byte) 0xDB;

    private final MemorySegment memory = Arena.ofAuto().allocate(MAX_CLAIM + 64);
    private final ByteArrayOutputStream committed = new ByteArrayOutputStream();
    private @Nullable StreamLink link;
    private int offset;
    private int claimed;
    private boolean inClaim;
    private boolean refused;

    /** Ready for a call of that link's engine. */
    void begin(StreamLink newLink) {
        link = newLink;
        committed.reset();
        refused = false;
    }

    /** What was committed since {@link #begin}. */
    byte[] end() {
        if (inClaim) {
            throw new AssertionError("the engine left a claim of " + claimed + " bytes open");
        }
        return committed.toByteArray();
    }

    /** Whether a claim was refused since {@link #begin}. */
    boolean wasRefused() {
        return refused;
    }

    @Override
    public boolean tryClaim(int length) {
        if (inClaim || length < 1 || length > MAX_CLAIM) {
            throw new AssertionError(
                    "claim of " + length + " bytes, while one is open: " + inClaim + "; allowed are 1.." + MAX_CLAIM);
        }
        StreamLink current = Objects.requireNonNull(link);
        if (!current.hasRoom() || committed.size() >= current.options().bufferBytes()) {
            refused = true;
            return false;
        }
        claimed = length;
        inClaim = true;
        offset = (offset + 13) % 61; // engines must not count on alignment
        memory.asSlice(offset, length).fill(DIRT);
        return true;
    }

    @Override
    public int maxClaim() {
        return MAX_CLAIM;
    }

    @Override
    public MemorySegment segment() {
        return memory;
    }

    @Override
    public long offset() {
        return offset;
    }

    @Override
    public void commit(int length) {
        if (!inClaim || length < 0 || length > claimed) {
            throw new AssertionError("commit of " + length + " bytes of a claim of " + (inClaim ? claimed : 0));
        }
        inClaim = false;
        committed.writeBytes(memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE));
    }

    @Override
    public void abort() {
        if (!inClaim) {
            throw new AssertionError("abort without a claim");
        }
        inClaim = false;
    }
}
