package io.jrdma.netty;

import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.Transport;
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
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Hosts one device's engine on a loop of its own. Thread-safe. */
final class NettyDriver implements DeviceDriver {
    private static final long FOR_EVER_NS = Long.MAX_VALUE / 2;

    private final Transport transport;
    private final InetAddress localAddress;
    private final NettyOptions options;
    private final Duration peerTimeout;
    private final DriverLoop loop;
    private final long seed;
    private final AtomicBoolean closing = new AtomicBoolean();
    private volatile @Nullable TcpStreams streams;
    private volatile @Nullable UdpPort udp;
    private volatile @Nullable DatagramTransport datagrams;
    private volatile boolean closed;

    NettyDriver(Transport transport, InetAddress localAddress, DeviceOptions deviceOptions, NettyOptions options) {
        boolean manual = deviceOptions.progress() == DeviceOptions.Progress.MANUAL;
        if (!options.backend().isAvailable()) {
            throw new VerbsException(Errno.EOPNOTSUPP, options.backend() + " is not available on this host");
        }
        if (transport == Transport.ROCE_V2 && options.backend() == IoBackend.IO_URING) {
            throw new VerbsException(
                    Errno.EOPNOTSUPP,
                    "RoCE needs " + IoBackend.EPOLL + " or " + IoBackend.NIO + ", not " + IoBackend.IO_URING);
        }
        if (manual && options.backend() == IoBackend.IO_URING) {
            throw new VerbsException(
                    Errno.EOPNOTSUPP,
                    "manual progress needs " + IoBackend.EPOLL + " or " + IoBackend.NIO + ", not "
                            + IoBackend.IO_URING);
        }
        this.transport = transport;
        this.localAddress = localAddress;
        this.options = options;
        this.peerTimeout = deviceOptions.peerTimeout();
        this.seed = deviceOptions.seed().orElseGet(() -> new SecureRandom().nextLong());
        this.loop = new DriverLoop(options, manual);
    }

    @Override
    public void start(DeviceEngine engine, LoopGuard guard) {
        if (engine instanceof StreamTransport streamTransport) {
            streams = new TcpStreams(loop, options, streamTransport, localAddress, peerTimeout);
        }
        loop.start(guard, "jrdma-" + transport.id() + "-" + Addresses.text(localAddress));
        if (engine instanceof DatagramTransport datagramTransport) {
            datagrams = datagramTransport;
            loop.call(() -> {
                UdpPort port = UdpPorts.bind(loop, options, datagramTransport, localAddress, seed);
                udp = port;
                port.open();
            });
        }
    }

    @Override
    public void execute(Runnable task) {
        loop.execute(task);
    }

    @Override
    public void call(Runnable task) {
        loop.call(task);
    }

    @Override
    public boolean inLoop() {
        return loop.inLoop();
    }

    @Override
    public long nowNs() {
        return DriverLoop.nowNs();
    }

    @Override
    public boolean isManual() {
        return loop.isManual();
    }

    @Override
    public boolean progress(long timeoutNs) {
        return loop.progress(timeoutNs);
    }

    /** In manual mode the caller is taken for the one thread that will run the loop. */
    @Override
    public boolean canAccess(MemorySegment memory) {
        Thread thread = loop.thread();
        return memory.isAccessibleBy(thread == null ? Thread.currentThread() : thread);
    }

    @Override
    public int interfaceMtu() {
        return Addresses.mtu(localAddress);
    }

    @Override
    public boolean isInterfaceUp() {
        return Addresses.isUp(localAddress);
    }

    @Override
    public long seed() {
        return seed;
    }

    @Override
    public StreamConnector streams() {
        TcpStreams port = streams;
        if (port == null) {
            throw new VerbsException(Errno.EOPNOTSUPP, "transport " + transport.id() + " has no streams");
        }
        return port;
    }

    @Override
    public ManagementPort management() {
        DatagramTransport engine = datagrams;
        if (engine == null) {
            throw new VerbsException(Errno.EOPNOTSUPP, "transport " + transport.id() + " has no management datagrams");
        }
        return engine.management();
    }

    /** The device's UDP port; null for a transport on streams. */
    @Nullable
    UdpPort udp() {
        return udp;
    }

    @Override
    public boolean canClose() {
        return !loop.inLoop();
    }

    @Override
    public void close() {
        if (!canClose()) {
            throw new VerbsException(Errno.EBUSY, "a device cannot be closed on its own loop");
        }
        if (!closing.compareAndSet(false, true)) {
            loop.await(() -> closed, FOR_EVER_NS);
            return;
        }
        try {
            TcpStreams port = streams;
            if (port != null) {
                loop.call(port::beginClose);
                if (!loop.await(port::isEmpty, options.closeTimeout().toNanos())) {
                    loop.call(port::drop);
                }
            }
            UdpPort datagramPort = udp;
            if (datagramPort != null) {
                loop.call(datagramPort::beginClose);
                loop.await(datagramPort::isDrained, options.closeTimeout().toNanos());
                loop.call(datagramPort::close);
            }
            loop.stop();
            if (port != null) {
                port.free();
            }
            if (datagramPort != null) {
                datagramPort.free();
            }
        } finally {
            closed = true;
            loop.changed();
        }
    }
}
