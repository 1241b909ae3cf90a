package io.jrdma.wire.ib;

import java.util.Arrays;
import java.util.zip.CRC32;

/** The ICRC, computed in the plainest way from an IP packet as it was on the wire: mask a copy, feed it. */
final class ReferenceIcrc {
    private ReferenceIcrc() {}

    /**
     * The ICRC of a packet.
     *
     * @param ip the bytes from the IP header on, with the four bytes of the ICRC at their end, which are not looked at
     */
    static int of(byte[] ip) {
        byte[] masked = ip.clone();
        int udp;
        if (ip[0] >>> 4 == 4) {
            udp = 20;
            masked[1] = -1;
            masked[8] = -1;
            masked[10] = -1;
            masked[11] = -1;
        } else {
            udp = 40;
            masked[0] |= 0xF;
            Arrays.fill(masked, 1, 4, (byte) -1);
            masked[7] = -1;
        }
        masked[udp + 6] = -1;
        masked[udp + 7] = -1;
        masked[udp + 8 + 4] = -1;
        CRC32 crc = new CRC32();
        byte[] ones = new byte[8];
        Arrays.fill(ones, (byte) -1);
        crc.update(ones);
        crc.update(masked, 0, masked.length - 4);
        return (int) crc.getValue();
    }
}
