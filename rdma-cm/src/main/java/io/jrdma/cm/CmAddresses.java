package io.jrdma.cm;

import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What ids demand of addresses. */
final class CmAddresses {
    private static final byte[] LOOPBACK_4 = {127, 0, 0, 1};
    private static final byte[] LOOPBACK_6 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

    private CmAddresses() {}

    /**
     * An address to bind to.
     *
     * @throws VerbsException EINVAL if it is unresolved, or link-local without its scope
     */
    static InetSocketAddress local(InetSocketAddress address) {
        return usable("local", address);
    }

    /**
     * An address to connect to; the wildcard address becomes the loopback address.
     *
     * @throws VerbsException EINVAL if it is unresolved, link-local without its scope, or has port 0
     */
    static InetSocketAddress destination(InetSocketAddress address) {
        usable("destination", address);
        if (address.getPort() == 0) {
            throw new VerbsException(
                    Errno.EINVAL, "destination " + AddressText.of(address) + " has port 0; allowed are 1..65535");
        }
        return address.getAddress().isAnyLocalAddress()
                ? new InetSocketAddress(loopback(address.getAddress()), address.getPort())
                : address;
    }

    private static InetSocketAddress usable(String role, InetSocketAddress address) {
        InetAddress host = address.getAddress();
        if (host == null) {
            throw new VerbsException(
                    Errno.EINVAL,
                    role + " address " + address.getHostString()
                            + " is a name; ids take addresses, resolved by the caller");
        }
        if (host instanceof Inet6Address && host.isLinkLocalAddress() && SharedDevices.scope(host) == 0) {
            throw new VerbsException(
                    Errno.EINVAL,
                    role + " address " + AddressText.of(address) + " is link-local; it needs its interface (%scope)");
        }
        return address;
    }

    private static InetAddress loopback(InetAddress wildcard) {
        try {
            return InetAddress.getByAddress(wildcard instanceof Inet4Address ? LOOPBACK_4 : LOOPBACK_6);
        } catch (UnknownHostException impossible) {
            throw new AssertionError("4 or 16 bytes are an address", impossible);
        }
    }

    /** Whether both are the same address and port, interface included. */
    static boolean same(InetSocketAddress one, InetSocketAddress other) {
        return one.getPort() == other.getPort() && SharedDevices.same(one.getAddress(), other.getAddress());
    }

    /**
     * Checks what an id is to connect from.
     *
     * @param source what the caller asks for, or null
     * @param bound what the id is bound to, or null
     * @param given the device that the id was made for, or null
     * @throws VerbsException EINVAL if these do not go together, or with the peer's address
     */
    static void checkSource(
            @Nullable InetSocketAddress source,
            @Nullable InetSocketAddress bound,
            @Nullable RdmaDevice given,
            InetAddress peer) {
        if (source != null) {
            usable("source", source);
        }
        if (source != null && bound != null && !same(source, bound)) {
            throw new VerbsException(
                    Errno.EINVAL, "source " + AddressText.of(source) + "; the id is bound to " + AddressText.of(bound));
        }
        InetSocketAddress own = source != null ? source : bound;
        sameFamily(own == null ? null : own.getAddress(), peer);
        sameFamily(given == null ? null : given.localAddress(), peer);
    }

    /**
     * The own end of a connection to a peer: what the id is bound to, else its device's address, else what the route says.
     *
     * @throws VerbsException ENETUNREACH if there is no route
     */
    static InetSocketAddress source(
            @Nullable InetSocketAddress bound,
            @Nullable RdmaDevice device,
            Transport transport,
            InetSocketAddress peer,
            DeviceOptions options) {
        int port = bound == null ? 0 : bound.getPort();
        if (bound != null && !bound.getAddress().isAnyLocalAddress()) {
            return bound;
        }
        InetAddress address = device != null && !device.localAddress().isAnyLocalAddress()
                ? device.localAddress()
                : RdmaDevice.localAddressFor(transport, peer.getAddress(), options);
        return new InetSocketAddress(address, port);
    }

    /**
     * Refuses an own address from which that peer cannot be reached.
     *
     * @throws VerbsException EINVAL
     */
    private static void sameFamily(@Nullable InetAddress own, InetAddress peer) {
        // an IPv6 wildcard serves both families
        boolean dual = own instanceof Inet6Address && own.isAnyLocalAddress();
        if (own != null && !dual && (own instanceof Inet4Address) != (peer instanceof Inet4Address)) {
            throw new VerbsException(
                    Errno.EINVAL,
                    "local address " + AddressText.of(own) + " and destination " + AddressText.of(peer)
                            + " are of different families");
        }
    }

    /**
     * Refuses an address that is not that device's.
     *
     * @throws VerbsException EADDRNOTAVAIL
     */
    static void ofDevice(InetAddress own, RdmaDevice device) {
        InetAddress at = device.localAddress();
        if (!own.isAnyLocalAddress() && !at.isAnyLocalAddress() && !SharedDevices.same(own, at)) {
            throw new VerbsException(
                    Errno.EADDRNOTAVAIL, AddressText.of(own) + " is not the address of the given " + device);
        }
    }

    /** Where a listener of an id stands: on what it is bound to, narrowed by its device's address. */
    static InetSocketAddress listenAddress(@Nullable InetSocketAddress bound, @Nullable RdmaDevice device) {
        if (bound != null && (device == null || !bound.getAddress().isAnyLocalAddress())) {
            return bound;
        }
        int port = bound == null ? 0 : bound.getPort();
        return device == null ? new InetSocketAddress(port) : new InetSocketAddress(device.localAddress(), port);
    }

    /** That address, or the device's own if it has one: a RoCE device sends from no other. */
    static InetSocketAddress at(InetSocketAddress wanted, RdmaDevice device) {
        boolean own = device.transport() == Transport.ROCE_V2
                && !SharedDevices.same(wanted.getAddress(), device.localAddress());
        return own ? new InetSocketAddress(device.localAddress(), wanted.getPort()) : wanted;
    }

    /** Those addresses that the wildcard address stands for. */
    static List<InetAddress> ofFamily(List<InetAddress> addresses, InetAddress wildcard) {
        return addresses.stream()
                .filter(address -> wildcard instanceof Inet4Address == address instanceof Inet4Address)
                .toList();
    }

    /**
     * Refuses a time limit that has passed before it began.
     *
     * @throws VerbsException EINVAL
     */
    static void positive(Duration timeout) {
        if (timeout.isNegative() || timeout.isZero()) {
            throw new VerbsException(
                    Errno.EINVAL, "timeout is " + Durations.text(timeout) + "; it must be more than 0");
        }
    }
}
