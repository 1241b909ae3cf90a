package io.jrdma.cm.ib;

/**
 * Where a connection stands, in the words of IBTA volume 1, 12.9.5. {@link #REP_RCVD} is passed through at once, because the queue pair is
 * ready within the call that hands in the REP; so is the standard's DREQ received, because a DREQ is answered at once.
 */
public enum IbConnectionState {
    /** Active side: nothing was begun. */
    IDLE,
    /** Active side: REQ sent. */
    REQ_SENT,
    /** Active side: the peer has asked for time. */
    MRA_REQ_RCVD,
    /** Active side: the peer has accepted, the queue pair is being made ready. */
    REP_RCVD,
    /** Passive side: the request waits for the application's answer. */
    REQ_RCVD,
    /** Passive side: the same, and the peer was asked for time. */
    MRA_REQ_SENT,
    /** Passive side: the peer withdrew its request before the application answered. */
    REQ_GONE,
    /** Passive side: accepted, the queue pair is ready, RTU not here yet. */
    REP_SENT,
    /** Passive side: the same, and the peer has asked for time. */
    MRA_REP_RCVD,
    /** Up. */
    ESTABLISHED,
    /** This side disconnects, and waits for what was posted before or, after a fault, for its NAK to arrive. */
    DRAINING,
    /** This side has said that it disconnects. */
    DREQ_SENT,
    /** Over or rejected; late messages are still answered. */
    TIMEWAIT,
    /** Forgotten; the last state. */
    CLOSED
}
