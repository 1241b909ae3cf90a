package io.jrdma.ib;

import org.junit.jupiter.api.Test;

/** Random programs over bad networks; {@link RcProgram} says what is checked. */
class RcProgramTest {
    private static final int SEEDS = Integer.getInteger("seeds", 300);

    @Test
    void programsOnAGoodNetwork() {
        run(0, 0);
    }

    @Test
    void programsOnANetworkThatLosesFewPackets() {
        run(1_000_000, 20);
    }

    @Test
    void programsOnANetworkThatLosesOneInFive() {
        run(2_000_000, 200);
    }

    private static void run(long firstSeed, int maxLoss) {
        for (long seed = firstSeed; seed < firstSeed + SEEDS; seed++) {
            try {
                new RcProgram(seed).run(maxLoss);
            } catch (Throwable failure) {
                throw new AssertionError("seed " + seed, failure);
            }
        }
    }
}
