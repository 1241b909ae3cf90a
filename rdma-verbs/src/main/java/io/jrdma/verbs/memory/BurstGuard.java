package io.jrdma.verbs.memory;

import io.jrdma.verbs.spi.LoopGuard;

/**
 * Lets deregistration wait until the loop has left the burst that it was in, and only then: a loop that is idle costs nothing.
 *
 * <p>The loop makes the epoch odd before a burst and even after it. Whoever has taken a region out of the table and then sees an even
 * epoch, or another one than before, knows that no access from before can still be running.
 */
public final class BurstGuard implements LoopGuard {
    private volatile long epoch;

    /** A guard outside any burst. */
    public BurstGuard() {}

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer, the loop
    public void enter() {
        epoch++;
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate")
    public void exit() {
        epoch++;
    }

    /** Returns when a burst that was running at the time of the call is over. Not for the loop itself. */
    @SuppressWarnings("ThreadPriorityCheck") // the yield only saves a core; nothing depends on it
    public void awaitEndOfBurst() {
        long seen = epoch;
        if ((seen & 1) == 0) {
            return;
        }
        for (int spins = 0; epoch == seen; spins++) {
            if (spins < 1000) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }
}
