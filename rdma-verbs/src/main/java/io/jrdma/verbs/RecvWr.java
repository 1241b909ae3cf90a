package io.jrdma.verbs;

import java.util.Arrays;

/**
 * A work request for a receive queue: where the payload of one incoming Send goes. A plain holder that the caller fills, posts, and may
 * fill again at once, because posting copies it. Not thread-safe; posting allocates nothing.
 */
public final class RecvWr {
    private long id;
    private int sgeCount;
    private long[] sgeAddress = new long[1];
    private long[] sgeLength = new long[1];
    private int[] sgeKey = new int[1];

    /** A receive without buffer, id 0. */
    public RecvWr() {}

    /** Back to no buffer at all, id 0. */
    public RecvWr reset() {
        id = 0;
        sgeCount = 0;
        return this;
    }

    /** The caller's mark, given back in the completion ({@code wr_id}). */
    public RecvWr id(long value) {
        id = value;
        return this;
    }

    /**
     * Adds a scatter/gather element.
     *
     * @param length bytes, 0 to 2^32 - 1
     */
    public RecvWr addSge(long address, long length, int localKey) {
        if (length < 0 || length > 0xFFFF_FFFFL) {
            throw new IllegalArgumentException("sge length " + length + " is outside 0.." + 0xFFFF_FFFFL);
        }
        if (sgeCount == sgeAddress.length) {
            int larger = 2 * sgeCount;
            sgeAddress = Arrays.copyOf(sgeAddress, larger);
            sgeLength = Arrays.copyOf(sgeLength, larger);
            sgeKey = Arrays.copyOf(sgeKey, larger);
        }
        sgeAddress[sgeCount] = address;
        sgeLength[sgeCount] = length;
        sgeKey[sgeCount++] = localKey;
        return this;
    }

    /** Adds {@code length} bytes of the region from {@code offset}. */
    public RecvWr addSge(MemoryRegion region, long offset, long length) {
        return addSge(region.address() + offset, length, region.localKey());
    }

    /** Adds a scatter/gather element. */
    public RecvWr addSge(Sge sge) {
        return addSge(sge.address(), sge.length(), sge.localKey());
    }

    public long id() {
        return id;
    }

    public int sgeCount() {
        return sgeCount;
    }

    public long sgeAddress(int index) {
        return sgeAddress[index];
    }

    public long sgeLength(int index) {
        return sgeLength[index];
    }

    public int sgeKey(int index) {
        return sgeKey[index];
    }
}
