package io.jrdma.testkit.sim;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Bytes that have arrived at one end of a stream and that its engine has not been given yet, in order. */
final class SimInbox {
    private byte[] bytes = new byte[256];
    private int from;
    private int to;

    /** How many there are. */
    int size() {
        return to - from;
    }

    /** Puts bytes behind those that are there. */
    void add(byte[] arrived) {
        if (to + arrived.length > bytes.length) {
            int waiting = size();
            byte[] larger = new byte[Math.max(2 * bytes.length, waiting + arrived.length)];
            System.arraycopy(bytes, from, larger, 0, waiting);
            bytes = larger;
            from = 0;
            to = waiting;
        }
        System.arraycopy(arrived, 0, bytes, to, arrived.length);
        to += arrived.length;
    }

    /** Moves the oldest bytes, at most {@link #size} of them, to a place in a segment. */
    void take(MemorySegment target, int at, int length) {
        MemorySegment.copy(bytes, from, target, ValueLayout.JAVA_BYTE, at, length);
        from += length;
    }

    /** Throws all away; returns how many there were. */
    int clear() {
        int waiting = size();
        from = 0;
        to = 0;
        return waiting;
    }
}
