package io.jrdma.verbs;

/** The wire that a device speaks. */
public enum Transport {
    /** InfiniBand transport packets in UDP datagrams (IBTA annex A17); peers: Linux {@code rdma_rxe}, RoCE cards. */
    ROCE_V2("roce"),
    /** RDMAP over DDP over MPA in a TCP stream (RFC 5040, 5041, 5044); peers: Linux {@code siw}, iWARP cards. */
    IWARP("iwarp");

    private final String id;

    Transport(String id) {
        this.id = id;
    }

    /** The short lower-case name used in device names and on command lines. */
    public String id() {
        return id;
    }
}
