package io.jrdma.interop.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.cm.ConnectionParameters;
import io.jrdma.cm.RdmaCmEvent;
import io.jrdma.cm.RdmaCmId;
import io.jrdma.cm.RdmaEventChannel;
import io.jrdma.testkit.junit.SimSeed;
import io.jrdma.testkit.junit.SimSeedExtension;
import io.jrdma.testkit.sim.Datagram;
import io.jrdma.testkit.sim.DatagramFate;
import io.jrdma.testkit.sim.DatagramFault;
import io.jrdma.testkit.sim.DatagramOptions;
import io.jrdma.testkit.sim.DatagramRule;
import io.jrdma.testkit.sim.PortOptions;
import io.jrdma.testkit.sim.SimHost;
import io.jrdma.testkit.sim.Simulator;
import io.jrdma.verbs.CompletionQueue;
import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.IbCmOptions;
import io.jrdma.verbs.ProtectionDomain;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.QueuePair;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.spi.Seeds;
import io.jrdma.wire.ib.Bth;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The connection manager over RoCE on simulated datagrams: messages are lost, doubled, overtaken, damaged and forged. */
@ExtendWith(SimSeedExtension.class)
class RoceCmSimTest {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    /** Longer than all repetitions of a REQ together, and than what comes after it. */
    private static final Duration PATIENCE = Duration.ofSeconds(400);
    /** Bits of the traffic class that say nothing of the class (RFC 3168). */
    private static final int ECN = 3;

    /** A program at one end: what it is told, and what it does about it. */
    private static final class Program {
        final RdmaEventChannel channel;
        final List<String> events = new ArrayList<>();
        final List<String> completions = new ArrayList<>();
        final List<RdmaCmId> ids = new ArrayList<>();
        QueuePair queuePair;
        CompletionQueue queue;
        boolean rejects;
        ConnectionParameters parameters = ConnectionParameters.RECOMMENDED;
        private final WorkCompletion[] one = {new WorkCompletion()};

        Program(SimHost host) {
            channel = RdmaEventChannel.create(
                    DeviceOptions.DEFAULT.withDriver(host).withProgress(DeviceOptions.Progress.MANUAL));
        }

        void listen(InetSocketAddress at) {
            RdmaCmId id = channel.createId(Transport.ROCE_V2);
            ids.add(id);
            id.bind(at);
            id.listen(5);
        }

        void connect(InetSocketAddress to) {
            RdmaCmId id = channel.createId(Transport.ROCE_V2);
            ids.add(id);
            id.resolveAddress(null, to, LIMIT);
        }

        /** Takes one event, if there is one; time passes meanwhile. */
        void step(Duration wait) throws InterruptedException {
            RdmaCmEvent event = channel.poll(wait);
            if (event != null) {
                events.add(event.type().name());
                take(event);
            }
            while (queue != null && queue.poll(one) == 1) {
                completions.add(one[0].id() + ":" + one[0].opcode() + ":" + one[0].status());
            }
        }

        private void take(RdmaCmEvent event) {
            switch (event) {
                case RdmaCmEvent.AddressResolved resolved -> resolved.id().resolveRoute(LIMIT);
                case RdmaCmEvent.RouteResolved resolved -> {
                    makeQueuePair(resolved.id());
                    resolved.id().connect(parameters);
                }
                case RdmaCmEvent.ConnectRequest request -> {
                    ids.add(request.id());
                    if (rejects || queuePair != null) {
                        request.id().reject(new byte[] {7});
                    } else {
                        makeQueuePair(request.id());
                        request.id().accept(ConnectionParameters.RECOMMENDED);
                    }
                }
                default -> {}
            }
        }

        private void makeQueuePair(RdmaCmId id) {
            RdmaDevice device = Objects.requireNonNull(id.device());
            ProtectionDomain domain = device.allocateProtectionDomain();
            queue = device.createCompletionQueue(16);
            queuePair = id.createQueuePair(domain, QueuePairOptions.rc(queue));
            queuePair.postReceive(new RecvWr().id(99));
        }

        long count(String event) {
            return events.stream().filter(event::equals).count();
        }

        void close() {
            queue = null;
            ids.reversed().forEach(RdmaCmId::close);
            channel.close();
        }
    }

    private static final class Pair {
        final Simulator simulator;
        final Program client;
        final Program server;
        final InetSocketAddress address;

