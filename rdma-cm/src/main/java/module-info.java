/** Connection management. */
module io.jrdma.cm {
    requires transitive io.jrdma.verbs;
    requires io.jrdma.wire;
    requires static transitive org.jspecify;

    exports io.jrdma.cm;
}
