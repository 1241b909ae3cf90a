package io.jrdma.verbs.fake;

import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.spi.DeviceDriver;
import io.jrdma.verbs.spi.DriverProvider;
import java.net.InetAddress;

/** Gives one driver, made beforehand. */
public record FakeDriverProvider(FakeDriver driver) implements DriverProvider {
    @Override
    public String name() {
        return "fake";
    }

    @Override
    public boolean supports(Transport transport) {
        return transport == Transport.IWARP || transport == Transport.ROCE_V2;
    }

    @Override
    public DeviceDriver open(Transport transport, InetAddress localAddress, DeviceOptions options) {
        return driver;
    }

    @Override
    public InetAddress localAddressFor(InetAddress remote) {
        throw new VerbsException(Errno.ENETUNREACH, "the fake network has no route to " + remote);
    }
}
