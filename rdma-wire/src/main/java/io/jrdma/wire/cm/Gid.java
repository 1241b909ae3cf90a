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
    private static final int GROUPS = 8;
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

    /** The address as people write it: {@code 10.0.0.1}, or as in RFC 5952. */
    @Override
    public String toString() {
        if (isIpv4()) {
            int address = (int) low;
            return (address >>> 24) + "." + (address >>> 16 & 0xFF) + "." + (address >>> 8 & 0xFF) + "."
                    + (address & 0xFF);
        }
        int gapAt = -1;
        int gap = 1;
        for (int i = 0; i < GROUPS; i++) {
            int zeros = zeroGroups(i);
            if (zeros > gap) {
                gapAt = i;
                gap = zeros;
            }
        }
        return gapAt < 0 ? groups(0, GROUPS) : groups(0, gapAt) + "::" + groups(gapAt + gap, GROUPS);
    }

    private String groups(int from, int to) {
        StringBuilder text = new StringBuilder();
        for (int i = from; i < to; i++) {
            text.append(i == from ? "" : ":").append(Integer.toHexString(group(i)));
        }
        return text.toString();
    }

    private int zeroGroups(int from) {
        int at = from;
        while (at < GROUPS && group(at) == 0) {
            at++;
        }
        return at - from;
    }

    /** Sixteen of the bits: one of the {@link #GROUPS}. */
    private int group(int index) {
        return (int) ((index < 4 ? high : low) >>> (48 - 16 * (index & 3))) & 0xFFFF;
    }
}
