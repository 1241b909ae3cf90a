package io.jrdma.testkit.check;

import io.jrdma.testkit.sim.Checker;
import io.jrdma.testkit.sim.Simulator;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** When the faults have stopped, all work finishes within a bound of virtual time. */
public final class LivenessChecker implements Checker {
    private final IntSupplier outstanding;
    private final Supplier<String> describe;
    private long deadlineNs = Long.MAX_VALUE;

    /**
     * Checks nothing until {@link #faultsStopped}.
     *
     * @param outstanding how much work is not finished
     * @param describe that work, for the message
     */
    public LivenessChecker(IntSupplier outstanding, Supplier<String> describe) {
        this.outstanding = outstanding;
        this.describe = describe;
    }

    /** From now on all work has to finish within that time. */
    public void faultsStopped(Simulator simulator, long withinNs) {
        deadlineNs = simulator.nowNs() + withinNs;
    }

    @Override
    public void afterStep(Simulator simulator) {
        check(simulator.nowNs());
    }

    /** Fails if the time is over and work is left. */
    public void check(long nowNs) {
        if (nowNs >= deadlineNs && outstanding.getAsInt() > 0) {
            throw new AssertionError(outstanding.getAsInt() + " pieces of work are not finished " + (nowNs - deadlineNs)
                    + " ns after they had to be: " + describe.get());
        }
    }
}
