package io.jrdma.cm.fake;

import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.spi.ConnectFailure;
import io.jrdma.verbs.spi.DeviceDriver;
import io.jrdma.verbs.spi.DriverProvider;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Hosts and streams in memory, under a virtual clock: every task of every device's loop stands in one queue, ordered by time and then by
 * arrival. In manual mode the test's thread runs the queue, as far and as finely as it likes; in automatic mode one thread of the
 * network's does, and time jumps over less than a millisecond when there is nothing else to do.
 */
public final class FakeNetwork implements DriverProvider, AutoCloseable {
    /** One way. */
    public static final long LATENCY_NS = 1_000;

    private record Task(long atNs, long number, FakeDriver driver, Runnable body, Runnable dropped) {}

    private final PriorityQueue<Task> tasks = new PriorityQueue<>((one, other) ->
            one.atNs == other.atNs ? Long.compare(one.number, other.number) : Long.compare(one.atNs, other.atNs));
    private final Set<InetAddress> unroutable = new HashSet<>();
    private final Set<InetAddress> foreign = new HashSet<>();
    private final Set<InetAddress> holes = new HashSet<>();
    private final Set<InetSocketAddress> silent = new HashSet<>();
    private final Map<InetSocketAddress, FakeListening> listeners = new LinkedHashMap<>();
    private final List<FakeDriver> opened = new ArrayList<>();
    private final List<FakeStream> streams = new ArrayList<>();
    private final Thread thread;
    private List<InetAddress> locals = List.of();
    private InetAddress clients;
    private ConnectFailure nextFailure;
    private long nowNs;
    private long number;
    private int nextPort = 40_000;
    private int running;
    private boolean stopped;

    private FakeNetwork(boolean automatic) {
        thread = automatic ? Thread.ofPlatform().daemon().name("fake-network").start(this::runForEver) : null;
    }

    /** The test's thread makes progress. */
    public static FakeNetwork manual() {
        return new FakeNetwork(false);
    }

    /** A thread of the network's makes progress. */
    public static FakeNetwork automatic() {
        return new FakeNetwork(true);
    }

    /** How devices on this network are opened. */
    public DeviceOptions options() {
        return DeviceOptions.DEFAULT
                .withDriver(this)
                .withSeed(1)
                .withProgress(thread == null ? DeviceOptions.Progress.MANUAL : DeviceOptions.Progress.AUTOMATIC);
    }

    // ---- faults ----

    /** There is no route to that address. */
    public synchronized void noRouteTo(InetAddress address) {
        unroutable.add(address);
    }

    /** That address is not this host's. */
    public synchronized void notLocal(InetAddress address) {
        foreign.add(address);
    }

    /** Nobody answers there; connecting ends with the time limit of the handshake. */
    public synchronized void silentAt(InetSocketAddress address) {
        silent.add(address);
    }

    /** The next connect fails like this. */
    public synchronized void failNext(ConnectFailure failure) {
        nextFailure = failure;
    }

    /** The addresses of this host. */
    public synchronized void localAddresses(InetAddress... addresses) {
        locals = List.of(addresses);
    }

    /** The route to wherever it be starts at that address. */
    public synchronized void routesStartAt(InetAddress address) {
        clients = address;
    }

    /** RoCE: no datagram arrives there any more. */
    public synchronized void blackhole(InetAddress address) {
        holes.add(address);
    }

    // ---- running ----

    /** Runs one task that is due or, if none is, the next one at its time. Returns whether there was one. */
    public boolean step() {
        return runOne(Long.MAX_VALUE);
    }

    /** Runs everything that there is to run. */
    public void runAll() {
        for (int i = 0; step(); i++) {
            if (i == 100_000) {
                throw new AssertionError("the network does not come to rest");
            }
        }
    }

