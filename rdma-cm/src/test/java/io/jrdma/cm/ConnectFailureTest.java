package io.jrdma.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.cm.RdmaCmEvent.ConnectError;
import io.jrdma.cm.RdmaCmEvent.Rejected;
import io.jrdma.cm.RdmaCmEvent.Unreachable;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.QueuePair;
import io.jrdma.verbs.spi.ConnectFailure;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every way in which a connection does not come up, and the event that says so. */
class ConnectFailureTest {
    private final CmPair pair = new CmPair();

    @AfterEach
    void closeAll() {
        pair.close();
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i * 7 + 1);
        }
        return bytes;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 10, 252})
    void rejectionCarriesExactlyWhatWasSent(int length) {
        pair.listen();
        RdmaCmId active = pair.connecting(CmPair.SERVER, ConnectionParameters.RECOMMENDED);
        RdmaCmId passive = pair.request().id();
        passive.reject(bytes(length));
        RdmaCmEvent event = pair.next(pair.client);
        assertThat(event).isInstanceOf(Rejected.class);
        assertThat(event.id()).isSameAs(active);
        assertThat(event.status()).isEqualTo(-104);
        assertThat(event.privateData()).isEqualTo(bytes(length));
        assertThat(active.state()).isEqualTo(RdmaCmState.CLOSED);
        assertThat(pair.rest(pair.server)).isEmpty();
        assertThat(pair.rest(pair.client)).isEmpty();
    }

    @Test
    void portThatNobodyListensOnRefuses() {
        pair.connecting(CmPair.SERVER, ConnectionParameters.RECOMMENDED);
        RdmaCmEvent event = pair.next(pair.client);
        assertThat(event).isInstanceOf(Rejected.class);
        assertThat(event.status()).isEqualTo(-111);
        assertThat(event.privateData()).isEmpty();
        assertThat(event.text()).contains("7471");
    }

    @Test
    void silentPeerIsUnreachableWhenTheTimeIsOver() {
        pair.network.silentAt(CmPair.SERVER);
        RdmaCmId active = pair.connecting(
                CmPair.SERVER,
                ConnectionParameters.builder()
                        .mpa(MpaOptions.builder()
                                .handshakeTimeoutNs(2_000_000_000L)
                                .build())
                        .build());
        pair.network.advance(1_999_000_000L);
        assertThat(pair.client.next()).isNull();
        RdmaCmEvent event = pair.next(pair.client);
        assertThat(event).isInstanceOf(Unreachable.class);
        assertThat(event.status()).isEqualTo(-110);
        assertThat(active.state()).isEqualTo(RdmaCmState.CLOSED);
    }

    @ParameterizedTest
    @EnumSource(ConnectFailure.Kind.class)
    void failureOfTheStreamBecomesTheKernelsEvent(ConnectFailure.Kind kind) {
        Errno errno = switch (kind) {
            case UNREACHABLE -> Errno.EHOSTUNREACH;
            case REFUSED -> Errno.ECONNRESET;
            case ERROR -> Errno.EINVAL;
        };
        Class<?> expected = switch (kind) {
            case UNREACHABLE -> Unreachable.class;
            case REFUSED -> Rejected.class;
            case ERROR -> ConnectError.class;
        };
        pair.network.failNext(new ConnectFailure(kind, errno, "planned"));
        pair.connecting(CmPair.SERVER, ConnectionParameters.RECOMMENDED);
        RdmaCmEvent event = pair.next(pair.client);
        assertThat(event).isInstanceOf(expected);
        assertThat(event.status()).isEqualTo(-errno.number());
        assertThat(event.text()).isEqualTo("planned");
        assertThat(pair.rest(pair.client)).isEmpty();
    }

    @Test
    void queuePairThatIsLostBeforeTheLoopConnectsItIsAConnectError() {
        pair.listen();
        RdmaCmId active = pair.connecting(CmPair.SERVER, ConnectionParameters.RECOMMENDED);
        // the connect has not run yet; closing the queue pair runs it first, so this makes the loss come before
        RdmaCmId second = pair.routed(CmPair.SERVER);
        QueuePair own = CmPair.queuePair(second);
        own.close();
        second.connect(ConnectionParameters.RECOMMENDED);
        List<RdmaCmEvent> events = pair.rest(pair.client);
        assertThat(events).singleElement().isInstanceOfSatisfying(ConnectError.class, event -> {
            assertThat(event.id()).isSameAs(second);
            assertThat(event.status()).isEqualTo(-22);
        });
        assertThat(active.state()).isEqualTo(RdmaCmState.CONNECTING);
    }

    @Test
    void acceptThatTheTransportRefusesRejectsThePeer() {
        pair.listen();
        pair.connecting(CmPair.SERVER, ConnectionParameters.RECOMMENDED);
        RdmaCmId passive = pair.request().id();
        CmPair.queuePair(passive).close();
        passive.accept(ConnectionParameters.RECOMMENDED);
        assertThat(pair.next(pair.server))
                .isInstanceOfSatisfying(
                        ConnectError.class, event -> assertThat(event.status()).isEqualTo(-22));
        assertThat(pair.next(pair.client)).isInstanceOf(Rejected.class);
    }

    /** The peer went away while the application was thinking. */
    @Test
    void acceptingARequestWhosePeerHasGoneIsAConnectError() {
        pair.listen();
        RdmaCmId active = pair.connecting(CmPair.SERVER, ConnectionParameters.RECOMMENDED);
        RdmaCmId passive = pair.request().id();
        active.close();
        pair.network.runAll();
        assertThat(passive.state()).isEqualTo(RdmaCmState.REQUEST_RECEIVED);
        CmPair.queuePair(passive);
        passive.accept(ConnectionParameters.RECOMMENDED);
        assertThat(pair.rest(pair.server))
                .singleElement()
                .isInstanceOfSatisfying(
                        ConnectError.class, event -> assertThat(event.status()).isEqualTo(-104));
    }

    @Test
    void requestWhosePeerHasGoneBeforeAnyoneSawItIsNeverShown() {
        pair.listen();
        RdmaCmId active = pair.connecting(CmPair.SERVER, ConnectionParameters.RECOMMENDED);
        pair.network.runUntil(() -> pair.network.streams() == 2);
        pair.network.runAll();
        active.close();
        assertThat(pair.rest(pair.server)).isEmpty();
    }
}
