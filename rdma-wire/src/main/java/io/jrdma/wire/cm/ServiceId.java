package io.jrdma.wire.cm;

/**
 * Service ids of the RDMA IP CM service: a port space and a port in one number of 64 bits (IBTA annex A11;
 * [IBTA-A11-2]).
 *
 * <pre>
 * 00 00 00 00 01 | protocol (1) | port (2)
 * </pre>
 */
public final class ServiceId {
    /** Port space of reliable connections. */
    public static final int PORT_SPACE_TCP = 0x0106;
    /** Port space of datagrams. */
    public static final int PORT_SPACE_UDP = 0x0111;
    /** Port space of InfiniBand's own service ids. */
    public static final int PORT_SPACE_IB = 0x013F;
    /** Port space of IP over InfiniBand. */
    public static final int PORT_SPACE_IPOIB = 0x0002;

    private static final int PORT_BITS = 16;
    private static final int PORT_MASK = 0xFFFF;

    private ServiceId() {}

    /**
     * The service id of a port.
     *
     * @param portSpace 0..65535, such as {@link #PORT_SPACE_TCP}
     * @param port 0..65535
     */
    public static long of(int portSpace, int port) {
        return ((long) Fields.u16("portSpace", portSpace) << PORT_BITS) | Fields.u16("port", port);
    }

    /** The port space of a service id; -1 if it is none of an IP port. */
    public static int portSpace(long serviceId) {
        long portSpace = serviceId >>> PORT_BITS;
        return portSpace <= PORT_MASK ? (int) portSpace : -1;
    }

    /** The port of a service id. */
    public static int port(long serviceId) {
        return (int) serviceId & PORT_MASK;
    }
}
