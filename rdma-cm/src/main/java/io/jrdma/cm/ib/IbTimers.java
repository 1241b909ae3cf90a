package io.jrdma.cm.ib;

import io.jrdma.verbs.spi.Engine;
import io.jrdma.verbs.spi.ManagementPort;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Who wants to be called when: one time each, the earliest handed to the port. */
final class IbTimers {
    /** One that has a time. */
    abstract static class Timed implements Comparable<Timed> {
        private static final long NONE = Engine.NO_DEADLINE;

        private long atNs = NONE;
        private long number;

        /** Its time has come, and none is set any more. */
        abstract void onTimeout(long nowNs);

        /** By time, and then by when it was set. */
        @Override
        public final int compareTo(Timed other) {
            long difference = atNs - other.atNs;
            return difference == 0 ? Long.compare(number, other.number) : Long.signum(difference);
        }

        @Override
        public final boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public final int hashCode() {
            return System.identityHashCode(this);
        }
    }

    private final ManagementPort port;
    private final TreeSet<Timed> waiting = new TreeSet<>();
    private long numbers;
    private long handedNs = Engine.NO_DEADLINE;

    IbTimers(ManagementPort port) {
        this.port = port;
    }

    /** Has it called then, instead of at the time set before. */
    void set(Timed timed, long atNs) {
        remove(timed);
        timed.atNs = atNs;
        timed.number = numbers++;
        waiting.add(timed);
        hand();
    }

    /** Has it called no more. */
    void cancel(Timed timed) {
        if (remove(timed)) {
            hand();
        }
    }

    /** Calls all whose time has come. */
    void onTimeout(long nowNs) {
        handedNs = Engine.NO_DEADLINE;
        while (!waiting.isEmpty() && waiting.getFirst().atNs - nowNs <= 0) {
            Timed due = waiting.getFirst();
            remove(due);
            due.onTimeout(nowNs);
        }
        hand();
    }

    private boolean remove(Timed timed) {
        boolean removed = timed.atNs != Timed.NONE && waiting.remove(timed);
        timed.atNs = Timed.NONE;
        return removed;
    }

    private void hand() {
        long next = waiting.isEmpty() ? Engine.NO_DEADLINE : waiting.getFirst().atNs;
        if (next != handedNs) {
            handedNs = next;
            port.deadline(next);
        }
    }
}
