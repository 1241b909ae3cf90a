package io.jrdma.cm;

import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.Transport;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The RoCE devices of this process, which its channels share: a device has its address and UDP port to itself, so two clients that reach
 * their peers from one address must have the same one. A device lives as long as one channel holds it. Thread-safe.
 */
final class RoceDevices {
    /** Devices that are driven in different ways are different ones; {@code scope} as in {@link SharedDevices#scope}. */
    private record Key(InetAddress address, int scope, DeviceOptions options) {}

    /** One device, and how many hold it. */
    private static final class Held {
        private final RdmaDevice device;
        private int holders;

        Held(RdmaDevice device) {
            this.device = device;
        }
    }

    private static final RoceDevices PROCESS = new RoceDevices();

    private final Map<Key, Held> open = new HashMap<>();
    /** Loopback addresses that were drawn to reach a peer at the key's own address. */
    private final Map<Key, InetAddress> drawn = new HashMap<>();

    private RoceDevices() {}

    static RoceDevices ofProcess() {
        return PROCESS;
    }

    /**
     * Holds the device at that address, opened if need be. Waits for one there that is being closed.
     *
     * @throws io.jrdma.verbs.VerbsException what opening a device throws
     */
    synchronized RdmaDevice hold(InetAddress address, DeviceOptions options) {
        Key key = key(address, options);
        Held held = awaitOpen(key);
        if (held == null) {
            held = new Held(RdmaDevice.open(Transport.ROCE_V2, address, options));
            open.put(key, held);
        }
        held.holders++;
        return held.device;
    }

    /** The device at that address, or null if there is none or its last holder is closing it. */
    private @Nullable Held awaitOpen(Key key) {
        boolean interrupted = false;
        Held held = open.get(key);
        while (held != null && held.holders == 0) {
            try {
                wait();
            } catch (InterruptedException later) {
                interrupted = true;
            }
            held = open.get(key);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return held;
    }

    /** The address from which peers at that one were reached before, if that device is still there. */
    synchronized @Nullable InetAddress drawnFor(InetAddress peer, DeviceOptions options) {
        InetAddress address = drawn.get(key(peer, options));
        Held held = address == null ? null : open.get(key(address, options));
        return held == null || held.holders == 0 ? null : address;
    }

    /** Remembers for {@link #drawnFor}. */
    synchronized void drew(InetAddress peer, InetAddress address, DeviceOptions options) {
        drawn.put(key(peer, options), address);
    }

    /** Takes back one {@link #hold}; the last one closes the device, and returns when it is closed. */
    void release(RdmaDevice device) {
        synchronized (this) {
            Held held = find(device);
            if (held == null || --held.holders > 0) {
                return;
            }
        }
        try {
            Wires.hurry(device);
            device.close();
        } finally {
            forget(device);
        }
    }

    private @Nullable Held find(RdmaDevice device) {
        for (Held held : open.values()) {
            if (held.device == device) {
                return held;
            }
        }
        return null;
    }

    /** The device was closed, by whomever. */
    synchronized void forget(RdmaDevice device) {
        open.values().removeIf(held -> held.device == device);
        // and with it what was drawn for it: a process that lives long may see many options
        drawn.entrySet().removeIf(each -> !open.containsKey(key(each.getValue(), each.getKey().options)));
        notifyAll();
    }

    private static Key key(InetAddress address, DeviceOptions options) {
        return new Key(address, SharedDevices.scope(address), options);
    }
}
