package io.jrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.socket.SocketProtocolFamily;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** A plain socket in the place of a device, which is told the traffic class and the hop limit of what arrives. Linux. */
final class HeaderWatch implements AutoCloseable {
    private static final int IP_RECVTTL = 12;
    private static final int IPV6_RECVHOPLIMIT = 51;
    private static final int MAX_BYTES = 1 << 16;
    private static final long PATIENCE_NS = 20_000_000_000L;

    private final Arena arena = Arena.ofShared();
    private final LinuxUdp linux = new LinuxUdp(arena);
    private final MemorySegment data = arena.allocate(MAX_BYTES);
    private final MessageVector message = new MessageVector(arena, 1);
    private final LinuxSocket socket;
    private final boolean ipv6;

    HeaderWatch(InetAddress address, int port) throws IOException {
        ipv6 = address.getAddress().length > 4;
        socket = LinuxSocket.newSocketDgram(ipv6 ? SocketProtocolFamily.INET6 : SocketProtocolFamily.INET);
        if (ipv6) {
            socket.setIntOpt(LinuxUdp.IPPROTO_IPV6, LinuxUdp.IPV6_RECVTCLASS, 1);
            socket.setIntOpt(LinuxUdp.IPPROTO_IPV6, IPV6_RECVHOPLIMIT, 1);
        } else {
            socket.setIntOpt(LinuxUdp.IPPROTO_IP, LinuxUdp.IP_RECVTOS, 1);
            socket.setIntOpt(LinuxUdp.IPPROTO_IP, IP_RECVTTL, 1);
        }
        socket.bind(new InetSocketAddress(address, port));
        message.data(0, data.address(), MAX_BYTES);
    }

    int port() {
        return socket.localAddress().getPort();
    }

    /** Traffic class and hop limit of the next so many packets, as they arrive. */
    List<String> next(int packets) {
        List<String> seen = new ArrayList<>();
        long end = System.nanoTime() + PATIENCE_NS;
        while (seen.size() < packets) {
            message.reset(0);
            if (linux.look(socket.intValue(), message.address(0), 1) == 1) {
                seen.add(
                        ipv6
                                ? Integer.toHexString(message.control(
                                                0, LinuxUdp.IPPROTO_IPV6, LinuxUdp.IPV6_TCLASS, Integer.BYTES))
                                        + " "
                                        + message.control(
                                                0, LinuxUdp.IPPROTO_IPV6, LinuxUdp.IPV6_HOPLIMIT, Integer.BYTES)
                                : Integer.toHexString(
                                                message.control(0, LinuxUdp.IPPROTO_IP, LinuxUdp.IP_TOS, Byte.BYTES))
                                        + " "
                                        + message.control(0, LinuxUdp.IPPROTO_IP, LinuxUdp.IP_TTL, Integer.BYTES));
            } else {
                assertThat(System.nanoTime() - end).as("only came %s", seen).isNegative();
                LockSupport.parkNanos(100_000);
            }
        }
        return seen;
    }

    @Override
    public void close() throws IOException {
        socket.close();
        arena.close();
    }
}
