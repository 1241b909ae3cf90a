package io.jrdma.cm.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.spi.Engine;
import io.jrdma.wire.cm.CmMessage;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;

/** Management datagrams between hosts in memory, under a virtual clock: lost, doubled and late as a seed or a test says. */
final class IbNetwork {
    static final long MS = 1_000_000;
    static final long SECOND = 1_000 * MS;

    /** One way. */
    static final long LATENCY_NS = 10_000;

    /** A datagram that somebody sent. */
    record Sent(long atNs, InetAddress from, InetAddress to, byte[] mad, CmMessage message) {
        boolean is(Class<? extends CmMessage> kind) {
            return kind.isInstance(message);
        }
    }

    private record Delivery(long atNs, long number, Sent sent) {}

    /** All that was sent, lost or not. */
    final List<Sent> sent = new ArrayList<>();

    final Random random;
    private final Map<InetAddress, IbHost> hosts = new LinkedHashMap<>();
    private final PriorityQueue<Delivery> deliveries = new PriorityQueue<>((one, other) ->
            one.atNs == other.atNs ? Long.compare(one.number, other.number) : Long.compare(one.atNs, other.atNs));
    private BiPredicate<Sent, Integer> loses = (sent, number) -> false;
    private double loss;
    private double doubling;
    private long jitterNs;
    private long nowNs = 5 * SECOND;
    private long numbers;

    IbNetwork() {
        this(0);
    }

    IbNetwork(long seed) {
        random = new Random(seed);
    }

    static InetAddress address(String literal) {
        try {
            return InetAddress.getByName(literal);
        } catch (UnknownHostException noLiteral) {
            throw new AssertionError(noLiteral);
        }
    }

    /** A host with a device. */
    IbHost host(String literal) {
        return host(literal, 1);
    }

    IbHost host(String literal, long seed) {
        IbHost host = new IbHost(this, address(literal), seed);
        hosts.put(host.address, host);
        return host;
    }

    /** Datagrams get lost, come twice and overtake each other from now on. */
    void faults(double newLoss, double newDoubling, long newJitterNs) {
        loss = newLoss;
        doubling = newDoubling;
        jitterNs = newJitterNs;
    }

    /** What the predicate says is lost; the number counts what was sent, from 0. */
    void lose(BiPredicate<Sent, Integer> newLoses) {
        loses = newLoses;
    }

    long nowNs() {
        return nowNs;
    }

    void send(InetAddress from, InetAddress to, byte[] mad) {
        assertThat(mad).as("a management datagram").hasSize(256);
        Sent now = new Sent(nowNs, from, to, mad.clone(), IbHost.decode(mad));
        boolean lost = loses.test(now, sent.size());
        sent.add(now);
        if (!lost && random.nextDouble() >= loss) {
            deliver(now);
        }
        if (!lost && random.nextDouble() < doubling) {
            deliver(now);
        }
    }

    /** Has it arrived, after the time on the way. */
    void deliver(Sent datagram) {
        long late = jitterNs == 0 ? 0 : random.nextLong(jitterNs);
        deliveries.add(new Delivery(nowNs + LATENCY_NS + late, numbers++, datagram));
    }

    /** The next thing at its time. Returns whether there was one before the given time. */
    boolean step(long untilNs) {
        long next = deliveries.isEmpty() ? Engine.NO_DEADLINE : deliveries.peek().atNs;
        IbHost due = null;
        for (IbHost host : hosts.values()) {
            if (host.nextNs() < next) {
                next = host.nextNs();
                due = host;
            }
        }
        if (next == Engine.NO_DEADLINE || next > untilNs) {
            return false;
        }
        nowNs = Math.max(nowNs, next);
        if (due != null) {
            due.run(nowNs);
        } else {
            Delivery arrived = deliveries.remove();
            IbHost to = hosts.get(arrived.sent.to);
            if (to != null) {
                to.receive(arrived.sent.from, arrived.sent.mad, nowNs);
            }
        }
        return true;
    }

    /** Lets time pass, with what happens meanwhile. */
    void advance(long ns) {
        long end = nowNs + ns;
        int steps = 0;
        while (step(end)) {
            assertThat(++steps).as("steps in %s ns", ns).isLessThan(100_000);
        }
        nowNs = end;
    }

    /** Runs until everything on the way has arrived, timers not counted. */
    void settle() {
        while (!deliveries.isEmpty()) {
            step(Long.MAX_VALUE);
        }
        hosts.values().forEach(host -> host.run(nowNs));
    }

    void runUntil(BooleanSupplier condition) {
        int steps = 0;
        while (!condition.getAsBoolean()) {
            assertThat(step(Long.MAX_VALUE))
                    .as("something happens that makes the condition hold")
                    .isTrue();
            assertThat(++steps).isLessThan(100_000);
        }
    }

    /** How many messages of that kind were sent. */
    long count(Class<? extends CmMessage> kind) {
        return sent.stream().filter(each -> each.is(kind)).count();
    }

    /** The newest message of that kind. */
    <M extends CmMessage> M last(Class<M> kind) {
        return kind.cast(lastSent(kind).message);
    }

    Sent lastSent(Class<? extends CmMessage> kind) {
        for (int i = sent.size() - 1; i >= 0; i--) {
            if (sent.get(i).is(kind)) {
                return sent.get(i);
            }
        }
        throw new AssertionError("no " + kind.getSimpleName() + " was sent");
    }

    /** What was sent, by name. */
    List<String> names() {
        return sent.stream()
                .map(each -> each.message.getClass().getSimpleName())
                .toList();
    }
}
