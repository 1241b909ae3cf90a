package io.jrdma.netty;

/** How a RoCE device reads and writes its UDP socket. */
public enum UdpIo {
    /** {@link #BATCH} where it works, else {@link #PORTABLE}. */
    AUTO,
    /**
     * Linux: many packets a system call ({@code recvmmsg}, {@code sendmmsg}, {@code UDP_GRO}, {@code UDP_SEGMENT}) on
     * {@link IoBackend#EPOLL}. Sends each packet with the traffic class and the hop limit of its path, and knows with what class one came.
     * Needs native access for this module ({@code --enable-native-access}).
     */
    BATCH,
    /**
     * Netty's datagram channel, a packet an object; anywhere, on {@link IoBackend#EPOLL} or {@link IoBackend#NIO}. Traffic class and hop
     * limit are left to the system, and those of packets that come in are not seen: marks of congested switches (ECN) neither.
     */
    PORTABLE
}
