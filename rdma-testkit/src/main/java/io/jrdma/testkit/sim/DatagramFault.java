package io.jrdma.testkit.sim;

import java.util.Locale;

/** What can happen to a datagram on its way; {@link DatagramLink#count} tells how often it did. */
public enum DatagramFault {
    /** Lost by chance. */
    LOST,
    /** Arrives twice, by chance or by rule. */
    DUPLICATED,
    /** Held back, so that later ones overtake it, by chance or by rule. */
    REORDERED,
    /** Has one flipped bit, by chance or by rule. */
    CORRUPTED,
    /** Dropped by a {@link DatagramRule}. */
    DROPPED_BY_RULE,
    /** Found no room in the queue of a limited bandwidth. */
    QUEUE_FULL,
    /** Longer than what the path or the sender's interface takes. */
    TOO_LONG,
    /** Sent while the hosts were apart. */
    PARTITIONED,
    /** Got the ECN mark, by the queue's depth or by rule. */
    MARKED,
    /** Nobody has the address, or no device is open there. */
    NO_PORT,
    /** Found no room in the receiver's socket buffer. */
    BUFFER_FULL,
    /** The receiver's driver found the ICRC wrong. */
    BAD_ICRC,
    /** The receiver's driver found it too short, or of a length that no packet has. */
    BAD_LENGTH;

    private final String event = name().toLowerCase(Locale.ROOT).replace('_', ' ');

    /** The word for it in the trace. */
    String event() {
        return event;
    }
}
