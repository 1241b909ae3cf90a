package io.jrdma.perf;

/** Something that moves bytes from one side to the other over the loopback interface, for a side-by-side run. */
interface ByteStream extends AutoCloseable {
    /** A name for the table. */
    String name();

    /**
     * Moves messages of one size until that many bytes have arrived, and returns when the receiver has them all.
     *
     * @param messageBytes bytes of a message, 1 or more
     * @param totalBytes bytes in all, a multiple of {@code messageBytes}
     */
    void move(int messageBytes, long totalBytes) throws InterruptedException;

    @Override
    void close();
}
