package io.jrdma.cm;

import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.Transport;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * This host's end of a connection, or of a listening id.
 *
 * @param device null where a wildcard address decides on none yet
 */
record LocalEnd(@Nullable RdmaDevice device, InetSocketAddress address) {
    /**
     * Where an id that is bound to an address stands.
     *
     * @param given the device that the id was made for, or null
     * @throws io.jrdma.verbs.VerbsException EINVAL if the address is unusable, EADDRNOTAVAIL if it is not the device's or this host's
     */
    static LocalEnd bind(
            RdmaEventChannel channel, Transport transport, @Nullable RdmaDevice given, InetSocketAddress local) {
        InetSocketAddress address = CmAddresses.local(local);
        if (given != null) {
            CmAddresses.ofDevice(address.getAddress(), given);
            return new LocalEnd(given, address);
        }
        boolean wildcard = address.getAddress().isAnyLocalAddress();
        return new LocalEnd(wildcard ? null : channel.device(transport, address.getAddress()), address);
    }

    /**
     * Where an id connects from.
     *
     * @param bound what it is bound to, or null
     * @param known its device, or null
     * @throws io.jrdma.verbs.VerbsException ENETUNREACH if there is no route, or what opening a device throws
     */
    static LocalEnd toReach(
            RdmaEventChannel channel,
            Transport transport,
            @Nullable InetSocketAddress bound,
            @Nullable RdmaDevice known,
            InetSocketAddress peer) {
        InetSocketAddress wanted = CmAddresses.source(bound, known, transport, peer, channel.options());
        RdmaDevice device =
                known != null ? known : channel.connectingDevice(transport, wanted.getAddress(), peer.getAddress());
        return new LocalEnd(device, CmAddresses.at(wanted, device));
    }
}
