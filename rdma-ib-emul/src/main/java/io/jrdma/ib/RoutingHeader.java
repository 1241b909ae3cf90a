package io.jrdma.ib;

import io.jrdma.verbs.spi.DatagramPort;
import io.jrdma.wire.Bytes;
import io.jrdma.wire.ib.Grh;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet4Address;
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
    private static final long ADDRESS_BYTES = 16;
    private static final int PLACES = 256;

    private final MemorySegment header = Arena.ofAuto().allocate(Grh.LENGTH, Long.BYTES);
    /** The bytes of senders' addresses: a sender has the place of its source id, and shares it with few. */
    private final MemorySegment sources = Arena.ofAuto().allocate(PLACES * ADDRESS_BYTES, Long.BYTES);

    /** Whose bytes those are. A source id may have gone to another sender since, so the address itself is what counts. */
    private final @Nullable InetAddress[] senders = new InetAddress[PLACES];

    private final MemorySegment own = Arena.ofAuto().allocate(ADDRESS_BYTES, Long.BYTES);
    private @Nullable InetAddress ownAddress;

    /** The header of a datagram of so many bytes, BTH to ICRC; valid until the next call. */
    MemorySegment of(DatagramPort port, int sourceId, int trafficClass, int length) {
        InetAddress from = port.address(sourceId);
        int place = sourceId & PLACES - 1;
        long source = place * ADDRESS_BYTES;
        if (!from.equals(senders[place])) {
            put(from, sources, source);
            senders[place] = from;
        }
        InetAddress to = port.localAddress();
        if (!to.equals(ownAddress)) {
            put(to, own, 0);
            ownAddress = to;
        }
        if (to instanceof Inet4Address) {
            Grh.putIpv4(
                    header,
                    0,
                    trafficClass,
                    IPV4_BYTES + UDP_BYTES + length,
                    0,
                    HOP_LIMIT,
                    Grh.PROTOCOL_UDP,
                    Bytes.u32(sources, source),
                    Bytes.u32(own, 0));
        } else {
            Grh.put(
                    header,
                    0,
                    trafficClass,
                    0,
                    UDP_BYTES + length,
                    Grh.PROTOCOL_UDP,
                    HOP_LIMIT,
                    Bytes.u64(sources, source),
                    Bytes.u64(sources, source + Long.BYTES),
                    Bytes.u64(own, 0),
                    Bytes.u64(own, Long.BYTES));
        }
        return header;
    }

    private static void put(InetAddress address, MemorySegment to, long at) {
        byte[] bytes = address.getAddress();
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, to, at, bytes.length);
    }
}
