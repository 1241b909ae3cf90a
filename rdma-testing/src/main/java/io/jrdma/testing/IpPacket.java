package io.jrdma.testing;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * An IPv4 or IPv6 packet of a capture.
 *
 * @param timestampNs when it was captured
 * @param source source address
 * @param target destination address
 * @param protocol {@link #TCP}, {@link #UDP} or another number
 * @param bytes the packet from its IP header on, link padding removed
 * @param payloadAt where the transport header starts in {@code bytes}
 */
@SuppressWarnings("ArrayRecordComponent") // packets are never compared
public record IpPacket(
        long timestampNs, InetAddress source, InetAddress target, int protocol, byte[] bytes, int payloadAt) {
    /** Protocol number of TCP. */
    public static final int TCP = 6;
    /** Protocol number of UDP. */
    public static final int UDP = 17;

    private static final int ETHERNET_HEADER = 14;
    private static final int ETHER_TYPE_IPV4 = 0x0800;
    private static final int ETHER_TYPE_IPV6 = 0x86DD;
    private static final int ETHER_TYPE_VLAN = 0x8100;
    private static final int IPV4_HEADER = 20;
    private static final int IPV6_HEADER = 40;

    /** The IP packet in an Ethernet frame, or null if there is none or only a fragment. */
    static @Nullable IpPacket parse(Pcap.Frame frame) {
        byte[] bytes = frame.bytes();
        int at = ETHERNET_HEADER;
        if (bytes.length < at) {
            return null;
        }
        int etherType = u16(bytes, 12);
        while (etherType == ETHER_TYPE_VLAN && bytes.length >= at + 4) {
            etherType = u16(bytes, at + 2);
            at += 4;
        }
        return switch (etherType) {
            case ETHER_TYPE_IPV4 -> ipv4(frame, at);
            case ETHER_TYPE_IPV6 -> ipv6(frame, at);
            default -> null;
        };
    }

    private static @Nullable IpPacket ipv4(Pcap.Frame frame, int at) {
        byte[] bytes = frame.bytes();
        if (bytes.length < at + IPV4_HEADER) {
            return null;
        }
        int headerBytes = (bytes[at] & 0xF) * 4;
        int end = at + u16(bytes, at + 2);
        boolean fragment = (u16(bytes, at + 6) & 0x3FFF) != 0;
        if (fragment || end > bytes.length || headerBytes < IPV4_HEADER || at + headerBytes > end) {
            return null;
        }
        return new IpPacket(
                frame.timestampNs(),
                address(frame.slice(at + 12, at + 16)),
                address(frame.slice(at + 16, at + 20)),
                bytes[at + 9] & 0xFF,
                frame.slice(at, end),
                headerBytes);
    }

    private static @Nullable IpPacket ipv6(Pcap.Frame frame, int at) {
        byte[] bytes = frame.bytes();
        if (bytes.length < at + IPV6_HEADER) {
            return null;
        }
        int end = at + IPV6_HEADER + u16(bytes, at + 4);
        if (end > bytes.length) {
            return null;
        }
        int next = bytes[at + 6] & 0xFF;
        int payload = at + IPV6_HEADER;
        // hop-by-hop, routing and destination options may stand before the transport header
        while ((next == 0 || next == 43 || next == 60) && payload + 8 <= end) {
            next = bytes[payload] & 0xFF;
            payload += 8 + ((bytes[payload + 1] & 0xFF) * 8);
        }
        if (payload > end) {
            return null;
        }
        return new IpPacket(
                frame.timestampNs(),
                address(frame.slice(at + 8, at + 24)),
                address(frame.slice(at + 24, at + 40)),
                next,
                frame.slice(at, end),
                payload - at);
    }

    /** A 16-bit field. */
    int u16(int at) {
        return u16(bytes, at);
    }

    /** A 32-bit field. */
    int u32(int at) {
        return ByteBuffer.wrap(bytes).getInt(at);
    }

    private static int u16(byte[] bytes, int at) {
        return ((bytes[at] & 0xFF) << 8) | (bytes[at + 1] & 0xFF);
    }

    private static InetAddress address(byte[] raw) {
        try {
            return InetAddress.getByAddress(raw);
        } catch (UnknownHostException e) {
            throw new AssertionError("4 or 16 bytes are always an address", e);
        }
    }
}
