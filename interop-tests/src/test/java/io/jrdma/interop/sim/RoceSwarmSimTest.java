package io.jrdma.interop.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testkit.sim.Datagram;
import io.jrdma.testkit.sim.DatagramFate;
import io.jrdma.testkit.sim.DatagramFault;
import io.jrdma.testkit.sim.DatagramOptions;
import io.jrdma.testkit.sim.DatagramRule;
import io.jrdma.testkit.sim.PortOptions;
import io.jrdma.testkit.sim.SeedText;
import io.jrdma.testkit.sim.SimMemory;
import io.jrdma.testkit.sim.Simulator;
import io.jrdma.verbs.spi.Seeds;
import io.jrdma.wire.ib.IbOpcode;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/**
 * Random programs of work requests over RoCE on several connections, with everything chosen by the seed: path MTU, first sequence numbers,
 * queue depths, what the network does to datagrams, how the ports read and send. {@code -Djrdma.sim.seed=N} runs that one seed alone,
 * {@code -Djrdma.sim.base=N -Djrdma.sim.runs=M} other seeds than the fixed ones.
 */
class RoceSwarmSimTest {
    /** What a run of the whole class begins from; fixed, so that a build is the same every time. */
    private static final String BASE = "20251129";

    private static final int RUNS = 2_000;
    /** Of so many runs one has messages of up to a mebibyte. */
    private static final int LARGE_EVERY = 25;

    /** IPv6, UDP, the longest headers, ICRC; more than there ever are. */
    private static final int HEADERS = 120;

    private static final int POOL_BYTES = 24 << 20;
    private static final int[] INTERFACE_MTUS = {600, 1500, 4300, 9000};

    /** What came of a run. */
    private record Outcome(long hash, Map<DatagramFault, Long> faults, String description) {}

    /** Chance spares what was sent three times, so that no request runs out of retries and every one has to succeed. */
    private static final class Patience implements DatagramRule {
        private final Map<Long, Integer> sent = new HashMap<>();

        @Override
        public DatagramFate fate(Datagram datagram) {
            long kind = (datagram.from().hashCode() & 0x3F) << 1 | (IbOpcode.isResponse(datagram.opcode()) ? 1 : 0);
            long key = kind << 48 | (long) datagram.destQp() << 24 | datagram.psn();
            return sent.merge(key, 1, Integer::sum) < 3 ? DatagramFate.ORDINARY : DatagramFate.SPARED;
        }
    }

