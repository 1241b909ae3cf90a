package io.jrdma.cm;

/** Kinds of events; names and codes as in {@code enum rdma_cm_event_type} of {@code rdma_cma.h}. */
public enum RdmaCmEventType {
    ADDR_RESOLVED(0),
    ADDR_ERROR(1),
    ROUTE_RESOLVED(2),
    ROUTE_ERROR(3),
    CONNECT_REQUEST(4),
    CONNECT_RESPONSE(5),
    CONNECT_ERROR(6),
    UNREACHABLE(7),
    REJECTED(8),
    ESTABLISHED(9),
    DISCONNECTED(10),
    DEVICE_REMOVAL(11),
    /** Not reported: there is no multicast yet. */
    MULTICAST_JOIN(12),
    /** Not reported: there is no multicast yet. */
    MULTICAST_ERROR(13),
    /** Not reported: addresses of devices do not move. */
    ADDR_CHANGE(14),
    TIMEWAIT_EXIT(15);

    private final int code;

    RdmaCmEventType(int code) {
        this.code = code;
    }

    /** The code of {@code rdma_cma.h}, which is also the ordinal. */
    public int code() {
        return code;
    }

    /** The name as C programs print it, such as {@code RDMA_CM_EVENT_ESTABLISHED}. */
    public String cName() {
        return "RDMA_CM_EVENT_" + name();
    }
}
