package io.jrdma.interop.sim;

import io.jrdma.verbs.MpaNegotiated;
import io.jrdma.verbs.QueuePair;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.spi.ConnectFailure;
import io.jrdma.verbs.spi.StreamConnection;
import io.jrdma.verbs.spi.StreamListener;
import io.jrdma.verbs.spi.StreamParameters;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One end of a connection: a queue pair, and what it is told. Fails the run when it is told things in a wrong order. */
final class SwarmLink implements StreamListener {
    final SwarmSide side;
    final QueuePair queuePair;
    final List<String> events = new ArrayList<>();

    @Nullable
    StreamConnection connection;

    @Nullable
    StreamParameters answer;

    @Nullable
    SwarmLink peer;

    @Nullable
    MpaNegotiated negotiated;

    private boolean up;
    private boolean decided;

    SwarmLink(SwarmSide side, QueuePair queuePair) {
        this.side = side;
        this.queuePair = queuePair;
    }

    /** Whether it is neither up nor failed. */
    boolean isUndecided() {
        return !decided;
    }

    boolean isUp() {
        return up;
    }

    private void once(boolean allowed, String event) {
        events.add(event);
        if (!allowed) {
            throw new AssertionError(side.name + " was told " + events);
        }
    }

    @Override
    public void onRequest(byte[] privateData, int peerIrd, int peerOrd) {
        once(events.isEmpty(), "request");
        if (connection == null || answer == null) {
            throw new AssertionError("a request on the active side");
        }
        try {
            connection.accept(queuePair.core(), answer);
        } catch (VerbsException refused) {
            throw new AssertionError("accept was refused", refused);
        }
    }

    @Override
    public void onEstablished(byte[] data, MpaNegotiated agreed) {
        once(!decided, "established");
        negotiated = agreed;
        up = true;
        decided = true;
    }

    @Override
    public void onRejected(byte[] privateData) {
        once(false, "rejected");
    }

    @Override
    public void onFailed(ConnectFailure failure) {
        once(!decided, "failed " + failure);
        decided = true;
    }

    @Override
    public void onDisconnected() {
        once(up, "disconnected");
        up = false;
    }

    /** The two ends of one stream know each other by their addresses. */
    static void join(List<SwarmLink> actives, List<SwarmLink> passives) {
        for (SwarmLink active : actives) {
            for (SwarmLink passive : passives) {
                if (passive.connection != null && active.connection != null) {
                    InetSocketAddress local = active.connection.localAddress();
                    if (passive.connection.remoteAddress().equals(local)) {
                        active.peer = passive;
                        passive.peer = active;
                    }
                }
            }
        }
    }
}
