package io.jrdma.wire.ib;

/**
 * What the length of a packet means for its ICRC: everything in front of the packet, and every field that may differ, shifted by the bytes
 * that follow it.
 *
 * <p>Computed once for each length in use, about 1.5 KB each. Instances are immutable and the same for everybody; two threads that make one
 * at the same time make two equal ones.
 */
final class IcrcLength {
    private static final int BTH_CONGESTION_AT = 4;
    private static final IcrcLength[] BY_WORDS = new IcrcLength[RoceV2Packet.MAX_LENGTH / 4 + 1];

    private final int ipv4;
    private final int ipv6;
    private final int congestion;
    private final int[] pseudoHeader;
    private final int[] identification;
    private final int[] identificationBack;

    private IcrcLength(int length) {
        int covered = length - RoceV2Packet.ICRC_LENGTH;
        int shift = Crc32Ring.power(Crc32Ring.BYTE, covered);
        pseudoHeader = Crc32Ring.table(shift, 8);
        // a byte of the message stands in the register's low end before the shift that feeds it
        congestion = Crc32Ring.power(Crc32Ring.BYTE, covered - BTH_CONGESTION_AT);
        int mask = Crc32Ring.multiply(0xFF, congestion);
        byte[] four = new byte[IcrcPseudoHeader.IPV4_ADDRESS];
        byte[] six = new byte[IcrcPseudoHeader.IPV6_ADDRESS];
        ipv4 = Crc32Ring.multiply(IcrcPseudoHeader.crc(four, 0, four, 0, length), shift) ^ mask;
        ipv6 = Crc32Ring.multiply(IcrcPseudoHeader.crc(six, 0, six, 0, length), shift) ^ mask;
        // the two bytes themselves, then 14 of the IPv4 header and 8 of the UDP header in front of the BTH
        int behindIdentification = covered + 24;
        identification = Crc32Ring.table(Crc32Ring.power(Crc32Ring.BYTE, behindIdentification), 4);
        identificationBack = Crc32Ring.table(Crc32Ring.power(Crc32Ring.BYTE_BACK, behindIdentification), 8);
    }

    /** Whether a packet may have so many bytes, ICRC included. */
    static boolean isLength(int length) {
        return length >= RoceV2Packet.MIN_LENGTH && length <= RoceV2Packet.MAX_LENGTH && (length & 3) == 0;
    }

    /** That of a length that {@link #isLength} accepts. */
    static IcrcLength of(int length) {
        assert isLength(length) : length;
        IcrcLength known = BY_WORDS[length >>> 2];
        if (known == null) {
            known = new IcrcLength(length);
            BY_WORDS[length >>> 2] = known;
        }
        return known;
    }

    /** What to add to the CRC of a packet, whose byte 4 is zero, for all that is in front of it, with identification 0. */
    int ofPath(IcrcPath path) {
        return Crc32Ring.multiply(pseudoHeader, path.difference()) ^ (path.isIpv4() ? ipv4 : ipv6);
    }

    /** What to add for byte 4 of the BTH: that makes it the 0xFF that is covered in its place. */
    int ofCongestionByte(int value) {
        return value == 0 ? 0 : Crc32Ring.multiply(value, congestion);
    }

    /** What to add for an identification, 0..65535. */
    int ofIdentification(int value) {
        return Crc32Ring.multiply16(identification, swap(value));
    }

    /** The identification, 0..65535, for which {@link #ofIdentification} is {@code difference}; negative if there is none. */
    int identificationOf(int difference) {
        int solution = Crc32Ring.multiply(identificationBack, difference);
        return solution >>> 16 == 0 ? swap(solution) : -1;
    }

    /** The first byte on the wire is the first to enter the register, so it is the low one there. */
    private static int swap(int value) {
        return ((value & 0xFF) << 8) | (value >>> 8);
    }
}
