package io.jrdma.testkit.sim;

import io.jrdma.verbs.AddressVector;
import io.jrdma.wire.Bytes;
import io.jrdma.wire.ib.RoceV2Packet;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;

/** The headers in front of a RoCEv2 packet: IPv4 or IPv6 without options, and UDP. The UDP checksum is zero, as rxe sends it. */
final class IpUdp {
    static final int UDP = 8;
    static final int IPV4 = 20;
    static final int IPV6 = 40;
    private static final int PROTOCOL_UDP = 17;
    private static final int DONT_FRAGMENT = 0x4000;
    private static final int ECN_CAPABLE = 0x02;
    private static final int ECN_CONGESTED = 0x03;

    private IpUdp() {}

    static int ipHeaderBytes(InetAddress address) {
        return address.getAddress().length == 4 ? IPV4 : IPV6;
    }

    /**
     * IP and UDP header of a packet.
     *
     * @param to where to, and with which traffic class, flow label and hop limit
     * @param identification of IPv4, 0 to 65,535
     * @param packetBytes bytes of the UDP payload
     */
    static byte[] headers(InetAddress from, AddressVector to, int identification, int packetBytes) {
        byte[] source = from.getAddress();
        byte[] destination = to.destination().getAddress();
        int ip = ipHeaderBytes(from);
        byte[] bytes = new byte[ip + UDP];
        MemorySegment header = MemorySegment.ofArray(bytes);
        int trafficClass = (to.trafficClass() & ~ECN_CONGESTED) | ECN_CAPABLE;
        if (ip == IPV4) {
            bytes[0] = 0x45;
            bytes[1] = (byte) trafficClass;
            Bytes.putU16(header, 2, ip + UDP + packetBytes);
            Bytes.putU16(header, 4, identification);
            Bytes.putU16(header, 6, DONT_FRAGMENT);
            bytes[8] = (byte) to.hopLimit();
            bytes[9] = PROTOCOL_UDP;
            System.arraycopy(source, 0, bytes, 12, 4);
            System.arraycopy(destination, 0, bytes, 16, 4);
            putChecksum(bytes);
        } else {
            Bytes.putU32(header, 0, 6 << 28 | trafficClass << 20 | to.flowLabel());
            Bytes.putU16(header, 4, UDP + packetBytes);
            bytes[6] = PROTOCOL_UDP;
            bytes[7] = (byte) to.hopLimit();
            System.arraycopy(source, 0, bytes, 8, 16);
            System.arraycopy(destination, 0, bytes, 24, 16);
        }
        Bytes.putU16(header, ip, RoceV2Packet.UDP_PORT);
        Bytes.putU16(header, ip + 2, RoceV2Packet.UDP_PORT);
        Bytes.putU16(header, ip + 4, UDP + packetBytes);
        return bytes;
    }

    /** Sets the ECN field to "congestion experienced". */
    static void mark(byte[] headers) {
        if (headers.length == IPV4 + UDP) {
            headers[1] |= ECN_CONGESTED;
            putChecksum(headers);
        } else {
            headers[1] |= ECN_CONGESTED << 4;
        }
    }

    static int trafficClass(byte[] headers) {
        return headers.length == IPV4 + UDP
                ? headers[1] & 0xFF
                : Bytes.u16(MemorySegment.ofArray(headers), 0) >>> 4 & 0xFF;
    }

    static int hopLimit(byte[] headers) {
        return headers[headers.length == IPV4 + UDP ? 8 : 7] & 0xFF;
    }

    private static void putChecksum(byte[] headers) {
        MemorySegment header = MemorySegment.ofArray(headers);
        Bytes.putU16(header, 10, 0);
        Bytes.putU16(header, 10, fold(sum(headers, 0, IPV4, 0)));
    }

    /** The sum of 16-bit words that the checksums of IP, TCP and UDP are made of. */
    static long sum(byte[] bytes, int from, int length, long start) {
        long sum = start;
        for (int i = 0; i < length; i++) {
            int value = bytes[from + i] & 0xFF;
            sum += (i & 1) == 0 ? value << 8 : value;
        }
        return sum;
    }

    static int fold(long sum) {
        long folded = sum;
        while (folded >>> 16 != 0) {
            folded = (folded & 0xFFFF) + (folded >>> 16);
        }
        return (int) ~folded & 0xFFFF;
    }
}
