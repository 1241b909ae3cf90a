package io.jrdma.perf;

/** Something that sends a small message to a peer that sends it back, for a side-by-side run of latencies. Both sides spin. */
interface Echo extends AutoCloseable {
    /** A name for the table. */
    String name();

    /** One message there and back. */
    void roundTrip();

    @Override
    void close();
}
