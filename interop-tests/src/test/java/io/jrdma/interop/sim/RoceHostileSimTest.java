package io.jrdma.interop.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testkit.junit.SimSeed;
import io.jrdma.testkit.junit.SimSeedExtension;
import io.jrdma.testkit.sim.DatagramLink;
import io.jrdma.testkit.sim.DatagramNetwork;
import io.jrdma.testkit.sim.PortOptions;
import io.jrdma.testkit.sim.SimMemory;
import io.jrdma.testkit.sim.Simulator;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.spi.Seeds;
import io.jrdma.wire.Bytes;
import io.jrdma.wire.Psn;
import io.jrdma.wire.ib.Bth;
import io.jrdma.wire.ib.Deth;
import io.jrdma.wire.ib.IbOpcode;
import io.jrdma.wire.ib.RoceV2Packet;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Forged and random datagrams among the honest ones: no exception, and no harm to whoever they did not hit. */
@ExtendWith(SimSeedExtension.class)
class RoceHostileSimTest {
    private static final int RUNS = 40;
    private static final int CONNECTIONS = 3;
    private static final int PSN = 0xFF_FFF0;
    private static final InetAddress STRANGER = InetAddress.ofLiteral("10.66.6.6");
    private static final PortOptions[] PORTS = {PortOptions.CALM, PortOptions.CALM};

    private final SimMemory pool = new SimMemory(2 << 20);

    private interface Attack {
        /** One hostile act after each step of the program. */
        void happen(RoceSwarm swarm, SplittableRandom random);
    }

    /** How many hostile packets came through to an engine, and how many ends of connections did not live through them. */
    private record Harm(long packets, int ends) {}

    private Harm runs(long base, boolean sacrifice, Attack attack) {
        long packets = 0;
        int ended = 0;
        for (int i = 0; i < RUNS; i++) {
            Simulator simulator = new Simulator(Seeds.child(base, "hostile", i));
            SplittableRandom random = simulator.random("attack");
            int first = sacrifice ? 1 : 0;
            List<RoceStep> program = RoceStep.program(random, CONNECTIONS, 30, 5_000, false);
            RoceSwarm swarm = new RoceSwarm(simulator, pool, program, CONNECTIONS, PORTS, 64, false);
            for (int connection = 0; connection < CONNECTIONS; connection++) {
                swarm.connect(connection, 1024, PSN, PSN, 10, 4);
            }
            if (sacrifice) {
                swarm.sacrifice(0);
                for (RoceSide side : swarm.sides) {
                    side.ends.get(0).queuePair.postReceive(new RecvWr().id(-1));
                }
            }
            for (RoceStep step : program) {
                if (step.queuePair() >= first) {
                    swarm.run(step);
                }
                attack.happen(swarm, random);
            }
            swarm.finish();
            for (RoceSide side : swarm.sides) {
                ended += side.ends.get(0).queuePair.state() == QpState.RTS ? 0 : 1;
            }
            swarm.close();
            for (DatagramLink link : simulator.network().datagrams().links()) {
                packets += isHost(swarm, link.from()) ? 0 : link.arrived();
            }
        }
        return new Harm(packets, ended);
    }

    private static boolean isHost(RoceSwarm swarm, InetAddress address) {
        return address.equals(swarm.sides[0].host.address()) || address.equals(swarm.sides[1].host.address());
    }

