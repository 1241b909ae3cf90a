package io.jrdma.wire.ib;

/**
 * The addresses and UDP ports that the ICRCs of one direction between two hosts cover.
 *
 * <p>Immutable, so any thread may use it; small: one number stands for all of them, because a CRC is linear.
 */
public final class IcrcPath {
    private final boolean ipv4;
    // what addresses and ports change in the CRC of the pseudo header
    private final int difference;

    private IcrcPath(boolean ipv4, int difference) {
        this.ipv4 = ipv4;
        this.difference = difference;
    }

    /**
     * A path.
     *
     * @param source the address that packets carry as their source, 4 or 16 bytes in network order
     * @param sourcePort 0..65535
     * @param destination the address they carry as their destination, as many bytes
     * @param destinationPort 0..65535, normally {@link RoceV2Packet#UDP_PORT}
     * @throws IllegalArgumentException if the addresses have not the same 4 or 16 bytes, or a port is out of range
     */
    public static IcrcPath of(byte[] source, int sourcePort, byte[] destination, int destinationPort) {
        boolean ipv4 = source.length == IcrcPseudoHeader.IPV4_ADDRESS;
        if ((!ipv4 && source.length != IcrcPseudoHeader.IPV6_ADDRESS) || source.length != destination.length) {
            throw new IllegalArgumentException(
                    "addresses of " + source.length + " and " + destination.length + " bytes");
        }
        if (((sourcePort | destinationPort) >>> 16) != 0) {
            throw new IllegalArgumentException("ports " + sourcePort + " and " + destinationPort);
        }
        byte[] none = new byte[source.length];
        int difference = IcrcPseudoHeader.crc(source, sourcePort, destination, destinationPort, 0)
                ^ IcrcPseudoHeader.crc(none, 0, none, 0, 0);
        return new IcrcPath(ipv4, difference);
    }

    /** Whether it is a path of IPv4, whose identification the ICRC covers. */
    public boolean isIpv4() {
        return ipv4;
    }

    int difference() {
        return difference;
    }
}
