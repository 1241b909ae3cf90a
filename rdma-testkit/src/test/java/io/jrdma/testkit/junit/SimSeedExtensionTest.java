package io.jrdma.testkit.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testkit.sim.Simulator;
import io.jrdma.verbs.spi.Seeds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SimSeedExtension.class)
class SimSeedExtensionTest {
    private static long seedOfTheFirstTest(long base) {
        return Seeds.child(base, SimSeedExtensionTest.class.getName() + ".seedIsFixedByTheTestsName(long, Simulator)");
    }

    @Test
    void seedIsFixedByTheTestsName(@SimSeed long seed, @SimSeed Simulator simulator) {
        assertThat(simulator.seed()).isEqualTo(seed);
        if (System.getProperty(SimSeedExtension.PROPERTY) == null) {
            assertThat(seed).isEqualTo(seedOfTheFirstTest(Long.getLong(SimSeedExtension.BASE, 0)));
        }
    }

    @Test
    void everyTestHasASeedOfItsOwn(@SimSeed long seed) {
        assertThat(seed).isNotZero();
        assertThat(seed).isNotEqualTo(seedOfTheFirstTest(Long.getLong(SimSeedExtension.BASE, 0)));
    }
}
