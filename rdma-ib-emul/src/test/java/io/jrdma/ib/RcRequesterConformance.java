package io.jrdma.ib;

import static io.jrdma.ib.PacketBuilder.ack;
import static io.jrdma.ib.PacketBuilder.bytes;
import static io.jrdma.ib.PacketBuilder.packet;
import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.ib.TestNode.Link;
import io.jrdma.testing.Satisfies;
import io.jrdma.verbs.AsyncEvent;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.WrOpcode;
import io.jrdma.wire.ib.AtomicEth;
import io.jrdma.wire.ib.Bth;
import io.jrdma.wire.ib.IbOpcode;
import io.jrdma.wire.ib.Reth;
import java.lang.foreign.ValueLayout;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/** What a requester sends on a path without loss, and what it makes of good answers (IBTA volume 1, 9.7.3 and 9.7.6). */
class RcRequesterConformance {
    /** ACK without credits. */
    private static final int ACK = 0x1F;

    private final RawPeer peer = new RawPeer();
    private final TestNode node = peer.node;

    private void post(SendWr request) {
        node.qp.postSend(request);
    }

    private SendWr write(long id, int length) {
        return node.send(id, 0, length).opcode(WrOpcode.RDMA_WRITE).remote(0x1234_5678_9ABCL, 0xBEEF);
    }

    private SendWr read(long id, int length) {
        return node.send(id, 0, length).opcode(WrOpcode.RDMA_READ).remote(0x1234_5678_9ABCL, 0xBEEF);
    }

    private PacketBuilder response(int opcode, int psn, int length) {
        PacketBuilder builder = packet(opcode, psn, bytes(length));
        return IbOpcode.hasAeth(opcode) ? builder.aeth(ACK, 1) : builder;
    }

    @Test
    @Satisfies({"IBTA-9.7.3-1", "IBTA-9.7.3-2", "IBTA-9.7.3-3"})
    void messagesAreCutIntoPacketsOfOnePathMtu() {
        peer.connect(Link.DEFAULT.withPsn(0xFF_FFFC));
        post(node.send(1, 0, 0));
        post(node.send(2, 0, 1024));
        post(node.send(3, 0, 1025).solicited(true));
        post(node.send(4, 0, 3000).opcode(WrOpcode.SEND_WITH_IMM));
        post(node.send(5, 0, 1).opcode(WrOpcode.SEND_WITH_IMM));
        post(node.send(6, 0, 1).opcode(WrOpcode.SEND_WITH_INV));
        post(write(7, 2048));
        post(write(8, 1));
        post(write(9, 1500).opcode(WrOpcode.RDMA_WRITE_WITH_IMM));
        post(write(10, 0).opcode(WrOpcode.RDMA_WRITE_WITH_IMM));
        var sent = peer.out();
        assertThat(sent.stream().map(RawPeer::text))
                .containsExactly(
                        "RC_SEND_ONLY 16777212 [0] A",
                        "RC_SEND_ONLY 16777213 [1024] A",
                        "RC_SEND_FIRST 16777214 [1024]",
                        "RC_SEND_LAST 16777215 [1] A",
                        "RC_SEND_FIRST 0 [1024]",
                        "RC_SEND_MIDDLE 1 [1024]",
                        "RC_SEND_LAST_WITH_IMM 2 [952] A",
                        "RC_SEND_ONLY_WITH_IMM 3 [1] A",
                        "RC_SEND_ONLY_WITH_INVALIDATE 4 [1] A",
                        "RC_RDMA_WRITE_FIRST 5 [1024]",
                        "RC_RDMA_WRITE_LAST 6 [1024] A",
                        "RC_RDMA_WRITE_ONLY 7 [1] A",
                        "RC_RDMA_WRITE_FIRST 8 [1024]",
                        "RC_RDMA_WRITE_LAST_WITH_IMM 9 [476] A",
                        "RC_RDMA_WRITE_ONLY_WITH_IMM 10 [0] A");
        assertThat(Bth.isSolicited(sent.get(2).segment(), 0)).isFalse();
        assertThat(Bth.isSolicited(sent.get(3).segment(), 0)).isTrue();
        assertThat(Reth.view(sent.get(9).segment(), 12)).isEqualTo(new Reth.View(0x1234_5678_9ABCL, 0xBEEF, 2048));
        assertThat(Bth.destQp(sent.get(0).segment(), 0)).isEqualTo(RawPeer.PEER_QP);
        peer.in(ack(10, ACK, 10));
        assertThat(node.sendCompletions()).hasSize(10).allMatch(text -> text.contains("SUCCESS"));
    }

