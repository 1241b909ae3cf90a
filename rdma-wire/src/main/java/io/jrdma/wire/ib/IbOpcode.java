package io.jrdma.wire.ib;

/**
 * The opcode byte of a BTH and everything it implies (IBTA volume 1, 9.2.1; annexes A14 for XRC, A17 for CNP, A19 for Flush and
 * Atomic Write).
 *
 * <p>An opcode is a transport (bits 7:5) plus an operation (bits 4:0): {@code UC | SEND_ONLY}. The transport {@link #RC} is 0, so an
 * operation alone is its RC opcode. Predicates and sizes take any {@code int} and look at its low eight bits; nothing holds for an
 * opcode that {@link #isKnown} denies.
 */
public final class IbOpcode {
    /** Transport: reliable connection. */
    public static final int RC = 0x00;
    /** Transport: unreliable connection. */
    public static final int UC = 0x20;
    /** Transport: reliable datagram, of which jrdma knows the headers only. */
    public static final int RD = 0x40;
    /** Transport: unreliable datagram. */
    public static final int UD = 0x60;
    /** Transport: extended reliable connection. */
    public static final int XRC = 0xA0;

    /** Operation: first packet of a Send of several. */
    public static final int SEND_FIRST = 0x00;
    /** Operation: neither first nor last packet of a Send. */
    public static final int SEND_MIDDLE = 0x01;
    /** Operation: last packet of a Send of several. */
    public static final int SEND_LAST = 0x02;
    /** Operation: the same, with immediate data. */
    public static final int SEND_LAST_WITH_IMM = 0x03;
    /** Operation: Send in one packet. */
    public static final int SEND_ONLY = 0x04;
    /** Operation: the same, with immediate data. */
    public static final int SEND_ONLY_WITH_IMM = 0x05;
    /** Operation: first packet of an RDMA Write of several. */
    public static final int RDMA_WRITE_FIRST = 0x06;
    /** Operation: neither first nor last packet of an RDMA Write. */
    public static final int RDMA_WRITE_MIDDLE = 0x07;
    /** Operation: last packet of an RDMA Write of several. */
    public static final int RDMA_WRITE_LAST = 0x08;
    /** Operation: the same, with immediate data. */
    public static final int RDMA_WRITE_LAST_WITH_IMM = 0x09;
    /** Operation: RDMA Write in one packet. */
    public static final int RDMA_WRITE_ONLY = 0x0A;
    /** Operation: the same, with immediate data. */
    public static final int RDMA_WRITE_ONLY_WITH_IMM = 0x0B;
    /** Operation: asks for an RDMA Read. */
    public static final int RDMA_READ_REQUEST = 0x0C;
    /** Operation: first packet of a Read response of several. */
    public static final int RDMA_READ_RESPONSE_FIRST = 0x0D;
    /** Operation: neither first nor last packet of a Read response; it alone has no AETH. */
    public static final int RDMA_READ_RESPONSE_MIDDLE = 0x0E;
    /** Operation: last packet of a Read response of several. */
    public static final int RDMA_READ_RESPONSE_LAST = 0x0F;
    /** Operation: Read response in one packet; without payload also the answer to Flush and Atomic Write. */
    public static final int RDMA_READ_RESPONSE_ONLY = 0x10;
    /** Operation: ACK, NAK or RNR NAK. */
    public static final int ACKNOWLEDGE = 0x11;
    /** Operation: the answer to Compare and Swap and Fetch and Add. */
    public static final int ATOMIC_ACKNOWLEDGE = 0x12;
    /** Operation: Compare and Swap. */
    public static final int COMPARE_SWAP = 0x13;
    /** Operation: Fetch and Add. */
    public static final int FETCH_ADD = 0x14;
    /** Operation of the reliable datagram transport alone. */
    public static final int RESYNC = 0x15;
    /** Operation: last packet of a Send of several, with a key to invalidate. */
    public static final int SEND_LAST_WITH_INVALIDATE = 0x16;
    /** Operation: Send in one packet, with a key to invalidate. */
    public static final int SEND_ONLY_WITH_INVALIDATE = 0x17;
    /** Operation: Flush. */
    public static final int FLUSH = 0x1C;
    /** Operation: Atomic Write, always of eight bytes. */
    public static final int ATOMIC_WRITE = 0x1D;

