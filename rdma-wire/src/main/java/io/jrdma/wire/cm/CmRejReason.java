package io.jrdma.wire.cm;

/** Why a {@link CmRej} rejects (IBTA volume 1, 12.6.7.2; [IBTA-12.6-7]). */
public final class CmRejReason {
    /** No QP is available. */
    public static final int NO_QP = 1;
    /** No end-to-end context is available. */
    public static final int NO_EEC = 2;
    /** No resources are available. */
    public static final int NO_RESOURCES = 3;
    /** The sender waited in vain; additional information: its CA GUID. */
    public static final int TIMEOUT = 4;
    /** The request is not supported. */
    public static final int UNSUPPORTED_REQUEST = 5;
    /** A communication id that the sender does not know. */
    public static final int INVALID_COMM_ID = 6;
    /** Communication id, QP and service id do not belong together. */
    public static final int INVALID_COMM_INSTANCE = 7;
    /** Nobody listens on the service id. */
    public static final int INVALID_SERVICE_ID = 8;
    /** The transport service type is wrong or not supported. */
    public static final int INVALID_TRANSPORT_TYPE = 9;
    /** The QP is part of another connection. */
    public static final int STALE_CONNECTION = 10;
    /** The reliable datagram channel does not exist. */
    public static final int RDC_NOT_EXIST = 11;
    /** The primary path's remote port GID is not the sender's; additional information: the right one. */
    public static final int PRIMARY_GID_REJECTED = 12;
    /** The primary path's remote port LID is wrong. */
    public static final int PRIMARY_LID_REJECTED = 13;
    /** The primary path's service level is wrong. */
    public static final int INVALID_PRIMARY_SL = 14;
    /** The primary path's traffic class is wrong. */
    public static final int INVALID_PRIMARY_TRAFFIC_CLASS = 15;
    /** The primary path's hop limit is wrong. */
    public static final int INVALID_PRIMARY_HOP_LIMIT = 16;
    /** The primary path's packet rate is wrong. */
    public static final int INVALID_PRIMARY_PACKET_RATE = 17;
    /** The alternate path's remote port GID is not the sender's. */
    public static final int ALTERNATE_GID_REJECTED = 18;
    /** The alternate path's remote port LID is wrong. */
    public static final int ALTERNATE_LID_REJECTED = 19;
    /** The alternate path's service level is wrong. */
    public static final int INVALID_ALTERNATE_SL = 20;
    /** The alternate path's traffic class is wrong. */
    public static final int INVALID_ALTERNATE_TRAFFIC_CLASS = 21;
    /** The alternate path's hop limit is wrong. */
    public static final int INVALID_ALTERNATE_HOP_LIMIT = 22;
    /** The alternate path's packet rate is wrong. */
    public static final int INVALID_ALTERNATE_PACKET_RATE = 23;
    /** Another port and its connection manager are to be asked. */
    public static final int PORT_AND_CM_REDIRECT = 24;
    /** Another port is to be connected to. */
    public static final int PORT_REDIRECT = 25;
    /** The path MTU is not supported; additional information: the largest that is, in the upper half of a byte. */
    public static final int INVALID_PATH_MTU = 26;
    /** Too few responder resources. */
    public static final int INSUFFICIENT_RESPONDER_RESOURCES = 27;
    /** The consumer says no, and why in the private data. */
    public static final int CONSUMER_DEFINED = 28;
    /** The RNR retry count is wrong. */
    public static final int INVALID_RNR_RETRY = 29;
    /** The communication id is in use for another connection. */
    public static final int DUPLICATE_LOCAL_COMM_ID = 30;
    /** The class version is not supported. */
    public static final int INVALID_CLASS_VERSION = 31;
    /** The primary path's flow label is wrong. */
    public static final int INVALID_FLOW_LABEL = 32;
    /** The alternate path's flow label is wrong. */
    public static final int INVALID_ALTERNATE_FLOW_LABEL = 33;
    /** A vendor's option is not supported. */
    public static final int VENDOR_OPTION_NOT_SUPPORTED = 35;

    private static final String[] NAMES = {
        "",
        "NO_QP",
        "NO_EEC",
        "NO_RESOURCES",
        "TIMEOUT",
        "UNSUPPORTED_REQUEST",
        "INVALID_COMM_ID",
        "INVALID_COMM_INSTANCE",
        "INVALID_SERVICE_ID",
        "INVALID_TRANSPORT_TYPE",
        "STALE_CONNECTION",
        "RDC_NOT_EXIST",
        "PRIMARY_GID_REJECTED",
        "PRIMARY_LID_REJECTED",
        "INVALID_PRIMARY_SL",
        "INVALID_PRIMARY_TRAFFIC_CLASS",
        "INVALID_PRIMARY_HOP_LIMIT",
        "INVALID_PRIMARY_PACKET_RATE",
        "ALTERNATE_GID_REJECTED",
        "ALTERNATE_LID_REJECTED",
        "INVALID_ALTERNATE_SL",
        "INVALID_ALTERNATE_TRAFFIC_CLASS",
        "INVALID_ALTERNATE_HOP_LIMIT",
        "INVALID_ALTERNATE_PACKET_RATE",
        "PORT_AND_CM_REDIRECT",
        "PORT_REDIRECT",
        "INVALID_PATH_MTU",
        "INSUFFICIENT_RESPONDER_RESOURCES",
        "CONSUMER_DEFINED",
        "INVALID_RNR_RETRY",
        "DUPLICATE_LOCAL_COMM_ID",
        "INVALID_CLASS_VERSION",
        "INVALID_FLOW_LABEL",
        "INVALID_ALTERNATE_FLOW_LABEL",
        "",
        "VENDOR_OPTION_NOT_SUPPORTED"
    };

    private CmRejReason() {}

    /** Whether a document gives the reason a meaning. */
    public static boolean isKnown(int reason) {
        return reason >= 0 && reason < NAMES.length && !NAMES[reason].isEmpty();
    }

    /** The constant's name; {@code REASON_n} for a number without one. */
    public static String name(int reason) {
        return isKnown(reason) ? NAMES[reason] : "REASON_" + reason;
    }
}
