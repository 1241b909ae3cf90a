package io.jrdma.verbs.spi;

import java.net.InetSocketAddress;

/** A listening address. Loop thread only. */
public interface StreamListening {
    /** Where it listens, with the port that was taken. */
    InetSocketAddress localAddress();

    /** Takes no more streams; those whose request nobody has answered are dropped, accepted ones stay. */
    void close();
}
