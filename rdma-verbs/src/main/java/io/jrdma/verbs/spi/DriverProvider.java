package io.jrdma.verbs.spi;

import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.Transport;
import java.net.InetAddress;

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
}
