package io.jrdma.testkit.sim;

import java.net.InetAddress;

/** Decides how each direction between two addresses treats datagrams. */
@FunctionalInterface
public interface DatagramLinkRule {
    /** The options of the direction from one address to another. */
    DatagramOptions options(InetAddress from, InetAddress to);
}
