package io.jrdma.verbs.spi;

import java.net.InetAddress;
import java.util.function.Supplier;

/**
 * The management queue pair of a device (QP1, the General Services Interface), as the connection manager sees it. Management datagrams
 * are lost like any other: whoever sends them repeats them. Loop thread only.
 */
public interface ManagementPort {
    /** Bytes of a management datagram. A longer one puts QP1 of a Linux rxe peer out of order. */
    int MAD_BYTES = 256;

    /** The device, its limits and its seed. */
    DeviceContext device();

    /** The device's own address. */
    InetAddress localAddress();

    /** The path MTU in bytes that fits the device's network interface: 256 to 4096. */
    int pathMtu();

    /** The one that gets what arrives: the one attached before, or else the one that is made now. */
    ManagementListener attach(Supplier<ManagementListener> first);

    /**
     * Sends a datagram to QP1 of a host; it is dropped and counted when too many wait to be sent, or when there is no way to the host.
     *
     * @param mad exactly {@link #MAD_BYTES} bytes, from the MAD header on; copied
     */
    void send(InetAddress to, byte[] mad);

    /**
     * The connection of that queue pair stands: from now on its peer is asked for a sign of life when it is silent for long, and when it
     * gives none, the queue pair fails; see {@link DeviceContext#peerTimeoutNs}. Harmless for a number that is not there.
     */
    void watch(int qpNum, long nowNs);

    /** Has {@link ManagementListener#onTimeout} called then, instead of at the time given before; {@link Engine#NO_DEADLINE} never. */
    void deadline(long deadlineNs);
}