    @Test
    @Satisfies("IBTA-9.7.3-3")
    void aLongMessageAsksForAcksOnTheWayAndFillsTheWindow() {
        peer.connect();
        post(write(1, 100 * 1024));
        var sent = peer.out();
        // slow start: 16 packets, and one in eight asks
        assertThat(sent).hasSize(CongestionWindow.INITIAL);
        assertThat(sent.stream().filter(TestNetwork.Sent::ackRequest).map(TestNetwork.Sent::psn))
                .containsExactly(7, 15);
        peer.in(ack(7, ACK, 0));
        assertThat(peer.out()).hasSize(16);
        peer.in(ack(31, ACK, 0));
        assertThat(peer.out()).hasSize(48);
    }

    @Test
    @Satisfies("IBTA-9.7.3-3")
    void aPeerThatAnswersOnlyWhatAsksNeverMakesUsWait() {
        for (int packets : new int[] {1, 2, 63, 64, 65, 128, 1024}) {
            RawPeer fresh = new RawPeer(TestNode.options());
            fresh.connect(Link.DEFAULT.withTimeout(20, 7).withMtu(256));
            fresh.node.qp.postSend(fresh.node
                    .send(1, 0, packets * 256)
                    .opcode(WrOpcode.RDMA_WRITE)
                    .remote(0, 1));
            long begin = fresh.clock.nowNs();
            while (fresh.node.sendCompletions().isEmpty()) {
                var wanted = fresh.out().stream()
                        .filter(TestNetwork.Sent::ackRequest)
                        .toList();
                assertThat(wanted).isNotEmpty();
                fresh.advance(100_000);
                fresh.in(ack(wanted.get(wanted.size() - 1).psn(), ACK, 0));
            }
            assertThat(fresh.clock.nowNs() - begin).isLessThan(100_000_000);
            assertThat(fresh.node.device.counters().value(IbCounters.RETRANSMITTED))
                    .isZero();
        }
    }

    @Test
    @Satisfies({"IBTA-9.7.3-2", "IBTA-9.7.3-4"})
    void readsTakeThePsnsOfTheirResponsesAndNoMoreAreOutThanAgreed() {
        peer.connect(Link.DEFAULT.withDepths(2, 0));
        post(read(1, 3000));
        post(read(2, 0));
        post(read(3, 10));
        post(node.send(4, 0, 1));
        var sent = peer.out();
        assertThat(sent.stream().map(RawPeer::text))
                .containsExactly("RC_RDMA_READ_REQUEST 0", "RC_RDMA_READ_REQUEST 3");
        assertThat(Reth.view(sent.get(0).segment(), 12)).isEqualTo(new Reth.View(0x1234_5678_9ABCL, 0xBEEF, 3000));
        peer.in(
                response(IbOpcode.RDMA_READ_RESPONSE_FIRST, 0, 1024),
                response(IbOpcode.RDMA_READ_RESPONSE_MIDDLE, 1, 1024));
        assertThat(peer.out()).isEmpty();
        peer.in(response(IbOpcode.RDMA_READ_RESPONSE_LAST, 2, 952));
        assertThat(peer.outText()).containsExactly("RC_RDMA_READ_REQUEST 4", "RC_SEND_ONLY 5 [1] A");
        assertThat(node.sendCompletions()).containsExactly("1 SUCCESS RDMA_READ 3000");
        assertThat(node.bytes(1024, 1024)).isEqualTo(bytes(1024));
        assertThat(node.bytes(2048, 952)).isEqualTo(bytes(952));
        peer.in(response(IbOpcode.RDMA_READ_RESPONSE_ONLY, 3, 0), response(IbOpcode.RDMA_READ_RESPONSE_ONLY, 4, 10));
        peer.in(ack(5, ACK, 4));
        assertThat(node.sendCompletions())
                .containsExactly("2 SUCCESS RDMA_READ 0", "3 SUCCESS RDMA_READ 10", "4 SUCCESS SEND 1");
    }