        Pair(Simulator simulator) {
            this(simulator, PortOptions.CALM, PortOptions.CALM);
        }

        Pair(Simulator simulator, PortOptions left, PortOptions right) {
            this.simulator = simulator;
            SimHost leftHost = simulator.host("left", "10.0.0.1", "fd00::1");
            SimHost rightHost = simulator.host("right", "10.0.0.2", "fd00::2");
            leftHost.ports(left);
            rightHost.ports(right);
            client = new Program(leftHost);
            server = new Program(rightHost);
            address = new InetSocketAddress(rightHost.address(), 7174);
        }

        /** Lets both programs work until that holds, or for so long. */
        void run(BooleanSupplier until, Duration limit) throws InterruptedException {
            long end = simulator.nowNs() + limit.toNanos();
            while (!until.getAsBoolean() && simulator.nowNs() < end) {
                client.step(Duration.ofMillis(2));
                server.step(Duration.ZERO);
            }
        }

        void run(Duration time) throws InterruptedException {
            run(() -> false, time);
        }

        void close() {
            client.close();
            server.close();
        }
    }

    private static void wholeLife(Pair pair, boolean serverEnds) throws InterruptedException {
        Program client = pair.client;
        Program server = pair.server;
        server.listen(pair.address);
        client.connect(pair.address);
        pair.run(() -> client.count("ESTABLISHED") > 0 && server.count("ESTABLISHED") > 0, PATIENCE);
        assertThat(client.events).containsExactly("ADDR_RESOLVED", "ROUTE_RESOLVED", "ESTABLISHED");
        assertThat(server.events).startsWith("CONNECT_REQUEST", "ESTABLISHED");
        client.queuePair.postSend(new SendWr().id(1));
        server.queuePair.postSend(new SendWr().id(2));
        pair.run(() -> client.completions.size() == 2 && server.completions.size() == 2, PATIENCE);
        assertThat(client.completions).containsExactlyInAnyOrder("1:SEND:SUCCESS", "99:RECV:SUCCESS");
        assertThat(server.completions).containsExactlyInAnyOrder("2:SEND:SUCCESS", "99:RECV:SUCCESS");
        RdmaCmId ending = serverEnds ? server.ids.get(1) : client.ids.getLast();
        ending.disconnect();
        pair.run(() -> client.count("DISCONNECTED") > 0 && server.count("DISCONNECTED") > 0, PATIENCE);
        pair.run(Duration.ofSeconds(10));
        assertThat(client.count("DISCONNECTED")).isEqualTo(1);
        assertThat(server.count("DISCONNECTED")).isEqualTo(1);
        assertThat(client.count("ESTABLISHED")).isEqualTo(1);
        assertThat(server.count("ESTABLISHED")).isEqualTo(1);
        assertThat(client.queuePair.state()).isEqualTo(QpState.ERROR);
        assertThat(server.queuePair.state()).isEqualTo(QpState.ERROR);
        pair.close();
    }

    private interface Life {
        void live() throws InterruptedException;
    }

    private static void explained(Simulator simulator, Life life) throws InterruptedException {
        try {
            life.live();
        } catch (AssertionError wrong) {
            throw simulator.failure(wrong.getMessage(), wrong);
        }
    }

    @Test
    void wholeLifeOfAConnectionOnAnyPath(@SimSeed long base) throws InterruptedException {
        for (int i = 0; i < 60; i++) {
            Simulator simulator = new Simulator(Seeds.child(base, "cm", i));
            SplittableRandom random = simulator.random("options");
            DatagramOptions there = DatagramOptions.random(random);
            DatagramOptions back = DatagramOptions.random(random);
            PortOptions left = PortOptions.random(random, 1500);
            PortOptions right = PortOptions.random(random, 1500);
            simulator.describe(there + " " + back + " " + left + " " + right);
            Pair pair = new Pair(simulator, left, right);
            InetAddress client = InetAddress.ofLiteral("10.0.0.1");
            simulator.network().datagrams().options((from, to) -> from.equals(client) ? there : back);
            boolean serverEnds = i % 2 == 0;
            explained(simulator, () -> {
                wholeLife(pair, serverEnds);
                assertThat(pair.server.count("CONNECT_REQUEST")).isEqualTo(1);
            });
        }
    }

