package io.jrdma.verbs.spi;

import java.lang.foreign.MemorySegment;

/**
 * Where an engine writes packets that are to be sent. The unit is the train: packets of one size on one path, the last of which may be
 * shorter. Claim, fill, commit; or abort. Claim before changing any state, so that a full sink needs no undoing.
 */
public interface DatagramSink {
    /**
     * How many packets of that size one train can hold.
     *
     * @param segmentBytes as for {@link #tryClaim}
     * @return 1 or more
     */
    int maxSegments(int segmentBytes);

    /**
     * Reserves room for a train.
     *
     * @param pathId where it goes; what is committed on a path that is not {@linkplain DatagramPort#pin pinned} is lost
     * @param segmentBytes bytes of each packet but the last, ICRC included; a multiple of 4
     * @param segments packets, 1 to {@link #maxSegments}
     * @return false if there is no room now: nothing was changed, and the driver calls the engine again when there is
     */
    boolean tryClaim(int pathId, int segmentBytes, int segments);

    /** Native memory that holds the claim; valid until {@link #commit} or {@link #abort}. */
    MemorySegment segment();

    /** Where in {@link #segment} the claim begins; packet {@code i} begins {@code i * segmentBytes} behind it. */
    long offset();

    /**
     * Hands the train over for sending, in the order of commits. The driver fills in the ICRC, the last four bytes of each packet.
     *
     * @param length bytes from {@link #offset}, up to the claim's: whole packets, of which the last may be shorter than the others; a
     *     multiple of 4
     */
    void commit(int length);

    /** Gives the claim back. */
    void abort();
}
