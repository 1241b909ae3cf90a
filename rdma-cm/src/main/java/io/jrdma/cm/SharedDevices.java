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

/**
 * The devices that a channel has for its ids: one for each transport and local address; those of RoCE it shares with the other channels of
 * the process where it can. Thread-safe.
 */
final class SharedDevices {
    /** {@link Inet6Address#equals} leaves the scope out, but the same link-local address on two links is two devices. */
    private record Key(Transport transport, InetAddress address, int scope) {}

    /** How many loopback addresses are tried. */
    private static final int TRIES = 64;

    private final DeviceOptions options;
    private final Map<Key, RdmaDevice> devices = new HashMap<>();
    /** By the address in whose place it stands. */
    private final Map<InetAddress, InetAddress> beside = new HashMap<>();

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
            device = isOfProcess(transport)
                    ? RoceDevices.ofProcess().hold(address, options)
                    : RdmaDevice.open(transport, address, options);
            devices.put(key, device);
        }
        return device;
    }

    /** Whether devices of that wire are shared with the other channels of the process: in manual mode each has its own thread. */
    private boolean isOfProcess(Transport transport) {
        return transport == Transport.ROCE_V2 && options.progress() == DeviceOptions.Progress.AUTOMATIC;
    }

    /**
     * The device that connects to a peer from that address, opened if need be. A RoCE device has its address to itself: where a peer on the
     * loopback interface would be reached from its own address, or from one that another process has, another one is taken.
     *
     * @throws VerbsException as {@link #open}
     */
    synchronized RdmaDevice openToConnect(Transport transport, InetAddress own, InetAddress peer) {
        boolean mayDraw = transport == Transport.ROCE_V2 && own instanceof Inet4Address && own.isLoopbackAddress();
        if (!mayDraw) {
            return open(transport, own);
        }
        if (!own.equals(peer) || devices.containsKey(new Key(transport, own, 0))) {
            try {
                return open(transport, own);
            } catch (VerbsException refused) {
                if (refused.errno() != Errno.EADDRINUSE) {
                    throw refused;
                }
            }
        }
        return openBeside(own);
    }

    /** The device at a loopback address that was drawn: the one that stands in for that address already, or a new one. */
    private RdmaDevice openBeside(InetAddress own) {
        InetAddress known = beside.get(own);
        if (known == null && isOfProcess(Transport.ROCE_V2)) {
            known = RoceDevices.ofProcess().drawnFor(own, options);
        }
        if (known != null) {
            beside.put(own, known);
            return open(Transport.ROCE_V2, known);
        }
        for (int tries = 1; ; tries++) {
            InetAddress next = LoopbackAddresses.next();
            try {
                RdmaDevice opened = open(Transport.ROCE_V2, next);
                beside.put(own, next);
                if (isOfProcess(Transport.ROCE_V2)) {
                    RoceDevices.ofProcess().drew(own, next, options);
                }
                return opened;
            } catch (VerbsException refused) {
                if (refused.errno() != Errno.EADDRINUSE || tries == TRIES) {
                    throw refused;
                }
            }
        }
    }

    /** The device was closed. */
    void forget(RdmaDevice device) {
        // first and without the lock: whoever holds that may be waiting for this device's end
        RoceDevices.ofProcess().forget(device);
        synchronized (this) {
            devices.values().removeIf(open -> open == device);
        }
    }

    /** Whether all of them may be closed by the caller: not on the loop of one of them. */
    synchronized boolean canClose() {
        return devices.values().stream().allMatch(device -> device.driver().canClose());
    }

    /** Opens no more; closes the devices that nobody else has. */
    void close() {
        List<Map.Entry<Key, RdmaDevice>> left;
        synchronized (this) {
            closed = true;
            left = new ArrayList<>(devices.entrySet());
        }
        for (Map.Entry<Key, RdmaDevice> entry : left) {
            RdmaDevice device = entry.getValue();
            if (isOfProcess(entry.getKey().transport())) {
                RoceDevices.ofProcess().release(device);
            } else {
                Wires.hurry(device);
                device.close();
            }
        }
    }

    static int scope(InetAddress address) {
        return address instanceof Inet6Address six ? six.getScopeId() : 0;
    }

    /** Whether both name the same interface address. */
    static boolean same(InetAddress one, InetAddress other) {
        return one.equals(other) && scope(one) == scope(other);
    }
}
