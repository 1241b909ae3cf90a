package io.jrdma.interop.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.cm.ConnectionParameters;
import io.jrdma.cm.RdmaCmEvent;
import io.jrdma.cm.RdmaCmId;
import io.jrdma.cm.RdmaEventChannel;
import io.jrdma.testkit.junit.SimSeed;
import io.jrdma.testkit.junit.SimSeedExtension;
import io.jrdma.testkit.sim.ConnectRule;
import io.jrdma.testkit.sim.LinkOptions;
import io.jrdma.testkit.sim.SimHost;
import io.jrdma.testkit.sim.Simulator;
import io.jrdma.verbs.CompletionQueue;
import io.jrdma.verbs.DeviceOptions;
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
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The connection manager on the simulated network: two event channels on one thread, without a socket. */
@ExtendWith(SimSeedExtension.class)
class IwarpCmSimTest {
    private static final Duration LIMIT = Duration.ofSeconds(5);

    /** A program at one end: what it is told, and what it does about it. */
    private static final class Program {
        final RdmaEventChannel channel;
        final List<String> events = new ArrayList<>();
        final List<RdmaCmId> ids = new ArrayList<>();
        QueuePair queuePair;
        CompletionQueue queue;
        boolean rejects;

        Program(SimHost host) {
            channel = RdmaEventChannel.create(
                    DeviceOptions.DEFAULT.withDriver(host).withProgress(DeviceOptions.Progress.MANUAL));
        }

        void listen(InetSocketAddress at) {
            RdmaCmId id = channel.createId(Transport.IWARP);
            ids.add(id);
            id.bind(at);
            id.listen(5);
        }

        void connect(InetSocketAddress to) {
            RdmaCmId id = channel.createId(Transport.IWARP);
            ids.add(id);
            id.resolveAddress(null, to, LIMIT);
        }

        /** Takes one event, if there is one; time passes meanwhile. */
        void step(Duration wait) throws InterruptedException {
            RdmaCmEvent event = channel.poll(wait);
            if (event == null) {
                return;
            }
            events.add(event.type().name());
            switch (event) {
                case RdmaCmEvent.AddressResolved resolved -> resolved.id().resolveRoute(LIMIT);
                case RdmaCmEvent.RouteResolved resolved -> {
                    makeQueuePair(resolved.id());
                    resolved.id().connect(ConnectionParameters.RECOMMENDED);
                }
                case RdmaCmEvent.ConnectRequest request -> {
                    ids.add(request.id());
                    if (rejects) {
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

        List<String> completions() {
            List<String> texts = new ArrayList<>();
            WorkCompletion[] one = {new WorkCompletion()};
            while (queue.poll(one) == 1) {
                texts.add(one[0].id() + ":" + one[0].opcode() + ":" + one[0].status());
            }
            return texts;
        }

        void close() {
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
            this.simulator = simulator;
            SimHost left = simulator.host("left", "10.0.0.1", "fd00::1");
            SimHost right = simulator.host("right", "10.0.0.2", "fd00::2");
            client = new Program(left);
            server = new Program(right);
            address = new InetSocketAddress(right.address(), 7174);
        }

        /** Lets both programs work for that time. */
        void run(Duration time) throws InterruptedException {
            long end = simulator.nowNs() + time.toNanos();
            while (simulator.nowNs() < end) {
                client.step(Duration.ofNanos(50_000));
                server.step(Duration.ZERO);
            }
        }

        void close() {
            client.close();
            server.close();
            assertThat(simulator.network().streams()).isEmpty();
        }
    }

    private static void wholeLife(Pair pair, boolean serverEnds) throws InterruptedException {
        pair.server.listen(pair.address);
        pair.client.connect(pair.address);
        pair.run(Duration.ofMillis(500));
        assertThat(pair.client.events).containsExactly("ADDR_RESOLVED", "ROUTE_RESOLVED", "ESTABLISHED");
        assertThat(pair.server.events).containsExactly("CONNECT_REQUEST", "ESTABLISHED");
        pair.client.queuePair.postSend(new SendWr().id(1));
        pair.server.queuePair.postSend(new SendWr().id(2));
        pair.run(Duration.ofMillis(500));
        assertThat(pair.client.completions()).containsExactlyInAnyOrder("1:SEND:SUCCESS", "99:RECV:SUCCESS");
        assertThat(pair.server.completions()).containsExactlyInAnyOrder("2:SEND:SUCCESS", "99:RECV:SUCCESS");
        (serverEnds ? pair.server : pair.client).ids.getLast().disconnect();
        pair.run(Duration.ofSeconds(1));
        assertThat(pair.client.events).endsWith("DISCONNECTED");
        assertThat(pair.server.events).endsWith("DISCONNECTED");
        assertThat(pair.client.queuePair.state()).isEqualTo(QpState.ERROR);
        assertThat(pair.server.queuePair.state()).isEqualTo(QpState.ERROR);
        pair.close();
    }

    @Test
    void wholeLifeOfAConnectionOnAnyLink(@SimSeed long base) throws InterruptedException {
        for (int i = 0; i < 40; i++) {
            Simulator simulator = new Simulator(Seeds.child(base, "cm", i));
            LinkOptions there = LinkOptions.random(simulator.random("there"));
            LinkOptions back = LinkOptions.random(simulator.random("back"));
            simulator.describe(there + " " + back);
            simulator.network().link((from, to, connection, fromActive) -> fromActive ? there : back);
            try {
                wholeLife(new Pair(simulator), i % 2 == 0);
            } catch (AssertionError wrong) {
                throw simulator.failure(wrong.getMessage(), wrong);
            }
        }
    }

    @Test
    void version6AndWildcard(@SimSeed Simulator simulator) throws InterruptedException {
        Pair pair = new Pair(simulator);
        pair.server.listen(new InetSocketAddress(InetAddress.ofLiteral("::"), 7174));
        pair.client.connect(new InetSocketAddress(InetAddress.ofLiteral("fd00::2"), 7174));
        pair.run(Duration.ofMillis(100));
        assertThat(pair.client.events).endsWith("ESTABLISHED");
        assertThat(pair.server.events).endsWith("ESTABLISHED");
        pair.close();
    }

    @Test
    void rejection(@SimSeed Simulator simulator) throws InterruptedException {
        Pair pair = new Pair(simulator);
        pair.server.rejects = true;
        pair.server.listen(pair.address);
        pair.client.connect(pair.address);
        pair.run(Duration.ofMillis(100));
        assertThat(pair.client.events).endsWith("REJECTED");
        pair.close();
    }

    @Test
    void nobodyThere(@SimSeed Simulator simulator) throws InterruptedException {
        for (ConnectRule.Outcome outcome : ConnectRule.Outcome.values()) {
            Pair pair = new Pair(new Simulator(simulator.seed()));
            pair.simulator.network().connecting((from, to, connection) -> outcome);
            pair.client.connect(pair.address);
            pair.run(Duration.ofSeconds(31));
            String expected = switch (outcome) {
                case NORMAL, REFUSED -> "REJECTED";
                case UNREACHABLE, TIMEOUT -> "UNREACHABLE";
            };
            assertThat(pair.client.events).as("%s", outcome).endsWith(expected);
            pair.close();
        }
    }
}
