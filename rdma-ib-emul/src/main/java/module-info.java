/** The RoCEv2 engine. */
module io.jrdma.ib {
    requires transitive io.jrdma.verbs;
    requires io.jrdma.wire;
    requires static transitive org.jspecify;

    exports io.jrdma.ib;

    provides io.jrdma.verbs.spi.TransportProvider with
            io.jrdma.ib.IbProvider;
}
