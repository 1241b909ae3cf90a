package io.jrdma.verbs.spi;

import io.jrdma.verbs.AddressVector;
import java.net.InetAddress;

/**
 * What an engine may ask of the datagram port that a driver opened for it. Loop thread only; every call returns at once.
 *
 * <p>Peers have small numbers of two kinds. A source id stands for an address: packets that come from one address carry the same one. It
 * may be given to another sender later, so that a flood of unknown senders costs nothing, unless a path to the address is pinned. A path
 * id stands for an address and the way in which packets go there, traffic class and hop limit; {@link #pin} makes it. Several paths may
 * lead to one address.
 */
public interface DatagramPort {
    /** The own address; never a wildcard. */
    InetAddress localAddress();

    /** MTU in bytes of the network interface. */
    int interfaceMtu();

    /** Bytes that the socket holds for the engine while it is busy; a peer that has more than that on the way loses packets. */
    int receiveBufferBytes();

    /**
     * The id of the path to that destination, which stays valid until it was {@linkplain #unpin unpinned} as often as pinned. Vectors that
     * differ in nothing that the port sends may have the same path: a port need not send the flow label, nor set a traffic class and a hop
     * limit for each packet.
     *
     * @throws io.jrdma.verbs.VerbsException EINVAL if the destination is of another address family than the port, ENETUNREACH if it cannot
     *     be reached from here
     */
    int pin(AddressVector destination);

    /**
     * Takes back one {@link #pin}. What was claimed before is sent nevertheless.
     *
     * @throws io.jrdma.verbs.VerbsException EINVAL if there is no such path
     */
    void unpin(int pathId);

    /**
     * The source id of what comes from where the path leads to; it stays the same while the path is pinned.
     *
     * @throws io.jrdma.verbs.VerbsException EINVAL if there is no such path
     */
    int source(int pathId);

    /** The peer's address of a source id that a pinned path leads to, or of the packet that is being handed in. */
    InetAddress address(int sourceId);

    /** Something is to be sent, or the deadline changed: the driver polls the engine before it waits again. */
    void requestTransmit();
}
