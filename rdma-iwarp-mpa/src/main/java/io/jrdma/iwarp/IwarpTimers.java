package io.jrdma.iwarp;

import io.jrdma.verbs.spi.Engine;
import java.util.Arrays;

/** The deadlines of one connection. */
final class IwarpTimers {
    /** The peer's next step of the handshake is due. */
    static final int HANDSHAKE = 0;
    /** The accepting side need not wait for the first FPDU any longer. */
    static final int GRACE = 1;
    /** The peer has been silent since the first FPDU. */
    static final int NUDGE = 2;
    /** What is being finished, or closed, takes too long. */
    static final int CLOSE = 3;

    /** How long a disconnect waits for what was posted before it. */
    static final long FINISH_LIMIT_NS = 10_000_000_000L;
    /** How long the stream may take to close. */
    static final long CLOSE_LIMIT_NS = 5_000_000_000L;

    private static final int COUNT = 4;

    private final long[] deadlines = new long[COUNT];
    private long next = Engine.NO_DEADLINE;

    IwarpTimers() {
        Arrays.fill(deadlines, Engine.NO_DEADLINE);
    }

    /** Sets a timer; a delay of {@code Long.MAX_VALUE} is none. */
    void set(int timer, long nowNs, long delayNs) {
        boolean never = delayNs == Long.MAX_VALUE || nowNs + delayNs < nowNs;
        deadlines[timer] = never ? Engine.NO_DEADLINE : nowNs + delayNs;
        update();
    }

    void cancel(int timer) {
        if (deadlines[timer] != Engine.NO_DEADLINE) {
            deadlines[timer] = Engine.NO_DEADLINE;
            update();
        }
    }

    void cancelAll() {
        Arrays.fill(deadlines, Engine.NO_DEADLINE);
        next = Engine.NO_DEADLINE;
    }

    /** Whether the timer has run out; then it is off. */
    boolean fires(int timer, long nowNs) {
        if (deadlines[timer] == Engine.NO_DEADLINE || deadlines[timer] - nowNs > 0) {
            return false;
        }
        cancel(timer);
        return true;
    }

    /** The earliest deadline. */
    long next() {
        return next;
    }

    private void update() {
        // nowNs has an arbitrary origin but does not come near the ends of its range in a process's life
        long earliest = Engine.NO_DEADLINE;
        for (long deadline : deadlines) {
            earliest = Math.min(earliest, deadline);
        }
        next = earliest;
    }
}
