package io.jrdma.verbs;

import io.jrdma.verbs.spi.DriverProvider;
import io.jrdma.verbs.spi.TransportProvider;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.ServiceLoader;

/** Finds transports, drivers and the addresses at which they make devices. */
final class DeviceDirectory {
    private DeviceDirectory() {}

    static TransportProvider transport(Transport transport) {
        for (TransportProvider provider :
                ServiceLoader.load(TransportProvider.class, DeviceDirectory.class.getClassLoader())) {
            if (provider.transport() == transport) {
                return provider;
            }
        }
        throw new VerbsException(
                Errno.ENODEV, "no provider of transport " + transport.id() + " is on the class or module path");
    }

    static DriverProvider driver(Transport transport) {
        for (DriverProvider provider :
                ServiceLoader.load(DriverProvider.class, DeviceDirectory.class.getClassLoader())) {
            if (provider.supports(transport)) {
                return provider;
            }
        }
        throw new VerbsException(
                Errno.ENODEV, "no driver for transport " + transport.id() + " is on the class or module path");
    }

    static List<DeviceInfo> list() {
        List<DeviceInfo> devices = new ArrayList<>();
        for (TransportProvider provider :
                ServiceLoader.load(TransportProvider.class, DeviceDirectory.class.getClassLoader())) {
            Transport transport = provider.transport();
            try {
                for (NetworkInterface network : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                    if (network.isUp()) {
                        for (InetAddress address : Collections.list(network.getInetAddresses())) {
                            devices.add(new DeviceInfo(
                                    transport.id() + "_" + network.getName(), transport, address, network.getName()));
                        }
                    }
                }
            } catch (SocketException failure) {
                throw new VerbsException(Errno.ENODEV, "the network interfaces cannot be listed", failure);
            }
        }
        return List.copyOf(devices);
    }
}
