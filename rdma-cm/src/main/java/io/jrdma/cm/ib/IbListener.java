package io.jrdma.cm.ib;

import io.jrdma.cm.transport.CmListener;
import io.jrdma.cm.transport.CmRequests;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.spi.DeviceDriver;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A service ID that connections can be requested on. A request beyond the backlog is dropped in silence, as Linux does it: its sender
 * repeats it, and there may be room then. Loop only.
 */
public final class IbListener implements CmListener {
    private final CmRequests requests;
    private final int backlog;
    private @Nullable IbCm cm;
    private @Nullable InetSocketAddress local;
    private int unanswered;

    /**
     * A listener that is not open yet.
     *
     * @param backlog requests that may be unanswered at once, 1 or more
     */
    public IbListener(int backlog, CmRequests requests) {
        this.backlog = backlog;
        this.requests = requests;
    }

    /** The address is that of the device; only the port counts. */
    @Override
    public void open(DeviceDriver driver, InetSocketAddress at, MpaOptions options) {
        open(IbCm.of(driver.management()), at.getPort());
    }

    void open(IbCm manager, int port) {
        int taken = manager.listen(port, this);
        cm = manager;
        local = new InetSocketAddress(manager.localAddress(), taken);
    }

    @Override
    public @Nullable InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public void close() {
        IbCm open = cm;
        InetSocketAddress at = local;
        cm = null;
        local = null;
        if (open != null && at != null) {
            open.stopListening(at.getPort());
        }
    }

    /** Whether there is room for another request; takes it. */
    boolean admit() {
        if (unanswered >= backlog) {
            return false;
        }
        unanswered++;
        return true;
    }

    void answered() {
        unanswered--;
    }

    void onRequest(IbConnection request, byte[] privateData, int peerResponderResources, int peerInitiatorDepth) {
        requests.onRequest(request, privateData, peerResponderResources, peerInitiatorDepth);
    }
}
