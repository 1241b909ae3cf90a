package io.jrdma.iwarp;

/**
 * When to wake up a peer that does not react to the first FPDU. Linux siw sends the Reply before it listens for what comes next; what
 * arrives in between lies there until more arrives.
 */
final class IwarpNudges {
    private static final long[] INTERVALS_NS = {20_000_000L, 100_000_000L, 500_000_000L, 2_000_000_000L, 8_000_000_000L
    };

    private final IwarpTimers timers;
    private int next;
    private boolean begun;

    /** @param wanted whether this side has to do with it: the initiator alone */
    IwarpNudges(IwarpTimers timers, boolean wanted) {
        this.timers = timers;
        this.begun = !wanted;
    }

    /** An FPDU was sent. */
    void onSent(long nowNs) {
        if (!begun) {
            begun = true;
            timers.set(IwarpTimers.NUDGE, nowNs, INTERVALS_NS[0]);
        }
    }

    /** The peer sent something. */
    void onHeard() {
        begun = true;
        timers.cancel(IwarpTimers.NUDGE);
    }

    /** The timer has run out: this is one. */
    void onTimer(long nowNs) {
        if (++next < INTERVALS_NS.length) {
            timers.set(IwarpTimers.NUDGE, nowNs, INTERVALS_NS[next]);
        }
    }
}
