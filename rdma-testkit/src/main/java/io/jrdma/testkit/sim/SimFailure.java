package io.jrdma.testkit.sim;

/** A simulated run broke a rule. The message carries the seed, how to replay it, and the last events. */
public final class SimFailure extends AssertionError {
    private static final long serialVersionUID = 1L;

    /** For {@link Simulator#failure}. */
    SimFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
