package io.jrdma.testkit.sim;

import io.jrdma.wire.ib.Icrc;
import io.jrdma.wire.ib.IcrcPath;
import io.jrdma.wire.ib.RoceV2Packet;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.zip.CRC32;

/**
 * The ICRC of packets on the simulated network. It is sealed the slow and obvious way (IBTA annex A17.3.3), over headers that are really
 * there, and checked as a driver checks it that sees neither the IPv4 identification nor the flags: each simulated packet tries {@link
 * Icrc} as well.
 */
final class SimIcrc {
    private static final byte ONES = (byte) 0xFF;
    private static final int LRH = 8;
    /** Bytes of the packet up to the one with FECN and BECN. */
    private static final int CONGESTION_AT = 4;

    private static final int[] IPV4_CHANGING = {1, 8, 10, 11};
    private static final int[] IPV6_CHANGING = {1, 2, 3, 7};

    private final Icrc icrc = new Icrc();

    /** Writes the last four bytes of a packet. */
    static void seal(byte[] headers, byte[] packet) {
        int ip = headers.length - IpUdp.UDP;
        byte[] covered = new byte[LRH + headers.length + CONGESTION_AT + 1];
        Arrays.fill(covered, 0, LRH, ONES);
        System.arraycopy(headers, 0, covered, LRH, headers.length);
        boolean v4 = ip == IpUdp.IPV4;
        for (int at : v4 ? IPV4_CHANGING : IPV6_CHANGING) {
            covered[LRH + at] = ONES;
        }
        if (!v4) {
            covered[LRH] = 0x6F;
        }
        covered[LRH + ip + 6] = ONES;
        covered[LRH + ip + 7] = ONES;
        System.arraycopy(packet, 0, covered, LRH + headers.length, CONGESTION_AT);
        covered[LRH + headers.length + CONGESTION_AT] = ONES;
        CRC32 crc = new CRC32();
        crc.update(covered);
        crc.update(packet, CONGESTION_AT + 1, packet.length - CONGESTION_AT - 1 - RoceV2Packet.ICRC_LENGTH);
        RoceV2Packet.putIcrc(MemorySegment.ofArray(packet), 0, packet.length, (int) crc.getValue());
    }

    /** Whether the last four bytes of a packet are right. */
    boolean isGood(IcrcPath path, byte[] packet) {
        return icrc.verify(path, MemorySegment.ofArray(packet), 0, packet.length) != Icrc.MISMATCH;
    }
}