    /** Runs until the condition holds. */
    public void runUntil(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            if (!step()) {
                throw new AssertionError("the network is at rest, and the condition does not hold");
            }
        }
    }

    /** Lets time pass, with what happens meanwhile. */
    public void advance(long ns) {
        long end = nowNs + ns;
        while (runOne(end)) {}
        synchronized (this) {
            nowNs = Math.max(nowNs, end);
        }
    }

    /** The virtual time. */
    public synchronized long nowNs() {
        return nowNs;
    }

    /** Streams that are not over. */
    public synchronized int streams() {
        return streams.size();
    }

    /** Devices that were opened and not closed. */
    public synchronized int devices() {
        return opened.size();
    }

    private boolean runOne(long untilNs) {
        Task task;
        synchronized (this) {
            task = tasks.peek();
            if (task == null || task.atNs > untilNs) {
                return false;
            }
            tasks.remove();
            nowNs = Math.max(nowNs, task.atNs);
        }
        if (!task.driver.isClosed()) {
            run(task.driver, task.body);
        } else {
            task.dropped.run();
        }
        return true;
    }

    private void run(FakeDriver driver, Runnable body) {
        running++;
        driver.enter();
        try {
            body.run();
        } finally {
            driver.exit();
            running--;
        }
    }

    private void runForEver() {
        while (true) {
            synchronized (this) {
                try {
                    while (!stopped && !isDue()) {
                        Task next = tasks.peek();
                        if (next == null) {
                            wait();
                        } else {
                            // applications have threads of their own: a time limit of seconds is not over before they
                            // had a turn
                            long before = number;
                            wait((next.atNs - nowNs) / 1_000_000);
                            if (number == before) {
                                nowNs = Math.max(nowNs, next.atNs);
                            }
                        }
                    }
                } catch (InterruptedException end) {
                    return;
                }
                if (stopped) {
                    return;
                }
            }
            runOne(Long.MAX_VALUE);
        }
    }

    private boolean isDue() {
        Task next = tasks.peek();
        return next != null && next.atNs - nowNs < 1_000_000;
    }

    /** Ends the thread. */
    @Override
    public synchronized void close() {
        stopped = true;
        notifyAll();
    }

    // ---- for drivers ----

    void schedule(FakeDriver driver, long delayNs, Runnable body) {
        schedule(driver, delayNs, body, () -> {});
    }

    /** Runs the body then, or, if the driver is closed by then, the other one. */
    synchronized void schedule(FakeDriver driver, long delayNs, Runnable body, Runnable dropped) {
        tasks.add(new Task(nowNs + delayNs, number++, driver, body, dropped));
        notifyAll();
    }

    /** RoCE: has the device at that address do something, when a datagram has got there; nothing if there is none. */
    void toRoce(InetAddress address, Consumer<FakeDriver> what) {
        FakeDriver to;
        synchronized (this) {
            to = holes.contains(address) ? null : roceAt(address);
        }
        if (to != null) {
            to.later(() -> what.accept(to));
        }
    }

    private FakeDriver roceAt(InetAddress address) {
        for (FakeDriver driver : opened) {
            if (driver.transport() == Transport.ROCE_V2 && driver.localAddress().equals(address)) {
                return driver;
            }
        }
        return null;
    }

    boolean isManual() {
        return thread == null;
    }

    boolean inLoop() {
        return thread == null ? running > 0 : Thread.currentThread() == thread;
    }

    /** Manual mode: what the driver has to do now, then the body. */
    void call(FakeDriver driver, Runnable body) {
        if (running == 0) {
            List<Task> due = new ArrayList<>();
            for (Task task : List.copyOf(tasks)) {
                if (task.driver == driver && task.atNs <= nowNs) {
                    due.add(task);
                }
            }
            due.sort((one, other) -> Long.compare(one.number, other.number));
            tasks.removeAll(due);
            due.forEach(task -> run(driver, task.body));
        }
        run(driver, body);
    }

    boolean progress(long timeoutNs) {
        if (running > 0) {
            return false;
        }
        long until = timeoutNs > Long.MAX_VALUE - nowNs ? Long.MAX_VALUE : nowNs + timeoutNs;
        if (runOne(until)) {
            return true;
        }
        if (until == Long.MAX_VALUE) {
            throw new AssertionError("a wait for ever on a network at rest");
        }
        nowNs = until;
        return false;
    }

    synchronized void closed(FakeDriver driver) {
        opened.remove(driver);
        listeners.values().removeIf(listening -> listening.driver() == driver);
    }

    synchronized int freePort() {
        return nextPort++;
    }

    synchronized void listen(FakeListening listening) {
        InetSocketAddress at = listening.localAddress();
        if (listeners.putIfAbsent(at, listening) != null) {
            throw new VerbsException(Errno.EADDRINUSE, "listening at " + at);
        }
    }

    synchronized void stopListening(FakeListening listening) {
        listeners.remove(listening.localAddress(), listening);
    }

    synchronized FakeListening listenerAt(InetSocketAddress at) {
        FakeListening exact = listeners.get(at);
        if (exact != null) {
            return exact;
        }
        for (FakeListening listening : listeners.values()) {
            InetAddress address = listening.localAddress().getAddress();
            boolean family = !(address instanceof Inet4Address) || at.getAddress() instanceof Inet4Address;
            if (address.isAnyLocalAddress()
                    && family
                    && listening.localAddress().getPort() == at.getPort()) {
                return listening;
            }
        }
        return null;
    }

    synchronized boolean isSilent(InetSocketAddress at) {
        return silent.contains(at);
    }

    synchronized ConnectFailure takeFailure() {
        ConnectFailure failure = nextFailure;
        nextFailure = null;
        return failure;
    }

    synchronized void add(FakeStream stream) {
        streams.add(stream);
    }

    synchronized void remove(FakeStream stream) {
        streams.remove(stream);
    }

    synchronized List<FakeStream> streamsOf(FakeDriver driver) {
        return streams.stream().filter(stream -> stream.driver() == driver).toList();
    }

    // ---- DriverProvider ----

    @Override
    public String name() {
        return "fake";
    }

    @Override
    public boolean supports(Transport transport) {
        return true;
    }

    @Override
    public synchronized DeviceDriver open(Transport transport, InetAddress localAddress, DeviceOptions options) {
        if (foreign.contains(localAddress)) {
            throw new VerbsException(Errno.EADDRNOTAVAIL, localAddress.getHostAddress() + " is not this host's");
        }
        if (transport == Transport.ROCE_V2 && roceAt(localAddress) != null) {
            throw new VerbsException(Errno.EADDRINUSE, "UDP port 4791 at " + localAddress.getHostAddress());
        }
        FakeDriver driver = new FakeDriver(this, transport, localAddress);
        opened.add(driver);
        return driver;
    }

    @Override
    public synchronized InetAddress localAddressFor(InetAddress remote) {
        if (unroutable.contains(remote)) {
            throw new VerbsException(Errno.ENETUNREACH, "no route to " + remote.getHostAddress());
        }
        return clients == null ? remote : clients;
    }

    @Override
    public synchronized List<InetAddress> localAddresses() {
        return locals;
    }
}
