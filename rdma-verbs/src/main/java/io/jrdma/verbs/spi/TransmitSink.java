package io.jrdma.verbs.spi;

import java.lang.foreign.MemorySegment;

/**
 * Where an engine writes what is to be sent. Claim, fill every byte of the claim, commit; or abort. Claim before changing any state, so
 * that a full sink needs no undoing.
 */
public interface TransmitSink {
    /**
     * Reserves room.
     *
     * @param length bytes, 1 to {@link #maxClaim}
     * @return false if there is no room now: nothing was changed, and the driver calls the engine again when there is
     */
    boolean tryClaim(int length);

    /** The largest claim that can ever succeed, in bytes; at least 128 KiB for a stream. */
    int maxClaim();

    /** Native memory that holds the claim; valid until {@link #commit} or {@link #abort}. */
    MemorySegment segment();

    /** Where in {@link #segment} the claim begins. */
    long offset();

    /**
     * Hands the first bytes of the claim over for sending, in the order of commits.
     *
     * @param length bytes, 0 to the claim's length
     */
    void commit(int length);

    /** Gives the claim back. */
    void abort();
}
