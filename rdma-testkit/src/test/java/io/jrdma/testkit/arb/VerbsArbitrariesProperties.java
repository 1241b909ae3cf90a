package io.jrdma.testkit.arb;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class VerbsArbitrariesProperties {
    @Provide
    Arbitrary<List<Integer>> splits() {
        return VerbsArbitraries.byteSplits(100);
    }

    @Property
    void splitsAddUp(@ForAll("splits") List<Integer> split) {
        assertThat(split).allMatch(length -> length > 0);
        assertThat(split.stream().mapToInt(length -> length).sum()).isEqualTo(100);
    }

    @Provide
    Arbitrary<List<WorkStep>> programs() {
        return VerbsArbitraries.workPrograms(3, 5000, 20);
    }

    @Property
    void programsStayInTheirBounds(@ForAll("programs") List<WorkStep> program) {
        assertThat(program).hasSizeLessThanOrEqualTo(20);
        program.forEach(VerbsArbitrariesProperties::check);
    }

    @Property
    void stepsByChanceStayInTheirBounds(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 20; i++) {
            check(WorkStep.random(random, 3, 5000));
        }
    }

    private static void check(WorkStep step) {
        assertThat(step.side()).isBetween(0, 1);
        assertThat(step.queuePair()).isBetween(0, 2);
        assertThat(step.bytes()).isBetween(0, 5000);
        assertThat(step.elements()).isBetween(1, 4);
        assertThat(step.pauseNs()).isNotNegative();
    }
}
