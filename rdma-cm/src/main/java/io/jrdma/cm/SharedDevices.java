package io.jrdma.cm;

import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The devices that a channel opened for its ids: one for each transport and local address. Thread-safe. */
final class SharedDevices {
    /** {@link Inet6Address#equals} leaves the scope out, but the same link-local address on two links is two devices. */
    private record Key(Transport transport, InetAddress address, int scope) {}

    /** How many loopback addresses are tried. */
    private static final int TRIES = 64;

    private final DeviceOptions options;
    private final Map<Key, RdmaDevice> devices = new HashMap<>();
    private @Nullable RdmaDevice beside;
    private boolean closed;

    SharedDevices(DeviceOptions options) {
        this.options = options;
    }

    /**
     * The device at that address, opened if need be.
     *
     * @throws VerbsException ENODEV if the channel is closed; otherwise what opening a device throws
     */
    synchronized RdmaDevice open(Transport transport, InetAddress address) {
        if (closed) {
            throw new VerbsException(Errno.ENODEV, "the event channel is closed");
        }
        Key key = new Key(transport, address, scope(address));
        RdmaDevice device = devices.get(key);
        if (device == null) {
            device = RdmaDevice.open(transport, address, options);
            devices.put(key, device);
        }
        return device;
    }

    /**
     * The device that connects to a peer from that address, opened if need be. A RoCE device has its address to itself: where a peer on the
     * loopback interface would be reached from its own address, another one is taken, unless this channel has its device.
     *
     * @throws VerbsException as {@link #open}
     */
    synchronized RdmaDevice openToConnect(Transport transport, InetAddress own, InetAddress peer) {
        boolean taken = transport == Transport.ROCE_V2
                && own instanceof Inet4Address
                && own.isLoopbackAddress()
                && own.equals(peer)
                && !devices.containsKey(new Key(transport, own, 0));
        RdmaDevice known = beside;
        if (!taken) {
            return open(transport, own);
        } else if (known != null && devices.containsValue(known)) {
            return known;
        }
        for (int tries = 1; ; tries++) {
            try {
                RdmaDevice opened = open(transport, LoopbackAddresses.next());
                beside = opened;
                return opened;
            } catch (VerbsException refused) {
                if (refused.errno() != Errno.EADDRINUSE || tries == TRIES) {
                    throw refused;
                }
            }
        }
    }

    synchronized void forget(RdmaDevice device) {
        devices.values().removeIf(open -> open == device);
    }

    /** Whether all of them may be closed by the caller: not on the loop of one of them. */
    synchronized boolean canClose() {
        return devices.values().stream().allMatch(device -> device.driver().canClose());
    }

    /** Opens no more; the devices that are to be closed. */
    synchronized List<RdmaDevice> close() {
        closed = true;
        return new ArrayList<>(devices.values());
    }

    static int scope(InetAddress address) {
        return address instanceof Inet6Address six ? six.getScopeId() : 0;
    }

    /** Whether both name the same interface address. */
    static boolean same(InetAddress one, InetAddress other) {
        return one.equals(other) && scope(one) == scope(other);
    }
}
