package io.jrdma.tools.demo;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * UDP ports of the two processes. RoCE has one port for everybody, which two processes at one address cannot share.
 *
 * @param active of the process that the user started
 * @param passive of the second process
 */
record DemoPorts(int active, int passive) {
    /** Two ports that are free in this moment. */
    static DemoPorts choose() throws IOException {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (DatagramSocket one = new DatagramSocket(any);
                DatagramSocket other = new DatagramSocket(any)) {
            return new DemoPorts(one.getLocalPort(), other.getLocalPort());
        }
    }
}
