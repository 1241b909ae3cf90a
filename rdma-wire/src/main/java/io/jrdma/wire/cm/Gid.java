package io.jrdma.wire.cm;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/**
 * A global identifier, 16 bytes: with RoCEv2 an IPv6 address, or an IPv4 address as {@code ::ffff:a.b.c.d} (IBTA annex A17).
 *
 * @param high the first eight bytes
 * @param low the other eight
 */
public record Gid(long high, long low) {
    /** Bytes. */
    public static final int LENGTH = 16;
    /** No address. */
    public static final Gid NONE = new Gid(0, 0);

    private static final int IPV4_LENGTH = 4;
    private static final long MAPPED = 0xFFFFL;

    /**
     * The identifier of an IP address.
     *
     * @param address 4 or 16 bytes in network order
     * @throws IllegalArgumentException if it has another length
     */
    public static Gid of(byte[] address) {
        MemorySegment segment = MemorySegment.ofArray(address);
        return switch (address.length) {
            case IPV4_LENGTH -> ofIpv4(Bytes.u32(segment, 0));
            case LENGTH -> at(segment, 0);
            default -> throw new IllegalArgumentException("address of " + address.length + " bytes");
        };
    }

    /** The identifier of an IPv4 address. */
    public static Gid ofIpv4(int address) {
        return new Gid(0, (MAPPED << 32) | (address & 0xFFFF_FFFFL));
    }

    /** The identifier in 16 bytes of a segment. */
    static Gid at(MemorySegment segment, long at) {
        return new Gid(Bytes.u64(segment, at), Bytes.u64(segment, at + Long.BYTES));
    }

    void put(MemorySegment segment, long at) {
        Bytes.putU64(segment, at, high);
        Bytes.putU64(segment, at + Long.BYTES, low);
    }

    /** Whether it stands for an IPv4 address. */
    public boolean isIpv4() {
        return high == 0 && low >>> 32 == MAPPED;
    }

    /** The IP address: 4 or 16 bytes in network order. */
    public byte[] address() {
        byte[] bytes = new byte[isIpv4() ? IPV4_LENGTH : LENGTH];
        MemorySegment segment = MemorySegment.ofArray(bytes);
        if (isIpv4()) {
            Bytes.putU32(segment, 0, (int) low);
        } else {
            put(segment, 0);
        }
        return bytes;
    }
}
