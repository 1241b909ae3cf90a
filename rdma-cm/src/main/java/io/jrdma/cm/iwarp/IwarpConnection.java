package io.jrdma.cm.iwarp;

import static io.jrdma.cm.iwarp.IwarpConnectionState.*;

import io.jrdma.cm.transport.CmConnection;
import io.jrdma.cm.transport.CmConnectionEvents;
import io.jrdma.cm.transport.ConnectionOffer;
import io.jrdma.cm.transport.ConnectionTerms;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MpaNegotiated;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.ConnectFailure;
import io.jrdma.verbs.spi.DeviceDriver;
import io.jrdma.verbs.spi.StreamConnection;
import io.jrdma.verbs.spi.StreamConnector;
import io.jrdma.verbs.spi.StreamListener;
import io.jrdma.verbs.spi.StreamParameters;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * One iWARP connection between its stream and the connection manager, in either role. Loop only. What is legal stands in a table of
 * states and inputs; commands that come too late do nothing, because the report that settled the matter is on its way to the application.
 */
public final class IwarpConnection implements CmConnection {
    private static final byte[] NOTHING = {};

    private final StreamListener listener = new Reports();
    private final @Nullable IwarpListener parent;
    private @Nullable CmConnectionEvents events;
    private @Nullable StreamConnection stream;
    private IwarpConnectionState state;
    private boolean waiting;

    /** An active connection that has not begun; {@link #connect} comes next. */
    public IwarpConnection(CmConnectionEvents events) {
        this.events = events;
        this.parent = null;
        this.state = IDLE;
    }

    IwarpConnection(IwarpListener parent, StreamConnection stream) {
        this.parent = parent;
        this.stream = stream;
        this.state = AWAITING_REQUEST;
    }

    @Override
    public void listen(CmConnectionEvents newEvents) {
        events = newEvents;
    }

    public IwarpConnectionState state() {
        return state;
    }

    @Override
    public @Nullable InetSocketAddress localAddress() {
        return stream == null ? null : stream.localAddress();
    }

    @Override
    public @Nullable InetSocketAddress remoteAddress() {
        return stream == null ? null : stream.remoteAddress();
    }

    @Override
    public void connect(
            DeviceDriver driver,
            @Nullable InetSocketAddress local,
            InetSocketAddress remote,
            QueuePairCore queuePair,
            ConnectionOffer offer,
            long nowNs) {
        connect(driver.streams(), local, remote, queuePair, parameters(offer));
    }

    void connect(
            StreamConnector connector,
            @Nullable InetSocketAddress local,
            InetSocketAddress remote,
            QueuePairCore queuePair,
            StreamParameters parameters) {
        if (!step(IwarpConnectionInput.CONNECT)) {
            return;
        }
        try {
            stream = connector.connect(local, remote, queuePair, parameters, listener);
        } catch (VerbsException refused) {
            fail(refused);
        }
    }

    @Override
    public void accept(QueuePairCore queuePair, ConnectionOffer offer, long nowNs) {
        accept(queuePair, parameters(offer));
    }

    void accept(QueuePairCore queuePair, StreamParameters parameters) {
        IwarpConnectionState before = state;
        if (!step(IwarpConnectionInput.ACCEPT)) {
            return;
        }
        answered();
        if (before == REQUEST_GONE) {
            report().onConnectError(
                            -Errno.ECONNRESET.number(),
                            "the peer closed the connection before its request was answered");
            return;
        }
        StreamConnection open = stream();
        try {
            open.accept(queuePair, parameters);
        } catch (VerbsException refused) {
            // a refused accept leaves the request standing, and the peer must not wait for its own time limit
            open.reject(NOTHING);
            fail(refused);
        }
    }

    @Override
    public void reject(byte[] privateData, long nowNs) {
        IwarpConnectionState before = state;
        if (step(IwarpConnectionInput.REJECT)) {
            answered();
            if (before == REQUEST_RECEIVED) {
                stream().reject(privateData);
            }
        }
    }

    @Override
    public void disconnect(long nowNs) {
        if (step(IwarpConnectionInput.DISCONNECT)) {
            stream().disconnect();
        }
    }