    @Test
    @Satisfies("IBTA-9.7.3-2")
    void aReadLargerThanTheWindowIsAskedForInPieces() {
        peer.connect();
        post(read(1, 20 * 1024));
        var first = peer.out();
        assertThat(first.stream().map(RawPeer::text)).containsExactly("RC_RDMA_READ_REQUEST 0");
        assertThat(Reth.dmaLength(first.get(0).segment(), 12)).isEqualTo(16 * 1024);
        answerRead(0, 16);
        var second = peer.out();
        assertThat(second.stream().map(RawPeer::text)).containsExactly("RC_RDMA_READ_REQUEST 16");
        assertThat(Reth.view(second.get(0).segment(), 12))
                .isEqualTo(new Reth.View(0x1234_5678_9ABCL + 16 * 1024, 0xBEEF, 4 * 1024));
        answerRead(16, 4);
        assertThat(node.sendCompletions()).containsExactly("1 SUCCESS RDMA_READ 20480");
    }

    private void answerRead(int psn, int packets) {
        for (int i = 0; i < packets; i++) {
            int opcode = i == 0
                    ? IbOpcode.RDMA_READ_RESPONSE_FIRST
                    : i == packets - 1 ? IbOpcode.RDMA_READ_RESPONSE_LAST : IbOpcode.RDMA_READ_RESPONSE_MIDDLE;
            peer.in(response(opcode, psn + i, 1024));
        }
    }

    @Test
    @Satisfies("IBTA-9.7.3-4")
    void anAtomicBringsBackWhatItFound() {
        peer.connect();
        post(node.send(1, 64, 8)
                .opcode(WrOpcode.ATOMIC_CMP_AND_SWP)
                .remote(0x1000, 5)
                .atomic(7, 8));
        post(node.send(2, 72, 8)
                .opcode(WrOpcode.ATOMIC_FETCH_AND_ADD)
                .remote(0x1008, 6)
                .atomic(9, 0));
        var sent = peer.out();
        assertThat(sent.stream().map(RawPeer::text)).containsExactly("RC_COMPARE_SWAP 0", "RC_FETCH_ADD 1");
        assertThat(AtomicEth.view(sent.get(0).segment(), 12)).isEqualTo(new AtomicEth.View(0x1000, 5, 8, 7));
        assertThat(AtomicEth.view(sent.get(1).segment(), 12)).isEqualTo(new AtomicEth.View(0x1008, 6, 9, 0));
        peer.in(
                packet(IbOpcode.ATOMIC_ACKNOWLEDGE, 0).aeth(ACK, 1).original(70),
                packet(IbOpcode.ATOMIC_ACKNOWLEDGE, 1).aeth(ACK, 2).original(-1));
        assertThat(node.memory.get(ValueLayout.JAVA_LONG, 64)).isEqualTo(70);
        assertThat(node.memory.get(ValueLayout.JAVA_LONG, 72)).isEqualTo(-1);
        assertThat(node.sendCompletions()).containsExactly("1 SUCCESS COMP_SWAP 8", "2 SUCCESS FETCH_ADD 8");
    }

