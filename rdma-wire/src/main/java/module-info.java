/** The bytes of the wire protocols. */
module io.jrdma.wire {
    requires static transitive org.jspecify;
}
