package io.jrdma.iwarp;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MpaNegotiated;
import io.jrdma.verbs.spi.ConnectFailure;
import io.jrdma.verbs.spi.StreamListener;
import org.jspecify.annotations.Nullable;

/**
 * What the listener of a connection has been told: each connection has one beginning at most and one end, whatever happens to it in
 * between.
 */
final class IwarpOutcome {
    private final StreamListener listener;
    private final IwarpCounters counters;
    private boolean established;
    private boolean over;
    private @Nullable ConnectFailure failure;

    IwarpOutcome(StreamListener listener, IwarpCounters counters) {
        this.listener = listener;
        this.counters = counters;
    }

    /** Whether the connection came up. */
    boolean isEstablished() {
        return established;
    }

    /** Whether the listener has had its last call, or gets none. */
    boolean isOver() {
        return over;
    }

    void request(byte[] privateData, int peerIrd, int peerOrd) {
        listener.onRequest(privateData, peerIrd, peerOrd);
    }

    /** Passive side. */
    void established(MpaNegotiated agreed) {
        established(new byte[0], agreed);
    }

    void established(byte[] privateData, MpaNegotiated agreed) {
        established = true;
        counters.add(IwarpCounters.ESTABLISHED, 1);
        listener.onEstablished(privateData, agreed);
    }

    void rejected(byte[] privateData) {
        rejecting();
        listener.onRejected(privateData);
    }

    /** The own application said no, so it needs no answer. */
    void rejecting() {
        over = true;
        counters.add(IwarpCounters.REJECTED, 1);
    }

    /** Remembers why the connection does not come up, for {@link #end}; the first reason counts. */
    void willFail(ConnectFailure.Kind kind, Errno errno, String text) {
        if (failure == null) {
            failure = new ConnectFailure(kind, errno, text);
        }
    }

    /** Remembers why the connection does not come up; the first reason counts. */
    void willFail(ConnectFailure why) {
        failure = failure == null ? why : failure;
    }

    /** Tells the end: that of an established connection, or the failure. */
    void end() {
        if (over) {
            return;
        }
        over = true;
        if (established) {
            listener.onDisconnected();
        } else if (failure != null) {
            counters.add(IwarpCounters.HANDSHAKES_FAILED, 1);
            listener.onFailed(failure);
        }
    }
}
