package io.jrdma.testkit.sim;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.spi.DatagramTransport;
import io.jrdma.verbs.spi.DeviceDriver;
import io.jrdma.verbs.spi.DeviceEngine;
import io.jrdma.verbs.spi.LoopGuard;
import io.jrdma.verbs.spi.ManagementPort;
import io.jrdma.verbs.spi.StreamConnector;
import io.jrdma.verbs.spi.StreamTransport;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * Hosts the engine of one device on the simulated network. {@link #progress} runs the whole simulation, so a call that polls or waits on
 * one device lets all others go on as well.
 *
 * <p>A look that finds nothing costs {@link #LOOK_NS} of virtual time; without that a program that polls in a loop would never see the
 * time pass that it waits for.
 */
public final class SimDriver implements DeviceDriver {
    /** What an empty look costs in nanoseconds. */
    static final long LOOK_NS = 1_000;
    /** Events of one {@link #progress} at most, so that a look is bounded. */
    private static final int MAX_EVENTS = 10_000;
    /** How long a closing device waits for its streams to end in good order. */
    private static final long CLOSE_LIMIT_NS = 20_000_000_000L;

    private final Simulator simulator;
    private final SimHost host;
    private final String name;
    private final InetAddress localAddress;
    private final long seed;
    private final PortOptions ports;
    private @Nullable LoopGuard guard;
    private @Nullable SimStreams streams;
    private @Nullable SimDatagrams datagrams;
    private int burstDepth;
    private boolean closed;

    SimDriver(Simulator simulator, SimHost host, String name, InetAddress localAddress, long seed) {
        this.simulator = simulator;
        this.host = host;
        this.name = name;
        this.localAddress = localAddress;
        this.seed = seed;
        this.ports = host.ports();
    }

    @Override
    public void start(DeviceEngine engine, LoopGuard newGuard) {
        guard = newGuard;
        if (engine instanceof StreamTransport transport) {
            streams = new SimStreams(this, transport);
        } else if (engine instanceof DatagramTransport transport) {
            datagrams = new SimDatagrams(this, transport, ports);
            datagrams.open();
        }
    }

    SimHost host() {
        return host;
    }

    String name() {
        return name;
    }

    Simulator simulator() {
        return simulator;
    }

    InetAddress localAddress() {
        return localAddress;
    }

    /** Runs it in a burst; see {@link LoopGuard}. May nest. */
    void burst(Runnable action) {
        if (guard != null && burstDepth == 0) {
            guard.enter();
        }
        burstDepth++;
        try {
            action.run();
        } finally {
            burstDepth--;
            if (guard != null && burstDepth == 0) {
                guard.exit();
            }
        }
    }

    @Override
    public void execute(Runnable task) {
        if (!closed) {
            simulator.at(simulator.nowNs(), () -> burst(task));
        }
    }

    @Override
    public void call(Runnable task) {
        if (closed) {
            throw new VerbsException(Errno.ENODEV, "the driver of " + name + " is closed");
        }
        burst(task);
    }

    /** True: there is one thread, and it is the loop. */
    @Override
    public boolean inLoop() {
        return true;
    }

    @Override
    public long nowNs() {
        return simulator.nowNs();
    }

    @Override
    public boolean isManual() {
        return true;
    }

    @Override
    public boolean progress(long timeoutNs) {
        if (closed || simulator.isStepping()) {
            return false;
        }
        long now = simulator.nowNs();
        long end = timeoutNs > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + Math.max(timeoutNs, LOOK_NS);
        if (simulator.nextEventNs() > end) {
            simulator.advanceTo(end);
            return false;
        }
        if (simulator.nextEventNs() == Long.MAX_VALUE) {
            throw simulator.failure(
                    name + " waits for ever and nothing is going to happen", new IllegalStateException("deadlock"));
        }
        simulator.step();
        for (int i = 0; i < MAX_EVENTS && simulator.isDue(); i++) {
            simulator.step();
        }
        return true;
    }

    @Override
    public boolean canAccess(MemorySegment memory) {
        return memory.isAccessibleBy(Thread.currentThread());
    }

    @Override
    public int interfaceMtu() {
        return ports.interfaceMtu();
    }

    @Override
    public long seed() {
        return seed;
    }

    @Override
    public StreamConnector streams() {
        if (streams == null) {
            throw new VerbsException(Errno.EOPNOTSUPP, "the transport of " + name + " has no streams");
        }
        return streams;
    }

    @Override
    public ManagementPort management() {
        if (datagrams == null) {
            throw new VerbsException(Errno.EOPNOTSUPP, "the transport of " + name + " has no management datagrams");
        }
        return datagrams.transport().management();
    }

    /**
     * Ends all streams and the datagram port: streams in good order while the simulation goes on, or with a reset if an event closes the device or they take too long.
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        SimStreams current = streams;
        if (current != null) {
            burst(current::beginClose);
            if (!simulator.isStepping()) {
                simulator.runUntil(current::isEmpty, CLOSE_LIMIT_NS);
            }
            burst(current::drop);
        }
        if (datagrams != null) {
            datagrams.close();
        }
        closed = true;
    }
}