    /** Every single message of a connection's life is lost, doubled, late and damaged once, each in a run of its own. */
    @Test
    void everySingleMessageMayFareBadly(@SimSeed long seed) throws InterruptedException {
        DatagramFate[] fates = {
            DatagramFate.DROP, DatagramFate.DUPLICATE, DatagramFate.CORRUPT, DatagramFate.delay(8_000_000_000L)
        };
        for (DatagramFate fate : fates) {
            for (int number = 1; number <= 5; number++) {
                Simulator simulator = new Simulator(seed);
                simulator.describe(fate + " for message " + number);
                simulator
                        .network()
                        .datagrams()
                        .rule(DatagramRule.nth(number, packet -> packet.destQp() == Bth.QP_GSI, fate));
                Pair pair = new Pair(simulator);
                explained(simulator, () -> {
                    wholeLife(pair, false);
                    assertThat(pair.server.count("CONNECT_REQUEST")).isEqualTo(1);
                });
            }
        }
    }

    /** Damaged copies of all messages, with a right ICRC, from somebody else: they may be refused, and change nothing. */
    @Test
    void forgedMessagesChangeNothing(@SimSeed long base) throws InterruptedException {
        InetAddress stranger = InetAddress.ofLiteral("10.66.6.6");
        for (int i = 0; i < 40; i++) {
            Simulator simulator = new Simulator(Seeds.child(base, "forged", i));
            SplittableRandom random = simulator.random("forgery");
            simulator.network().datagrams().rule(packet -> {
                if (packet.destQp() == Bth.QP_GSI && !packet.from().equals(stranger)) {
                    forge(simulator, random, packet, stranger);
                }
                return DatagramFate.ORDINARY;
            });
            Pair pair = new Pair(simulator);
            explained(simulator, () -> wholeLife(pair, random.nextBoolean()));
        }
    }

    private static void forge(Simulator simulator, SplittableRandom random, Datagram packet, InetAddress stranger) {
        byte[] bytes = packet.segment().toArray(ValueLayout.JAVA_BYTE);
        for (int copy = 0; copy < 5; copy++) {
            byte[] forged = bytes.clone();
            for (int i = random.nextInt(4); i > 0; i--) {
                forged[random.nextInt(20, forged.length)] = (byte) random.nextInt(256);
            }
            InetAddress to = packet.to();
            simulator.after(
                    random.nextLong(1, 100_000),
                    () -> simulator.network().datagrams().inject(stranger, to, forged, true));
        }
    }

