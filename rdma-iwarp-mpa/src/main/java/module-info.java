/** The iWARP engine. */
module io.jrdma.iwarp {
    requires transitive io.jrdma.verbs;
    requires io.jrdma.wire;
    requires static transitive org.jspecify;
}
