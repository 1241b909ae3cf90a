package io.jrdma.ib;

import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random programs over bad networks; {@link RcProgram} says what is checked. {@code -Djrdma.seed.base=N -Djrdma.sim.runs=M} tries other
 * seeds than the fixed ones, and as many of them.
 */
class RcProgramSimTest {
    private static final int RUNS = Integer.getInteger("jrdma.sim.runs", 150);

    @ParameterizedTest
    @ValueSource(ints = {0, 20, 200})
    void programsEndWellWhateverTheNetworkLoses(int maxLossPerMille) {
        SplittableRandom seeds = new SplittableRandom(Long.getLong("jrdma.seed.base", 0) + maxLossPerMille);
        for (int run = 0; run < RUNS; run++) {
            long seed = seeds.nextLong();
            try {
                new RcProgram(seed).run(maxLossPerMille);
            } catch (RuntimeException | AssertionError failure) {
                throw new AssertionError("new RcProgram(" + seed + "L).run(" + maxLossPerMille + ")", failure);
            }
        }
    }
}
