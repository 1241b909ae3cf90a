package io.jrdma.netty;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.VerbsException;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnknownHostException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.Collections;
import org.jspecify.annotations.Nullable;

/** What the system knows about addresses. */
final class Addresses {
    /** The discard service; nothing is sent there. */
    private static final int ANY_PORT = 9;

    private static final int DEFAULT_MTU = 1500;
    private static final int IPV4_MAPPED_PREFIX_BYTES = 12;

    private Addresses() {}

    /**
     * Checks that sockets can be bound to that address.
     *
     * @throws VerbsException EADDRNOTAVAIL if not
     */
    static void checkLocal(InetAddress address) {
        // asking for an interface is not enough: all of 127.0.0.0/8 is local, and only 127.0.0.1 is on one
        try (DatagramChannel probe = DatagramChannel.open(family(address))) {
            probe.bind(new InetSocketAddress(address, 0));
        } catch (IOException | UnsupportedOperationException | UnsupportedAddressTypeException failure) {
            throw new VerbsException(Errno.EADDRNOTAVAIL, text(address) + " is not an address of this host", failure);
        }
    }

    /**
     * The address from which the system would send to that one.
     *
     * @throws VerbsException ENETUNREACH if there is no route
     */
    static InetAddress localFor(InetAddress remote) {
        try (DatagramChannel probe = DatagramChannel.open(family(remote))) {
            probe.connect(new InetSocketAddress(remote, ANY_PORT));
            if (probe.getLocalAddress() instanceof InetSocketAddress local) {
                return withScopeOf(remote, local.getAddress());
            }
        } catch (IOException | UnsupportedOperationException | UnsupportedAddressTypeException failure) {
            throw new VerbsException(Errno.ENETUNREACH, "no route to " + text(remote), failure);
        }
        throw new VerbsException(Errno.ENETUNREACH, "no route to " + text(remote));
    }

    private static StandardProtocolFamily family(InetAddress address) {
        return address instanceof Inet6Address ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET;
    }

    /** A link-local address means nothing without its interface. */
    private static InetAddress withScopeOf(InetAddress remote, InetAddress local) throws UnknownHostException {
        if (local instanceof Inet6Address own
                && own.isLinkLocalAddress()
                && own.getScopeId() == 0
                && remote instanceof Inet6Address peer) {
            return Inet6Address.getByAddress(null, own.getAddress(), peer.getScopeId());
        }
        return local;
    }

    /** MTU in bytes of the interface with that address; of all interfaces that are up the smallest if none has it. */
    static int mtu(InetAddress address) {
        try {
            NetworkInterface own = NetworkInterface.getByInetAddress(address);
            if (own != null) {
                return own.getMTU();
            }
            int smallest = Integer.MAX_VALUE;
            for (NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                // the other addresses of 127.0.0.0/8 belong to the loopback interface without being listed there
                if (each.isUp() && each.getMTU() > 0 && (!address.isLoopbackAddress() || each.isLoopback())) {
                    smallest = Math.min(smallest, each.getMTU());
                }
            }
            return smallest == Integer.MAX_VALUE ? DEFAULT_MTU : smallest;
        } catch (SocketException unknown) {
            return DEFAULT_MTU;
        }
    }

    /** Whether the interface with that address is up; yes for an address that no interface lists, as most of 127.0.0.0/8. */
    static boolean isUp(InetAddress address) {
        try {
            NetworkInterface own = NetworkInterface.getByInetAddress(address);
            return own == null || own.isUp();
        } catch (SocketException gone) {
            return false;
        }
    }

    /** An address as people write it: without a name, and with the longest run of zeros of an IPv6 one left out. */
    static String text(InetAddress address) {
        String scoped = address.getHostAddress();
        int scope = scoped.indexOf('%');
        return NetUtil.toAddressString(address) + (scope < 0 ? "" : scoped.substring(scope));
    }

    /** Address and port as people write them. */
    static String text(InetSocketAddress end) {
        InetAddress address = end.getAddress();
        if (address == null) {
            return end.getHostString() + ":" + end.getPort();
        }
        return (address instanceof Inet6Address ? "[" + text(address) + "]" : text(address)) + ":" + end.getPort();
    }

    /** An end of a connection as people know it: an IPv4 address that an IPv6 socket reports becomes one again. */
    static @Nullable InetSocketAddress plain(@Nullable SocketAddress address) {
        if (!(address instanceof InetSocketAddress end)) {
            return null;
        }
        if (end.getAddress() instanceof Inet6Address six && isIpv4Mapped(six.getAddress())) {
            try {
                // this factory makes an Inet4Address of a mapped one
                return new InetSocketAddress(InetAddress.getByAddress(six.getAddress()), end.getPort());
            } catch (UnknownHostException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
        return end;
    }

    private static boolean isIpv4Mapped(byte[] address) {
        for (int i = 0; i < IPV4_MAPPED_PREFIX_BYTES - 2; i++) {
            if (address[i] != 0) {
                return false;
            }
        }
        return address[IPV4_MAPPED_PREFIX_BYTES - 2] == -1 && address[IPV4_MAPPED_PREFIX_BYTES - 1] == -1;
    }
}
