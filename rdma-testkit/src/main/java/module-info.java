/** The simulator. */
module io.jrdma.testkit {
    requires transitive io.jrdma.verbs;
    requires transitive io.jrdma.wire;
    requires static transitive org.jspecify;
}
