package io.jrdma.verbs;

/**
 * A work request for a receive queue: where the payload of one incoming Send goes. A plain holder that the caller fills, posts, and may
 * fill again at once, because posting copies it. Not thread-safe; posting allocates nothing.
 */
public final class RecvWr {
    private long id;
    private final SgeList sges = new SgeList();

    /** A receive without buffer, id 0. */
    public RecvWr() {}

    /** Back to no buffer at all, id 0. */
    public RecvWr reset() {
        id = 0;
        sges.clear();
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
        sges.add(address, length, localKey);
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
        return sges.count();
    }

    public long sgeAddress(int index) {
        return sges.address(index);
    }

    public long sgeLength(int index) {
        return sges.length(index);
    }

    public int sgeKey(int index) {
        return sges.key(index);
    }
}
