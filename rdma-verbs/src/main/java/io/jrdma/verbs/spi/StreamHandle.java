package io.jrdma.verbs.spi;

/** What an engine may ask of the stream that a driver opened for it. Loop thread only; every call returns at once. */
public interface StreamHandle {
    /** Something is to be sent, or the deadline changed: the driver polls the engine before it waits again. */
    void requestTransmit();

    /** Sends what was committed, then FIN. Later input is discarded; ends in {@link StreamEngine#onClosed}. */
    void close();

    /** Drops the stream at once (RST where the system allows). Ends in {@link StreamEngine#onClosed}. */
    void reset();
}