    /** The active side says with what class both send; each has its own hop limit. */
    @Test
    void connectionsToOnePeerKeepTheirTrafficClassAndHopLimit(@SimSeed Simulator simulator)
            throws InterruptedException {
        Pair pair = new Pair(simulator);
        Map<Integer, Set<String>> seen = new HashMap<>();
        simulator.network().datagrams().rule(packet -> {
            String header = Integer.toHexString(packet.trafficClass() & ~ECN) + " " + packet.hopLimit();
            seen.computeIfAbsent(packet.destQp(), qp -> new HashSet<>()).add(header);
            return DatagramFate.ORDINARY;
        });
        pair.server.listen(pair.address);
        List<QueuePair> active = new ArrayList<>();
        List<QueuePair> passive = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            IbCmOptions options = IbCmOptions.builder()
                    .trafficClass(0x20 * i)
                    .hopLimit(60 - i)
                    .build();
            pair.client.parameters = ConnectionParameters.builder().ib(options).build();
            pair.server.queuePair = null;
            pair.client.connect(pair.address);
            int connections = i + 1;
            pair.run(
                    () -> pair.client.count("ESTABLISHED") == connections
                            && pair.server.count("ESTABLISHED") == connections,
                    PATIENCE);
            active.add(pair.client.queuePair);
            passive.add(pair.server.queuePair);
        }
        seen.clear();
        active.forEach(queuePair -> queuePair.postSend(new SendWr().id(1)));
        passive.forEach(queuePair -> queuePair.postSend(new SendWr().id(2)));
        pair.run(Duration.ofMillis(100));
        for (int i = 0; i < 3; i++) {
            String trafficClass = Integer.toHexString(0x20 * i);
            assertThat(seen.get(passive.get(i).qpNum())).containsExactly(trafficClass + " " + (60 - i));
            assertThat(seen.get(active.get(i).qpNum())).containsExactly(trafficClass + " 64");
        }
        pair.close();
    }

    /** An hour without a word from the programs changes nothing; when the network is gone, both sides notice it in a minute. */
    @Test
    void idlePeersStayConnectedUntilOneIsGone(@SimSeed Simulator simulator) throws InterruptedException {
        long hourNs = Duration.ofHours(1).toNanos();
        DatagramOptions path =
                DatagramOptions.builder().partition(hourNs, Long.MAX_VALUE).build();
        simulator.network().datagrams().options((from, to) -> path);
        Pair pair = new Pair(simulator);
        pair.server.listen(pair.address);
        pair.client.connect(pair.address);
        pair.run(() -> pair.client.count("ESTABLISHED") > 0 && pair.server.count("ESTABLISHED") > 0, PATIENCE);
        pair.run(() -> pair.client.events.size() + pair.server.events.size() > 5, Duration.ofHours(1));
        assertThat(pair.client.count("DISCONNECTED") + pair.server.count("DISCONNECTED"))
                .isZero();
        pair.run(
                () -> pair.client.count("DISCONNECTED") > 0 && pair.server.count("DISCONNECTED") > 0,
                Duration.ofMinutes(1));
        assertThat(pair.client.count("DISCONNECTED")).isEqualTo(1);
        assertThat(pair.server.count("DISCONNECTED")).isEqualTo(1);
        assertThat(pair.client.completions).containsExactly("99:RECV:WR_FLUSH_ERR");
        assertThat(pair.server.completions).containsExactly("99:RECV:WR_FLUSH_ERR");
        pair.close();
    }

    @Test
    void version6(@SimSeed Simulator simulator) throws InterruptedException {
        Pair pair = new Pair(simulator);
        InetSocketAddress address = new InetSocketAddress(InetAddress.ofLiteral("fd00::2"), 7174);
        pair.server.listen(address);
        pair.client.connect(address);
        pair.run(Duration.ofMillis(100));
        assertThat(pair.client.events).endsWith("ESTABLISHED");
        assertThat(pair.server.events).endsWith("ESTABLISHED");
        pair.close();
    }

    @Test
    void rejectionComesThroughLoss(@SimSeed long base) throws InterruptedException {
        for (int i = 0; i < 20; i++) {
            Simulator simulator = new Simulator(Seeds.child(base, "reject", i));
            simulator
                    .network()
                    .datagrams()
                    .options(DatagramOptions.builder()
                            .loss(200)
                            .duplicates(200, 1_000_000)
                            .reordering(200, 1_000_000)
                            .build());
            Pair pair = new Pair(simulator);
            pair.server.rejects = true;
            pair.server.listen(pair.address);
            pair.client.connect(pair.address);
            pair.run(() -> pair.client.events.size() == 3, PATIENCE);
            assertThat(pair.client.events).endsWith("REJECTED");
            pair.close();
        }
    }

    @Test
    void nobodyListensAndNobodyIsThere(@SimSeed Simulator simulator) throws InterruptedException {
        Pair pair = new Pair(simulator);
        pair.server.listen(pair.address);
        pair.client.connect(new InetSocketAddress(pair.address.getAddress(), 1));
        pair.run(Duration.ofMillis(100));
        assertThat(pair.client.events).endsWith("REJECTED");
        pair.client.events.clear();
        pair.client.connect(new InetSocketAddress(InetAddress.ofLiteral("10.0.0.77"), 7174));
        pair.run(() -> pair.client.events.size() == 3, PATIENCE);
        assertThat(pair.client.events).endsWith("UNREACHABLE");
        assertThat(simulator.network().datagrams().count(DatagramFault.NO_PORT)).isEqualTo(16);
        pair.close();
    }

    /** The client's host is cut off while connected: the server's disconnect ends all the same. */
    @Test
    void disconnectFromAPeerThatIsGone(@SimSeed Simulator simulator) throws InterruptedException {
        Pair pair = new Pair(simulator);
        pair.server.listen(pair.address);
        pair.client.connect(pair.address);
        pair.run(() -> pair.client.count("ESTABLISHED") > 0 && pair.server.count("ESTABLISHED") > 0, PATIENCE);
        simulator
                .network()
                .datagrams()
                .options(DatagramOptions.builder().partition(0, Long.MAX_VALUE).build());
        pair.server.ids.getLast().disconnect();
        pair.run(() -> pair.server.count("DISCONNECTED") > 0, Duration.ofSeconds(30));
        assertThat(pair.server.events).contains("DISCONNECTED");
        assertThat(pair.client.events).endsWith("ESTABLISHED");
        pair.close();
    }
}
