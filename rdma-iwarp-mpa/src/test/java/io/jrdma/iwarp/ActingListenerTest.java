package io.jrdma.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.MpaNegotiated;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.spi.ConnectFailure;
import io.jrdma.verbs.spi.PassiveStreamEngine;
import io.jrdma.verbs.spi.StreamListener;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Listeners that act on the stream and its queue pair from inside the calls that they get. */
class ActingListenerTest {
    private static final QpAttributes ERROR = QpAttributes.state(QpState.ERROR);

    private static final class ActingListener implements StreamListener {
        Runnable onRequest = () -> {};
        Runnable onEstablished = () -> {};
        Runnable onDisconnected = () -> {};
        Runnable onFailed = () -> {};
        int ends;

        @Override
        public void onRequest(byte[] privateData, int peerIrd, int peerOrd) {
            onRequest.run();
        }

        @Override
        public void onEstablished(byte[] privateData, MpaNegotiated negotiated) {
            onEstablished.run();
        }

        @Override
        public void onRejected(byte[] privateData) {
            ends++;
        }

        @Override
        public void onFailed(ConnectFailure failure) {
            ends++;
            onFailed.run();
        }

        @Override
        public void onDisconnected() {
            ends++;
            onDisconnected.run();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"disconnect", "destroy", "error"})
    void aListenerMayEndItAllFromInsideAnyCall(String how) {
        for (boolean passive : new boolean[] {false, true}) {
            IwarpPair pair = new IwarpPair();
            ActingListener left = new ActingListener();
            ActingListener right = new ActingListener();
            var parameters = IwarpPair.parameters(MpaOptions.RECOMMENDED);
            pair.leftEnd = new TestEnd(pair.left.device.initiator(pair.left.qp, parameters, left), pair.left);
            PassiveStreamEngine responder = pair.right.device.responder(MpaOptions.RECOMMENDED, right);
            pair.rightEnd = new TestEnd(responder, pair.right);
            right.onRequest = () -> responder.accept(pair.right.qp, parameters, pair.clock.nowNs());
            ActingListener acting = passive ? right : left;
            TestEnd end = passive ? pair.rightEnd : pair.leftEnd;
            acting.onEstablished = () -> {
                switch (how) {
                    case "disconnect" -> end.engine.disconnect(pair.clock.nowNs());
                    case "destroy" -> end.node.qp.destroy();
                    default -> end.node.qp.modify(ERROR);
                }
            };
            acting.onDisconnected = () -> end.node.qp.destroy();
            pair.leftEnd.engine.onOpen(pair.leftEnd, pair.clock.nowNs());
            pair.rightEnd.engine.onOpen(pair.rightEnd, pair.clock.nowNs());
            pair.left.postReceive(1, 0, 8);
            pair.right.postReceive(1, 0, 8);
            pair.run();
            pair.exhaust();
            assertThat(left.ends).isEqualTo(1);
            assertThat(right.ends).isEqualTo(1);
        }
    }

    @Test
    void aRejectFromInsideTheRequest() {
        IwarpPair pair = new IwarpPair();
        ActingListener right = new ActingListener();
        pair.leftEnd = new TestEnd(
                pair.left.device.initiator(pair.left.qp, IwarpPair.parameters(MpaOptions.RECOMMENDED), pair.leftLog),
                pair.left);
        PassiveStreamEngine responder = pair.right.device.responder(MpaOptions.RECOMMENDED, right);
        pair.rightEnd = new TestEnd(responder, pair.right);
        right.onRequest = () -> responder.reject(new byte[] {'n', 'o'}, pair.clock.nowNs());
        pair.leftEnd.engine.onOpen(pair.leftEnd, pair.clock.nowNs());
        pair.rightEnd.engine.onOpen(pair.rightEnd, pair.clock.nowNs());
        pair.run();
        assertThat(pair.leftLog.log).containsExactly("rejected no");
        assertThat(right.ends).isZero();
        assertThat(pair.right.qp.state()).isEqualTo(QpState.INIT);
    }
}
