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

    private static final WcOpcode[] SENDS = {SEND, RDMA_WRITE, RDMA_READ, COMP_SWAP, FETCH_ADD, BIND_MW, LOCAL_INV};

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

    /** The opcode with that code: 0 to 6, 128 or 129. */
    public static WcOpcode ofCode(int code) {
        return switch (code) {
            case 128 -> RECV;
            case 129 -> RECV_RDMA_WITH_IMM;
            default -> SENDS[code];
        };
    }
}
