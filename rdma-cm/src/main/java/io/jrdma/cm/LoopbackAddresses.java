package io.jrdma.cm;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Addresses within 127.0.0.0/8, all of which are this host's. A RoCE device has its address to itself, so that a client of a server at
 * 127.0.0.1 needs another one; processes begin at different places and go on from there.
 */
final class LoopbackAddresses {
    private static final int FIRST = (127 << 24) | (64 << 16);
    private static final int BLOCKS = 1 << 14;
    /** Java binds no datagram channel to an address of this network that ends in 255. */
    private static final int HOSTS = 254;

    private static final AtomicInteger DRAWN = new AtomicInteger();

    private LoopbackAddresses() {}

    /** Another address; whether a device can be opened there is to be tried. */
    static InetAddress next() {
        long number = (ProcessHandle.current().pid() * 0x9E37L) + DRAWN.getAndIncrement();
        int chosen = (int) Math.floorMod(number, (long) BLOCKS * HOSTS);
        int address = FIRST + ((chosen / HOSTS) << 8) + 1 + chosen % HOSTS;
        byte[] bytes = {(byte) (address >>> 24), (byte) (address >>> 16), (byte) (address >>> 8), (byte) address};
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException impossible) {
            throw new AssertionError("4 bytes are an address", impossible);
        }
    }
}
