package io.jrdma.verbs;

import io.jrdma.verbs.memory.BurstGuard;
import io.jrdma.verbs.memory.MemoryTable;
import io.jrdma.verbs.spi.DeviceContext;
import io.jrdma.verbs.spi.DeviceDriver;
import io.jrdma.verbs.spi.DeviceEngine;
import io.jrdma.verbs.spi.DriverProvider;
import io.jrdma.verbs.spi.Seeds;
import io.jrdma.verbs.spi.TransportProvider;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An opened device: one transport at one local address, with one event loop of its own ({@code ibv_open_device}). Thread-safe. Closing it
 * closes everything that was created from it.
 */
public final class RdmaDevice implements AutoCloseable {
    private static final int MAX_QUEUED_EVENTS = 1024;

    /** Behind the last event of a closed device; wakes whoever waits. */
    private static final AsyncEvent CLOSED = new AsyncEvent(AsyncEvent.Type.DEVICE_FATAL, -1, -1, 0, "closed");

    private final Transport transport;
    private final InetAddress localAddress;
    private final DeviceAttributes attributes;
    private final DeviceDriver driver;
    private final long engineSeed;
    private final long peerTimeoutNs;
    private final DeviceEngine engine;
    private final MemoryTable memory;
    private final BurstGuard guard = new BurstGuard();
    private final Context context = new Context();
    private int nextNumber = 1;
    private final QueuePairNumbers qpNumbers;
    // all of these under the lock of `created`
    private final Object created = new Object();
    private final Set<ProtectionDomain> domains = new LinkedHashSet<>();
    private final Set<CompletionQueue> queues = new LinkedHashSet<>();
    private final Set<CompletionChannel> channels = new LinkedHashSet<>();
    private final Set<Integer> qpNums = new HashSet<>();
    private final Set<Runnable> closeListeners = new LinkedHashSet<>();
    private @Nullable Thread closer;
    private boolean gone;
    private final BlockingQueue<AsyncEvent> asyncEvents = new LinkedBlockingQueue<>(MAX_QUEUED_EVENTS);
    private volatile @Nullable Consumer<AsyncEvent> asyncListener;
    private volatile boolean closed;

    private RdmaDevice(
            TransportProvider provider, InetAddress localAddress, DeviceDriver driver, DeviceOptions options) {
        this.transport = provider.transport();
        this.localAddress = localAddress;
        this.attributes = provider.attributes();
        this.driver = driver;
        this.memory = new MemoryTable(Seeds.child(driver.seed(), "memory keys"), attributes.maxMr());
        this.qpNumbers = new QueuePairNumbers(Seeds.child(driver.seed(), "queue pair numbers"));
        this.peerTimeoutNs = options.peerTimeout().toNanos();
        this.engineSeed = Seeds.child(driver.seed(), "engine");
        this.engine = provider.open(context);
        driver.start(engine, guard);
    }

    /** The devices that can be opened: every transport on the class or module path, at every address of an interface that is up. */
    public static List<DeviceInfo> list() {
        return DeviceDirectory.list();
    }

    /** Opens a device with {@link DeviceOptions#DEFAULT}; see {@link #open(Transport, InetAddress, DeviceOptions)}. */
    public static RdmaDevice open(Transport transport, InetAddress localAddress) {
        return open(transport, localAddress, DeviceOptions.DEFAULT);
    }

    /**
     * Opens a device.
     *
     * @param localAddress an address of this host; iWARP takes the wildcard address too
     * @throws VerbsException ENODEV if no transport or driver for it is on the path, or the given driver cannot host it; EADDRNOTAVAIL if
     *     the address is not this host's
     */
    public static RdmaDevice open(Transport transport, InetAddress localAddress, DeviceOptions options) {
        TransportProvider provider = DeviceDirectory.transport(transport);
        DriverProvider drivers = options.driver();
        if (drivers == null) {
            drivers = DeviceDirectory.driver(transport);
        } else if (!drivers.supports(transport)) {
            throw new VerbsException(
                    Errno.ENODEV, "driver " + drivers.name() + " does not host transport " + transport.id());
        }
        DeviceDriver driver = drivers.open(transport, localAddress, options);
        try {
            return new RdmaDevice(provider, localAddress, driver, options);
        } catch (RuntimeException | Error failure) {
            driver.close();
            throw failure;
        }
    }

    /**
     * The local address from which a device of that transport reaches a host: what {@link #open} wants for a connection to it.
     *
     * @throws VerbsException ENODEV if no driver for the transport is on the path, ENETUNREACH if there is no route
     */
    public static InetAddress localAddressFor(Transport transport, InetAddress remote, DeviceOptions options) {
        DriverProvider drivers = options.driver();
        return (drivers == null ? DeviceDirectory.driver(transport) : drivers).localAddressFor(remote);
    }

