package io.jrdma.verbs.spi;

import java.lang.foreign.MemorySegment;

/**
 * The engine of a device on datagrams (RoCEv2): one protocol machine for all its queue pairs, deterministic as an {@link Engine} is and
 * called in the same way. After every input, doorbell or command the driver calls {@link #pollTransmit} until it returns 0, then {@link
 * #nextDeadlineNs}. Loop thread only; no method throws on what a peer sent.
 *
 * <p>A packet here is the payload of one UDP datagram: from the BTH up to and including the four bytes of the ICRC. The driver knows the
 * addresses that the ICRC covers, so the driver checks it before a packet comes in and fills it in before one goes out; the engine leaves
 * those four bytes alone.
 */
public interface DatagramTransport extends DeviceEngine {
    /** The port is up; first input, once. From here on {@code port} may be used. */
    void onOpen(DatagramPort port, long nowNs);

    /**
     * A packet with a good ICRC arrived. The segment is borrowed for the call.
     *
     * @param sourceId where it came from; while a path to there is pinned it is that of {@link DatagramPort#source}, else it means nothing
     *     after the call
     * @param length bytes, ICRC included; 16 or more and a multiple of 4
     * @param trafficClass of the IP header, 0 to 255; 0 from a port that is not told. Its last two bits are 3 if a switch on the way marked
     *     the packet (ECN, RFC 3168: congestion experienced)
     */
    void onPacket(int sourceId, MemorySegment segment, long offset, int length, int trafficClass, long nowNs);

    /** To be called at or after {@link #nextDeadlineNs}; at any other time it does nothing. */
    void onTimeout(long nowNs);

    /** When {@link #onTimeout} wants to be called, or {@link Engine#NO_DEADLINE}; may change after any other call. */
    long nextDeadlineNs();

    /**
     * Writes what is to be sent into the sink, at most about {@code maxBytes}.
     *
     * @return bytes written; 0 if there is nothing to send or the sink has no room
     */
    int pollTransmit(DatagramSink sink, int maxBytes, long nowNs);

    /** The device's management queue pair, QP1. */
    ManagementPort management();

    /** The port is gone: last input. */
    void onClosed(long nowNs);
}
