package io.jrdma.verbs.spi;

/** Asked for a listener for each stream that a peer opens. Loop thread. */
@FunctionalInterface
public interface StreamAcceptor {
    /** The listener of the new stream; its {@code onRequest} comes when the peer's handshake frame has arrived, if it ever does. */
    StreamListener onStream(StreamConnection connection);
}
