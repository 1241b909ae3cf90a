package io.jrdma.testkit.sim;

import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.spi.DeviceDriver;
import io.jrdma.verbs.spi.DriverProvider;
import io.jrdma.verbs.spi.Seeds;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A host of the simulated network, and the provider of drivers for devices on it: {@code RdmaDevice.open(transport, address,
 * DeviceOptions.DEFAULT.withDriver(host))}. Its devices make progress in the calls that poll or wait, whatever the options say, and belong
 * to the simulator's thread.
 */
public final class SimHost implements DriverProvider {
    private static final int FIRST_EPHEMERAL_PORT = 49_152;

    private final SimNetwork network;
    private final String name;
    private final List<InetAddress> addresses;
    private final List<SimListening> listenings = new ArrayList<>();
    private PortOptions ports = PortOptions.CALM;
    private int nextPort = FIRST_EPHEMERAL_PORT;
    private int devices;

    SimHost(SimNetwork network, String name, List<InetAddress> addresses) {
        this.network = network;
        this.name = name;
        this.addresses = List.copyOf(addresses);
    }

    @Override
    public String name() {
        return name;
    }

    /** Its addresses, as they were given. */
    public List<InetAddress> addresses() {
        return addresses;
    }

    /** Its first address. */
    public InetAddress address() {
        return addresses.get(0);
    }

    @Override
    public boolean supports(Transport transport) {
        return transport == Transport.IWARP || transport == Transport.ROCE_V2;
    }

    /** How the datagram ports of devices that are opened from now on behave. */
    public void ports(PortOptions options) {
        ports = options;
    }

    PortOptions ports() {
        return ports;
    }

    @Override
    public DeviceDriver open(Transport transport, InetAddress localAddress, DeviceOptions options) {
        boolean wildcard = localAddress.isAnyLocalAddress() && transport == Transport.IWARP;
        if (!wildcard && !addresses.contains(localAddress)) {
            throw new VerbsException(
                    Errno.EADDRNOTAVAIL, localAddress.getHostAddress() + " is no address of host " + name);
        }
        if (transport == Transport.ROCE_V2) {
            network.datagrams().checkFree(localAddress);
        }
        long seed =
                options.seed().orElseGet(() -> Seeds.child(network.simulator().seed(), "device " + name, devices));
        return new SimDriver(network.simulator(), this, name + "." + devices++, localAddress, seed);
    }

    @Override
    public InetAddress localAddressFor(InetAddress remote) {
        for (InetAddress address : addresses) {
            if (address.getClass() == remote.getClass()) {
                return address;
            }
        }
        throw new VerbsException(Errno.ENETUNREACH, "host " + name + " has no route to " + remote.getHostAddress());
    }

    SimNetwork network() {
        return network;
    }

    int ephemeralPort() {
        int port = nextPort;
        nextPort = port == 0xFFFF ? FIRST_EPHEMERAL_PORT : port + 1;
        return port;
    }

    void add(SimListening listening) {
        InetSocketAddress local = listening.localAddress();
        for (SimListening other : listenings) {
            InetSocketAddress taken = other.localAddress();
            boolean sameAddress = taken.getAddress().equals(local.getAddress())
                    || taken.getAddress().isAnyLocalAddress()
                    || local.getAddress().isAnyLocalAddress();
            if (taken.getPort() == local.getPort() && sameAddress) {
                throw new VerbsException(Errno.EADDRINUSE, local + " is in use on host " + name);
            }
        }
        listenings.add(listening);
    }

    void remove(SimListening listening) {
        listenings.remove(listening);
    }

    @Nullable
    SimListening listeningAt(InetSocketAddress address) {
        for (SimListening listening : listenings) {
            InetSocketAddress local = listening.localAddress();
            if (local.getPort() == address.getPort()
                    && (local.getAddress().isAnyLocalAddress()
                            || local.getAddress().equals(address.getAddress()))) {
                return listening;
            }
        }
        return null;
    }

    @Override
    public String toString() {
        return name;
    }
}
