package io.jrdma.cm.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.cm.transport.CmConnectionEvents;
import io.jrdma.cm.transport.ConnectionTerms;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MpaNegotiated;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.ConnectFailure;
import io.jrdma.verbs.spi.StreamAcceptor;
import io.jrdma.verbs.spi.StreamConnection;
import io.jrdma.verbs.spi.StreamConnector;
import io.jrdma.verbs.spi.StreamListener;
import io.jrdma.verbs.spi.StreamListening;
import io.jrdma.verbs.spi.StreamParameters;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The engine against a stream that says anything at any time: what it hears becomes at most one story, and late words are ignored. */
class IwarpConnectionTest {
    private static final InetSocketAddress HERE = new InetSocketAddress(7471);
    private static final StreamParameters OFFER = new StreamParameters(MpaOptions.RECOMMENDED, 1, 1, new byte[0]);
    private static final MpaNegotiated TERMS = new MpaNegotiated(2, true, true, false, false, false, null, 1, 1);
    private static final ConnectFailure LOST =
            new ConnectFailure(ConnectFailure.Kind.REFUSED, Errno.ECONNRESET, "the peer closed");

    private final List<String> log = new ArrayList<>();
    private final Script script = new Script();

    /** A stream, a connector and a listening address that only take notes. */
    private final class Script implements StreamConnection, StreamConnector, StreamListening {
        private StreamListener listener;
        private StreamAcceptor acceptor;
        private VerbsException refusal;

        @Override
        public StreamConnection connect(
                InetSocketAddress local,
                InetSocketAddress remote,
                QueuePairCore queuePair,
                StreamParameters parameters,
                StreamListener newListener) {
            refuse();
            listener = newListener;
            log.add("connect");
            return this;
        }

        @Override
        public StreamListening listen(
                InetSocketAddress local, int backlog, MpaOptions options, StreamAcceptor newAcceptor) {
            acceptor = newAcceptor;
            return this;
        }

        private void refuse() {
            VerbsException planned = refusal;
            refusal = null;
            if (planned != null) {
                throw planned;
            }
        }

        @Override
        public InetSocketAddress localAddress() {
            return HERE;
        }

        @Override
        public InetSocketAddress remoteAddress() {
            return HERE;
        }

        @Override
        public void accept(QueuePairCore queuePair, StreamParameters parameters) {
            refuse();
            log.add("accept");
        }

        @Override
        public void reject(byte[] privateData) {
            log.add("reject");
        }

        @Override
        public void disconnect() {
            log.add("disconnect");
        }

        @Override
        public void abort() {
            log.add("abort");
        }

        @Override
        public MpaNegotiated negotiated() {
            return TERMS;
        }

        @Override
        public void close() {
            log.add("close");
        }
    }

    private final class Notes implements CmConnectionEvents {
        @Override
        public void onEstablished(byte[] privateData, ConnectionTerms terms) {
            log.add("ESTABLISHED");
        }

        @Override
        public void onRejected(int status, byte[] privateData, String text) {
            log.add("REJECTED " + status);
        }

        @Override
        public void onUnreachable(int status, String text) {
            log.add("UNREACHABLE " + status);
        }

        @Override
        public void onConnectError(int status, String text) {
            log.add("CONNECT_ERROR " + status);
        }

        @Override
        public void onDisconnected(int status) {
            log.add("DISCONNECTED");
        }

        @Override
        public void onTimewaitExit() {
            log.add("TIMEWAIT_EXIT");
        }

        @Override
        public void onRequestGone() {
            log.add("gone");
        }
    }

    private IwarpConnection active() {
        IwarpConnection connection = new IwarpConnection(new Notes());
        connection.connect(script, null, HERE, null, OFFER);
        return connection;
    }

    private IwarpConnection passive(int backlog) {
        List<IwarpConnection> requests = new ArrayList<>();
        IwarpListener listener = new IwarpListener(backlog, (request, privateData, ird, ord) -> {
            request.listen(new Notes());
            requests.add((IwarpConnection) request);
            log.add("CONNECT_REQUEST");
        });
        listener.open(script, HERE, MpaOptions.RECOMMENDED);
        script.listener = script.acceptor.onStream(script);
        script.listener.onRequest(new byte[0], 1, 1);
        return requests.getFirst();
    }

    private void sayEverything() {
        script.listener.onRequest(new byte[0], 1, 1);
        script.listener.onEstablished(new byte[0], TERMS);
        script.listener.onEstablished(new byte[0], TERMS);
        script.listener.onRejected(new byte[0]);
        script.listener.onFailed(LOST);
        script.listener.onDisconnected();
        script.listener.onDisconnected();
    }

    @Test
    void activeSideHearsOneStory() {
        IwarpConnection connection = active();
        assertThat(connection.state()).isEqualTo(IwarpConnectionState.CONNECTING);
        sayEverything();
        assertThat(log).containsExactly("connect", "ESTABLISHED", "DISCONNECTED");
        assertThat(connection.state()).isEqualTo(IwarpConnectionState.CLOSED);
    }

