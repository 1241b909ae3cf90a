package io.jrdma.iwarp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.testkit.engine.TestClock;
import io.jrdma.verbs.AsyncEvent;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.WrOpcode;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How connections end, from either side, at any moment, with and without their queue pair. */
class TeardownTest {
    private static final QpAttributes ERROR = QpAttributes.state(QpState.ERROR);
    private static final QpAttributes RESET = QpAttributes.state(QpState.RESET);
    private static final QpAttributes INIT = QpAttributes.state(QpState.INIT);

    // ---- disconnect ----

    @Test
    void disconnectSendsWhatWasPostedBeforeAndFlushesTheRest() {
        RawPeer peer = RawPeer.establishedInitiator();
        peer.node.postReceive(9, 0, 8);
        peer.end.out.limit(1_000);
        for (int i = 1; i <= 4; i++) {
            peer.node.postSend(i, 0, 500);
        }
        peer.node.driver.runTasks();
        peer.end.engine.disconnect(peer.clock.nowNs());
        peer.node.postSend(5, 0, 1);
        int sent = 0;
        while (!peer.end.closing) {
            assertThat(peer.node.qp.state()).isEqualTo(QpState.RTS);
            sent += Frames.ulpdus(peer.out()).size();
        }
        assertThat(sent).isEqualTo(4);
        assertThat(peer.log.log).containsExactly("established ");
        peer.end.engine.disconnect(peer.clock.nowNs());
        peer.gone();
        assertThat(peer.log.log).containsExactly("established ", "disconnected");
        assertThat(peer.node.sendCompletions())
                .containsExactly(
                        "1 SUCCESS SEND 500",
                        "2 SUCCESS SEND 500",
                        "3 SUCCESS SEND 500",
                        "4 SUCCESS SEND 500",
                        "5 WR_FLUSH_ERR SEND 0");
        assertThat(peer.node.receiveCompletions()).containsExactly("9 WR_FLUSH_ERR RECV 0");
    }

    @Test
    void disconnectWaitsForReads() {
        RawPeer peer = RawPeer.establishedInitiator();
        peer.node.qp.postSend(peer.node.send(1, 0, 4).opcode(WrOpcode.RDMA_READ).remote(0, 1));
        peer.out();
        peer.end.engine.disconnect(peer.clock.nowNs());
        peer.advance(IwarpTimers.FINISH_LIMIT_NS - 1);
        assertThat(peer.end.closing).isFalse();
        peer.in(Frames.readResponse(peer.node.key, peer.node.address(0), new byte[4]));
        peer.run();
        assertThat(peer.end.closing).isTrue();
        assertThat(peer.node.sendCompletions()).containsExactly("1 SUCCESS RDMA_READ 4");
    }

    @Test
    void disconnectAnswersTheReadsThatCameBeforeIt() {
        RawPeer peer = RawPeer.established();
        TestNode node = peer.node;
        peer.in(Frames.write(0, 0));
        peer.end.out.limit(0);
        peer.in(Frames.readRequest(1, 1, 0, 4, node.key, node.address(0)));
        peer.run();
        peer.end.engine.disconnect(peer.clock.nowNs());
        peer.in(Frames.readRequest(2, 1, 0, 4, node.key, node.address(0)));
        peer.end.out.limit(1_000);
        assertThat(Frames.ulpdus(peer.out())).hasSize(1);
        assertThat(peer.end.closing).isTrue();
    }

    /** Each side's Reads reach the other when that one is finishing already. */
    @Test
    void bothSidesMayDisconnectAtOnceWithReadsToCome() {
        IwarpPair pair = new IwarpPair().connect();
        pair.left.postSend(1, 0, 0);
        pair.right.postReceive(1, 0, 8);
        pair.run();
        for (int i = 2; i <= 40; i++) {
            pair.left.postRead(i, 0, 100, pair.right, 1000);
            pair.right.postRead(i, 0, 100, pair.left, 1000);
        }
        pair.leftEnd.engine.disconnect(pair.clock.nowNs());
        pair.rightEnd.engine.disconnect(pair.clock.nowNs());
        pair.run();
        assertThat(pair.leftLog.log).endsWith("disconnected");
        assertThat(pair.rightLog.log).endsWith("disconnected");
        // whoever is through first closes, and takes what the other one still has with it
        assertThat(List.of(
                        pair.left.sendCompletions().getLast(),
                        pair.right.sendCompletions().getLast()))
                .contains("40 SUCCESS RDMA_READ 100");
    }

