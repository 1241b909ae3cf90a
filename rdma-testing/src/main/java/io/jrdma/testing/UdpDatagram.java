package io.jrdma.testing;

import java.net.InetSocketAddress;
import java.util.Arrays;

/**
 * A UDP datagram of a capture.
 *
 * @param ip the packet it came in, for checksums that cover IP and UDP headers
 * @param source where it came from
 * @param target where it went
 * @param payload what is behind the UDP header
 */
@SuppressWarnings("ArrayRecordComponent") // datagrams are never compared
public record UdpDatagram(IpPacket ip, InetSocketAddress source, InetSocketAddress target, byte[] payload) {
    private static final int HEADER = 8;

    static UdpDatagram parse(IpPacket ip) {
        int at = ip.payloadAt();
        if (ip.bytes().length < at + HEADER || ip.u16(at + 4) < HEADER || at + ip.u16(at + 4) > ip.bytes().length) {
            throw new IllegalArgumentException("damaged UDP header from " + ip.source());
        }
        return new UdpDatagram(
                ip,
                new InetSocketAddress(ip.source(), ip.u16(at)),
                new InetSocketAddress(ip.target(), ip.u16(at + 2)),
                Arrays.copyOfRange(ip.bytes(), at + HEADER, at + ip.u16(at + 4)));
    }
}
