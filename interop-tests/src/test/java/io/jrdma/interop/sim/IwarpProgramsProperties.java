package io.jrdma.interop.sim;

import io.jrdma.testkit.arb.VerbsArbitraries;
import io.jrdma.testkit.arb.WorkStep;
import io.jrdma.testkit.sim.LinkOptions;
import io.jrdma.testkit.sim.Simulator;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.spi.StreamParameters;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** Any legal program of work requests ends in the memory that it says, however the stream is cut; failing programs are shrunk. */
class IwarpProgramsProperties {
    @Provide
    Arbitrary<List<WorkStep>> programs() {
        return VerbsArbitraries.workPrograms(2, 3_000, 30);
    }

    @Property(tries = 100, edgeCases = EdgeCasesMode.NONE)
    void programEndsInTheMemoryThatItSays(
            @ForAll("programs") List<WorkStep> program,
            @ForAll @IntRange(min = 1, max = 3_000) int segment,
            @ForAll @IntRange(min = 1, max = 3_000) int read,
            @ForAll boolean markers) {
        Simulator simulator = new Simulator(1);
        simulator
                .network()
                .link(LinkOptions.builder()
                        .maxSegmentBytes(segment)
                        .maxReadBytes(read)
                        .build());
        IwarpSwarm swarm = new IwarpSwarm(simulator, 2, 64);
        MpaOptions options = MpaOptions.builder().markersWanted(markers).build();
        StreamParameters parameters = new StreamParameters(options, 4, 4, new byte[0]);
        swarm.connect(parameters, parameters, options);
        for (int i = 0; i < 2; i++) {
            swarm.run(new WorkStep(WorkStep.Kind.SEND, 0, i, 1, 1, true, false, false, 0));
        }
        program.forEach(swarm::run);
        swarm.finish(true);
    }
}