    @Test
    void disconnectGivesUpOnAPeerThatDoesNotAnswer() {
        RawPeer peer = RawPeer.establishedInitiator();
        peer.node.qp.postSend(peer.node.send(1, 0, 4).opcode(WrOpcode.RDMA_READ).remote(0, 1));
        peer.out();
        peer.end.engine.disconnect(peer.clock.nowNs());
        peer.advance(IwarpTimers.FINISH_LIMIT_NS);
        assertThat(peer.end.closing).isTrue();
        assertThat(peer.end.resetCalled).isFalse();
        peer.advance(IwarpTimers.CLOSE_LIMIT_NS);
        assertThat(peer.end.resetCalled).isTrue();
        assertThat(peer.log.log).containsExactly("established ", "disconnected");
        assertThat(peer.node.sendCompletions()).containsExactly("1 WR_FLUSH_ERR RDMA_READ 0");
        assertThat(peer.end.deadline()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void disconnectGivesUpOnAPeerThatTakesNothing() {
        RawPeer peer = RawPeer.establishedInitiator();
        peer.end.out.limit(0);
        peer.node.postSend(1, 0, 4);
        peer.run();
        peer.end.engine.disconnect(peer.clock.nowNs());
        peer.advance(IwarpTimers.FINISH_LIMIT_NS + IwarpTimers.CLOSE_LIMIT_NS);
        assertThat(peer.log.log).containsExactly("established ", "disconnected");
        assertThat(peer.node.sendCompletions()).containsExactly("1 WR_FLUSH_ERR SEND 0");
    }

    @Test
    void anIdleConnectionClosesAtOnce() {
        for (RawPeer peer : new RawPeer[] {RawPeer.establishedInitiator(), RawPeer.established()}) {
            peer.end.engine.disconnect(peer.clock.nowNs());
            assertThat(peer.end.closing).isTrue();
            assertThat(peer.log.log).doesNotContain("disconnected");
            peer.gone();
            assertThat(peer.log.log).endsWith("disconnected");
            assertThat(peer.node.qp.state()).isEqualTo(QpState.ERROR);
        }
    }

    @Test
    void whatTheResponderHoldsBackGoesOutWhenTheFirstFpduComes() {
        RawPeer peer = RawPeer.established();
        peer.node.postSend(1, 0, 4);
        peer.run();
        peer.end.engine.disconnect(peer.clock.nowNs());
        assertThat(peer.end.closing).isFalse();
        peer.in(Frames.write(0, 0));
        assertThat(Frames.ulpdus(peer.out())).hasSize(1);
        assertThat(peer.end.closing).isTrue();
        assertThat(peer.node.sendCompletions()).containsExactly("1 SUCCESS SEND 4");
    }

    @Test
    void disconnectDuringSetUpIsAFailureToldLater() {
        RawPeer initiator = new RawPeer().initiate(RawPeer.parameters(MpaOptions.RECOMMENDED, 1, 1));
        RawPeer responder = new RawPeer().listen(MpaOptions.RECOMMENDED);
        RawPeer asked = new RawPeer().listen(MpaOptions.RECOMMENDED);
        asked.in(Frames.request(0, 1));
        RawPeer accepted = new RawPeer().listen(MpaOptions.RECOMMENDED);
        accepted.in(Frames.request(0, 1));
        accepted.accept(RawPeer.parameters(MpaOptions.RECOMMENDED, 1, 1));
        for (RawPeer peer : new RawPeer[] {initiator, responder, asked, accepted}) {
            List<String> before = List.copyOf(peer.log.log);
            peer.end.engine.disconnect(peer.clock.nowNs());
            assertThat(peer.end.resetCalled).isTrue();
            assertThat(peer.log.log).isEqualTo(before);
            peer.run();
            assertThat(peer.log.log).hasSize(before.size() + 1).endsWith("failed ERROR ECONNRESET");
        }
        assertThat(initiator.node.qp.state()).isEqualTo(QpState.INIT);
        assertThat(accepted.node.qp.state()).isEqualTo(QpState.ERROR);
    }

    // ---- the peer ends ----

    @Test
    void thePeersFinIsANormalEnd() {
        IwarpPair pair = new IwarpPair().connect();
        pair.left.postReceive(1, 0, 8);
        pair.left.postReceive(2, 0, 8);
        pair.disconnectRight();
        assertThat(pair.leftLog.log).endsWith("disconnected");
        assertThat(pair.left.events).isEmpty();
        assertThat(pair.left.receiveCompletions()).containsExactly("1 WR_FLUSH_ERR RECV 0", "2 WR_FLUSH_ERR RECV 0");
        assertThat(pair.left.qp.state()).isEqualTo(QpState.ERROR);
        // what is posted now is flushed as well
        pair.left.postSend(3, 0, 1);
        pair.left.postReceive(4, 0, 1);
        pair.run();
        assertThat(pair.left.sendCompletions()).containsExactly("3 WR_FLUSH_ERR SEND 0");
        assertThat(pair.left.receiveCompletions()).containsExactly("4 WR_FLUSH_ERR RECV 0");
    }

    @Test
    void aFinInTheMiddleOfAMessageIsReported() {
        byte[] send = Frames.send(1, new byte[40]);
        for (byte[] in : new byte[][] {
            Arrays.copyOf(send, 1),
            Arrays.copyOf(send, send.length - 1),
            Frames.fpdu(Frames.untagged(Frames.SEND, false, 0, 0, 1, 0, new byte[8])),
        }) {
            RawPeer peer = RawPeer.established();
            peer.node.postReceive(1, 0, 64);
            peer.in(in);
            peer.fin();
            assertThat(peer.node.events).hasSize(1);
            assertThat(peer.node.events.getFirst().type()).isEqualTo(AsyncEvent.Type.QP_FATAL);
            assertThat(peer.node.events.getFirst().detail()).isEqualTo(0x2001);
            assertThat(peer.end.closing).isTrue();
            assertThat(peer.out()).isEmpty();
            peer.gone();
            assertThat(peer.log.log).endsWith("disconnected");
        }
    }

    /** A session with everything in it, broken off behind each single byte, with FIN and with RST, in each direction. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theStreamBreaksBehindEachByte(boolean fin) {
        int[] length = session(Long.MAX_VALUE, Long.MAX_VALUE, fin);
        assertThat(length[0]).isGreaterThan(150);
        assertThat(length[1]).isGreaterThan(150);
        for (int i = 0; i < length[0]; i++) {
            session(i, Long.MAX_VALUE, fin);
        }
        for (int i = 0; i < length[1]; i++) {
            session(Long.MAX_VALUE, i, fin);
        }
    }

    private static int[] session(long leftBreaks, long rightBreaks, boolean fin) {
        IwarpPair pair = new IwarpPair(TestNode.options(), TestNode.options(), 4096);
        pair.breaksWithFin = fin;
        pair.leftBreaksAfter = leftBreaks;
        pair.rightBreaksAfter = rightBreaks;
        for (int i = 0; i < 3; i++) {
            pair.left.postReceive(10 + i, 1024, 64);
            pair.right.postReceive(10 + i, 1024, 64);
        }
        pair.connect();
        int posted = 0;
        if (pair.leftLog.isEstablished()) {
            pair.left.postSend(1, 0, 21);
            pair.left.postWrite(2, 0, 30, pair.right, 512);
            pair.left.postRead(3, 256, 17, pair.right, 0);
            posted = 3;
            pair.run();
            if (pair.right.qp.state() == QpState.RTS) {
                pair.right.postSend(4, 0, 9);
                pair.right.postRead(5, 256, 5, pair.left, 0);
                pair.run();
            }
        }
        boolean broken = leftBreaks != Long.MAX_VALUE || rightBreaks != Long.MAX_VALUE;
        int[] length = {(int) pair.leftEnd.carried, (int) pair.rightEnd.carried};
        if (!broken) {
            pair.disconnectLeft();
        }
        pair.exhaust();
        String where = "left breaks after " + leftBreaks + ", right after " + rightBreaks;
        assertThat(pair.leftLog.isOver()).as(where).isTrue();
        assertThat(pair.rightLog.isOver()).as(where).isTrue();
        assertThat(pair.leftLog.log.stream().filter(TeardownTest::isEnd))
                .as(where)
                .hasSize(1);
        assertThat(pair.rightLog.log.stream().filter(TeardownTest::isEnd))
                .as(where)
                .hasSize(1);
        assertThat(pair.left.sendCompletions()).as(where).hasSize(posted);
        boolean leftUp = pair.leftLog.isEstablished();
        assertThat(pair.left.receiveCompletions()).as(where).hasSize(leftUp ? 3 : 0);
        boolean rightUp = pair.right.qp.state() == QpState.ERROR;
        assertThat(pair.right.receiveCompletions()).as(where).hasSize(rightUp ? 3 : 0);
        return length;
    }

    private static boolean isEnd(String line) {
        return line.equals("disconnected") || line.startsWith("failed");
    }

    // ---- the queue pair ends ----

    /** What is done to a queue pair, and whether its connection may have completions afterwards. */
    private enum Deed {
        DESTROY(node -> node.qp.destroy(), false),
        RESET_IT(node -> node.qp.modify(RESET), false),
        FAIL(node -> node.qp.modify(ERROR), true);

        final Consumer<TestNode> act;
        final boolean flushes;

        Deed(Consumer<TestNode> act, boolean flushes) {
            this.act = act;
            this.flushes = flushes;
        }
    }

    @ParameterizedTest
    @EnumSource(Deed.class)
    void theQueuePairIsTakenAwayAtEachMoment(Deed deed) {
        // one step of the pair after the other, on either side
        for (int moment = 0; moment < 12; moment++) {
            for (boolean passive : new boolean[] {false, true}) {
                IwarpPair pair = new IwarpPair(TestNode.options(), TestNode.options(), 4096);
                pair.left.postReceive(1, 0, 8);
                pair.right.postReceive(1, 0, 8);
                pair.open(
                        IwarpPair.parameters(MpaOptions.RECOMMENDED),
                        MpaOptions.RECOMMENDED,
                        IwarpPair.parameters(MpaOptions.RECOMMENDED));
                for (int i = 0; i < moment; i++) {
                    pair.step();
                    if (pair.left.qp.state() == QpState.RTS && i == 4) {
                        pair.left.postWrite(2, 0, 2000, pair.right, 0);
                        pair.left.postRead(3, 0, 2000, pair.right, 0);
                    }
                }
                TestNode victim = passive ? pair.right : pair.left;
                boolean bound = passive ? pair.right.qp.state() == QpState.RTS : pair.left.qp.state() != QpState.RESET;
                victim.sendCompletions();
                victim.receiveCompletions();
                deed.act.accept(victim);
                List<String> now = victim.receiveCompletions();
                pair.run();
                pair.exhaust();
                String where = deed + " at " + moment + " passive " + passive;
                if (!deed.flushes) {
                    assertThat(now).as(where).isEmpty();
                    assertThat(victim.sendCompletions()).as(where).isEmpty();
                    assertThat(victim.receiveCompletions()).as(where).isEmpty();
                }
                if (bound) {
                    assertThat(pair.leftLog.isOver()).as(where).isTrue();
                    assertThat(pair.rightLog.log.stream()
                                    .filter(TeardownTest::isEnd)
                                    .count())
                            .as(where)
                            .isLessThanOrEqualTo(1);
                }
                assertThat(pair.leftLog.log.stream().filter(TeardownTest::isEnd).count())
                        .as(where)
                        .isLessThanOrEqualTo(1);
            }
        }
    }

    @Test
    void errorClosesTheStreamInGoodOrder() {
        IwarpPair pair = new IwarpPair().connect();
        pair.left.postReceive(1, 0, 8);
        pair.left.qp.modify(ERROR);
        assertThat(pair.leftEnd.closing).isTrue();
        assertThat(pair.leftEnd.resetCalled).isFalse();
        assertThat(pair.left.receiveCompletions()).containsExactly("1 WR_FLUSH_ERR RECV 0");
        pair.run();
        assertThat(pair.leftLog.log).endsWith("disconnected");
        assertThat(pair.rightLog.log).endsWith("disconnected");
        assertThat(pair.right.events).isEmpty();
    }

    @Test
    void aQueuePairIsConnectedOnceUnlessItIsReset() {
        IwarpPair pair = new IwarpPair().connect();
        pair.disconnectLeft();
        var parameters = IwarpPair.parameters(MpaOptions.RECOMMENDED);
        assertThatThrownBy(() -> pair.left.device.initiator(pair.left.qp, parameters, pair.leftLog))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("reset it before it is connected again");
        pair.left.qp.modify(RESET);
        pair.left.qp.modify(INIT);
        pair.right.qp.modify(RESET);
        pair.right.qp.modify(INIT);
        pair.connect();
        assertThat(pair.leftLog.log).containsExactly("established ", "disconnected", "established ");
        pair.right.postReceive(1, 0, 8);
        pair.left.postSend(2, 0, 3);
        pair.run();
        assertThat(pair.right.receiveCompletions()).containsExactly("1 SUCCESS RECV 3");
    }

    @Test
    void aQueuePairThatIsResetWhileConnectedMayConnectAgainAtOnce() {
        IwarpPair pair = new IwarpPair().connect();
        TestEnd old = pair.leftEnd;
        pair.left.qp.modify(RESET);
        pair.left.qp.modify(INIT);
        RawPeerOf second = new RawPeerOf(pair.left);
        second.initiate();
        assertThat(second.log.log).containsExactly("established ");
        // the old connection ends without touching the queue pair
        old.gone();
        assertThat(pair.left.qp.state()).isEqualTo(QpState.RTS);
        assertThat(pair.leftLog.log).containsExactly("established ", "disconnected");
    }

    /** A second stream of a node, answered by hand. */
    private static final class RawPeerOf {
        final TestListener log = new TestListener();
        private final TestNode node;

        RawPeerOf(TestNode node) {
            this.node = node;
        }

        void initiate() {
            TestEnd end = new TestEnd(
                    node.device.initiator(node.qp, IwarpPair.parameters(MpaOptions.RECOMMENDED), log), node);
            end.engine.onOpen(end, node.driver.nowNs());
            end.poll();
            byte[] reply = Frames.reply(Frames.S, 2, Frames.enhanced(0, 4, 4));
            end.out.takeAll();
            end.out.put(reply);
            end.receive(end.out.segment(), end.out.position(), reply.length);
        }
    }

    // ---- states ----

    @Test
    void statesOfAConnectionCannotBeSetByHand() {
        TestNode node = new TestNode(new TestClock(), TestNode.options(), 1, 4096);
        for (QpState state : new QpState[] {QpState.RTR, QpState.RTS}) {
            assertThatThrownBy(() -> node.qp.modify(QpAttributes.state(state)))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("connecting or accepting a connection brings it to RTS");
            assertThat(node.qp.state()).isEqualTo(QpState.INIT);
        }
        assertThatThrownBy(() -> node.qp.modify(QpAttributes.builder()
                        .state(QpState.INIT)
                        .maxRdAtomic(1)
                        .build()))
                .hasMessageContaining("agreed when connecting");
        node.qp.modify(ERROR);
        node.qp.modify(RESET);
        node.qp.modify(INIT);
    }

    @Test
    void sqdStopsTheQueueAndRtsLetsItGoOn() {
        IwarpPair pair = new IwarpPair().connect();
        pair.right.postReceive(1, 0, 8);
        pair.right.postReceive(2, 0, 8);
        pair.left.postRead(1, 0, 5, pair.right, 0);
        pair.left.postSend(2, 0, 1);
        pair.left.driver.runTasks();
        pair.leftEnd.poll();
        pair.left.qp.modify(
                QpAttributes.builder().state(QpState.SQD).sqdNotify(true).build());
        pair.left.postSend(3, 0, 1);
        pair.leftEnd.poll();
        // the Read is not answered yet
        assertThat(pair.left.events).isEmpty();
        pair.run();
        assertThat(pair.left.events).extracting(AsyncEvent::type).containsExactly(AsyncEvent.Type.SQ_DRAINED);
        assertThat(pair.left.qp.state()).isEqualTo(QpState.SQD);
        assertThat(pair.left.sendCompletions()).containsExactly("1 SUCCESS RDMA_READ 5", "2 SUCCESS SEND 1");
        // the other direction goes on
        pair.left.postReceive(7, 0, 8);
        pair.right.postSend(8, 0, 2);
        pair.right.postRead(9, 0, 2, pair.left, 0);
        pair.run();
        assertThat(pair.left.receiveCompletions()).containsExactly("7 SUCCESS RECV 2");
        assertThat(pair.right.sendCompletions()).containsExactly("8 SUCCESS SEND 2", "9 SUCCESS RDMA_READ 2");
        pair.left.qp.modify(QpAttributes.state(QpState.RTS));
        pair.run();
        assertThat(pair.left.sendCompletions()).containsExactly("3 SUCCESS SEND 1");
        assertThat(pair.left.events).hasSize(1);
    }

    @Test
    void anIdleQueueHasDrainedAtOnceAndOnlyIfAsked() {
        IwarpPair pair = new IwarpPair().connect();
        pair.left.qp.modify(QpAttributes.state(QpState.SQD));
        pair.run();
        assertThat(pair.left.events).isEmpty();
        pair.left.qp.modify(QpAttributes.state(QpState.RTS));
        pair.left.qp.modify(
                QpAttributes.builder().state(QpState.SQD).sqdNotify(true).build());
        pair.run();
        assertThat(pair.left.events).hasSize(1);
        pair.left.postSend(1, 0, 1);
        pair.disconnectLeft();
        assertThat(pair.leftLog.log).endsWith("disconnected");
        assertThat(pair.left.sendCompletions()).containsExactly("1 WR_FLUSH_ERR SEND 0");
    }
}
