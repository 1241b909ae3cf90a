package io.jrdma.wire.cm;

/** The attribute ids of communication management: which message a management datagram is (IBTA volume 1, 16.7.3). */
public final class CmAttribute {
    /** ConnectRequest. */
    public static final int REQ = 0x0010;
    /** MsgRcptAck. */
    public static final int MRA = 0x0011;
    /** ConnectReject. */
    public static final int REJ = 0x0012;
    /** ConnectReply. */
    public static final int REP = 0x0013;
    /** ReadyToUse. */
    public static final int RTU = 0x0014;
    /** DisconnectRequest. */
    public static final int DREQ = 0x0015;
    /** DisconnectReply. */
    public static final int DREP = 0x0016;
    /** ServiceIDResReq. */
    public static final int SIDR_REQ = 0x0017;
    /** ServiceIDResReqResp. */
    public static final int SIDR_REP = 0x0018;
    /** LoadAlternatePath. */
    public static final int LAP = 0x0019;
    /** AlternatePathResponse. */
    public static final int APR = 0x001A;

    private static final String[] NAMES = {
        "REQ", "MRA", "REJ", "REP", "RTU", "DREQ", "DREP", "SIDR_REQ", "SIDR_REP", "LAP", "APR"
    };

    private CmAttribute() {}

    /** Whether it is a message of communication management. */
    public static boolean isKnown(int attributeId) {
        return attributeId >= REQ && attributeId <= APR;
    }

    /** The constant's name; {@code ATTRIBUTE_xx} in hex for an id without one. */
    public static String name(int attributeId) {
        return isKnown(attributeId) ? NAMES[attributeId - REQ] : "ATTRIBUTE_" + Integer.toHexString(attributeId);
    }
}