    @Override
    public void destroy(long nowNs) {
        events = null;
        IwarpConnectionState before = state;
        if (!step(IwarpConnectionInput.DESTROY)) {
            return;
        }
        answered();
        StreamConnection open = stream;
        if (open == null) {
            return;
        }
        switch (before) {
            case ESTABLISHED -> open.disconnect();
            case REQUEST_RECEIVED -> open.reject(NOTHING);
            case CONNECTING, AWAITING_REQUEST, ACCEPTING -> open.abort();
            case IDLE, REQUEST_GONE, CLOSED -> {}
        }
    }

    /** What the listener hands to the driver. */
    StreamListener streamListener() {
        return listener;
    }

    private static StreamParameters parameters(ConnectionOffer offer) {
        return new StreamParameters(
                offer.mpa(), offer.responderResources(), offer.initiatorDepth(), offer.privateData());
    }

    private boolean step(IwarpConnectionInput input) {
        IwarpConnectionState next = IwarpConnectionTransitions.next(state, input);
        if (next == null) {
            return false;
        }
        state = next;
        return true;
    }

    private void fail(VerbsException refused) {
        state = CLOSED;
        report().onConnectError(-refused.errno().number(), String.valueOf(refused.getMessage()));
    }

    /** Takes the request off the listener's count, once. */
    private void answered() {
        if (waiting && parent != null) {
            waiting = false;
            parent.answered();
        }
    }

    private StreamConnection stream() {
        if (stream == null) {
            throw new IllegalStateException("no stream in state " + state);
        }
        return stream;
    }

    private CmConnectionEvents report() {
        return events == null ? Silence.INSTANCE : events;
    }

    private final class Reports implements StreamListener {
        @Override
        public void onRequest(byte[] privateData, int peerIrd, int peerOrd) {
            if (parent == null || !step(IwarpConnectionInput.ON_REQUEST)) {
                return;
            }
            if (parent.admit()) {
                waiting = true;
                parent.onRequest(IwarpConnection.this, privateData, peerIrd, peerOrd);
            } else {
                step(IwarpConnectionInput.REJECT);
                stream().reject(NOTHING);
            }
        }

        @Override
        public void onEstablished(byte[] privateData, MpaNegotiated negotiated) {
            if (step(IwarpConnectionInput.ON_ESTABLISHED)) {
                report().onEstablished(privateData, ConnectionTerms.of(negotiated));
            }
        }

        @Override
        public void onRejected(byte[] privateData) {
            if (step(IwarpConnectionInput.ON_REJECTED)) {
                report().onRejected(
                                -Errno.ECONNRESET.number(), privateData, "the peer's application rejected the request");
            }
        }

        @Override
        public void onFailed(ConnectFailure failure) {
            IwarpConnectionState before = state;
            if (!step(IwarpConnectionInput.ON_FAILED)) {
                return;
            }
            int status = -failure.errno().number();
            if (before == REQUEST_RECEIVED) {
                report().onRequestGone();
            } else if (before == ACCEPTING) {
                report().onConnectError(status, failure.text());
            } else if (before == CONNECTING) {
                switch (failure.kind()) {
                    case UNREACHABLE -> report().onUnreachable(status, failure.text());
                    case REFUSED -> report().onRejected(status, NOTHING, failure.text());
                    case ERROR -> report().onConnectError(status, failure.text());
                }
            }
        }

        @Override
        public void onDisconnected() {
            if (step(IwarpConnectionInput.ON_DISCONNECTED)) {
                report().onDisconnected(0);
            }
        }
    }

    private static final class Silence implements CmConnectionEvents {
        private static final Silence INSTANCE = new Silence();

        @Override
        public void onEstablished(byte[] privateData, ConnectionTerms terms) {}

        @Override
        public void onRejected(int status, byte[] privateData, String text) {}

        @Override
        public void onUnreachable(int status, String text) {}

        @Override
        public void onConnectError(int status, String text) {}

        @Override
        public void onDisconnected(int status) {}

        @Override
        public void onRequestGone() {}

        @Override
        public void onTimewaitExit() {}
    }
}
