package io.jrdma.wire.cm;

/** The statuses of a {@link CmSidrRep} (IBTA volume 1, 12.11.2). */
public final class SidrStatus {
    /** The QP and its Q_Key are in the message. */
    public static final int SUCCESS = 0;
    /** Nobody serves that service id. */
    public static final int SERVICE_ID_NOT_SUPPORTED = 1;
    /** The service does not want to. */
    public static final int REJECTED = 2;
    /** There is no QP for it. */
    public static final int NO_QP = 3;
    /** Another port serves it. */
    public static final int REDIRECT = 4;
    /** A version that is not supported. */
    public static final int UNSUPPORTED_VERSION = 5;

    private static final String[] NAMES = {
        "SUCCESS", "SERVICE_ID_NOT_SUPPORTED", "REJECTED", "NO_QP", "REDIRECT", "UNSUPPORTED_VERSION"
    };

    private SidrStatus() {}

    /** The constant's name; {@code STATUS_n} for a status without one. */
    public static String name(int status) {
        return status >= 0 && status < NAMES.length ? NAMES[status] : "STATUS_" + status;
    }
}
