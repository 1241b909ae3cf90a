package io.jrdma.cm;

import java.io.IOException;

/** A connection that did not come up; the message names the peer, the reason and the status. */
public final class RdmaConnectException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Why. */
    public enum Reason {
        /** There is no way to the address, or no device for it. */
        ADDRESS,
        /** The peer's application said no (see {@link #privateData}), or nobody listens there. */
        REJECTED,
        /** The peer did not answer in time. */
        UNREACHABLE,
        /** The handshake broke, or something on this side stood in the way. */
        ERROR,
        /** The caller's own time limit passed. */
        TIMEOUT,
        /** The server, client or device was closed meanwhile. */
        CLOSED
    }

    private final Reason reason;
    private final int status;
    private final byte[] privateData;

    /** An exception with that reason, status and private data. */
    public RdmaConnectException(Reason reason, int status, byte[] privateData, String message) {
        super(message);
        this.reason = reason;
        this.status = status;
        this.privateData = privateData.clone();
    }

    /** Why. */
    public Reason reason() {
        return reason;
    }

    /** The status of the event: 0, a negative errno, or the reason of a RoCE peer's REJ message. */
    public int status() {
        return status;
    }

    /** What the peer's application sent along with its rejection; empty if nothing. */
    public byte[] privateData() {
        return privateData.clone();
    }
}