    private static byte[] randomBytes(SplittableRandom random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /** A packet of a known opcode that is well formed, everything else by chance. */
    private static byte[] wellFormed(SplittableRandom random, int destQp, int psn) {
        int opcode = random.nextInt(256);
        while (!IbOpcode.isKnown(opcode)) {
            opcode = random.nextInt(256);
        }
        int payload = random.nextInt(3) == 0 ? random.nextInt(1200) : 0;
        byte[] bytes = randomBytes(random, RoceV2Packet.length(opcode, payload));
        int flags = random.nextInt() & Bth.FLAGS;
        Bth.put(
                MemorySegment.ofArray(bytes),
                0,
                opcode,
                flags,
                RoceV2Packet.padBytes(payload),
                random.nextInt(4) == 0 ? random.nextInt(1 << 16) : Bth.DEFAULT_P_KEY,
                destQp,
                psn);
        return bytes;
    }

    private static RoceSide victim(RoceSwarm swarm, SplittableRandom random) {
        return swarm.sides[random.nextInt(2)];
    }

    private static RoceSide peerOf(RoceSwarm swarm, RoceSide side) {
        return swarm.sides[side == swarm.sides[0] ? 1 : 0];
    }

    @Test
    void randomBytesAreDropped(@SimSeed long base) {
        Harm harm = runs(base, false, (swarm, random) -> {
            RoceSide side = victim(swarm, random);
            InetAddress from =
                    random.nextBoolean() ? STRANGER : peerOf(swarm, side).host.address();
            byte[] bytes = randomBytes(random, random.nextInt(400));
            if (bytes.length >= Bth.LENGTH) {
                // whatever hits a queue pair by its number and with the peer's address is another test's
                Bytes.putU24(MemorySegment.ofArray(bytes), 5, 2 + random.nextInt(1000));
            }
            swarm.simulator.network().datagrams().inject(from, side.host.address(), bytes, random.nextBoolean());
        });
        assertThat(harm.packets).isGreaterThan(RUNS);
        assertThat(harm.ends).isZero();
    }

    @Test
    void queuePairHearsNobodyButItsPeer(@SimSeed long base) {
        Harm harm = runs(base, false, (swarm, random) -> {
            RoceSide side = victim(swarm, random);
            int destQp = side.ends.get(random.nextInt(CONNECTIONS)).queuePair.qpNum();
            byte[] packet = wellFormed(random, destQp, Psn.add(PSN, random.nextInt(60) - 5));
            swarm.simulator.network().datagrams().inject(STRANGER, side.host.address(), packet, true);
        });
        assertThat(harm.packets).isGreaterThan(RUNS);
        assertThat(harm.ends).isZero();
    }

    @Test
    void managementQueuePairTakesAnything(@SimSeed long base) {
        Harm harm = runs(base, false, (swarm, random) -> {
            RoceSide side = victim(swarm, random);
            InetAddress from =
                    random.nextBoolean() ? STRANGER : peerOf(swarm, side).host.address();
            byte[] packet = wellFormed(random, Bth.QP_GSI, random.nextInt(1 << 24));
            if (random.nextBoolean()) {
                int payload = 4 * random.nextInt(100);
                packet = randomBytes(random, RoceV2Packet.length(IbOpcode.UD_SEND_ONLY, payload));
                MemorySegment segment = MemorySegment.ofArray(packet);
                Bth.put(segment, 0, IbOpcode.UD_SEND_ONLY, 0, 0, Bth.DEFAULT_P_KEY, Bth.QP_GSI, 0);
                Deth.put(segment, Bth.LENGTH, Deth.Q_KEY_GSI, random.nextInt(1 << 24));
            }
            swarm.simulator.network().datagrams().inject(from, side.host.address(), packet, true);
        });
        assertThat(harm.packets).isGreaterThan(RUNS);
        assertThat(harm.ends).isZero();
    }

    /** Somebody who forges the peer's address can end a connection; the others on the same devices go on. */
    @Test
    void forgedPacketsHarmOneConnectionAndNoOther(@SimSeed long base) {
        Harm harm = runs(base, true, (swarm, random) -> {
            RoceSide side = victim(swarm, random);
            DatagramNetwork network = swarm.simulator.network().datagrams();
            for (int i = 0; i < 20; i++) {
                byte[] packet =
                        wellFormed(random, side.ends.get(0).queuePair.qpNum(), Psn.add(PSN, random.nextInt(12) - 4));
                network.inject(peerOf(swarm, side).host.address(), side.host.address(), packet, true);
            }
        });
        assertThat(harm.ends).isGreaterThan(RUNS);
    }

    /** A flood of senders that nobody knows moves nobody's path. */
    @Test
    void floodOfStrangersMovesNoPath(@SimSeed long base) {
        Harm harm = runs(base, false, (swarm, random) -> {
            RoceSide side = victim(swarm, random);
            for (int i = 0; i < 30; i++) {
                InetAddress from = InetAddress.ofLiteral("10.77." + random.nextInt(256) + "." + random.nextInt(256));
                byte[] packet = wellFormed(random, random.nextInt(1 << 24), random.nextInt(1 << 24));
                swarm.simulator.network().datagrams().inject(from, side.host.address(), packet, true);
            }
        });
        assertThat(harm.packets).isGreaterThan(RUNS);
        assertThat(harm.ends).isZero();
    }
}
