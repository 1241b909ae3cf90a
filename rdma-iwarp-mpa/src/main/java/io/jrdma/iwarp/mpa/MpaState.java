package io.jrdma.iwarp.mpa;

/** Where the start-up of a stream stands (RFC 5044 section 7.1.2); {@link MpaTransitions} has the table. */
public enum MpaState {
    /** Initiator, stream not open yet. */
    INITIATOR_IDLE,
    /** Initiator: the Request is to be sent. */
    REQUEST_DUE,
    /** Initiator: the Request is out. */
    AWAIT_REPLY,
    /** Initiator: the Reply came, but the two sides cannot work together; a Terminate says so. */
    DISAGREED,
    /** Responder, stream not open yet. */
    RESPONDER_IDLE,
    /** Responder: nothing came yet, or a part of the Request. */
    AWAIT_REQUEST,
    /** Responder: the application is to accept or reject. */
    REQUEST_RECEIVED,
    /** Responder: accepted, the Reply is to be sent. */
    REPLY_DUE,
    /** Responder: rejected, the Reply is to be sent. */
    REJECT_DUE,
    /** Responder: the Reply is out; FPDUs are received, none is sent. */
    AWAIT_FIRST_FPDU,
    /** FPDUs go both ways. */
    FULL_OPERATION,
    /** The application of the responder said no. */
    REJECTED,
    /** It did not come to FPDUs. */
    FAILED;

    /** Whether what arrives are FPDUs. */
    public boolean receivesFpdus() {
        return this == AWAIT_FIRST_FPDU || this == FULL_OPERATION;
    }

    /** Whether a start-up frame is to be sent now. */
    public boolean isFrameDue() {
        return this == REQUEST_DUE || this == REPLY_DUE || this == REJECT_DUE;
    }
}
