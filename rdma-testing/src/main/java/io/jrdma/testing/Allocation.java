package io.jrdma.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Shows that code allocates nothing once it is warm. */
public final class Allocation {
    private static final int MAX_MEASUREMENTS = 100;

    private Allocation() {}

    /**
     * Runs something again and again on this thread, until so many rounds allocate no more than is allowed. Several measurements are made
     * for that: the first ones run in the interpreter, where escape analysis does not work, and compilation goes on beside them.
     *
     * @param allowed bytes that so many rounds may allocate; less than the rounds, it is not one object a round
     * @param rounds how many a measurement takes
     */
    public static void assertAtMost(long allowed, int rounds, Runnable round) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long best = Long.MAX_VALUE;
        for (int i = 0; i < MAX_MEASUREMENTS && best > allowed; i++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int j = 0; j < rounds; j++) {
                round.run();
            }
            best = Math.min(best, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(best).as("bytes that %d rounds allocate", rounds).isLessThanOrEqualTo(allowed);
    }
}
