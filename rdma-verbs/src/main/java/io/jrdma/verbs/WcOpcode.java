package io.jrdma.verbs;

/** What a work completion is the completion of; codes as in {@code enum ibv_wc_opcode}. */
public enum WcOpcode {
    SEND(0),
    RDMA_WRITE(1),
    RDMA_READ(2),
    COMP_SWAP(3),
    FETCH_ADD(4),
    BIND_MW(5),
    LOCAL_INV(6),
    RECV(128),
    RECV_RDMA_WITH_IMM(129);

    private static final WcOpcode[] BY_ORDINAL = values();

    private final int code;

    WcOpcode(int code) {
        this.code = code;
    }

    /** The code of {@code verbs.h}. */
    public int code() {
        return code;
    }

    /** Whether the completion belongs to a receive. */
    public boolean isReceive() {
        return code >= 128;
    }

    /** The opcode with that ordinal, without the copy that {@link #values()} makes. */
    public static WcOpcode ofOrdinal(int ordinal) {
        return BY_ORDINAL[ordinal];
    }
}
