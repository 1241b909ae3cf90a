package io.jrdma.verbs.spi;

/**
 * Brackets every burst in which a loop may touch registered memory, so that deregistration can wait for it. The driver calls both on its
 * loop around each batch of engine calls; bursts are short and do not nest.
 */
public interface LoopGuard {
    /** Registered memory may be touched from here on. */
    void enter();

    /** No registered memory is touched until the next {@link #enter}. */
    void exit();
}