    /** Opcode: a datagram; management datagrams are such. */
    public static final int UD_SEND_ONLY = UD | SEND_ONLY;
    /** Opcode: a datagram with immediate data. */
    public static final int UD_SEND_ONLY_WITH_IMM = UD | SEND_ONLY_WITH_IMM;
    /** Opcode: congestion notification, a transport of its own. */
    public static final int CNP = 0x81;

    /** Reserved bytes behind the BTH of a {@link #CNP}. */
    public static final int CNP_RESERVED_LENGTH = 16;
    /** Bytes that an {@link #ATOMIC_WRITE} carries. */
    public static final int ATOMIC_WRITE_BYTES = 8;

    private static final int COUNT = 256;
    private static final int OPCODE_MASK = COUNT - 1;
    private static final int TRANSPORT_MASK = 0xE0;
    private static final int OPERATION_MASK = 0x1F;

    // what an opcode has, as bits of its entry in FLAGS
    private static final int KNOWN = 1;
    private static final int REQUEST = 1 << 1;
    private static final int RESPONSE = 1 << 2;
    private static final int STARTS = 1 << 3;
    private static final int ENDS = 1 << 4;
    private static final int CONSUMES = 1 << 5;
    private static final int COMPLETES = 1 << 6;
    private static final int HAS_IMM = 1 << 7;
    private static final int HAS_IETH = 1 << 8;
    private static final int HAS_RETH = 1 << 9;
    private static final int HAS_AETH = 1 << 10;
    private static final int HAS_ATOMIC = 1 << 11;
    private static final int HAS_ATOMIC_ACK = 1 << 12;
    private static final int HAS_FETH = 1 << 13;
    private static final int IS_SEND = 1 << 14;
    private static final int IS_WRITE = 1 << 15;
    private static final int IS_READ_RESPONSE = 1 << 16;
    private static final int IS_ATOMIC = 1 << 17;
    // how much payload: one path MTU exactly, one byte to one MTU, up to one MTU, eight bytes; none of these: no
    // payload
    private static final int FULL = 1 << 18;
    private static final int SOME = 1 << 19;
    private static final int ANY = 1 << 20;
    private static final int EIGHT = 1 << 21;
    private static final int ONLY = STARTS | ENDS;
    private static final int PAYLOAD = FULL | SOME | ANY | EIGHT;

    private static final int[] FLAGS = new int[COUNT];
    private static final byte[] HEADER_BYTES = new byte[COUNT];
    private static final byte[] DETH_AT = new byte[COUNT];
    private static final byte[] XRCETH_AT = new byte[COUNT];
    // FETH, or RETH without one, or AETH, or AtomicETH: a packet has at most one of them at this place
    private static final byte[] MAIN_AT = new byte[COUNT];
    // ImmDt or IETH: never both
    private static final byte[] LAST_AT = new byte[COUNT];

    private static final String[] NAMES = {
        "SEND_FIRST",
        "SEND_MIDDLE",
        "SEND_LAST",
        "SEND_LAST_WITH_IMM",
        "SEND_ONLY",
        "SEND_ONLY_WITH_IMM",
        "RDMA_WRITE_FIRST",
        "RDMA_WRITE_MIDDLE",
        "RDMA_WRITE_LAST",
        "RDMA_WRITE_LAST_WITH_IMM",
        "RDMA_WRITE_ONLY",
        "RDMA_WRITE_ONLY_WITH_IMM",
        "RDMA_READ_REQUEST",
        "RDMA_READ_RESPONSE_FIRST",
        "RDMA_READ_RESPONSE_MIDDLE",
        "RDMA_READ_RESPONSE_LAST",
        "RDMA_READ_RESPONSE_ONLY",
        "ACKNOWLEDGE",
        "ATOMIC_ACKNOWLEDGE",
        "COMPARE_SWAP",
        "FETCH_ADD",
        "RESYNC",
        "SEND_LAST_WITH_INVALIDATE",
        "SEND_ONLY_WITH_INVALIDATE",
        "",
        "",
        "",
        "",
        "FLUSH",
        "ATOMIC_WRITE",
        "",
        ""
    };

