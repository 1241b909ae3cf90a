package io.jrdma.verbs.spi;

import io.jrdma.verbs.AddressVector;
import java.net.InetAddress;

/**
 * What an engine may ask of the datagram port that a driver opened for it. Loop thread only; every call returns at once.
 *
 * <p>A path id is a small number for a peer's address; two packets from one address carry the same id. Ids of senders that nobody pinned
 * may be given to others later, so that a flood of unknown senders costs nothing.
 */
public interface DatagramPort {
    /** The own address; never a wildcard. */
    InetAddress localAddress();

    /** MTU in bytes of the network interface. */
    int interfaceMtu();

    /** Bytes that the socket holds for the engine while it is busy; a peer that has more than that on the way loses packets. */
    int receiveBufferBytes();

    /**
     * The id of the path to that destination, which stays valid until it was {@linkplain #unpin unpinned} as often as pinned.
     *
     * @throws io.jrdma.verbs.VerbsException EINVAL if the destination is of another address family than the port, ENETUNREACH if it cannot
     *     be reached from here
     */
    int pin(AddressVector destination);

    /** Takes back one {@link #pin}. */
    void unpin(int pathId);

    /** The peer's address of a path id that is pinned or of the packet that is being handed in. */
    InetAddress address(int pathId);

    /** Something is to be sent, or the deadline changed: the driver polls the engine before it waits again. */
    void requestTransmit();
}