    @Test
    void everySeedKeepsEveryPromise() throws InterruptedException {
        String only = System.getProperty("jrdma.sim.seed");
        if (only != null) {
            run(SeedText.parse(only), new SimMemory(POOL_BYTES), true);
            return;
        }
        long base = SeedText.parse(System.getProperty("jrdma.sim.base", BASE));
        int runs = Integer.getInteger("jrdma.sim.runs", RUNS);
        AtomicInteger next = new AtomicInteger();
        Map<DatagramFault, Long> faults = new ConcurrentHashMap<>();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread[] workers = new Thread[2];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = Thread.ofPlatform().start(() -> {
                SimMemory pool = new SimMemory(POOL_BYTES);
                try {
                    for (int run = next.getAndIncrement(); run < runs; run = next.getAndIncrement()) {
                        runOne(base, run, pool, faults);
                    }
                } catch (RuntimeException | Error wrong) {
                    next.set(runs);
                    failure.compareAndSet(null, wrong);
                }
            });
        }
        for (Thread worker : workers) {
            worker.join();
        }
        if (failure.get() != null) {
            throw new AssertionError(failure.get().getMessage(), failure.get());
        }
        // the swarm has to be wild enough to mean something
        for (DatagramFault fault : new DatagramFault[] {
            DatagramFault.LOST,
            DatagramFault.DUPLICATED,
            DatagramFault.REORDERED,
            DatagramFault.CORRUPTED,
            DatagramFault.QUEUE_FULL,
            DatagramFault.MARKED
        }) {
            assertThat(faults.get(fault)).as("%s", fault).isGreaterThan(runs / 4);
        }
    }

    private static void runOne(long base, int number, SimMemory pool, Map<DatagramFault, Long> faults) {
        long seed = Seeds.child(base, "roce swarm", number);
        Outcome outcome = run(seed, pool, false);
        outcome.faults.forEach((fault, count) -> faults.merge(fault, count, Long::sum));
        if (number % 20 == 1) {
            assertThat(run(seed, pool, false).hash)
                    .as("the second run of seed %d: %s", seed, outcome.description)
                    .isEqualTo(outcome.hash);
        }
    }

    private static Outcome run(long seed, SimMemory pool, boolean capture) {
        Simulator simulator = new Simulator(seed);
        if (capture) {
            simulator.captureOnFailure(Path.of("target", "simulation"));
        }
        SplittableRandom random = simulator.random("swarm");
        boolean large = random.nextInt(LARGE_EVERY) == 0;
        int interfaceMtu = INTERFACE_MTUS[random.nextInt(INTERFACE_MTUS.length)];
        PortOptions[] ports = {PortOptions.random(random, interfaceMtu), PortOptions.random(random, interfaceMtu)};
        DatagramOptions there = DatagramOptions.random(random);
        DatagramOptions back = DatagramOptions.random(random);
        int connections = random.nextInt(1, 4);
        int steps = large ? 10 : random.nextInt(1, 50);
        int maxBytes = large ? 1 << 20 : 10_000;
        List<RoceStep> program = RoceStep.program(random, connections, steps, maxBytes, random.nextInt(3) == 0);
        boolean version6 = random.nextInt(4) == 0;
        int depth = random.nextBoolean() ? 256 : random.nextInt(1, 9);
        String description = "large=%s version6=%s connections=%d steps=%d depth=%d there=%s back=%s ports=%s %s"
                .formatted(large, version6, connections, steps, depth, there, back, ports[0], ports[1]);
        simulator.describe(description);
        simulator.network().datagrams().rule(new Patience());
        RoceSwarm swarm = new RoceSwarm(simulator, pool, program, connections, ports, depth, version6);
        simulator
                .network()
                .datagrams()
                .options((from, to) -> from.equals(swarm.sides[0].host.address()) ? there : back);
        int timeout = Math.min(31, timeout(there, back, ports) + random.nextInt(3));
        for (int i = 0; i < connections; i++) {
            int mtu = 256 << random.nextInt(5);
            while (mtu + HEADERS > interfaceMtu) {
                mtu /= 2;
            }
            swarm.connect(i, mtu, psn(random), psn(random), timeout, random.nextInt(1, 17));
        }
        program.forEach(swarm::run);
        swarm.finish();
        swarm.close();
        Map<DatagramFault, Long> faults = new EnumMap<>(DatagramFault.class);
        for (DatagramFault fault : DatagramFault.values()) {
            faults.put(fault, simulator.network().datagrams().count(fault));
        }
        return new Outcome(simulator.trace().hash(), faults, description);
    }

    /** Near the wrap, or anywhere. */
    private static int psn(SplittableRandom random) {
        return random.nextBoolean() ? 0xFF_FFFF - random.nextInt(20) : random.nextInt(1 << 24);
    }

    /** The exponent of an ACK time limit that is longer than the slowest way there and back, so that one is not late but lost. */
    private static int timeout(DatagramOptions there, DatagramOptions back, PortOptions[] ports) {
        long longestNs = longest(there) + longest(back) + longest(ports[0]) + longest(ports[1]);
        int timeout = 1;
        while (4_096L << timeout < longestNs) {
            timeout++;
        }
        return timeout;
    }

    /** A full socket buffer of short packets is read a few at a time; and a sink is full again and again. */
    private static long longest(PortOptions options) {
        long reads = options.receiveBufferBytes() / 256 / Math.max(1, options.maxReadPackets() / 2);
        return reads * options.maxReadNs() + 64 * options.maxFlushNs();
    }

    private static long longest(DatagramOptions options) {
        long queueNs = options.bytesPerSecond() == 0
                ? 0
                : (long) ((double) options.queueBytes() / options.bytesPerSecond() * RoceSwarm.SECOND);
        return options.maxLatencyNs() + options.maxReorderNs() + queueNs;
    }
}
