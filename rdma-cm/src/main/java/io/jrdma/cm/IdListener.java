package io.jrdma.cm;

import io.jrdma.cm.transport.CmConnection;
import io.jrdma.cm.transport.CmListener;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What an id listens with: a listener for each device, run by the device's loop. There are several where a wildcard address is meant and
 * the wire's devices need addresses of their own; then all of them have the same port. Thread-safe.
 */
final class IdListener {
    /** How often another port is tried when the system's choice for the first device is taken on another one. */
    private static final int TRIES = 16;

    /** Who gets the requests. */
    @FunctionalInterface
    interface Requests {
        /** A request, on the loop; see {@link io.jrdma.cm.transport.CmRequests#onRequest}. */
        void onRequest(RdmaDevice device, CmConnection request, byte[] privateData, int peerResources, int peerDepth);
    }

    /** A device and what listens there. */
    private record Place(RdmaDevice device, CmListener listener) {
        InetSocketAddress open(InetSocketAddress at, MpaOptions options, Consumer<InetSocketAddress> opened) {
            List<InetSocketAddress> taken = new ArrayList<>(1);
            device.driver().call(() -> {
                listener.open(device.driver(), at, options);
                InetSocketAddress local = listener.localAddress();
                if (local == null) {
                    throw new IllegalStateException("a listener without an address");
                }
                opened.accept(local);
                taken.add(local);
            });
            return taken.getFirst();
        }

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

    private final List<Place> places = new ArrayList<>();

    /**
     * A listener that is not open yet.
     *
     * @param devices one or more
     * @param backlog of each
     */
    IdListener(Transport transport, List<RdmaDevice> devices, int backlog, Requests requests) {
        for (RdmaDevice device : devices) {
            places.add(new Place(
                    device,
                    Wires.listener(
                            transport,
                            backlog,
                            (request, privateData, resources, depth) ->
                                    requests.onRequest(device, request, privateData, resources, depth))));
        }
    }

    /**
     * Begins to listen, and returns when it does.
     *
     * @param opened called on a loop with the address, before the first request
     * @throws VerbsException EADDRINUSE, EADDRNOTAVAIL or EACCES; nothing listens then
     */
    void open(InetSocketAddress at, MpaOptions options, Consumer<InetSocketAddress> opened) {
        if (places.size() == 1) {
            places.getFirst().open(at, options, opened);
            return;
        }
        for (int tries = 1; ; tries++) {
            try {
                openAll(at, options, opened);
                return;
            } catch (VerbsException refused) {
                close();
                if (at.getPort() != 0 || refused.errno() != Errno.EADDRINUSE || tries == TRIES) {
                    throw refused;
                }
            }
        }
    }

    private void openAll(InetSocketAddress at, MpaOptions options, Consumer<InetSocketAddress> opened) {
        int port = at.getPort();
        for (Place place : places) {
            InetSocketAddress own = new InetSocketAddress(place.device().localAddress(), port);
            port = place.open(
                            own,
                            options,
                            taken -> opened.accept(new InetSocketAddress(at.getAddress(), taken.getPort())))
                    .getPort();
        }
    }

    /** Stops, and returns when the port is free. Harmless when repeated. */
    void close() {
        places.forEach(Place::close);
    }
}
