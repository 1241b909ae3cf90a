package io.jrdma.cm;

import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where the ids of a program report, and the devices that they share ({@code rdma_event_channel}). Events are taken in the order in which
 * they happened, by one of two ways at a time: {@link #poll} and {@link #take}, or a callback.
 *
 * <p>An id that was not made for a given device gets one from the channel: one {@link RdmaDevice} for each transport and local address,
 * opened with the channel's {@link DeviceOptions} when it is first needed and closed with the channel. A RoCE device has its address to
 * itself, so in automatic mode channels of the process that have equal options share it, and the last of them closes it; until then what a
 * program made on such a device is open unless the program closed it.
 *
 * <p>Automatic mode: thread-safe; callbacks run one at a time on a virtual thread of the channel's, so they may block and may call
 * anything. Manual mode: whoever takes events or calls {@link #progress} drives the loops of the channel's devices, which makes it the one
 * thread that may use them; callbacks run inside {@link #progress}.
 */
public final class RdmaEventChannel implements AutoCloseable {
    private final DeviceOptions options;
    private final boolean manual;
    private final SharedDevices devices;
    private final Map<RdmaDevice, Runnable> watched = new ConcurrentHashMap<>();
    private final Set<RdmaCmId> ids = ConcurrentHashMap.newKeySet();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<RdmaCmEvent> events = new ArrayDeque<>();
    private @Nullable Consumer<RdmaCmEvent> callback;
    private int callbacks;
    private volatile @Nullable Thread dispatcher;
    private boolean closed;

    private RdmaEventChannel(DeviceOptions options) {
        this.options = options;
        this.manual = options.progress() == DeviceOptions.Progress.MANUAL;
        this.devices = new SharedDevices(options);
    }

    /** A channel whose devices are opened with {@link DeviceOptions#DEFAULT}. */
    public static RdmaEventChannel create() {
        return create(DeviceOptions.DEFAULT);
    }

    /** A channel whose devices are opened with those options ({@code rdma_create_event_channel}). */
    public static RdmaEventChannel create(DeviceOptions options) {
        return new RdmaEventChannel(options);
    }

    /** How the channel opens devices. */
    public DeviceOptions options() {
        return options;
    }

    /**
     * A new id that finds its device by its addresses ({@code rdma_create_id}).
     *
     * @throws VerbsException ENODEV if the channel is closed
     */
    public RdmaCmId createId(Transport transport) {
        return register(new RdmaCmId(this, transport, null));
    }

    /**
     * A new id for an opened device, which stays the caller's.
     *
     * @throws VerbsException as {@link #createId(Transport)}; EINVAL if the device is in manual mode and the channel is not, or the other
     *     way round
     */
    public RdmaCmId createId(RdmaDevice device) {
        if (device.driver().isManual() != manual) {
            throw new VerbsException(
                    Errno.EINVAL,
                    "the device makes progress " + (manual ? "automatically" : "manually") + ", the channel "
                            + (manual ? "manually" : "automatically"));
        }
        RdmaCmId id = register(new RdmaCmId(this, device.transport(), device));
        watch(device);
        return id;
    }

    /**
     * Takes the next event ({@code rdma_get_cm_event}).
     *
     * @param timeout how long to wait; zero only looks
     * @return null if there was none in that time
     * @throws VerbsException ENODEV if the channel is or gets closed
     */
    public @Nullable RdmaCmEvent poll(Duration timeout) throws InterruptedException {
        long left = Durations.nanos(timeout);
        return manual ? pollManual(left) : pollAutomatic(left);
    }

    /** Takes the next event, however long it takes; otherwise as {@link #poll}. */
    public RdmaCmEvent take() throws InterruptedException {
        RdmaCmEvent event;
        do {
            event = poll(Durations.FOREVER);
        } while (event == null);
        return event;
    }

    /**
     * Hands events to a callback from now on, those that wait included; null ends it, after which the callback may still be in the middle
     * of one event. Automatic mode: called on a virtual thread of the channel's. Manual mode: called inside {@link #progress}. What a
     * callback throws goes to the thread's handler of uncaught exceptions and ends nothing.
     */
    public void onEvent(@Nullable Consumer<RdmaCmEvent> newCallback) {
        int number;
        lock.lock();
        try {
            callback = newCallback;
            number = ++callbacks;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (newCallback != null && !manual) {
            Thread.ofVirtual().name("jrdma-cm-events").start(() -> dispatch(newCallback, number));
        }
    }

    /**
     * Manual mode: drives the loops of the channel's devices on the caller's thread until something was done or the time is over, then
     * hands events to the callback. Automatic mode: returns false at once.
     *
     * @return whether anything was done
     */
    public boolean progress(Duration timeout) {
        if (!manual) {
            return false;
        }
        boolean did = drive(new ArrayList<>(watched.keySet()), Durations.nanos(timeout));
        return deliverAll() || did;
    }

    /**
     * Manual mode: as {@link #progress}.
     *
     * @return nanoseconds that passed, by the clock of the devices; all of the time if there is no device
     */
    long progressFor(long timeoutNs) {
        List<RdmaDevice> driven = new ArrayList<>(watched.keySet());
        if (driven.isEmpty()) {
            return deliverAll() ? 0 : timeoutNs;
        }
        long before = driven.getFirst().driver().nowNs();
        drive(driven, timeoutNs);
        deliverAll();
        return driven.getFirst().driver().nowNs() - before;
    }

    private boolean deliverAll() {
        boolean did = false;
        Consumer<RdmaCmEvent> receiver;
        while ((receiver = receiver()) != null) {
            RdmaCmEvent event = next();
            if (event == null) {
                break;
            }
            did = true;
            deliver(receiver, event);
        }
        return did;
    }

    /** Whether the caller is inside a callback. */
    boolean isDispatching() {
        return Thread.currentThread() == dispatcher;
    }

    /** Whether {@link #close} may be called here: not on the loop of a device that it would close. */
    boolean canClose() {
        return devices.canClose();
    }

    /** Throws what {@link #close} throws where it may not be called. */
    void checkCanClose() {
        if (!canClose()) {
            throw new VerbsException(Errno.EBUSY, "what opened a device cannot be closed on the loop of that device");
        }
    }

    /** Whether the caller has to make progress. */
    boolean isManual() {
        return manual;
    }

    /** Adds an event; the id's own lock is held, so that nothing is added behind the id's close. */
    void post(RdmaCmEvent event) {
        lock.lock();
        try {
            if (!closed) {
                events.add(event);
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The shared device at that address. */
    RdmaDevice device(Transport transport, InetAddress address) {
        RdmaDevice device = devices.open(transport, address);
        watch(device);
        return device;
    }

    /** The shared device that connects to a peer, from that address if it can be had. */
    RdmaDevice connectingDevice(Transport transport, InetAddress own, InetAddress peer) {
        RdmaDevice device = devices.openToConnect(transport, own, peer);
        watch(device);
        return device;
    }

    /** The shared devices that listen for an address: on the wildcard address of a wire without wildcard devices, one for each local one. */
    List<RdmaDevice> listeningDevices(Transport transport, InetAddress address) {
        if (!address.isAnyLocalAddress() || transport == Transport.IWARP) {
            return List.of(device(transport, address));
        }
        List<RdmaDevice> all = new ArrayList<>();
        for (InetAddress own : CmAddresses.ofFamily(RdmaDevice.localAddresses(transport, options), address)) {
            all.add(device(transport, own));
        }
        if (all.isEmpty()) {
            throw new VerbsException(Errno.EADDRNOTAVAIL, "this host has no address for " + AddressText.of(address));
        }
        return all;
    }

    /**
     * An id that came with a request.
     *
     * @return false if the channel is closed
     */
    boolean adopt(RdmaCmId id) {
        lock.lock();
        try {
            return !closed && ids.add(id);
        } finally {
            lock.unlock();
        }
    }

    /** Takes back the request that came with that id, if nobody has taken it yet. */
    boolean withdraw(RdmaCmId id) {
        lock.lock();
        try {
            return events.removeIf(event -> event.id() == id && event instanceof RdmaCmEvent.ConnectRequest);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Forgets a closed id and all events that name it.
     *
     * @return ids of requests to it that nobody has taken
     */
    List<RdmaCmId> forget(RdmaCmId id) {
        List<RdmaCmId> orphans = new ArrayList<>();
        lock.lock();
        try {
            ids.remove(id);
            for (Iterator<RdmaCmEvent> each = events.iterator(); each.hasNext(); ) {
                RdmaCmEvent event = each.next();
                if (event.id() == id) {
                    each.remove();
                } else if (event.listenId() == id) {
                    each.remove();
                    orphans.add(event.id());
                }
            }
        } finally {
            lock.unlock();
        }
        return orphans;
    }

    private RdmaCmId register(RdmaCmId id) {
        if (!adopt(id)) {
            throw new VerbsException(Errno.ENODEV, "the event channel is closed");
        }
        return id;
    }

    private void watch(RdmaDevice device) {
        Runnable onClose = () -> removed(device);
        if (watched.putIfAbsent(device, onClose) == null) {
            device.addCloseListener(onClose);
        }
    }

    private void removed(RdmaDevice device) {
        watched.remove(device);
        devices.forget(device);
        for (RdmaCmId id : ids) {
            id.onDeviceRemoved(device);
        }
    }

    private @Nullable RdmaCmEvent pollAutomatic(long timeoutNs) throws InterruptedException {
        long left = timeoutNs;
        lock.lockInterruptibly();
        try {
            while (events.isEmpty()) {
                checkOpen();
                if (left <= 0) {
                    return null;
                }
                left = changed.awaitNanos(left);
            }
            return events.poll();
        } finally {
            lock.unlock();
        }
    }

    private @Nullable RdmaCmEvent pollManual(long timeoutNs) throws InterruptedException {
        long left = timeoutNs;
        while (true) {
            RdmaCmEvent event = next();
            if (event != null || left < 0) {
                return event;
            }
            List<RdmaDevice> driven = new ArrayList<>(watched.keySet());
            if (driven.isEmpty()) {
                return pollAutomatic(left);
            }
            long before = driven.getFirst().driver().nowNs();
            drive(driven, left);
            long spent = driven.getFirst().driver().nowNs() - before;
            // a second look after the time is over, for what the last drive has done
            left = left - spent > 0 ? left - spent : -1;
        }
    }

    /** One loop can wait for as long as it likes; several take turns. */
    private static boolean drive(List<RdmaDevice> driven, long timeoutNs) {
        if (driven.size() == 1) {
            return driven.getFirst().driver().progress(timeoutNs);
        }
        boolean did = false;
        for (RdmaDevice device : driven) {
            did |= device.driver().progress(0);
        }
        if (!did && timeoutNs > 0) {
            long slice = Math.min(timeoutNs, Durations.TURN_NS);
            for (RdmaDevice device : driven) {
                did |= device.driver().progress(slice);
            }
        }
        return did;
    }

    /** The next event that is there already; makes no progress. */
    @Nullable
    RdmaCmEvent next() {
        lock.lock();
        try {
            checkOpen();
            return events.poll();
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Consumer<RdmaCmEvent> receiver() {
        lock.lock();
        try {
            return closed ? null : callback;
        } finally {
            lock.unlock();
        }
    }

    private void dispatch(Consumer<RdmaCmEvent> receiver, int number) {
        while (true) {
            RdmaCmEvent event;
            lock.lock();
            try {
                while (events.isEmpty() && callbacks == number && !closed) {
                    changed.awaitUninterruptibly();
                }
                if (callbacks != number || closed) {
                    return;
                }
                event = events.remove();
            } finally {
                lock.unlock();
            }
            deliver(receiver, event);
        }
    }

    private void deliver(Consumer<RdmaCmEvent> receiver, RdmaCmEvent event) {
        dispatcher = Thread.currentThread();
        try {
            receiver.accept(event);
        } catch (RuntimeException | Error thrown) {
            Thread current = Thread.currentThread();
            current.getUncaughtExceptionHandler().uncaughtException(current, thrown);
        } finally {
            dispatcher = null;
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new VerbsException(Errno.ENODEV, "the event channel is closed");
        }
    }

    /**
     * Closes all ids, then the devices that the channel opened, and wakes whoever waits. Queue pairs on other devices stay. Harmless when
     * repeated.
     *
     * @throws VerbsException EBUSY from a callback on the loop of one of those devices, which ends here; nothing was closed
     */
    @Override
    public void close() {
        // before anything else: a close that stopped halfway could not be repeated
        checkCanClose();
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            events.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        for (RdmaCmId id : ids) {
            id.close();
        }
        devices.close();
        watched.forEach(RdmaDevice::removeCloseListener);
        watched.clear();
    }
}
