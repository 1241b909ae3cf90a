package io.jrdma.netty;

import java.util.function.BooleanSupplier;

/** Where threads outside of a loop wait for what is done inside. Any thread. */
final class Handover {
    private static final long MAX_WAIT_MS = 1_000;

    private volatile int waiting;

    /**
     * Waits a while for the condition; the caller asks again, so one wait may end early and has a bound.
     *
     * @return false if the thread was interrupted. Nothing here is interruptible, but the caller shall hand that on in the end
     */
    @SuppressWarnings({"WaitNotInLoop", "NonAtomicVolatileUpdate"}) // the caller's loop; only under the lock
    synchronized boolean await(BooleanSupplier condition, long timeoutNs) {
        waiting++;
        try {
            if (!condition.getAsBoolean()) {
                wait(Math.clamp(timeoutNs / 1_000_000 + 1, 1, MAX_WAIT_MS));
            }
            return true;
        } catch (InterruptedException stop) {
            return false;
        } finally {
            waiting--;
        }
    }

    /** Something changed that a condition may ask for. */
    void changed() {
        if (waiting > 0) {
            synchronized (this) {
                notifyAll();
            }
        }
    }
}