    static {
        for (int operation = SEND_FIRST; operation <= RDMA_WRITE_ONLY_WITH_IMM; operation++) {
            for (int transport : new int[] {RC, UC, RD, XRC}) {
                enter(transport, operation);
            }
        }
        for (int operation = RDMA_READ_REQUEST; operation <= FETCH_ADD; operation++) {
            for (int transport : new int[] {RC, RD, XRC}) {
                enter(transport, operation);
            }
        }
        for (int operation : new int[] {SEND_LAST_WITH_INVALIDATE, SEND_ONLY_WITH_INVALIDATE}) {
            enter(RC, operation);
            enter(XRC, operation);
        }
        enter(RD, RESYNC);
        enter(UD, SEND_ONLY);
        enter(UD, SEND_ONLY_WITH_IMM);
        enter(RC, FLUSH);
        enter(RC, ATOMIC_WRITE);
        FLAGS[CNP] = KNOWN;
        HEADER_BYTES[CNP] = Bth.LENGTH + CNP_RESERVED_LENGTH;
    }

    private IbOpcode() {}

    private static int flagsOf(int operation) {
        return switch (operation) {
            case SEND_FIRST -> REQUEST | IS_SEND | STARTS | CONSUMES | FULL;
            case SEND_MIDDLE -> REQUEST | IS_SEND | FULL;
            case SEND_LAST -> REQUEST | IS_SEND | ENDS | COMPLETES | SOME;
            case SEND_LAST_WITH_IMM -> REQUEST | IS_SEND | ENDS | COMPLETES | SOME | HAS_IMM;
            case SEND_LAST_WITH_INVALIDATE -> REQUEST | IS_SEND | ENDS | COMPLETES | SOME | HAS_IETH;
            case SEND_ONLY -> REQUEST | IS_SEND | ONLY | CONSUMES | COMPLETES | ANY;
            case SEND_ONLY_WITH_IMM -> REQUEST | IS_SEND | ONLY | CONSUMES | COMPLETES | ANY | HAS_IMM;
            case SEND_ONLY_WITH_INVALIDATE -> REQUEST | IS_SEND | ONLY | CONSUMES | COMPLETES | ANY | HAS_IETH;
            case RDMA_WRITE_FIRST -> REQUEST | IS_WRITE | STARTS | FULL | HAS_RETH;
            case RDMA_WRITE_MIDDLE -> REQUEST | IS_WRITE | FULL;
            case RDMA_WRITE_LAST -> REQUEST | IS_WRITE | ENDS | SOME;
            case RDMA_WRITE_LAST_WITH_IMM -> REQUEST | IS_WRITE | ENDS | SOME | CONSUMES | COMPLETES | HAS_IMM;
            case RDMA_WRITE_ONLY -> REQUEST | IS_WRITE | ONLY | ANY | HAS_RETH;
            case RDMA_WRITE_ONLY_WITH_IMM ->
                REQUEST | IS_WRITE | ONLY | ANY | CONSUMES | COMPLETES | HAS_RETH | HAS_IMM;
            case RDMA_READ_REQUEST -> REQUEST | ONLY | HAS_RETH;
            case RDMA_READ_RESPONSE_FIRST -> RESPONSE | IS_READ_RESPONSE | STARTS | FULL | HAS_AETH;
            case RDMA_READ_RESPONSE_MIDDLE -> RESPONSE | IS_READ_RESPONSE | FULL;
            case RDMA_READ_RESPONSE_LAST -> RESPONSE | IS_READ_RESPONSE | ENDS | SOME | HAS_AETH;
            case RDMA_READ_RESPONSE_ONLY -> RESPONSE | IS_READ_RESPONSE | ONLY | ANY | HAS_AETH;
            case ACKNOWLEDGE -> RESPONSE | ONLY | HAS_AETH;
            case ATOMIC_ACKNOWLEDGE -> RESPONSE | ONLY | HAS_AETH | HAS_ATOMIC_ACK;
            case COMPARE_SWAP, FETCH_ADD -> REQUEST | IS_ATOMIC | ONLY | HAS_ATOMIC;
            case RESYNC -> REQUEST | ONLY;
            // [IBTA-A19-1]
            case FLUSH -> REQUEST | ONLY | HAS_FETH | HAS_RETH;
            case ATOMIC_WRITE -> REQUEST | ONLY | EIGHT | HAS_RETH;
            default -> throw new AssertionError("operation " + operation);
        };
    }

