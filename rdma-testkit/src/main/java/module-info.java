/** The simulator: whole devices in one thread, under virtual time, one seed and chosen faults; for users' tests as well. */
module io.jrdma.testkit {
    requires transitive io.jrdma.verbs;
    requires transitive io.jrdma.wire;
    requires static transitive net.jqwik.api;
    requires static transitive org.jspecify;
    requires static transitive org.junit.jupiter.api;

    exports io.jrdma.testkit.arb;
    exports io.jrdma.testkit.check;
    exports io.jrdma.testkit.engine;
    exports io.jrdma.testkit.junit;
    exports io.jrdma.testkit.sim;
}
