package io.jrdma.testkit.sim;

import io.jrdma.wire.PacketPrinter;
import io.jrdma.wire.ib.Bth;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;

/** A RoCEv2 packet on its way, as a {@link DatagramRule} sees it: read-only, and whole from the BTH to the ICRC. */
public final class Datagram {
    private final DatagramLink link;
    private final long number;
    private final byte[] headers;
    private final byte[] packet;

    Datagram(DatagramLink link, long number, byte[] headers, byte[] packet) {
        this.link = link;
        this.number = number;
        this.headers = headers;
        this.packet = packet;
    }

    /** The direction that it takes. */
    public DatagramLink link() {
        return link;
    }

    /** The sender's address. */
    public InetAddress from() {
        return link.from();
    }

    /** The receiver's address. */
    public InetAddress to() {
        return link.to();
    }

    /** How many were sent before it in this direction. */
    public long number() {
        return number;
    }

    /** Bytes of the UDP payload, ICRC included. */
    public int length() {
        return packet.length;
    }

    /** The opcode, or -1 if the packet is too short to have one. */
    public int opcode() {
        return hasBth() ? Bth.opcode(segment(), 0) : -1;
    }

    /** The destination QP, or -1 if the packet is too short to have one. */
    public int destQp() {
        return hasBth() ? Bth.destQp(segment(), 0) : -1;
    }

    /** The packet sequence number, or -1 if the packet is too short to have one. */
    public int psn() {
        return hasBth() ? Bth.psn(segment(), 0) : -1;
    }

    /** The traffic class of the IP header, ECN field included. */
    public int trafficClass() {
        return IpUdp.trafficClass(headers);
    }

    /** The hop limit, or time to live, of the IP header. */
    public int hopLimit() {
        return IpUdp.hopLimit(headers);
    }

    private boolean hasBth() {
        return packet.length >= Bth.LENGTH;
    }

    /** The bytes behind the UDP header, read-only, for the accessors of {@code io.jrdma.wire.ib}. */
    public MemorySegment segment() {
        return MemorySegment.ofArray(packet).asReadOnly();
    }

    /** IP and UDP header. */
    byte[] headers() {
        return headers;
    }

    byte[] packet() {
        return packet;
    }

    /** Bytes of the IP packet. */
    int ipBytes() {
        return headers.length + packet.length;
    }

    Datagram withMark() {
        byte[] changed = headers.clone();
        IpUdp.mark(changed);
        return new Datagram(link, number, changed, packet);
    }

    Datagram withFlippedBit(int bit) {
        byte[] changed = packet.clone();
        changed[bit >>> 3] ^= (byte) (0x80 >>> (bit & 7));
        return new Datagram(link, number, headers, changed);
    }

    /** What the packet is, in one line. */
    String line() {
        return PacketPrinter.roce(link.icrcPath(), segment(), 0, packet.length);
    }

    @Override
    public String toString() {
        return link.name() + " " + number + ": " + line();
    }
}
