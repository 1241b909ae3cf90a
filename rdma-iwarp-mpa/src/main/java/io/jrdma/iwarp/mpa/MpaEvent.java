package io.jrdma.iwarp.mpa;

/** What moves the start-up of a stream on; {@link MpaTransitions} has the table. */
public enum MpaEvent {
    /** The stream is up. */
    OPENED,
    /** The start-up frame that was due is on its way. */
    FRAME_SENT,
    /** A good Request arrived. */
    GOOD_REQUEST,
    /** A Reply arrived that accepts, with values that work. */
    GOOD_REPLY,
    /** A Reply arrived that accepts, with values that do not work. */
    USELESS_REPLY,
    /** A Reply arrived that rejects. */
    REJECT_REPLY,
    /** Bytes arrived that are not the frame that is due. */
    BAD_FRAME,
    /** The application accepts. */
    ACCEPT,
    /** The application rejects. */
    REJECT,
    /** An FPDU arrived whole and with the right CRC. */
    FPDU,
    /** The accepting side need not wait for a first FPDU any longer. */
    GRACE_OVER,
    /** The time limit for the peer's next step is over. */
    TIME_OVER,
    /** The stream ended. */
    STREAM_GONE
}
