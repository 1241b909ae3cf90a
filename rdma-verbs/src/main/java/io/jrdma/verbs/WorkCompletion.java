package io.jrdma.verbs;

/**
 * One work completion: a holder that {@link CompletionQueue#poll} fills and the caller uses again. Field names and meaning as in {@code
 * struct ibv_wc}. Not thread-safe.
 */
public final class WorkCompletion {
    /** Flag: the completion carries immediate data. */
    public static final int WITH_IMM = 2;
    /** Flag: the payload begins with a global routing header of 40 bytes (datagram service). */
    public static final int GRH = 1;
    /** Flag: the message invalidated a local key. */
    public static final int WITH_INV = 8;

    private long id;
    private WcStatus status = WcStatus.SUCCESS;
    private WcOpcode opcode = WcOpcode.SEND;
    private int vendorError;
    private long byteLength;
    private int immediateOrKey;
    private int qpNum;
    private int sourceQp;
    private int flags;

    /** An empty holder. */
    public WorkCompletion() {}

    /** Fills all fields; for the completion ring. */
    public void set(
            long wrId,
            WcStatus newStatus,
            WcOpcode newOpcode,
            int newVendorError,
            long newByteLength,
            int newImmediateOrKey,
            int newQpNum,
            int newSourceQp,
            int newFlags) {
        id = wrId;
        status = newStatus;
        opcode = newOpcode;
        vendorError = newVendorError;
        byteLength = newByteLength;
        immediateOrKey = newImmediateOrKey;
        qpNum = newQpNum;
        sourceQp = newSourceQp;
        flags = newFlags;
    }

    /** The mark of the work request ({@code wr_id}). */
    public long id() {
        return id;
    }

    public WcStatus status() {
        return status;
    }

    /** Whether the work request was carried out. */
    public boolean isSuccess() {
        return status == WcStatus.SUCCESS;
    }

    /** What was completed. Set on errors too, unlike in C. */
    public WcOpcode opcode() {
        return opcode;
    }

    /** A transport-specific detail of a failure; iWARP: the Terminate's layer, error type and code as {@code 0xLTCC}; 0 if there is none. */
    public int vendorError() {
        return vendorError;
    }

    /** Bytes received or transferred. */
    public long byteLength() {
        return byteLength;
    }

    /** The immediate data; meaningful with {@link #WITH_IMM}. */
    public int immediate() {
        return immediateOrKey;
    }

    /** The key that the message invalidated; meaningful with {@link #WITH_INV}. */
    public int invalidatedKey() {
        return immediateOrKey;
    }

    /** The local queue pair; set on errors too. */
    public int qpNum() {
        return qpNum;
    }

    /** The sender's queue pair (datagram service). */
    public int sourceQp() {
        return sourceQp;
    }

    /** {@link #WITH_IMM}, {@link #WITH_INV}, {@link #GRH}. */
    public int flags() {
        return flags;
    }

    @Override
    public String toString() {
        return "WorkCompletion[id=" + id + ", " + status + ", " + opcode + ", bytes=" + byteLength + ", qp=0x"
                + Integer.toHexString(qpNum)
                + (vendorError == 0 ? "" : ", vendor=0x" + Integer.toHexString(vendorError)) + "]";
    }
}
