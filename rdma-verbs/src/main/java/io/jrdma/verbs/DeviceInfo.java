package io.jrdma.verbs;

import java.net.InetAddress;

/**
 * A device that can be opened.
 *
 * @param name transport and interface, such as {@code iwarp_lo}; unique together with the address
 * @param transport the wire
 * @param address the local address
 * @param interfaceName the network interface that has the address
 */
public record DeviceInfo(String name, Transport transport, InetAddress address, String interfaceName) {}
