package io.jrdma.testkit.sim;

/** Looks at a simulated run after every step; throws {@link AssertionError} when something is wrong. Never changes anything. */
@FunctionalInterface
public interface Checker {
    /** Something has happened. */
    void afterStep(Simulator simulator);
}
