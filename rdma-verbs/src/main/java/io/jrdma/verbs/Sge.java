package io.jrdma.verbs;

/**
 * One scatter/gather element: a piece of a local memory region.
 *
 * @param address native address of the first byte
 * @param length bytes, 0 to 2^32 - 1
 * @param localKey the region's local key
 */
public record Sge(long address, long length, int localKey) {
    public Sge {
        checkLength(length);
    }

    /** {@code length} bytes of the region from {@code offset}; whether they lie inside it is checked when the request is carried out. */
    public static Sge of(MemoryRegion region, long offset, long length) {
        return new Sge(region.address() + offset, length, region.localKey());
    }

    static void checkLength(long length) {
        if (length < 0 || length > 0xFFFF_FFFFL) {
            throw new IllegalArgumentException("sge length " + length + " is outside 0.." + 0xFFFF_FFFFL);
        }
    }
}
