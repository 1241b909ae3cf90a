package io.jrdma.netty;

import io.jrdma.verbs.spi.Engine;
import org.jspecify.annotations.Nullable;

/**
 * Something on a loop that wants to be called: when it says so ({@link DriverLoop#ready}), and at its deadline. Loop only.
 */
abstract class Hosted {
    /** In {@link DeadlineHeap}'s hands. */
    long deadlineNs = Engine.NO_DEADLINE;
    /** In {@link DeadlineHeap}'s hands; -1 outside. */
    int heapIndex = -1;
    /** In {@link DriverLoop}'s hands. */
    boolean ready;
    /** In {@link DriverLoop}'s hands. */
    @Nullable
    Hosted nextReady;

    /**
     * Does what is to be done at the end of a burst: sends, closes, sets the deadline. Must not throw.
     *
     * @return whether there is more to do than one turn allows
     */
    abstract boolean settle();

    /** The deadline has come; {@link #settle} follows. Must not throw. */
    abstract void onDeadline();
}
