package io.jrdma.cm.transport;

import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.spi.DeviceDriver;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** A listening address of one device. Loop only. */
public interface CmListener {
    /**
     * Begins to listen.
     *
     * @param driver of the device whose loop runs this
     * @param local port 0 takes a free one
     * @param options iWARP: for the handshakes of all requests
     * @throws io.jrdma.verbs.VerbsException EADDRINUSE, EADDRNOTAVAIL or EACCES
     */
    void open(DeviceDriver driver, InetSocketAddress local, MpaOptions options);

    /** Where it listens, with the port that was taken; null before {@link #open} and after {@link #close}. */
    @Nullable
    InetSocketAddress localAddress();

    /** Takes no more requests; unanswered ones are dropped, accepted connections stay. Harmless when repeated. */
    void close();
}