    /** One CONNECT_REQUEST, one ESTABLISHED. */
    @Test
    void passiveSideHearsOneStory() {
        IwarpConnection connection = passive(1);
        connection.accept(null, OFFER);
        connection.accept(null, OFFER);
        connection.reject(new byte[0], 0);
        sayEverything();
        assertThat(log).containsExactly("CONNECT_REQUEST", "accept", "ESTABLISHED", "DISCONNECTED");
    }

    @Test
    void nothingIsHeardAfterDestroy() {
        IwarpConnection connection = active();
        connection.destroy(0);
        connection.destroy(0);
        sayEverything();
        connection.disconnect(0);
        assertThat(log).containsExactly("connect", "abort");
    }

    @Test
    void connectThatComesAfterDestroyDoesNothing() {
        IwarpConnection connection = new IwarpConnection(new Notes());
        connection.destroy(0);
        connection.connect(script, null, HERE, null, OFFER);
        assertThat(log).isEmpty();
    }

    @Test
    void destroyEndsAnEstablishedConnectionInGoodOrder() {
        IwarpConnection connection = active();
        script.listener.onEstablished(new byte[0], TERMS);
        connection.destroy(0);
        script.listener.onDisconnected();
        assertThat(log).containsExactly("connect", "ESTABLISHED", "disconnect");
    }

    @Test
    void destroyRejectsARequest() {
        passive(1).destroy(0);
        assertThat(log).containsExactly("CONNECT_REQUEST", "reject");
    }

    @Test
    void destroyDropsWhatIsBeingAccepted() {
        IwarpConnection connection = passive(1);
        connection.accept(null, OFFER);
        connection.destroy(0);
        sayEverything();
        assertThat(log).containsExactly("CONNECT_REQUEST", "accept", "abort");
    }

    @Test
    void whatTheConnectorRefusesIsAConnectError() {
        script.refusal = new VerbsException(Errno.EINVAL, "planned");
        IwarpConnection connection = active();
        connection.disconnect(0);
        connection.destroy(0);
        assertThat(log).containsExactly("CONNECT_ERROR -22");
    }

    @Test
    void whatTheTransportRefusesToAcceptIsRejected() {
        IwarpConnection connection = passive(1);
        script.refusal = new VerbsException(Errno.EINVAL, "planned");
        connection.accept(null, OFFER);
        assertThat(log).containsExactly("CONNECT_REQUEST", "reject", "CONNECT_ERROR -22");
    }

    @Test
    void requestThatIsGoneFailsWhenItIsAccepted() {
        IwarpConnection connection = passive(1);
        script.listener.onFailed(LOST);
        connection.accept(null, OFFER);
        assertThat(log).containsExactly("CONNECT_REQUEST", "gone", "CONNECT_ERROR -104");
    }

    @Test
    void requestThatIsGoneIsRejectedSilently() {
        IwarpConnection connection = passive(1);
        script.listener.onFailed(LOST);
        connection.reject(new byte[0], 0);
        connection.destroy(0);
        assertThat(log).containsExactly("CONNECT_REQUEST", "gone");
    }

    @Test
    void streamThatFailsBeforeItsRequestIsNobodysConcern() {
        IwarpListener listener = new IwarpListener(1, (request, privateData, ird, ord) -> log.add("CONNECT_REQUEST"));
        listener.open(script, HERE, MpaOptions.RECOMMENDED);
        StreamListener reports = script.acceptor.onStream(script);
        reports.onFailed(LOST);
        reports.onRequest(new byte[0], 1, 1);
        assertThat(log).isEmpty();
    }

    @Test
    void statusesAreThoseOfTheKernel() {
        for (ConnectFailure.Kind kind : ConnectFailure.Kind.values()) {
            active();
            script.listener.onFailed(new ConnectFailure(kind, Errno.ETIMEDOUT, "planned"));
        }
        active();
        script.listener.onRejected(new byte[0]);
        assertThat(log)
                .filteredOn(line -> !line.equals("connect"))
                .containsExactly("UNREACHABLE -110", "REJECTED -110", "CONNECT_ERROR -110", "REJECTED -104");
    }

    @Test
    void closedListenerTakesNoMoreRequests() {
        IwarpListener listener = new IwarpListener(8, (request, privateData, ird, ord) -> log.add("CONNECT_REQUEST"));
        listener.open(script, HERE, MpaOptions.RECOMMENDED);
        assertThat(listener.localAddress()).isEqualTo(HERE);
        StreamListener late = script.acceptor.onStream(script);
        listener.close();
        listener.close();
        late.onRequest(new byte[0], 1, 1);
        assertThat(listener.localAddress()).isNull();
        assertThat(log).containsExactly("close", "reject");
    }
}
