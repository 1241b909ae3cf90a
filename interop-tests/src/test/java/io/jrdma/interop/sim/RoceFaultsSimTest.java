package io.jrdma.interop.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.interop.sim.RoceStep.Kind;
import io.jrdma.testkit.junit.SimSeed;
import io.jrdma.testkit.junit.SimSeedExtension;
import io.jrdma.testkit.sim.Datagram;
import io.jrdma.testkit.sim.DatagramFate;
import io.jrdma.testkit.sim.DatagramFault;
import io.jrdma.testkit.sim.DatagramLink;
import io.jrdma.testkit.sim.DatagramNetwork;
import io.jrdma.testkit.sim.DatagramOptions;
import io.jrdma.testkit.sim.DatagramRule;
import io.jrdma.testkit.sim.PortOptions;
import io.jrdma.testkit.sim.SimMemory;
import io.jrdma.testkit.sim.Simulator;
import io.jrdma.verbs.QpState;
import io.jrdma.wire.ib.IbOpcode;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Single faults, each at a chosen packet, against whole RoCE devices. */
@ExtendWith(SimSeedExtension.class)
class RoceFaultsSimTest {
    private static final int MTU = 1024;
    private static final int PSN = 0xFF_FFFE;
    /** An ACK time limit of 4.2 milliseconds. */
    private static final int TIMEOUT = 10;

    private static final PortOptions[] PORTS = {PortOptions.CALM, PortOptions.CALM};

    private static RoceStep step(Kind kind, int side, int bytes) {
        return new RoceStep(kind, side, 0, bytes, 1, true, false, false, 0, 0);
    }

