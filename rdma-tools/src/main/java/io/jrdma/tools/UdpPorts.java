package io.jrdma.tools;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * UDP ports of two RoCE devices at one address. RoCE has one port for everybody, which two devices at one address cannot share.
 *
 * @param active of the side that connects
 * @param passive of the side that listens
 */
public record UdpPorts(int active, int passive) {
    /** Two ports that are free in this moment. */
    public static UdpPorts choose() throws IOException {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (DatagramSocket one = new DatagramSocket(any);
                DatagramSocket other = new DatagramSocket(any)) {
            return new UdpPorts(one.getLocalPort(), other.getLocalPort());
        }
    }
}