    private static void enter(int transport, int operation) {
        int opcode = transport | operation;
        int flags = flagsOf(operation);
        boolean request = (flags & REQUEST) != 0;
        int at = Bth.LENGTH;
        if (transport == RD) {
            at += Rdeth.LENGTH;
        }
        if (transport == UD || (transport == RD && request)) {
            DETH_AT[opcode] = (byte) at;
            at += Deth.LENGTH;
        }
        // [IBTA-A14-1] responses name no receive queue
        if (transport == XRC && request) {
            XRCETH_AT[opcode] = (byte) at;
            at += Xrceth.LENGTH;
        }
        MAIN_AT[opcode] = (byte) at;
        at += (flags & HAS_FETH) != 0 ? Feth.LENGTH : 0;
        at += (flags & HAS_RETH) != 0 ? Reth.LENGTH : 0;
        at += (flags & HAS_AETH) != 0 ? Aeth.LENGTH : 0;
        at += (flags & HAS_ATOMIC) != 0 ? AtomicEth.LENGTH : 0;
        at += (flags & HAS_ATOMIC_ACK) != 0 ? AtomicAckEth.LENGTH : 0;
        LAST_AT[opcode] = (byte) at;
        at += (flags & (HAS_IMM | HAS_IETH)) != 0 ? ImmDt.LENGTH : 0;
        HEADER_BYTES[opcode] = (byte) at;
        FLAGS[opcode] = flags | KNOWN;
    }

    private static boolean has(int opcode, int flag) {
        return (FLAGS[opcode & OPCODE_MASK] & flag) != 0;
    }

    /** Whether a document gives the opcode a format. */
    public static boolean isKnown(int opcode) {
        return has(opcode, KNOWN);
    }

    /** The transport: {@link #RC}, {@link #UC}, {@link #RD}, {@link #UD}, {@link #XRC}, 0x80 for {@link #CNP}, or one without opcodes. */
    public static int transport(int opcode) {
        return opcode & TRANSPORT_MASK;
    }

    /** The operation, 0..31. */
    public static int operation(int opcode) {
        return opcode & OPERATION_MASK;
    }

    /** Whether requesters send it; datagrams are requests too. */
    public static boolean isRequest(int opcode) {
        return has(opcode, REQUEST);
    }

    /** Whether responders send it: Read responses, ACKs of all kinds. */
    public static boolean isResponse(int opcode) {
        return has(opcode, RESPONSE);
    }

    /** Whether it starts a message: first and only packets, and requests and responses that are always one packet. */
    public static boolean startsMessage(int opcode) {
        return has(opcode, STARTS);
    }

    /** Whether it ends a message: last and only packets, and requests and responses that are always one packet. */
    public static boolean endsMessage(int opcode) {
        return has(opcode, ENDS);
    }

    /** Whether the responder takes a posted receive at this packet. */
    public static boolean consumesReceive(int opcode) {
        return has(opcode, CONSUMES);
    }

    /** Whether the responder completes a receive at this packet. */
    public static boolean completesReceive(int opcode) {
        return has(opcode, COMPLETES);
    }

    /** Whether it is a packet of a Send. */
    public static boolean isSend(int opcode) {
        return has(opcode, IS_SEND);
    }

    /** Whether it is a packet of an RDMA Write. */
    public static boolean isWrite(int opcode) {
        return has(opcode, IS_WRITE);
    }

    /** Whether it is a packet of an RDMA Read response. */
    public static boolean isReadResponse(int opcode) {
        return has(opcode, IS_READ_RESPONSE);
    }

    /** Whether it is Compare and Swap or Fetch and Add. */
    public static boolean isAtomic(int opcode) {
        return has(opcode, IS_ATOMIC);
    }

    /** Whether it can carry payload. */
    public static boolean hasPayload(int opcode) {
        return has(opcode, PAYLOAD);
    }

    /** Whether it has immediate data, which stand at {@link #immDtAt}. */
    public static boolean hasImmDt(int opcode) {
        return has(opcode, HAS_IMM);
    }

    /** Whether it has a key to invalidate, which stands at {@link #iethAt}. */
    public static boolean hasIeth(int opcode) {
        return has(opcode, HAS_IETH);
    }

