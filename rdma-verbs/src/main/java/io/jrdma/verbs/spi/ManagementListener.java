package io.jrdma.verbs.spi;

import java.lang.foreign.MemorySegment;
import java.net.InetAddress;

/** Gets what arrives at a device's management queue pair, and what its queue pairs tell the connection manager. Loop thread only. */
public interface ManagementListener {
    /**
     * A datagram with the right Q_Key arrived.
     *
     * @param from the sender's address, of the IP header
     * @param length bytes, any; the segment is borrowed for the call
     */
    void onDatagram(InetAddress from, MemorySegment segment, long offset, int length, long nowNs);

    /**
     * The first packet in good order arrived at a queue pair since it went to RTR: the peer is connected, whatever became of its message
     * that says so (IBTA volume 1, 12.9.6: communication established).
     */
    void onCommunicationEstablished(int qpNum, long nowNs);

    /** A queue pair went to ERROR by itself: a fault of the peer or of the path. */
    void onQueuePairFault(int qpNum, long nowNs);

    /** The time given to {@link ManagementPort#deadline} has come; a new one may be set. */
    void onTimeout(long nowNs);

    /** The port is gone: last call. */
    void onClosed(long nowNs);
}
