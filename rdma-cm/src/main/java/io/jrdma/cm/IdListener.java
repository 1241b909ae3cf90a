package io.jrdma.cm;

import io.jrdma.cm.iwarp.IwarpConnection;
import io.jrdma.cm.iwarp.IwarpListener;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.VerbsException;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What an id listens with: the engine's listener, and the device whose loop runs it. Thread-safe. */
final class IdListener {
    /** Who gets the requests. */
    @FunctionalInterface
    interface Requests {
        /** A request, on the loop; see {@link IwarpListener.Requests#onRequest}. */
        void onRequest(RdmaDevice device, IwarpConnection request, byte[] privateData, int peerIrd, int peerOrd);
    }

    private final RdmaDevice device;
    private final IwarpListener listener;

    IdListener(RdmaDevice device, int backlog, Requests requests) {
        this.device = device;
        this.listener = new IwarpListener(
                backlog,
                (request, privateData, ird, ord) -> requests.onRequest(device, request, privateData, ird, ord));
    }

    /**
     * Begins to listen, and returns when it does.
     *
     * @param opened called on the loop with the address, before the first request
     */
    void open(InetSocketAddress at, MpaOptions options, Consumer<@Nullable InetSocketAddress> opened) {
        device.driver().call(() -> {
            listener.open(device.driver().streams(), at, options);
            opened.accept(listener.localAddress());
        });
    }

    /** Stops, and returns when the port is free. Harmless when repeated. */
    void close() {
        try {
            device.driver().call(listener::close);
        } catch (VerbsException closed) {
            // a device that is gone listens nowhere
            if (closed.errno() != Errno.ENODEV) {
                throw closed;
            }
        }
    }
}
