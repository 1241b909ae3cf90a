package io.jrdma.cm.ib;

import java.util.LinkedHashSet;

/**
 * Exchanges that are over, and remembered for a while because the peer may repeat its last message. Whoever can send datagrams can make
 * such exchanges, from addresses that are not its own as well, so that there is room for so many only: the oldest makes room for the newest.
 */
final class IbRemembered {
    private final IbTimers timers;
    private final int max;
    private final LinkedHashSet<IbTimers.Timed> remembered = new LinkedHashSet<>();

    /**
     * Remembers nothing yet.
     *
     * @param max how many at once, 1 or more
     */
    IbRemembered(IbTimers timers, int max) {
        this.timers = timers;
        this.max = max;
    }

    /** Remembers it for so long; its {@code onTimeout} is called then, or before, when it has to make room. */
    void add(IbTimers.Timed over, long forNs, long nowNs) {
        timers.set(over, nowNs + forNs);
        remembered.add(over);
        if (remembered.size() > max) {
            IbTimers.Timed oldest = remembered.removeFirst();
            timers.cancel(oldest);
            oldest.onTimeout(nowNs);
        }
    }

    /** It is forgotten; harmless if it was not remembered. */
    void remove(IbTimers.Timed over) {
        remembered.remove(over);
    }

    /** How many there are. */
    int size() {
        return remembered.size();
    }

    void clear() {
        remembered.clear();
    }
}
