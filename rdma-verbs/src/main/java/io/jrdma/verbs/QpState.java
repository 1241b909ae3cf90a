package io.jrdma.verbs;

/** The state of a queue pair (IBTA volume 1, 10.3.1); order as in {@code enum ibv_qp_state}. */
public enum QpState {
    RESET,
    INIT,
    /** Ready to receive. */
    RTR,
    /** Ready to send. */
    RTS,
    /** Send queue drained: no new send work request is begun. */
    SQD,
    /** Send queue error; unreliable types only. */
    SQE,
    ERROR
}