    /** Whether it has a RETH, which stands at {@link #rethAt}. */
    public static boolean hasReth(int opcode) {
        return has(opcode, HAS_RETH);
    }

    /** Whether it has an AETH, which stands at {@link #aethAt}. */
    public static boolean hasAeth(int opcode) {
        return has(opcode, HAS_AETH);
    }

    /**
     * Whether so much payload is right for the opcode on a path with that MTU: first and middle packets are full,
     * last ones not empty.
     */
    public static boolean payloadFits(int opcode, int payloadBytes, int pathMtuBytes) {
        int flags = FLAGS[opcode & OPCODE_MASK];
        // [IBTA-9.2-8] exactly one MTU, at least one byte, or none at all
        if ((flags & FULL) != 0) {
            return payloadBytes == pathMtuBytes;
        }
        if ((flags & EIGHT) != 0) {
            return payloadBytes == ATOMIC_WRITE_BYTES;
        }
        int least = (flags & SOME) != 0 ? 1 : 0;
        int most = (flags & PAYLOAD) != 0 ? pathMtuBytes : 0;
        return payloadBytes >= least && payloadBytes <= most;
    }

    /** Bytes of BTH and extended headers: where the payload starts; 0 if the opcode is not known. */
    public static int headerBytes(int opcode) {
        return HEADER_BYTES[opcode & OPCODE_MASK];
    }

    /** Where the DETH stands, counted from the BTH; 0 if there is none. */
    public static int dethAt(int opcode) {
        return DETH_AT[opcode & OPCODE_MASK];
    }

    /** Where the XRCETH stands, counted from the BTH; 0 if there is none. */
    public static int xrcethAt(int opcode) {
        return XRCETH_AT[opcode & OPCODE_MASK];
    }

    /** Where the RETH stands, counted from the BTH; 0 if there is none. */
    public static int rethAt(int opcode) {
        int fethBytes = has(opcode, HAS_FETH) ? Feth.LENGTH : 0;
        return has(opcode, HAS_RETH) ? mainAt(opcode) + fethBytes : 0;
    }

    /** Where the FETH stands, counted from the BTH; 0 if there is none. */
    public static int fethAt(int opcode) {
        return has(opcode, HAS_FETH) ? mainAt(opcode) : 0;
    }

    /** Where the AETH stands, counted from the BTH; 0 if there is none. */
    public static int aethAt(int opcode) {
        return has(opcode, HAS_AETH) ? mainAt(opcode) : 0;
    }

    /** Where the AtomicETH stands, counted from the BTH; 0 if there is none. */
    public static int atomicEthAt(int opcode) {
        return has(opcode, HAS_ATOMIC) ? mainAt(opcode) : 0;
    }

    /** Where the AtomicAckETH stands, counted from the BTH; 0 if there is none. */
    public static int atomicAckEthAt(int opcode) {
        return has(opcode, HAS_ATOMIC_ACK) ? mainAt(opcode) + Aeth.LENGTH : 0;
    }

    /** Where the immediate data stand, counted from the BTH; 0 if there are none. */
    public static int immDtAt(int opcode) {
        return has(opcode, HAS_IMM) ? LAST_AT[opcode & OPCODE_MASK] : 0;
    }

    /** Where the IETH stands, counted from the BTH; 0 if there is none. */
    public static int iethAt(int opcode) {
        return has(opcode, HAS_IETH) ? LAST_AT[opcode & OPCODE_MASK] : 0;
    }

    private static int mainAt(int opcode) {
        return MAIN_AT[opcode & OPCODE_MASK];
    }

    /** The name, such as {@code RC_SEND_FIRST}; {@code OPCODE_xx} in hex for one that is not known. */
    public static String name(int opcode) {
        if (!isKnown(opcode)) {
            return "OPCODE_" + Integer.toHexString(opcode & OPCODE_MASK);
        }
        String operation = NAMES[operation(opcode)];
        return switch (transport(opcode)) {
            case RC -> "RC_" + operation;
            case UC -> "UC_" + operation;
            case RD -> "RD_" + operation;
            case UD -> "UD_" + operation;
            case XRC -> "XRC_" + operation;
            default -> "CNP";
        };
    }
}
