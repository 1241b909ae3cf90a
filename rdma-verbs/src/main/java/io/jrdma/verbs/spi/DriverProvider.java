package io.jrdma.verbs.spi;

import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A source of drivers, found by {@link java.util.ServiceLoader} or given in {@link DeviceOptions#driver}. */
public interface DriverProvider {
    /** A name for messages. */
    String name();

    /** Whether it can host devices of that transport here. */
    boolean supports(Transport transport);

    /**
     * A driver for one device at that local address (which may be the wildcard address for a transport on streams).
     *
     * @throws io.jrdma.verbs.VerbsException EADDRNOTAVAIL if the address is not this host's, or what else stands in the way
     */
    DeviceDriver open(Transport transport, InetAddress localAddress, DeviceOptions options);

    /**
     * The local address from which this host reaches that one.
     *
     * @throws io.jrdma.verbs.VerbsException ENETUNREACH if there is no route
     */
    InetAddress localAddressFor(InetAddress remote);

    /**
     * The addresses of this host at which devices can be opened; unless overridden, those of all interfaces that are up.
     *
     * @throws io.jrdma.verbs.VerbsException ENODEV if the interfaces cannot be listed
     */
    default List<InetAddress> localAddresses() {
        List<InetAddress> addresses = new ArrayList<>();
        try {
            for (NetworkInterface network : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                if (network.isUp()) {
                    addresses.addAll(Collections.list(network.getInetAddresses()));
                }
            }
        } catch (SocketException failure) {
            throw new VerbsException(Errno.ENODEV, "the network interfaces cannot be listed", failure);
        }
        return addresses;
    }
}