    /**
     * The local addresses at which devices of that transport can be opened, as far as this host's interfaces are up.
     *
     * @throws VerbsException ENODEV if no driver for the transport is on the path, or the interfaces cannot be listed
     */
    public static List<InetAddress> localAddresses(Transport transport, DeviceOptions options) {
        DriverProvider drivers = options.driver();
        return (drivers == null ? DeviceDirectory.driver(transport) : drivers).localAddresses();
    }

    /** The wire. */
    public Transport transport() {
        return transport;
    }

    /** The local address that the device was opened at. */
    public InetAddress localAddress() {
        return localAddress;
    }

    /** Limits ({@code ibv_query_device}). */
    public DeviceAttributes attributes() {
        return attributes;
    }

    /** Facts about the port ({@code ibv_query_port}). */
    public PortAttributes port() {
        int mtu = driver.interfaceMtu();
        int active = Math.clamp(Integer.highestOneBit(Math.max(mtu - 100, 256)), 256, 4096);
        boolean up = !closed && driver.isInterfaceUp();
        return new PortAttributes(
                up ? PortAttributes.State.ACTIVE : PortAttributes.State.DOWN, 4096, active, mtu, "Ethernet");
    }

    /**
     * A new protection domain ({@code ibv_alloc_pd}).
     *
     * @throws VerbsException ENOMEM if there are {@link DeviceAttributes#maxPd} already
     */
    public ProtectionDomain allocateProtectionDomain() {
        synchronized (created) {
            checkOpen();
            limit("protection domains", domains.size(), attributes.maxPd());
            ProtectionDomain domain = new ProtectionDomain(this, nextNumber++);
            domains.add(domain);
            return domain;
        }
    }

    /** A new completion channel ({@code ibv_create_comp_channel}). */
    public CompletionChannel createCompletionChannel() {
        synchronized (created) {
            checkOpen();
            CompletionChannel channel = new CompletionChannel(this);
            channels.add(channel);
            return channel;
        }
    }

    /** A completion queue that is only polled; see {@link #createCompletionQueue(int, CompletionChannel)}. */
    public CompletionQueue createCompletionQueue(int capacity) {
        return createCompletionQueue(capacity, null);
    }

    /**
     * A new completion queue ({@code ibv_create_cq}).
     *
     * @param capacity entries at least, 1 to {@link DeviceAttributes#maxCqe}; a queue that overflows reports {@code CQ_ERR} and takes its
     *     queue pairs to ERROR
     * @param channel where armed notifications go, or null
     * @throws VerbsException EINVAL if the capacity is out of range or the channel is another device's, ENOMEM if there are too many queues
     */
    public CompletionQueue createCompletionQueue(int capacity, @Nullable CompletionChannel channel) {
        checkOpen();
        if (capacity < 1 || capacity > attributes.maxCqe()) {
            throw new VerbsException(
                    Errno.EINVAL, "completion queue capacity " + capacity + " is outside 1.." + attributes.maxCqe());
        }
        if (channel != null && channel.device() != this) {
            throw new VerbsException(Errno.EINVAL, "the completion channel belongs to another device");
        }
        synchronized (created) {
            checkOpen();
            limit("completion queues", queues.size(), attributes.maxCq());
            CompletionQueue queue = new CompletionQueue(this, nextNumber++, capacity, channel);
            queues.add(queue);
            return queue;
        }
    }

    /**
     * Takes the next asynchronous event ({@code ibv_get_async_event}).
     *
     * @param timeout how long to wait; zero only looks
     * @return null if there was none in that time
     * @throws VerbsException ENODEV if the device is or gets closed and its events are used up
     */
    @SuppressWarnings("ReferenceEquality") // CLOSED is one object, not a value
    public @Nullable AsyncEvent pollAsyncEvent(Duration timeout) throws InterruptedException {
        AsyncEvent event = driver.isManual()
                ? Waiting.progressing(driver, timeout, asyncEvents::poll)
                : asyncEvents.poll(Waiting.nanos(timeout), TimeUnit.NANOSECONDS);
        if (event == CLOSED) {
            asyncEvents.offer(CLOSED); // for the next one who asks
            checkOpen();
        }
        return event;
    }

    /**
     * Hands asynchronous events to a listener instead of the queue of {@link #pollAsyncEvent}; it is called on the device's loop and must
     * not block. Null goes back to the queue, which keeps the oldest 1024.
     */
    public void onAsyncEvent(@Nullable Consumer<AsyncEvent> listener) {
        asyncListener = listener;
    }

    /**
     * Makes progress in manual mode, on the caller's thread; does nothing in automatic mode.
     *
     * @return whether anything was done
     * @throws VerbsException ENODEV if the device is closed
     */
    public boolean progress(Duration timeout) {
        checkOpen();
        return driver.progress(Waiting.nanos(timeout));
    }

