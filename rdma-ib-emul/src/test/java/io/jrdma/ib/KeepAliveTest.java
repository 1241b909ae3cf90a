package io.jrdma.ib;

import static io.jrdma.ib.PacketBuilder.ack;
import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.ib.TestNode.Link;
import io.jrdma.verbs.AsyncEvent;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.RecvWr;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whether a connection notices that its peer is gone, and what that costs when it is not. */
class KeepAliveTest {
    private static final long SECOND = 1_000_000_000;
    private static final int ACK = 0x1F;

    private final RawPeer peer = new RawPeer();
    private final TestNode node = peer.node;

    private void watch(RawPeer side) {
        side.node.device.management().watch(RawPeer.QP, side.clock.nowNs());
    }

    /** An idle connection that this side has never sent anything on, as a server's may be. */
    private void idle() {
        peer.connect(Link.DEFAULT.withPsn(0x500));
        watch(peer);
        node.qp.postReceive(new RecvWr().reset().id(7).addSge(node.address(0), 64, node.key));
    }

    /** The question is a request in the place before the first: a responder takes it for a duplicate. */
    @Test
    void aSilentPeerIsAskedForASignOfLife() {
        idle();
        peer.advance(30 * SECOND - 1);
        assertThat(peer.out()).isEmpty();
        peer.advance(1);
        assertThat(peer.outText()).containsExactly("RC_RDMA_WRITE_ONLY 1279 [0] A");
        peer.in(ack(0x4FF, ACK, 0));
        // and then there is peace for a while
        peer.advance(30 * SECOND - 1);
        assertThat(peer.out()).isEmpty();
        peer.advance(1);
        assertThat(peer.out()).hasSize(1);
        assertThat(peer.state()).isEqualTo(QpState.RTS);
    }

    @Test
    void aPeerThatGivesNoSignOfLifeIsGivenUp() {
        idle();
        peer.advance(45 * SECOND - 1);
        assertThat(peer.out()).hasSize(KeepAlive.QUESTIONS);
        assertThat(peer.state()).isEqualTo(QpState.RTS);
        peer.advance(1);
        assertThat(peer.state()).isEqualTo(QpState.ERROR);
        assertThat(node.receiveCompletions()).containsExactly("7 WR_FLUSH_ERR RECV 0");
        assertThat(node.qp.endReason()).isEqualTo("the peer was silent for 45 s, and did not answer when asked");
        assertThat(node.events).extracting(AsyncEvent::type).containsExactly(AsyncEvent.Type.QP_FATAL);
        peer.advance(1000 * SECOND);
        assertThat(peer.out()).isEmpty();
    }

    /** Whatever the peer sends is a sign of life, a packet that is of no use as well. */
    @Test
    void aPeerThatSendsIsNotAsked() {
        idle();
        for (int i = 0; i < 20; i++) {
            peer.advance(20 * SECOND);
            peer.in(ack(0x123, ACK, 0));
        }
        assertThat(peer.out()).isEmpty();
    }

    /** The retry timer says what becomes of a request that is on the way. */
    @Test
    void aPeerThatOwesAnAnswerIsNotAsked() {
        peer.connect(Link.DEFAULT.withTimeout(0, 0));
        watch(peer);
        node.qp.postSend(node.send(1, 0, 8));
        assertThat(peer.out()).hasSize(1);
        peer.advance(1000 * SECOND);
        assertThat(peer.out()).isEmpty();
        assertThat(peer.state()).isEqualTo(QpState.RTS);
    }

    @Test
    void aQueuePairThatWasConnectedByHandIsLeftAlone() {
        peer.connect();
        peer.advance(1000 * SECOND);
        assertThat(peer.out()).isEmpty();
        assertThat(peer.state()).isEqualTo(QpState.RTS);
    }

    @Test
    void aQueuePairThatBeginsAnewIsNotWatched() {
        idle();
        node.qp.modify(QpAttributes.state(QpState.RESET));
        peer.connect();
        peer.advance(1000 * SECOND);
        assertThat(peer.out()).isEmpty();
    }

    /** Two idle engines keep each other alive for an hour, and take no harm from it, whatever was sent last. */
    @Test
    void twoIdleSidesStayConnected() {
        IbPair pair = new IbPair().connect();
        pair.left.device.management().watch(0x100, pair.clock.nowNs());
        pair.right.device.management().watch(0x101, pair.clock.nowNs());
        List<Runnable> last = new ArrayList<>();
        last.add(() -> pair.left.qp.postSend(pair.left.write(1, 0, 3000, pair.right, 0)));
        last.add(() -> pair.left.qp.postSend(pair.left.read(2, 0, 3000, pair.right, 0)));
        last.add(() -> pair.right.qp.postSend(pair.right.write(3, 0, 8, pair.left, 0)));
        for (Runnable request : last) {
            pair.runFor(3600 * SECOND);
            request.run();
        }
        pair.runFor(3600 * SECOND);
        assertThat(pair.left.qp.state()).isEqualTo(QpState.RTS);
        assertThat(pair.right.qp.state()).isEqualTo(QpState.RTS);
        assertThat(pair.left.sendCompletions()).hasSize(2).allMatch(text -> text.contains("SUCCESS"));
        assertThat(pair.right.sendCompletions()).hasSize(1).allMatch(text -> text.contains("SUCCESS"));
        assertThat(pair.left.device.counters().value(IbCounters.PACKETS_SENT)).isBetween(100L, 1000L);
    }
}
