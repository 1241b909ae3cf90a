package io.jrdma.netty;

import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.spi.DeviceDriver;
import io.jrdma.verbs.spi.DriverProvider;
import java.net.InetAddress;

/**
 * Drivers on Netty, for both transports. {@link java.util.ServiceLoader} finds it, with {@link NettyOptions#RECOMMENDED}; other
 * options through {@link DeviceOptions#withDriver}. Thread-safe.
 */
public final class NettyDriverProvider implements DriverProvider {
    private final NettyOptions options;

    /** Drivers with {@link NettyOptions#RECOMMENDED}. */
    public NettyDriverProvider() {
        this(NettyOptions.RECOMMENDED);
    }

    /** Drivers with these options. */
    public NettyDriverProvider(NettyOptions options) {
        this.options = options;
    }

    @Override
    public String name() {
        return "netty";
    }

    @Override
    public boolean supports(Transport transport) {
        return transport == Transport.IWARP || transport == Transport.ROCE_V2;
    }

    /**
     * {@inheritDoc}
     *
     * @throws VerbsException also EOPNOTSUPP if the backend does not work here or not in that way of progress; EINVAL for the wildcard
     *     address and a transport on datagrams
     */
    @Override
    public DeviceDriver open(Transport transport, InetAddress localAddress, DeviceOptions deviceOptions) {
        if (transport == Transport.ROCE_V2 && localAddress.isAnyLocalAddress()) {
            throw new VerbsException(
                    Errno.EINVAL,
                    "a RoCE device needs one concrete local address, not " + Addresses.text(localAddress)
                            + ": the checksum of its packets (ICRC) covers it");
        }
        if (localAddress.isMulticastAddress()) {
            throw new VerbsException(
                    Errno.EADDRNOTAVAIL,
                    Addresses.text(localAddress) + " is the address of a multicast group, not of this host");
        }
        if (!localAddress.isAnyLocalAddress()) {
            Addresses.checkLocal(localAddress);
        }
        return new NettyDriver(transport, localAddress, deviceOptions, options);
    }

    @Override
    public InetAddress localAddressFor(InetAddress remote) {
        return Addresses.localFor(remote);
    }
}
