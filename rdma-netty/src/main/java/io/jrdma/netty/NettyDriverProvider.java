package io.jrdma.netty;

import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.spi.DeviceDriver;
import io.jrdma.verbs.spi.DriverProvider;
import java.net.InetAddress;

/**
 * Drivers on Netty, for transports on streams. {@link java.util.ServiceLoader} finds it, with {@link NettyOptions#RECOMMENDED}; other
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
        return transport == Transport.IWARP;
    }

    /**
     * {@inheritDoc}
     *
     * @throws VerbsException also EOPNOTSUPP for another transport, or if the backend does not work here or not in that way of progress
     */
    @Override
    public DeviceDriver open(Transport transport, InetAddress localAddress, DeviceOptions deviceOptions) {
        if (!supports(transport)) {
            throw new VerbsException(
                    Errno.EOPNOTSUPP, "transport " + transport.id() + " is not among " + Transport.IWARP.id());
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
