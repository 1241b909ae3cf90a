/** The bytes of the wire protocols: static accessors, checks and checksums of every header that jrdma sends or receives. */
module io.jrdma.wire {
    requires static transitive org.jspecify;

    exports io.jrdma.wire;
    exports io.jrdma.wire.cm;
    exports io.jrdma.wire.crc;
    exports io.jrdma.wire.ib;
    exports io.jrdma.wire.iwarp;
}
