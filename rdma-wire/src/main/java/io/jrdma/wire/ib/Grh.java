package io.jrdma.wire.ib;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/**
 * Global Route Header, 40 bytes: what stands in front of the payload in the receive buffer of a datagram (IBTA volume
 * 1, 8.3; [IBTA-8.3-1]; annex A17).
 *
 * <p>It never goes on the wire of RoCEv2: the receiver makes it from the IP header. With IPv6 the two are the same; with IPv4 the first
 * 20 bytes are zero and the IPv4 header is the last 20, with a checksum that is right, because applications tell the two apart by it.
 *
 * <pre>
 * IPv6   0  version 6 (4 bits) | traffic class (8) | flow label (20)    4  payload length (2)    6  next header    7  hop limit
 *        8  source (16)                                                24  destination (16)
 * IPv4  20  0x45    21  TOS    22  total length (2)    24  identification (2)    26  flags, offset (2)    28  TTL    29  protocol
 *       30  checksum (2)       32  source (4)          36  destination (4)
 * </pre>
 */
public final class Grh {
    /** Bytes. */
    public static final int LENGTH = 40;
    /** Where the IPv4 header stands. */
    public static final int IPV4_AT = 20;
    /** IP protocol number of what follows, in IPv4 and IPv6: UDP. */
    public static final int PROTOCOL_UDP = 17;
    /** Flags of an IPv4 header: do not fragment. */
    public static final int DONT_FRAGMENT = 0x4000;

    /** {@link #ipVersion}: neither an IPv4 nor an IPv6 header. */
    public static final int VERSION_NONE = 0;

    private static final int IPV4_LENGTH = 20;
    private static final int VERSION_IHL = 0x45;

    private static final int FLOW = 0;
    private static final int PAYLOAD_LENGTH = 4;
    private static final int NEXT_HEADER = 6;
    private static final int HOP_LIMIT = 7;
    private static final int SOURCE = 8;
    private static final int DESTINATION = 24;

    private Grh() {}

    /**
     * Writes an IPv6 header.
     *
     * @param trafficClass 0..255
     * @param flowLabel 0..2^20-1
     * @param payloadLength bytes behind the IP header, 0..65535
     * @param nextHeader 0..255, {@link #PROTOCOL_UDP} for RoCEv2
     * @param hopLimit 0..255
     * @param sourceHigh first eight bytes of the source address
     * @param sourceLow the other eight
     * @param destinationHigh first eight bytes of the destination address
     * @param destinationLow the other eight
     */
    public static void put(
            MemorySegment segment,
            long at,
            int trafficClass,
            int flowLabel,
            int payloadLength,
            int nextHeader,
            int hopLimit,
            long sourceHigh,
            long sourceLow,
            long destinationHigh,
            long destinationLow) {
        assert trafficClass >>> 8 == 0 : trafficClass;
        assert flowLabel >>> 20 == 0 : flowLabel;
        Bytes.putU32(segment, at + FLOW, 0x6000_0000 | (trafficClass << 20) | flowLabel);
        Bytes.putU16(segment, at + PAYLOAD_LENGTH, payloadLength);
        Bytes.putU8(segment, at + NEXT_HEADER, nextHeader);
        Bytes.putU8(segment, at + HOP_LIMIT, hopLimit);
        Bytes.putU64(segment, at + SOURCE, sourceHigh);
        Bytes.putU64(segment, at + SOURCE + Long.BYTES, sourceLow);
        Bytes.putU64(segment, at + DESTINATION, destinationHigh);
        Bytes.putU64(segment, at + DESTINATION + Long.BYTES, destinationLow);
    }

