package io.jrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.DeviceOptions.Progress;
import io.jrdma.verbs.Transport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** Two RoCE devices on the loopback interface, and waiting for what happens between them. */
final class UdpRig implements AutoCloseable {
    /** A way to run. */
    record Way(UdpIo io, IoBackend backend, DriverPair.Driving driving, boolean ipv6) {
        NettyOptions.Builder options() {
            return NettyOptions.builder()
                    .backend(backend)
                    .udpIo(io)
                    .roceSocketReceiveBytes(SOCKET_BYTES)
                    .roceSocketSendBytes(SOCKET_BYTES)
                    .closeTimeout(Duration.ofMillis(300));
        }
    }

    /** What every system grants. */
    static final int SOCKET_BYTES = 128 << 10;

    static Stream<Way> ways() {
        return drivers()
                .flatMap(way -> Stream.of(DriverPair.Driving.values())
                        .flatMap(driving -> Stream.of(false, true)
                                .filter(ipv6 -> !ipv6 || hasIpv6())
                                .map(ipv6 -> new Way(way.io(), way.backend(), driving, ipv6))));
    }

    /** Each driver once, in its simplest way. */
    static Stream<Way> drivers() {
        List<Way> ways = new ArrayList<>();
        if (batchWorks()) {
            ways.add(new Way(UdpIo.BATCH, IoBackend.EPOLL, DriverPair.Driving.AUTOMATIC, false));
        }
        if (IoBackend.EPOLL.isAvailable()) {
            ways.add(new Way(UdpIo.PORTABLE, IoBackend.EPOLL, DriverPair.Driving.AUTOMATIC, false));
        }
        ways.add(new Way(UdpIo.PORTABLE, IoBackend.NIO, DriverPair.Driving.AUTOMATIC, false));
        return ways.stream();
    }

    static boolean batchWorks() {
        return IoBackend.EPOLL.isAvailable() && BatchProbe.failure() == null;
    }

    static boolean hasIpv6() {
        try (DatagramChannel probe = DatagramChannel.open(StandardProtocolFamily.INET6)) {
            probe.bind(new InetSocketAddress(address("::1"), 0));
            return true;
        } catch (IOException | UnsupportedOperationException none) {
            return false;
        }
    }

    static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    /** A port that is free at all of these addresses. */
    static int freePort(InetAddress... addresses) {
        for (int tries = 0; tries < 100; tries++) {
            List<DatagramChannel> open = new ArrayList<>();
            try {
                int port = 0;
                for (InetAddress address : addresses) {
                    DatagramChannel channel = DatagramChannel.open(
                            address.getAddress().length == 4
                                    ? StandardProtocolFamily.INET
                                    : StandardProtocolFamily.INET6);
                    open.add(channel);
                    channel.bind(new InetSocketAddress(address, port));
                    port = ((InetSocketAddress) channel.getLocalAddress()).getPort();
                }
                return port;
            } catch (IOException taken) {
                continue;
            } finally {
                for (DatagramChannel channel : open) {
                    try {
                        channel.close();
                    } catch (IOException ignored) {
                        throw new UncheckedIOException(ignored);
                    }
                }
            }
        }
        throw new AssertionError("no port is free at both addresses");
    }

    /** One device. */
    static final class Side implements AutoCloseable {
        final InetAddress address;
        final NettyOptions options;
        final DatagramEngine engine = new DatagramEngine();
        final Peer.CheckingGuard guard = new Peer.CheckingGuard();
        final NettyDriver driver;

        Side(NettyOptions options, Progress progress, InetAddress address) {
            this.address = address;
            this.options = options;
            driver = (NettyDriver) new NettyDriverProvider(options)
                    .open(Transport.ROCE_V2, address, DeviceOptions.DEFAULT.withProgress(progress));
            guard.driver = driver;
            try {
                driver.start(engine, guard);
            } catch (RuntimeException | Error failure) {
                driver.close();
                throw failure;
            }
        }

        UdpPort port() {
            return driver.udp();
        }

        long count(UdpCounters.Counter counter) {
            return port().counters().get(counter);
        }

        /** Has the engine send packets of one size in trains. */
        void send(InetAddress to, long packets, int bytes, int lastBytes, int perTrain) {
            driver.call(() -> engine.send(to, packets, bytes, lastBytes, perTrain));
        }

        @Override
        public void close() {
            driver.close();
        }
    }

    final Side left;
    final Side right;
    private final DriverPair drivers;

    UdpRig(Way way) {
        RecordedLog.take();
        Progress progress = way.driving().progress();
        if (way.ipv6()) {
            InetAddress loopback = address("::1");
            int leftPort = freePort(loopback);
            int rightPort = leftPort;
            while (rightPort == leftPort) {
                rightPort = freePort(loopback);
            }
            left = new Side(
                    way.options().rocePort(leftPort).rocePeerPort(rightPort).build(), progress, loopback);
            right = new Side(
                    way.options().rocePort(rightPort).rocePeerPort(leftPort).build(), progress, loopback);
        } else {
            InetAddress leftAddress = address("127.0.0.2");
            InetAddress rightAddress = address("127.0.0.3");
            int port = freePort(leftAddress, rightAddress);
            NettyOptions options =
                    way.options().rocePort(port).rocePeerPort(port).build();
            left = new Side(options, progress, leftAddress);
            right = new Side(options, progress, rightAddress);
        }
        drivers = new DriverPair(way.driving(), left.driver, right.driver);
    }

    /** Waits for it, making progress. */
    void until(BooleanSupplier condition) {
        assertThat(within(DriverPair.PATIENCE_NS, condition))
                .as(
                        "left %s [%s], right %s [%s]",
                        state(left),
                        left.port().counters(),
                        state(right),
                        right.port().counters())
                .isTrue();
    }

    private static String state(Side side) {
        DatagramEngine engine = side.engine;
        return engine.inputs + " sent " + engine.sent + " received " + engine.received + " acknowledged "
                + engine.acknowledged + " wrong " + engine.wrong;
    }

    /** Waits for it, making progress, but not longer than that. */
    boolean within(long timeoutNs, BooleanSupplier condition) {
        return drivers.within(timeoutNs, condition);
    }

    @Override
    public void close() throws InterruptedException {
        drivers.close();
        for (Side side : List.of(left, right)) {
            assertThat(side.guard.broken).as("bursts").isFalse();
            assertThat(side.guard.inside).as("in a burst").isFalse();
            assertThat(side.engine.wrong).as("wrong packets").isZero();
            assertThat(side.engine.inputs).containsOnlyOnce("onOpen").endsWith("onClosed");
        }
    }
}
