/** The verbs API, the memory and queue machinery shared by all transports, and the contracts for transports and drivers. */
module io.jrdma.verbs {
    requires static transitive org.jspecify;

    exports io.jrdma.verbs;
    exports io.jrdma.verbs.memory;
    exports io.jrdma.verbs.queue;
    exports io.jrdma.verbs.spi;

    uses io.jrdma.verbs.spi.DriverProvider;
    uses io.jrdma.verbs.spi.TransportProvider;
}
