package io.jrdma.ib;

import io.jrdma.verbs.spi.DatagramPort;
import io.jrdma.wire.Bytes;
import io.jrdma.wire.ib.Grh;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * Makes the 40 bytes in front of a received datagram: the IP header that it came with, as far as the port tells. TTL and identification
 * are not known here and are made up; the checksum of an IPv4 header is right for what stands there, because applications tell IPv4 from
 * IPv6 by it.
 */
final class RoutingHeader {
    private static final int UDP_BYTES = 8;
    private static final int IPV4_BYTES = 20;
    private static final int HOP_LIMIT = 64;

    private final MemorySegment header = Arena.ofAuto().allocate(Grh.LENGTH, Long.BYTES);
    /** The bytes of the sender's and the own address that the last datagram had. */
    private final MemorySegment addresses = Arena.ofAuto().allocate(32, Long.BYTES);

    private @Nullable InetAddress sender;
    private boolean isIpv4;

    /** The header of a datagram of so many bytes, BTH to ICRC; valid until the next call. */
    MemorySegment of(DatagramPort port, int sourceId, int trafficClass, int length) {
        InetAddress from = port.address(sourceId);
        if (!from.equals(sender)) {
            byte[] source = from.getAddress();
            byte[] destination = port.localAddress().getAddress();
            isIpv4 = source.length == 4;
            MemorySegment.copy(MemorySegment.ofArray(source), 0, addresses, 0, source.length);
            MemorySegment.copy(MemorySegment.ofArray(destination), 0, addresses, 16, destination.length);
            sender = from;
        }
        if (isIpv4) {
            Grh.putIpv4(
                    header,
                    0,
                    trafficClass,
                    IPV4_BYTES + UDP_BYTES + length,
                    0,
                    HOP_LIMIT,
                    Grh.PROTOCOL_UDP,
                    Bytes.u32(addresses, 0),
                    Bytes.u32(addresses, 16));
        } else {
            Grh.put(
                    header,
                    0,
                    trafficClass,
                    0,
                    UDP_BYTES + length,
                    Grh.PROTOCOL_UDP,
                    HOP_LIMIT,
                    Bytes.u64(addresses, 0),
                    Bytes.u64(addresses, 8),
                    Bytes.u64(addresses, 16),
                    Bytes.u64(addresses, 24));
        }
        return header;
    }
}
