package io.jrdma.wire.ib;

import java.util.Arrays;
import java.util.zip.CRC32;

/** What the ICRC covers in front of the BTH, masked: eight bytes of ones, the IP header, the UDP header (IBTA annex A17). */
final class IcrcPseudoHeader {
    static final int IPV4_ADDRESS = 4;
    static final int IPV6_ADDRESS = 16;

    private static final int ONES = 8;
    private static final int IPV4_HEADER = 20;
    private static final int IPV6_HEADER = 40;
    private static final int UDP_HEADER = 8;

    private IcrcPseudoHeader() {}

    /**
     * The CRC of the pseudo header.
     *
     * @param source 4 or 16 bytes
     * @param destination as many
     * @param udpPayload bytes behind the UDP header
     */
    static int crc(byte[] source, int sourcePort, byte[] destination, int destinationPort, int udpPayload) {
        boolean ipv4 = source.length == IPV4_ADDRESS;
        int udp = ONES + (ipv4 ? IPV4_HEADER : IPV6_HEADER);
        byte[] bytes = new byte[udp + UDP_HEADER];
        Arrays.fill(bytes, 0, ONES, (byte) 0xFF);
        int udpLength = UDP_HEADER + udpPayload;
        if (ipv4) {
            ipv4(bytes, source, destination, IPV4_HEADER + udpLength);
        } else {
            ipv6(bytes, source, destination, udpLength);
        }
        put16(bytes, udp, sourcePort);
        put16(bytes, udp + 2, destinationPort);
        put16(bytes, udp + 4, udpLength);
        put16(bytes, udp + 6, 0xFFFF); // checksum
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    private static void ipv4(byte[] bytes, byte[] source, byte[] destination, int totalLength) {
        bytes[ONES] = 0x45;
        bytes[ONES + 1] = (byte) 0xFF; // type of service
        put16(bytes, ONES + 2, totalLength);
        put16(bytes, ONES + 6, Grh.DONT_FRAGMENT);
        bytes[ONES + 8] = (byte) 0xFF; // time to live
        bytes[ONES + 9] = Grh.PROTOCOL_UDP;
        put16(bytes, ONES + 10, 0xFFFF); // checksum
        System.arraycopy(source, 0, bytes, ONES + 12, IPV4_ADDRESS);
        System.arraycopy(destination, 0, bytes, ONES + 16, IPV4_ADDRESS);
    }

    private static void ipv6(byte[] bytes, byte[] source, byte[] destination, int payloadLength) {
        bytes[ONES] = 0x6F; // traffic class and flow label, up to the next line
        Arrays.fill(bytes, ONES + 1, ONES + 4, (byte) 0xFF);
        put16(bytes, ONES + 4, payloadLength);
        bytes[ONES + 6] = Grh.PROTOCOL_UDP;
        bytes[ONES + 7] = (byte) 0xFF; // hop limit
        System.arraycopy(source, 0, bytes, ONES + 8, IPV6_ADDRESS);
        System.arraycopy(destination, 0, bytes, ONES + 24, IPV6_ADDRESS);
    }

    private static void put16(byte[] bytes, int at, int value) {
        bytes[at] = (byte) (value >>> 8);
        bytes[at + 1] = (byte) value;
    }
}
