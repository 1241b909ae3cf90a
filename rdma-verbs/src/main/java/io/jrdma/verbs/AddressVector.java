package io.jrdma.verbs;

import java.net.InetAddress;

/**
 * Where a queue pair or an address handle sends to. A driver that cannot set the traffic class and the hop limit of each packet leaves both
 * to the system: of the Netty driver, the batch way of I/O sets them, the portable one does not.
 *
 * @param destination the peer's address
 * @param trafficClass IP traffic class, 0 to 255
 * @param hopLimit IP hop limit, 1 to 255
 * @param flowLabel IPv6 flow label, 0 to 2^20 - 1. The Netty driver does not send it: the system has to grant a label before a socket may
 *     use one
 */
public record AddressVector(InetAddress destination, int trafficClass, int hopLimit, int flowLabel) {
    public AddressVector {
        range("traffic class", trafficClass, 0, 255);
        range("hop limit", hopLimit, 1, 255);
        range("flow label", flowLabel, 0, 0xF_FFFF);
    }

    /** To that address with the usual values. */
    public static AddressVector to(InetAddress destination) {
        return new AddressVector(destination, 0, 64, 0);
    }

    private static void range(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " " + value + " is outside " + min + ".." + max);
        }
    }
}
