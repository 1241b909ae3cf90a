/** The iWARP engine. */
module io.jrdma.iwarp {
    requires transitive io.jrdma.verbs;
    requires io.jrdma.wire;
    requires static transitive org.jspecify;

    exports io.jrdma.iwarp;

    provides io.jrdma.verbs.spi.TransportProvider with
            io.jrdma.iwarp.IwarpProvider;
}