    /** One of each kind of work from the left side, in several packets where the kind has them. */
    private static List<RoceStep> oneOfEach() {
        List<RoceStep> program = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            program.add(step(kind, 0, 3 * MTU + 5));
        }
        return program;
    }

    private static RoceSwarm swarm(Simulator simulator, List<RoceStep> program) {
        RoceSwarm swarm = new RoceSwarm(simulator, new SimMemory(1 << 20), program, 1, PORTS, 64, false);
        swarm.connect(0, MTU, PSN, PSN, TIMEOUT, 4);
        return swarm;
    }

    @Test
    void thirdWriteLastIsLostAndSentAgain(@SimSeed Simulator simulator) {
        List<RoceStep> program = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            program.add(step(Kind.WRITE, 0, 3 * MTU));
        }
        RoceSwarm swarm = swarm(simulator, program);
        DatagramNetwork network = simulator.network().datagrams();
        List<Datagram> lasts = new ArrayList<>();
        network.rule(DatagramRule.nth(
                3, packet -> packet.opcode() == IbOpcode.RDMA_WRITE_LAST && lasts.add(packet), DatagramFate.DROP));
        program.forEach(swarm::run);
        simulator.runFor(RoceSwarm.SECOND);
        assertThat(network.count(DatagramFault.DROPPED_BY_RULE)).isEqualTo(1);
        assertThat(lasts.stream().map(Datagram::psn))
                .as("sequence numbers of Write Lasts")
                .hasSizeGreaterThan(5)
                .contains(PSN + 2 & 0xFF_FFFF)
                .filteredOn(psn -> psn == lasts.get(2).psn())
                .hasSizeGreaterThan(1);
        swarm.finish();
        swarm.close();
    }

    /** Every packet of a short exchange is lost, doubled, delayed or damaged once, each in a run of its own. */
    @Test
    void everySinglePacketMayFareBadly(@SimSeed long seed) {
        DatagramFate[] fates = {
            DatagramFate.DROP,
            DatagramFate.DUPLICATE,
            DatagramFate.CORRUPT,
            DatagramFate.delay(30_000),
            DatagramFate.delay(20_000_000)
        };
        TreeMap<Long, Long> packets = new TreeMap<>();
        for (DatagramFate fate : fates) {
            long sent = Long.MAX_VALUE;
            for (int number = 1; number <= sent; number++) {
                Simulator simulator = new Simulator(seed);
                simulator.describe(fate + " for packet " + number);
                List<RoceStep> program = oneOfEach();
                RoceSwarm swarm = swarm(simulator, program);
                simulator.network().datagrams().rule(DatagramRule.nth(number, packet -> true, fate));
                program.forEach(swarm::run);
                simulator.runFor(RoceSwarm.SECOND / 2);
                sent = Math.min(
                        sent,
                        simulator.network().datagrams().links().stream()
                                .mapToLong(DatagramLink::sent)
                                .sum());
                swarm.finish();
                swarm.close();
                packets.merge(sent, 1L, Long::sum);
            }
        }
        // 18 requests and 4 packets of a Read's response at least
        assertThat(packets.firstKey()).isGreaterThan(22);
    }

    @Test
    void partitionWithinThePatienceOfTheRequesterIsSurvived(@SimSeed Simulator simulator) {
        List<RoceStep> program = oneOfEach();
        RoceSwarm swarm = swarm(simulator, program);
        long now = simulator.nowNs();
        // seven retries of at least 4.2 milliseconds each
        simulator
                .network()
                .datagrams()
                .options(DatagramOptions.builder()
                        .partition(now, now + 29_000_000)
                        .build());
        program.forEach(swarm::run);
        simulator.runFor(RoceSwarm.SECOND);
        assertThat(simulator.network().datagrams().count(DatagramFault.PARTITIONED))
                .isGreaterThan(6);
        swarm.finish();
        swarm.close();
    }

    @Test
    void partitionBeyondItFailsTheFirstRequestAndFlushesTheRest(@SimSeed Simulator simulator) {
        List<RoceStep> program = List.of(step(Kind.WRITE, 0, 10), step(Kind.READ, 0, 10), step(Kind.WRITE, 0, 10));
        RoceSwarm swarm = swarm(simulator, program);
        swarm.allowFailures();
        simulator
                .network()
                .datagrams()
                .options(DatagramOptions.builder().partition(0, Long.MAX_VALUE).build());
        program.forEach(swarm::run);
        simulator.runFor(RoceSwarm.SECOND);
        assertThat(swarm.failures).containsExactly("1:RETRY_EXC_ERR", "2:WR_FLUSH_ERR", "3:WR_FLUSH_ERR");
        assertThat(swarm.sides[0].ends.get(0).queuePair.state()).isEqualTo(QpState.ERROR);
        assertThat(swarm.sides[1].ends.get(0).queuePair.state()).isEqualTo(QpState.RTS);
        swarm.close();
    }

    /** A burst that the receiver's socket does not hold loses its tail, and is sent again. */
    @Test
    void smallReceiveBufferSlowsAndDoesNotStop(@SimSeed Simulator simulator) {
        List<RoceStep> program = List.of(step(Kind.WRITE, 0, 200_000), step(Kind.READ, 0, 200_000));
        PortOptions[] ports = {PORTS[0], PORTS[1]};
        for (int i = 0; i < 2; i++) {
            ports[i] = PortOptions.builder()
                    .receiveBufferBytes(9_000)
                    .reading(20_000, 64)
                    .build();
        }
        RoceSwarm swarm = new RoceSwarm(simulator, new SimMemory(1 << 21), program, 1, ports, 64, false);
        swarm.connect(0, MTU, PSN, PSN, TIMEOUT, 4);
        program.forEach(swarm::run);
        simulator.runFor(RoceSwarm.SECOND);
        swarm.finish();
        swarm.close();
    }

    /** A path that is narrower than the path MTU lets no full packet through: the request fails as one whose peer is gone. */
    @Test
    void narrowPathIsAFailureAndNoHang(@SimSeed Simulator simulator) {
        List<RoceStep> program = List.of(step(Kind.WRITE, 0, 10), step(Kind.WRITE, 0, 2 * MTU));
        RoceSwarm swarm = swarm(simulator, program);
        swarm.allowFailures();
        simulator
                .network()
                .datagrams()
                .options(DatagramOptions.builder().mtuBytes(MTU).build());
        program.forEach(swarm::run);
        simulator.runFor(RoceSwarm.SECOND);
        assertThat(swarm.failures).containsExactly("2:RETRY_EXC_ERR");
        assertThat(simulator.network().datagrams().count(DatagramFault.TOO_LONG))
                .isGreaterThan(7);
        swarm.close();
    }
}
