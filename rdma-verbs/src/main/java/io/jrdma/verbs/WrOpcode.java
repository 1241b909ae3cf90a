package io.jrdma.verbs;

/** The operation of a send work request; codes as in {@code enum ibv_wr_opcode}. */
public enum WrOpcode {
    RDMA_WRITE(0, WcOpcode.RDMA_WRITE),
    RDMA_WRITE_WITH_IMM(1, WcOpcode.RDMA_WRITE),
    SEND(2, WcOpcode.SEND),
    SEND_WITH_IMM(3, WcOpcode.SEND),
    RDMA_READ(4, WcOpcode.RDMA_READ),
    ATOMIC_CMP_AND_SWP(5, WcOpcode.COMP_SWAP),
    ATOMIC_FETCH_AND_ADD(6, WcOpcode.FETCH_ADD),
    LOCAL_INV(7, WcOpcode.LOCAL_INV),
    BIND_MW(8, WcOpcode.BIND_MW),
    SEND_WITH_INV(9, WcOpcode.SEND);

    private static final WrOpcode[] BY_CODE = values();

    private final int code;
    private final WcOpcode completion;

    WrOpcode(int code, WcOpcode completion) {
        this.code = code;
        this.completion = completion;
    }

    /** The code of {@code verbs.h}, which is also the ordinal. */
    public int code() {
        return code;
    }

    /** The opcode that the work completion of such a request carries. */
    public WcOpcode completion() {
        return completion;
    }

    /** The opcode with that code, 0 to 9. */
    public static WrOpcode ofCode(int code) {
        return BY_CODE[code];
    }
}
