package io.jrdma.interop.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testkit.arb.WorkStep;
import io.jrdma.testkit.sim.LinkOptions;
import io.jrdma.testkit.sim.SimStream;
import io.jrdma.testkit.sim.Simulator;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.spi.StreamParameters;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A short exchange with every kind of message; reset, left by its peer or corrupted at every single byte of both directions: all work completes, nobody is told things
 * twice, no byte of memory changes that should not, no stream is left.
 */
class IwarpEveryByteSimTest {
    /** MPA Request and Reply with enhanced connection data and without private data (RFC 6581); no CRC covers them. */
    private static final int START_UP = 24;

    private static IwarpSwarm exchange(LinkOptions there, LinkOptions back, long[] committed) {
        Simulator simulator = new Simulator(1);
        simulator.describe(there + " " + back);
        simulator.network().link((from, to, connection, fromActive) -> fromActive ? there : back);
        IwarpSwarm swarm = new IwarpSwarm(simulator, 1, 16);
        StreamParameters parameters = new StreamParameters(MpaOptions.RECOMMENDED, 2, 2, new byte[0]);
        swarm.connect(parameters, parameters, MpaOptions.RECOMMENDED);
        List<SimStream> streams = simulator.network().streams();
        swarm.run(step(WorkStep.Kind.SEND, 0, 30));
        swarm.run(step(WorkStep.Kind.WRITE, 0, 20));
        swarm.run(step(WorkStep.Kind.READ, 0, 25));
        swarm.run(step(WorkStep.Kind.SEND, 1, 10));
        swarm.run(step(WorkStep.Kind.WRITE, 1, 5));
        swarm.run(step(WorkStep.Kind.READ, 1, 0));
        boolean calm = there.equals(LinkOptions.CALM) && back.equals(LinkOptions.CALM);
        if (!calm) {
            // the fault comes with the work; finish() would end it
            simulator.runFor(20 * IwarpSwarm.SECOND);
        }
        swarm.finish(calm);
        for (int i = 0; i < streams.size(); i++) {
            committed[i] = streams.get(i).out().committed();
        }
        return swarm;
    }

    private static WorkStep step(WorkStep.Kind kind, int side, int bytes) {
        return new WorkStep(kind, side, 0, bytes, 2, true, false, false, 0);
    }

    private static long[] lengths() {
        long[] committed = new long[2];
        exchange(LinkOptions.CALM, LinkOptions.CALM, committed);
        assertThat(committed[0]).isGreaterThan(200);
        assertThat(committed[1]).isGreaterThan(150);
        return committed;
    }

    @Test
    void resetAtEveryByte() {
        long[] lengths = lengths();
        for (int direction = 0; direction < 2; direction++) {
            for (long at = 0; at < lengths[direction]; at++) {
                LinkOptions reset = LinkOptions.builder().resetAt(at).build();
                IwarpSwarm swarm = exchange(
                        direction == 0 ? reset : LinkOptions.CALM,
                        direction == 0 ? LinkOptions.CALM : reset,
                        new long[2]);
                for (SwarmSide side : swarm.sides) {
                    assertThat(side.links.get(0).events)
                            .as("direction %d, byte %d", direction, at)
                            .doesNotHaveDuplicates();
                }
            }
        }
    }

    @Test
    void peerThatDiesAtEveryByte() {
        long[] lengths = lengths();
        for (int direction = 0; direction < 2; direction++) {
            for (long at = 0; at < lengths[direction]; at++) {
                LinkOptions close = LinkOptions.builder().closeAt(at).build();
                IwarpSwarm swarm = exchange(
                        direction == 0 ? close : LinkOptions.CALM,
                        direction == 0 ? LinkOptions.CALM : close,
                        new long[2]);
                for (SwarmSide side : swarm.sides) {
                    assertThat(side.links.get(0).events)
                            .as("direction %d, byte %d", direction, at)
                            .doesNotHaveDuplicates();
                }
            }
        }
    }

    @Test
    void corruptionOfEveryByteThatACrcCovers() {
        long[] lengths = lengths();
        for (int direction = 0; direction < 2; direction++) {
            for (long at = START_UP; at < lengths[direction] - 30; at++) {
                LinkOptions corrupt =
                        LinkOptions.builder().corruptAt(List.of(at)).build();
                IwarpSwarm swarm = exchange(
                        direction == 0 ? corrupt : LinkOptions.CALM,
                        direction == 0 ? LinkOptions.CALM : corrupt,
                        new long[2]);
                for (SwarmSide side : swarm.sides) {
                    assertThat(side.links.get(0).events)
                            .as("direction %d, byte %d", direction, at)
                            .endsWith("established", "disconnected");
                }
            }
        }
    }

    /** No checksum covers the start-up: what comes of it is open, but it comes to an end and harms nothing. */
    @Test
    void corruptionOfEveryByteOfTheStartUp() {
        for (int direction = 0; direction < 2; direction++) {
            for (long at = 0; at < START_UP; at++) {
                LinkOptions corrupt =
                        LinkOptions.builder().corruptAt(List.of(at)).build();
                IwarpSwarm swarm = exchange(
                        direction == 0 ? corrupt : LinkOptions.CALM,
                        direction == 0 ? LinkOptions.CALM : corrupt,
                        new long[2]);
                assertThat(swarm.simulator.network().streams()).isEmpty();
            }
        }
    }
}
