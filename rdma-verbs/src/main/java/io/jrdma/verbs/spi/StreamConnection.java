package io.jrdma.verbs.spi;

import io.jrdma.verbs.MpaNegotiated;
import io.jrdma.verbs.queue.QueuePairCore;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** One stream as the connection manager sees it. Loop thread only. */
public interface StreamConnection {
    /** The own end; null while the stream is not up. */
    @Nullable
    InetSocketAddress localAddress();

    /** The peer's end. */
    InetSocketAddress remoteAddress();

    /** Passive side, see {@link PassiveStreamEngine#accept}. */
    void accept(QueuePairCore queuePair, StreamParameters parameters);

    /** Passive side, see {@link PassiveStreamEngine#reject}. */
    void reject(byte[] privateData);

    /** See {@link StreamEngine#disconnect}. */
    void disconnect();

    /** Drops the stream at once, in whatever state; the listener still gets its one closing call if the connection was established. */
    void abort();

    /** What both sides agreed on; null before that. */
    @Nullable
    MpaNegotiated negotiated();
}