    @Test
    @Satisfies({"IBTA-9.7.6-3", "IBTA-9.7.6-12"})
    void aReadResponseAcknowledgesWhatWasBeforeIt() {
        peer.connect();
        post(node.send(1, 0, 10));
        post(write(2, 2000));
        post(read(3, 10));
        peer.out();
        peer.in(response(IbOpcode.RDMA_READ_RESPONSE_ONLY, 3, 10));
        assertThat(node.sendCompletions())
                .containsExactly("1 SUCCESS SEND 10", "2 SUCCESS RDMA_WRITE 2000", "3 SUCCESS RDMA_READ 10");
        assertThat(node.device.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    @Satisfies("IBTA-9.7.6-2")
    void answersToWhatWasNotAskedAreDropped() {
        peer.connect();
        peer.in(ack(0, ACK, 1), ack(0xFF_FFFE, ACK, 1), ack(7, 0x62, 1));
        post(node.send(1, 0, 10));
        peer.out();
        peer.in(ack(1, ACK, 1), response(IbOpcode.RDMA_READ_RESPONSE_ONLY, 5, 8), ack(0, 0x40, 1));
        assertThat(node.sendCompletions()).isEmpty();
        assertThat(peer.state()).isEqualTo(QpState.RTS);
        peer.in(ack(0, ACK, 1), ack(0, ACK, 1), ack(0, 0x60, 1), ack(0, 0x20, 1), ack(0, 0x61, 1));
        assertThat(node.sendCompletions()).containsExactly("1 SUCCESS SEND 10");
        assertThat(peer.state()).isEqualTo(QpState.RTS);
        assertThat(node.device.counters().value(IbCounters.STRAY_RESPONSE)).isEqualTo(10);
    }

    @Test
    @Satisfies("IBTA-9.7.6-12")
    void unsignaledRequestsCompleteSilentlyAndInOrder() {
        peer.connect();
        post(node.send(1, 0, 10).signaled(false));
        post(node.send(2, 0, 10));
        post(node.send(3, 0, 10).signaled(false));
        peer.out();
        peer.in(ack(2, ACK, 3));
        assertThat(node.sendCompletions()).containsExactly("2 SUCCESS SEND 10");
        assertThat(node.qp.sendQueue().head()).isEqualTo(3);
    }

    @Test
    @Satisfies("IBTA-10.8.3-1")
    void aFenceWaitsForReadsAndForNothingElse() {
        peer.connect();
        post(read(1, 10));
        post(write(2, 10));
        post(node.send(3, 0, 10).fenced(true));
        assertThat(peer.outText()).containsExactly("RC_RDMA_READ_REQUEST 0", "RC_RDMA_WRITE_ONLY 1 [10] A");
        peer.in(response(IbOpcode.RDMA_READ_RESPONSE_ONLY, 0, 10));
        assertThat(peer.outText()).containsExactly("RC_SEND_ONLY 2 [10] A");
        post(write(4, 10));
        post(node.send(5, 0, 10).fenced(true));
        assertThat(peer.outText()).containsExactly("RC_RDMA_WRITE_ONLY 3 [10] A", "RC_SEND_ONLY 4 [10] A");
    }

    @Test
    @Satisfies("IBTA-9.7.6-12")
    void aLocalInvalidateWaitsForWhatWasPostedBeforeIt() {
        peer.connect();
        int key = node.table.register(TestNode.PD, node.memory, TestNode.ALL);
        post(new SendWr().id(1).addSge(node.address(0), 10, key));
        post(new SendWr().id(2).opcode(WrOpcode.LOCAL_INV).invalidate(key));
        post(node.send(3, 0, 5));
        assertThat(peer.outText()).containsExactly("RC_SEND_ONLY 0 [10] A");
        peer.in(ack(0, ACK, 1));
        assertThat(node.sendCompletions()).containsExactly("1 SUCCESS SEND 10", "2 SUCCESS LOCAL_INV 0");
        assertThat(node.table.check(key, TestNode.PD, 0, node.address(0), 1))
                .isEqualTo(io.jrdma.verbs.memory.AccessFault.INVALID_KEY);
        assertThat(peer.outText()).containsExactly("RC_SEND_ONLY 1 [5] A");
        post(new SendWr().id(4).opcode(WrOpcode.LOCAL_INV).invalidate(key + 1));
        peer.in(ack(1, ACK, 1));
        assertThat(node.sendCompletions()).containsExactly("3 SUCCESS SEND 5", "4 LOC_QP_OP_ERR LOCAL_INV 0");
        assertThat(peer.state()).isEqualTo(QpState.ERROR);
    }

    @Test
    @Satisfies({"IBTA-9.7.7-1", "IBTA-9.7.7-2"})
    void creditsAreObeyed() {
        peer.connect();
        for (int i = 1; i <= 6; i++) {
            post(node.send(i, 0, 1));
        }
        post(write(7, 1));
        // nothing is known yet
        assertThat(peer.out()).hasSize(7);
        peer.in(ack(6, 0, 7)); // no receive is left
        for (int i = 8; i <= 12; i++) {
            post(node.send(i, 0, 1));
        }
        // one may ask
        assertThat(peer.outText()).containsExactly("RC_SEND_ONLY 7 [1] A");
        peer.in(ack(7, 2, 8)); // two more
        assertThat(peer.outText()).containsExactly("RC_SEND_ONLY 8 [1] A", "RC_SEND_ONLY 9 [1] A");
        peer.in(ack(8, 1, 9));
        assertThat(peer.out()).isEmpty();
        peer.in(ack(9, ACK, 10)); // no limit any more
        assertThat(peer.out()).hasSize(2);
    }

    @Test
    @Satisfies("IBTA-9.7.7-1")
    void whatTakesNoReceiveNeedsNoCredit() {
        peer.connect();
        post(node.send(1, 0, 1));
        peer.out();
        peer.in(ack(0, 0, 1));
        post(write(2, 1));
        post(read(3, 1));
        post(write(4, 1).opcode(WrOpcode.RDMA_WRITE_WITH_IMM));
        assertThat(peer.outText()).containsExactly("RC_RDMA_WRITE_ONLY 1 [1] A", "RC_RDMA_READ_REQUEST 2");
        // credits that come late, with an ACK for what is acknowledged already
        peer.in(ack(0, 3, 1));
        assertThat(peer.outText()).containsExactly("RC_RDMA_WRITE_ONLY_WITH_IMM 3 [1] A");
    }

    @Test
    @Satisfies("IBTA-10.3.1-2")
    void aSendQueueIsDrained() {
        peer.connect();
        post(write(1, 30 * 1024));
        assertThat(peer.out()).hasSize(16);
        node.qp.modify(QpAttributes.builder().state(QpState.SQD).sqdNotify(true).build());
        post(node.send(2, 0, 1));
        Assertions.assertThatThrownBy(() -> node.qp.modify(QpAttributes.state(QpState.RTS)))
                .isInstanceOf(VerbsException.class)
                .hasMessageContainingAll("queue pair 0x", " to RTS", "not drained", "RESET and ERROR");
        peer.in(ack(15, ACK, 0));
        assertThat(peer.out()).hasSize(14);
        assertThat(node.events).isEmpty();
        peer.in(ack(29, ACK, 1));
        assertThat(node.eventTypes()).containsExactly(AsyncEvent.Type.SQ_DRAINED);
        assertThat(peer.out()).isEmpty();
        assertThat(node.sendCompletions()).containsExactly("1 SUCCESS RDMA_WRITE 30720");
        node.qp.modify(QpAttributes.builder().state(QpState.SQD).timeout(5).build());
        node.qp.modify(QpAttributes.state(QpState.RTS));
        assertThat(peer.outText()).containsExactly("RC_SEND_ONLY 30 [1] A");
        assertThat(node.events).hasSize(1);
    }

    private PacketBuilder readResponse(int psn) {
        return response(IbOpcode.RDMA_READ_RESPONSE_ONLY, psn, 8);
    }

    private void changeInSqd(int maxRdAtomic) {
        node.qp.modify(QpAttributes.builder()
                .state(QpState.SQD)
                .maxRdAtomic(maxRdAtomic)
                .build());
        node.qp.modify(QpAttributes.state(QpState.RTS));
    }

    @Test
    @Satisfies({"IBTA-10.3.1-4", "IBTA-9.7.3-4"})
    void theNumberOfReadsAtOnceCanBeChangedInSqd() {
        peer.connect(Link.DEFAULT.withDepths(1, 4));
        for (int i = 0; i < 10; i++) {
            post(read(i, 8));
        }
        assertThat(peer.outText()).containsExactly("RC_RDMA_READ_REQUEST 0");
        node.qp.modify(QpAttributes.state(QpState.SQD));
        peer.in(readResponse(0));
        changeInSqd(3);
        assertThat(peer.out()).extracting(TestNetwork.Sent::psn).containsExactly(1, 2, 3);
        node.qp.modify(QpAttributes.state(QpState.SQD));
        peer.in(readResponse(1), readResponse(2), readResponse(3));
        changeInSqd(2);
        assertThat(peer.out()).extracting(TestNetwork.Sent::psn).containsExactly(4, 5);
        peer.in(readResponse(4));
        assertThat(peer.out()).extracting(TestNetwork.Sent::psn).containsExactly(6);
        peer.in(readResponse(5), readResponse(6));
        assertThat(node.sendCompletions()).hasSize(7);
    }

    @Test
    @Satisfies("IBTA-10.3.1-2")
    void anIdleSendQueueIsDrainedAtOnce() {
        peer.connect();
        node.qp.modify(QpAttributes.builder().state(QpState.SQD).sqdNotify(true).build());
        assertThat(node.eventTypes()).containsExactly(AsyncEvent.Type.SQ_DRAINED);
    }

    @Test
    @Satisfies("IBTA-9.7.6-11")
    void whatCannotBeReadOrWrittenHereFailsInItsTurn() {
        peer.connect();
        post(node.send(1, 0, 10));
        post(new SendWr().id(2).addSge(node.address(0), 10, node.key + 1));
        post(node.send(3, 0, 10));
        assertThat(peer.outText()).containsExactly("RC_SEND_ONLY 0 [10] A");
        assertThat(node.sendCompletions()).isEmpty();
        peer.in(ack(0, ACK, 1));
        assertThat(node.sendCompletions())
                .containsExactly("1 SUCCESS SEND 10", "2 LOC_PROT_ERR SEND 0", "3 WR_FLUSH_ERR SEND 0");
        assertThat(peer.state()).isEqualTo(QpState.ERROR);
    }

    @Test
    @Satisfies("IBTA-9.7.6-11")
    void readsThatCannotBeDoneFailWithoutAPacket() {
        int readOnly = node.table.register(TestNode.PD, node.memory, 0);
        peer.connect();
        post(new SendWr().id(1).opcode(WrOpcode.RDMA_READ).remote(0, 1).addSge(node.address(0), 10, readOnly));
        assertThat(peer.out()).isEmpty();
        assertThat(node.sendCompletions()).containsExactly("1 LOC_PROT_ERR RDMA_READ 0");
        RawPeer other = new RawPeer().connect(Link.DEFAULT.withDepths(0, 4));
        other.node.qp.postSend(other.node.send(1, 0, 8).opcode(WrOpcode.RDMA_READ));
        assertThat(other.out()).isEmpty();
        assertThat(other.node.sendCompletions()).containsExactly("1 LOC_QP_OP_ERR RDMA_READ 0");
        RawPeer third = new RawPeer().connect();
        third.node.qp.postSend(third.node.send(1, 0, 4).opcode(WrOpcode.ATOMIC_FETCH_AND_ADD));
        assertThat(third.out()).isEmpty();
        assertThat(third.node.sendCompletions()).containsExactly("1 LOC_LEN_ERR FETCH_ADD 0");
    }
}
