package io.jrdma.cm.iwarp;

import io.jrdma.cm.transport.CmListener;
import io.jrdma.cm.transport.CmRequests;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.spi.DeviceDriver;
import io.jrdma.verbs.spi.StreamConnector;
import io.jrdma.verbs.spi.StreamListening;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A listening address: turns streams into connection requests and keeps the number of unanswered ones within the backlog; a request beyond
 * it is rejected at once, so that its client learns of it now and not at the end of its patience. Loop only.
 */
public final class IwarpListener implements CmListener {
    private final CmRequests requests;
    private final int backlog;
    private @Nullable StreamListening listening;
    private int unanswered;

    /**
     * A listener that is not open yet.
     *
     * @param backlog requests that may be unanswered at once, 1 or more
     */
    public IwarpListener(int backlog, CmRequests requests) {
        this.backlog = backlog;
        this.requests = requests;
    }

    @Override
    public void open(DeviceDriver driver, InetSocketAddress local, MpaOptions options) {
        open(driver.streams(), local, options);
    }

    void open(StreamConnector connector, InetSocketAddress local, MpaOptions options) {
        listening =
                connector.listen(local, backlog, options, stream -> new IwarpConnection(this, stream).streamListener());
    }

    @Override
    public @Nullable InetSocketAddress localAddress() {
        return listening == null ? null : listening.localAddress();
    }

    @Override
    public void close() {
        StreamListening open = listening;
        listening = null;
        if (open != null) {
            open.close();
        }
    }

    boolean admit() {
        if (listening == null || unanswered >= backlog) {
            return false;
        }
        unanswered++;
        return true;
    }

    void answered() {
        unanswered--;
    }

    void onRequest(IwarpConnection request, byte[] privateData, int peerIrd, int peerOrd) {
        requests.onRequest(request, privateData, peerIrd, peerOrd);
    }
}