    /** The driver, for the connection manager. */
    public DeviceDriver driver() {
        return driver;
    }

    /**
     * Runs the task, on the closing thread, when the device has been closed; at once if it is closed already. For the connection manager:
     * ids that were bound to the device learn of its removal.
     */
    public void addCloseListener(Runnable task) {
        synchronized (created) {
            if (!gone) {
                closeListeners.add(task);
                return;
            }
        }
        task.run();
    }

    /** Takes back {@link #addCloseListener}. */
    public void removeCloseListener(Runnable task) {
        synchronized (created) {
            closeListeners.remove(task);
        }
    }

    MemoryTable memory() {
        return memory;
    }

    DeviceEngine engine() {
        return engine;
    }

    DeviceContext context() {
        return context;
    }

    /** A number that no living queue pair of the device has. */
    int reserveQpNum() {
        synchronized (created) {
            checkOpen();
            limit("queue pairs", qpNums.size(), attributes.maxQp());
            int number;
            do {
                number = qpNumbers.next();
            } while (!qpNums.add(number));
            return number;
        }
    }

    void releaseQpNum(int number) {
        synchronized (created) {
            qpNums.remove(number);
        }
    }

    /** Returns when the loop has left the burst that it is in; at once on the loop itself. */
    void awaitEndOfBurst() {
        if (!driver.inLoop()) {
            guard.awaitEndOfBurst();
        }
    }

    void report(AsyncEvent event) {
        if (asyncListener == null) {
            asyncEvents.offer(event);
        } else {
            // later: the engine that reports it is in the middle of its work, and the application may close or post
            driver.execute(() -> {
                Consumer<AsyncEvent> listener = asyncListener;
                if (listener != null) {
                    listener.accept(event);
                } else {
                    asyncEvents.offer(event);
                }
            });
        }
    }

    void checkOpen() {
        if (closed) {
            throw new VerbsException(Errno.ENODEV, this + " is closed");
        }
    }

    void forget(ProtectionDomain domain) {
        synchronized (created) {
            domains.remove(domain);
        }
    }

    void forget(CompletionQueue queue) {
        synchronized (created) {
            queues.remove(queue);
        }
    }

    void forget(CompletionChannel channel) {
        synchronized (created) {
            channels.remove(channel);
        }
    }

    private static void limit(String what, int present, int max) {
        if (present >= max) {
            throw new VerbsException(Errno.ENOMEM, "the device has " + max + " " + what + " already");
        }
    }

    /**
     * Closes everything that was created from the device, then the device. Harmless when repeated; who comes while another thread closes it
     * waits for that, but neither the device's loop nor the closing thread itself does.
     *
     * @throws VerbsException EBUSY from a callback on the device's loop, which ends here; nothing was closed
     */
    @Override
    public void close() {
        List<ProtectionDomain> domainsLeft;
        List<CompletionQueue> queuesLeft;
        List<CompletionChannel> channelsLeft;
        synchronized (created) {
            if (closed) {
                awaitClose();
                return;
            }
            // before anything else: a close that stopped halfway could not be repeated
            if (!driver.canClose()) {
                throw new VerbsException(Errno.EBUSY, this + " cannot be closed on its own loop");
            }
            closed = true;
            closer = Thread.currentThread();
            domainsLeft = new ArrayList<>(domains);
            queuesLeft = new ArrayList<>(queues);
            channelsLeft = new ArrayList<>(channels);
        }
        try {
            domainsLeft.forEach(ProtectionDomain::close);
        } finally {
            try {
                driver.close();
                queuesLeft.forEach(CompletionQueue::discard);
                channelsLeft.forEach(CompletionChannel::close);
                while (!asyncEvents.offer(CLOSED)) {
                    asyncEvents.poll();
                }
            } finally {
                tellCloseListeners();
            }
        }
    }

    @SuppressWarnings("GuardedBy") // the caller holds the lock
    private void awaitClose() {
        boolean interrupted = false;
        while (!gone && closer != Thread.currentThread() && !driver.inLoop()) {
            try {
                created.wait();
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void tellCloseListeners() {
        List<Runnable> listeners;
        synchronized (created) {
            gone = true;
            created.notifyAll();
            listeners = new ArrayList<>(closeListeners);
            closeListeners.clear();
        }
        listeners.forEach(Runnable::run);
    }

    @Override
    public String toString() {
        return transport.id() + " device at " + localAddress.getHostAddress();
    }

    private final class Context implements DeviceContext {
        @Override
        public DeviceAttributes attributes() {
            return attributes;
        }

        @Override
        public MemoryTable memory() {
            return memory;
        }

        @Override
        public long seed() {
            return engineSeed;
        }

        @Override
        public long peerTimeoutNs() {
            return peerTimeoutNs;
        }

        @Override
        public void onAsyncEvent(AsyncEvent event) {
            report(event);
        }
    }
}
