package io.jrdma.cm.fake;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MpaNegotiated;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.ConnectFailure;
import io.jrdma.verbs.spi.StreamConnection;
import io.jrdma.verbs.spi.StreamListener;
import io.jrdma.verbs.spi.StreamParameters;
import java.net.InetSocketAddress;

/** One end of a stream, with a handshake that says what MPA's would, and no bytes. Loop only. */
final class FakeStream implements StreamConnection {
    private enum Phase {
        HANDSHAKE,
        REPLIED,
        UP,
        OVER
    }

    private final FakeDriver driver;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private StreamListener listener;
    private FakeListening listening;
    private FakeStream peer;
    private FakeQueuePair queuePair;
    private StreamParameters offer;
    private MpaNegotiated negotiated;
    private Phase phase = Phase.HANDSHAKE;
    private boolean ending;
    private boolean requested;

    FakeStream(FakeDriver driver, InetSocketAddress local, InetSocketAddress remote, StreamListener listener) {
        this.driver = driver;
        this.local = local;
        this.remote = remote;
        this.listener = listener;
        driver.network().add(this);
    }

    FakeDriver driver() {
        return driver;
    }

    FakeStream peer() {
        return peer;
    }

    FakeQueuePair queuePair() {
        return queuePair;
    }

    boolean isUp() {
        return phase == Phase.UP || phase == Phase.REPLIED;
    }

    // ---- the active side ----

    void connect(FakeQueuePair own, StreamParameters parameters) {
        queuePair = own;
        own.bind(this);
        offer = parameters;
        ConnectFailure planned = driver.network().takeFailure();
        if (planned != null) {
            driver.later(() -> fail(planned));
        } else if (driver.network().isSilent(remote)) {
            long limit = parameters.options().handshakeTimeoutNs();
            driver.network()
                    .schedule(
                            driver,
                            limit,
                            () -> fail(new ConnectFailure(
                                    ConnectFailure.Kind.UNREACHABLE, Errno.ETIMEDOUT, "no answer from " + remote)));
        } else {
            driver.later(this::arrive);
        }
    }

    private void arrive() {
        if (phase == Phase.OVER) {
            return;
        }
        FakeListening found = driver.network().listenerAt(remote);
        if (found == null) {
            fail(new ConnectFailure(ConnectFailure.Kind.REFUSED, Errno.ECONNREFUSED, "nobody listens at " + remote));
            return;
        }
        FakeStream other = new FakeStream(found.driver(), remote, local, null);
        peer = other;
        other.peer = this;
        other.listening = found;
        found.driver().later(() -> other.onRequest(offer));
    }

    private void onReply(StreamParameters reply, MpaNegotiated agreed) {
        if (phase != Phase.HANDSHAKE) {
            return;
        }
        phase = Phase.UP;
        negotiated = new MpaNegotiated(
                agreed.revision(),
                agreed.enhanced(),
                agreed.crc(),
                false,
                false,
                false,
                null,
                agreed.ord(),
                agreed.ird());
        queuePair.core().setState(QpState.RTS);
        listener.onEstablished(reply.privateData(), negotiated);
    }

    private void onReject(byte[] privateData) {
        if (phase == Phase.HANDSHAKE) {
            over();
            listener.onRejected(privateData);
        }
    }

    // ---- the passive side ----

    private void onRequest(StreamParameters request) {
        if (phase == Phase.OVER) {
            return;
        }
        listener = listening.acceptor().onStream(this);
        listening.waits(this);
        requested = true;
        listener.onRequest(request.privateData(), request.ird(), request.ord());
    }

    @Override
    public void accept(QueuePairCore core, StreamParameters reply) {
        checkRequest();
        FakeQueuePair own = FakeQueuePair.free(core);
        queuePair = own;
        own.bind(this);
        listening.answered(this);
        phase = Phase.REPLIED;
        StreamParameters request = peer.offer;
        negotiated = new MpaNegotiated(
                request.options().revision(),
                true,
                request.options().crc() || reply.options().crc(),
                false,
                false,
                false,
                null,
                Math.max(reply.ird(), request.ord()),
                Math.min(reply.ord(), request.ird()));
        core.setState(QpState.RTS);
        driver.execute(this::onReplySent);
        peer.driver.later(() -> peer.onReply(reply, negotiated));
    }

    private void onReplySent() {
        if (phase == Phase.REPLIED) {
            phase = Phase.UP;
            listener.onEstablished(new byte[0], negotiated);
        }
    }

    @Override
    public void reject(byte[] privateData) {
        checkRequest();
        listening.answered(this);
        over();
        peer.driver.later(() -> peer.onReject(privateData));
    }

    private void checkRequest() {
        if (!requested || phase != Phase.HANDSHAKE) {
            throw new VerbsException(Errno.EINVAL, "no request to answer");
        }
    }

    // ---- the end ----

    @Override
    public void disconnect() {
        if (phase == Phase.UP && !ending) {
            ending = true;
            // behind everything that was posted before
            driver.later(this::end);
        } else if (phase != Phase.UP) {
            abort();
        }
    }

    @Override
    public void abort() {
        if (phase == Phase.OVER || ending) {
            return;
        }
        ending = true;
        driver.execute(this::end);
    }

    void onQueuePairGone() {
        abort();
    }

    /** The loop ends: nothing can be told later. */
    void onDriverClosing() {
        ending = true;
        end();
    }

    private void end() {
        if (phase == Phase.OVER) {
            return;
        }
        Phase before = phase;
        over();
        FakeStream other = peer;
        if (other != null) {
            other.driver.later(other::onPeerGone);
        }
        tell(before, new ConnectFailure(ConnectFailure.Kind.ERROR, Errno.ECONNRESET, "given up"));
    }

    private void onPeerGone() {
        Phase before = phase;
        if (before != Phase.OVER) {
            over();
            tell(
                    before,
                    new ConnectFailure(ConnectFailure.Kind.REFUSED, Errno.ECONNRESET, "the peer closed the stream"));
        }
    }

    private void fail(ConnectFailure failure) {
        if (phase == Phase.HANDSHAKE) {
            over();
            tell(Phase.HANDSHAKE, failure);
        }
    }

    private void tell(Phase before, ConnectFailure failure) {
        if (queuePair != null && before != Phase.HANDSHAKE) {
            queuePair.flush();
        }
        if (before == Phase.UP) {
            listener.onDisconnected();
        } else if (listener != null) {
            listener.onFailed(failure);
        }
    }

    private void over() {
        phase = Phase.OVER;
        if (listening != null) {
            listening.answered(this);
        }
        driver.network().remove(this);
    }

    // ---- facts ----

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public MpaNegotiated negotiated() {
        return negotiated;
    }
}
