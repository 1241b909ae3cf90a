package io.jrdma.cm.ib;

/** What can happen to a connection: commands of the connection manager, messages of the peer, then what the device and time bring. */
enum IbConnectionInput {
    CONNECT,
    ACCEPT,
    REJECT,
    DISCONNECT,
    DESTROY,
    ON_REQ,
    ON_MRA,
    ON_REJ,
    ON_REP,
    ON_RTU,
    ON_DREQ,
    ON_DREP,
    /** The queue pair is in RTS. */
    READY,
    /** The queue pair cannot be brought there, or the peer's terms cannot be met. */
    REFUSED,
    /** The queue pair got a packet. */
    COMM_EST,
    /** The queue pair failed, or the application ended it. */
    FAULT,
    /** The peer's queue pair asks for another connection: it has forgotten this one. */
    STALE,
    /** All that was posted before the disconnect has its completion, or has taken too long. */
    DRAINED,
    /** The last repetition was not answered. */
    NO_ANSWER,
    TIMEWAIT_OVER
}