    /**
     * Writes 20 bytes of zero and an IPv4 header without options, fragmentation forbidden.
     *
     * @param tos 0..255
     * @param totalLength bytes from the IP header on, 20..65535
     * @param identification 0..65535; a receiver that cannot know it says 0
     * @param ttl 0..255
     * @param protocol 0..255, {@link #PROTOCOL_UDP} for RoCEv2
     * @param source the source address
     * @param destination the destination address
     */
    public static void putIpv4(
            MemorySegment segment,
            long at,
            int tos,
            int totalLength,
            int identification,
            int ttl,
            int protocol,
            int source,
            int destination) {
        assert tos >>> 8 == 0 && totalLength >>> 16 == 0 && identification >>> 16 == 0;
        assert ttl >>> 8 == 0 && protocol >>> 8 == 0;
        // [IBTA-A17-2] of the undefined bytes the first must not look like the start of an IPv6 header
        Bytes.putU64(segment, at, 0);
        Bytes.putU64(segment, at + Long.BYTES, 0);
        Bytes.putU32(segment, at + 2 * Long.BYTES, 0);
        long header = at + IPV4_AT;
        Bytes.putU32(segment, header, (VERSION_IHL << 24) | (tos << 16) | totalLength);
        Bytes.putU32(segment, header + 4, (identification << 16) | DONT_FRAGMENT);
        Bytes.putU32(segment, header + 8, (ttl << 24) | (protocol << 16));
        Bytes.putU32(segment, header + 12, source);
        Bytes.putU32(segment, header + 16, destination);
        Bytes.putU16(segment, header + 10, ~sum(segment, header) & 0xFFFF);
    }

    /** The ones' complement sum of an IPv4 header without options, folded to 16 bits; 0xFFFF if the checksum in it is right. */
    private static int sum(MemorySegment segment, long header) {
        int sum = 0;
        for (int i = 0; i < IPV4_LENGTH; i += 2) {
            sum += Bytes.u16(segment, header + i);
        }
        sum = (sum & 0xFFFF) + (sum >>> 16);
        return (sum & 0xFFFF) + (sum >>> 16);
    }

    /**
     * Which IP header the 40 bytes hold, as applications find out: 6 unless the last 20 bytes are an IPv4 header without options and
     * with a right checksum.
     *
     * @return 4, 6 or {@link #VERSION_NONE}
     */
    public static int ipVersion(MemorySegment segment, long at) {
        boolean six = Bytes.u8(segment, at) >>> 4 == 6;
        int first = Bytes.u8(segment, at + IPV4_AT);
        if (!six) {
            return first >>> 4 == 4 ? 4 : VERSION_NONE;
        }
        boolean four = first == VERSION_IHL && sum(segment, at + IPV4_AT) == 0xFFFF;
        return four ? 4 : 6;
    }

    /** The traffic class of an IPv6 header, 0..255. */
    public static int trafficClass(MemorySegment segment, long at) {
        return (Bytes.u32(segment, at + FLOW) >>> 20) & 0xFF;
    }

    /** The flow label of an IPv6 header, 0..2^20-1. */
    public static int flowLabel(MemorySegment segment, long at) {
        return Bytes.u32(segment, at + FLOW) & 0xF_FFFF;
    }

    /** The payload length of an IPv6 header, 0..65535. */
    public static int payloadLength(MemorySegment segment, long at) {
        return Bytes.u16(segment, at + PAYLOAD_LENGTH);
    }

    /** The next header of an IPv6 header, 0..255. */
    public static int nextHeader(MemorySegment segment, long at) {
        return Bytes.u8(segment, at + NEXT_HEADER);
    }

    /** The hop limit of an IPv6 header, 0..255. */
    public static int hopLimit(MemorySegment segment, long at) {
        return Bytes.u8(segment, at + HOP_LIMIT);
    }

    /** First eight bytes of the source address of an IPv6 header. */
    public static long sourceHigh(MemorySegment segment, long at) {
        return Bytes.u64(segment, at + SOURCE);
    }

    /** Last eight bytes of the source address of an IPv6 header. */
    public static long sourceLow(MemorySegment segment, long at) {
        return Bytes.u64(segment, at + SOURCE + Long.BYTES);
    }

    /** First eight bytes of the destination address of an IPv6 header. */
    public static long destinationHigh(MemorySegment segment, long at) {
        return Bytes.u64(segment, at + DESTINATION);
    }

    /** Last eight bytes of the destination address of an IPv6 header. */
    public static long destinationLow(MemorySegment segment, long at) {
        return Bytes.u64(segment, at + DESTINATION + Long.BYTES);
    }

    /** The source address of an IPv4 header. */
    public static int ipv4Source(MemorySegment segment, long at) {
        return Bytes.u32(segment, at + IPV4_AT + 12);
    }

    /** The destination address of an IPv4 header. */
    public static int ipv4Destination(MemorySegment segment, long at) {
        return Bytes.u32(segment, at + IPV4_AT + 16);
    }
}
