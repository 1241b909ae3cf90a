package io.jrdma.cm;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MemoryRegion;
import io.jrdma.verbs.VerbsException;
import java.nio.ByteBuffer;

/**
 * Memory of the peer that this side may work on, as the peer described it. As bytes: 8 address, 4 key, 8 length, each in network order, 20
 * altogether. Immutable.
 *
 * @param address where it begins, in the peer's address space; 64 bits, unsigned
 * @param key the region's remote key (iWARP: STag)
 * @param length bytes, 0 or more
 */
public record RemoteMemory(long address, int key, long length) {
    /** Bytes of {@link #toBytes}. */
    public static final int BYTES = 20;

    public RemoteMemory {
        if (length < 0) {
            throw new IllegalArgumentException("length of remote memory is " + length + "; it must be 0 or more");
        }
    }

    /** What a peer has to know of a whole region. */
    public static RemoteMemory of(MemoryRegion region) {
        return new RemoteMemory(region.address(), region.remoteKey(), region.length());
    }

    /**
     * Reads what {@link #toBytes} wrote, from the first {@link #BYTES} bytes.
     *
     * @throws IllegalArgumentException if there are fewer, or the length is negative
     */
    public static RemoteMemory of(byte[] bytes) {
        if (bytes.length < BYTES) {
            throw new IllegalArgumentException(bytes.length + " bytes describe no remote memory; it takes " + BYTES);
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        return new RemoteMemory(in.getLong(), in.getInt(), in.getLong());
    }

    /** For the peer: 20 bytes. */
    public byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .putLong(address)
                .putInt(key)
                .putLong(length)
                .array();
    }

    /**
     * A part of it.
     *
     * @throws VerbsException EINVAL if the part does not lie inside
     */
    public RemoteMemory slice(long offset, long newLength) {
        if (offset < 0 || newLength < 0 || offset > length - newLength) {
            throw new VerbsException(Errno.EINVAL, newLength + " bytes from " + offset + " on are not inside " + this);
        }
        return new RemoteMemory(address + offset, key, newLength);
    }

    @Override
    public String toString() {
        return "RemoteMemory[address=0x" + Long.toHexString(address) + ", key=0x" + Integer.toHexString(key)
                + ", length=" + length + "]";
    }
}
