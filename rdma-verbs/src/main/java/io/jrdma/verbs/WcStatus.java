package io.jrdma.verbs;

/** The result of a work request; codes as in {@code enum ibv_wc_status}. */
public enum WcStatus {
    SUCCESS(0, "success"),
    LOC_LEN_ERR(1, "local length error"),
    LOC_QP_OP_ERR(2, "local queue pair operation error"),
    LOC_EEC_OP_ERR(3, "local end-to-end context operation error"),
    LOC_PROT_ERR(4, "local protection error"),
    WR_FLUSH_ERR(5, "work request flushed"),
    MW_BIND_ERR(6, "memory window bind error"),
    BAD_RESP_ERR(7, "bad response"),
    LOC_ACCESS_ERR(8, "local access error"),
    REM_INV_REQ_ERR(9, "remote invalid request"),
    REM_ACCESS_ERR(10, "remote access error"),
    REM_OP_ERR(11, "remote operation error"),
    RETRY_EXC_ERR(12, "transport retry counter exceeded"),
    RNR_RETRY_EXC_ERR(13, "receiver-not-ready retry counter exceeded"),
    LOC_RDD_VIOL_ERR(14, "local reliable datagram domain violation"),
    REM_INV_RD_REQ_ERR(15, "remote invalid reliable datagram request"),
    REM_ABORT_ERR(16, "remote aborted"),
    INV_EECN_ERR(17, "invalid end-to-end context number"),
    INV_EEC_STATE_ERR(18, "invalid end-to-end context state"),
    FATAL_ERR(19, "fatal error"),
    RESP_TIMEOUT_ERR(20, "response time-out"),
    GENERAL_ERR(21, "general error");

    private static final WcStatus[] BY_CODE = values();

    private final int code;
    private final String text;

    WcStatus(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** The code of {@code verbs.h}, which is also the ordinal. */
    public int code() {
        return code;
    }

    /** A few words for people. */
    public String text() {
        return text;
    }

    /** The status with that code, 0 to 21. */
    public static WcStatus ofCode(int code) {
        return BY_CODE[code];
    }
}
