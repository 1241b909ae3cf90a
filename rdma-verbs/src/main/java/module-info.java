/** The verbs API and the contract for transports. */
module io.jrdma.verbs {
    requires static transitive org.jspecify;
}
