package io.jrdma.iwarp;

/** Where a connection stands, from the stream's point of view. It only goes down this list. */
enum IwarpPhase {
    /** MPA start-up frames. */
    SETUP,
    /** FPDUs. */
    OPEN,
    /** FPDUs, until what was posted before the disconnect is through. */
    FINISHING,
    /** One Terminate is to be sent, then nothing. */
    TERMINATING,
    /** The stream was asked to close. */
    CLOSING,
    /** The stream is gone. */
    CLOSED;

    /** Whether FPDUs are sent and received. */
    boolean isOpen() {
        return this == OPEN || this == FINISHING;
    }

    /** Whether the stream is on its way out, or gone. */
    boolean isClosing() {
        return this == CLOSING || this == CLOSED;
    }
}
