package io.jrdma.wire.ib;

import io.jrdma.testing.UdpDatagram;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * A RoCEv2 packet with all that its ICRC covers, for tests.
 *
 * @param source source address, 4 or 16 bytes
 * @param destination destination address, as many
 * @param identification of the IPv4 header
 * @param flags flags and fragment offset of the IPv4 header
 * @param packet the payload of the UDP datagram, ICRC included
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Datagram(
        byte[] source,
        int sourcePort,
        byte[] destination,
        int destinationPort,
        int identification,
        int flags,
        byte[] packet) {
    static Datagram of(UdpDatagram captured) {
        byte[] ip = captured.ip().bytes();
        boolean ipv4 = ip[0] >>> 4 == 4;
        return new Datagram(
                captured.ip().source().getAddress(),
                captured.source().getPort(),
                captured.ip().target().getAddress(),
                captured.target().getPort(),
                ipv4 ? ByteBuffer.wrap(ip).getShort(4) & 0xFFFF : 0,
                ipv4 ? ByteBuffer.wrap(ip).getShort(6) & 0xFFFF : 0,
                captured.payload());
    }

    boolean ipv4() {
        return source.length == 4;
    }

    IcrcPath path() {
        return IcrcPath.of(source, sourcePort, destination, destinationPort);
    }

    MemorySegment segment() {
        return MemorySegment.ofArray(packet);
    }

    Datagram withIdentification(int other) {
        return new Datagram(source, sourcePort, destination, destinationPort, other, flags, packet);
    }

    /** The packet from its IP header on, the fields that change on the way filled with a value. */
    byte[] ip(int rubbish) {
        int udpLength = 8 + packet.length;
        ByteBuffer ip = ByteBuffer.allocate((ipv4() ? 20 : 40) + udpLength);
        byte any = (byte) rubbish;
        if (ipv4()) {
            ip.put((byte) 0x45).put(any).putShort((short) (20 + udpLength));
            ip.putShort((short) identification).putShort((short) flags);
            ip.put(any).put((byte) 17).put(any).put(any);
        } else {
            ip.put((byte) (0x60 | (any & 0xF))).put(any).put(any).put(any);
            ip.putShort((short) udpLength).put((byte) 17).put(any);
        }
        ip.put(source).put(destination);
        ip.putShort((short) sourcePort).putShort((short) destinationPort);
        ip.putShort((short) udpLength).put(any).put(any).put(packet);
        return ip.array();
    }
}
