package io.jrdma.cm;

import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WcStatus;
import org.jspecify.annotations.Nullable;

/** An operation of a {@link RdmaConnection} that completed in error; after the first one the connection is over. */
public final class WorkCompletionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final WcStatus status;
    private final WcOpcode opcode;
    private final int vendorError;
    private final @Nullable String reason;

    /**
     * An exception for that completion.
     *
     * @param vendorError the transport's detail, see {@link io.jrdma.verbs.WorkCompletion#vendorError}
     * @param where the connection, for the message
     */
    public WorkCompletionException(WcStatus status, WcOpcode opcode, int vendorError, String where) {
        this(status, opcode, vendorError, where, null);
    }

    /**
     * As above, of a connection that has ended.
     *
     * @param reason why it ended, see {@link RdmaConnection#endReason}; null if that is not known
     */
    public WorkCompletionException(
            WcStatus status, WcOpcode opcode, int vendorError, String where, @Nullable String reason) {
        super(opcode + " of " + where + ": " + (status == WcStatus.WR_FLUSH_ERR ? "the connection is over, " : "")
                + status.text() + " ("
                + status + ")"
                + (vendorError == 0 ? "" : ", detail 0x" + Integer.toHexString(vendorError))
                + (reason == null ? "" : ": " + reason));
        this.reason = reason;
        this.status = status;
        this.opcode = opcode;
        this.vendorError = vendorError;
    }

    /** The status of the completion; {@link WcStatus#WR_FLUSH_ERR} if the connection had ended before the operation was carried out. */
    public WcStatus status() {
        return status;
    }

    /** Why the connection ended, in words for people, as {@link RdmaConnection#endReason}; null if that was not known. */
    public @Nullable String reason() {
        return reason;
    }

    /** What failed. */
    public WcOpcode opcode() {
        return opcode;
    }

    /** The transport's detail; iWARP: the Terminate's layer, error type and code as {@code 0xLTCC}; 0 if there is none. */
    public int vendorError() {
        return vendorError;
    }
}
