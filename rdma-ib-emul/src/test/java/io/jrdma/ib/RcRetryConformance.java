package io.jrdma.ib;

import static io.jrdma.ib.PacketBuilder.ack;
import static io.jrdma.ib.PacketBuilder.bytes;
import static io.jrdma.ib.PacketBuilder.packet;
import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.ib.TestNode.Link;
import io.jrdma.testing.Satisfies;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WrOpcode;
import io.jrdma.wire.ib.Bth;
import io.jrdma.wire.ib.IbOpcode;
import io.jrdma.wire.ib.Reth;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a requester does when answers are missing or say no (IBTA volume 1, 9.7.6). */
class RcRetryConformance {
    private static final int ACK = 0x1F;
    private static final int SEQUENCE_NAK = 0x60;
    private static final long MS = 1_000_000;
    private static final long REMOTE = 0x1234_5678_9ABCL;

    private final RawPeer peer = new RawPeer();
    private final TestNode node = peer.node;

    private void post(SendWr request) {
        node.qp.postSend(request);
    }

    private SendWr write(long id, int length) {
        return node.send(id, 0, length).opcode(WrOpcode.RDMA_WRITE).remote(REMOTE, 0xBEEF);
    }

    private SendWr read(long id, int length) {
        return node.send(id, 0, length).opcode(WrOpcode.RDMA_READ).remote(REMOTE, 0xBEEF);
    }

    private PacketBuilder response(int opcode, int psn, int length) {
        PacketBuilder builder = packet(opcode, psn, bytes(length));
        return IbOpcode.hasAeth(opcode) ? builder.aeth(ACK, 1) : builder;
    }

    private void writes(int count) {
        for (int i = 0; i < count; i++) {
            post(write(i, 8));
        }
    }

    @Test
    @Satisfies({"IBTA-9.7.6-5", "IBTA-9.7.6-6"})
    void aSequenceNakAcknowledgesWhatIsBeforeItAndStartsAgainThere() {
        peer.connect();
        writes(10);
        peer.out();
        peer.in(ack(5, SEQUENCE_NAK, 5));
        assertThat(peer.out()).extracting(TestNetwork.Sent::psn).containsExactly(5, 6, 7, 8, 9);
        assertThat(node.sendCompletions()).hasSize(5);
        // a copy of it changes nothing, and neither does an older one
        peer.in(ack(5, SEQUENCE_NAK, 5), ack(3, SEQUENCE_NAK, 3));
        assertThat(peer.out()).isEmpty();
        peer.in(ack(7, SEQUENCE_NAK, 7));
        assertThat(peer.out()).extracting(TestNetwork.Sent::psn).containsExactly(7, 8, 9);
        peer.in(ack(9, ACK, 10));
        assertThat(node.sendCompletions()).hasSize(5);
    }

    @Test
    @Satisfies("IBTA-9.7.6-5")
    void aSequenceNakDoesNotAcknowledgeARead() {
        peer.connect();
        writes(3);
        post(read(3, 8));
        writes(6);
        peer.out();
        peer.in(ack(5, SEQUENCE_NAK, 5));
        assertThat(peer.outText().get(0)).isEqualTo("RC_RDMA_READ_REQUEST 3");
        assertThat(node.sendCompletions()).hasSize(3);
    }

    /** The opcode of a packet that is sent again is the one that it had. */
    @Test
    @Satisfies("IBTA-9.7.6-5")
    void aMessageGoesOnWhereItWasInterrupted() {
        peer.connect();
        post(write(1, 3000));
        peer.out();
        peer.in(ack(1, SEQUENCE_NAK, 0));
        assertThat(peer.outText()).containsExactly("RC_RDMA_WRITE_MIDDLE 1 [1024]", "RC_RDMA_WRITE_LAST 2 [952] A");
    }

    @Test
    @Satisfies("IBTA-9.7.6-4")
    void anAckBeyondAReadTellsThatItsResponseWasLost() {
        peer.connect(Link.DEFAULT.withPsn(100));
        post(write(1, 512));
        post(read(2, 4096));
        post(write(3, 512));
        peer.out();
        peer.in(ack(105, ACK, 3));
        var sent = peer.out();
        assertThat(sent.stream().map(RawPeer::text))
                .containsExactly("RC_RDMA_READ_REQUEST 101", "RC_RDMA_WRITE_ONLY 105 [512] A");
        assertThat(Reth.view(sent.get(0).segment(), 12)).isEqualTo(new Reth.View(REMOTE, 0xBEEF, 4096));
        assertThat(node.sendCompletions()).containsExactly("1 SUCCESS RDMA_WRITE 512");
        peer.in(ack(105, ACK, 3));
        assertThat(peer.out()).isEmpty();
        for (int i = 0; i < 4; i++) {
            peer.in(response(
                    i == 0
                            ? IbOpcode.RDMA_READ_RESPONSE_FIRST
                            : i == 3 ? IbOpcode.RDMA_READ_RESPONSE_LAST : IbOpcode.RDMA_READ_RESPONSE_MIDDLE,
                    101 + i,
                    1024));
        }
        peer.in(ack(105, ACK, 3));
        assertThat(node.sendCompletions()).containsExactly("2 SUCCESS RDMA_READ 4096", "3 SUCCESS RDMA_WRITE 512");
    }

    /** Linux rxe answers the rest of a Read with middle packets, cards with a first one: both are right. */
    @ParameterizedTest
    @CsvSource({
        "RDMA_READ_RESPONSE_MIDDLE, RDMA_READ_RESPONSE_LAST",
        "RDMA_READ_RESPONSE_FIRST, RDMA_READ_RESPONSE_LAST"
    })
    @Satisfies("IBTA-9.7.6-10")
    void aReadGoesOnFromTheFirstMissingPacket(String third, String fourth) throws ReflectiveOperationException {
        peer.connect(Link.DEFAULT.withPsn(101));
        post(read(2, 4000));
        peer.out();
        peer.in(
                response(IbOpcode.RDMA_READ_RESPONSE_FIRST, 101, 1024),
                response(IbOpcode.RDMA_READ_RESPONSE_MIDDLE, 102, 1024));
        assertThat(peer.out()).isEmpty();
        peer.in(response(IbOpcode.RDMA_READ_RESPONSE_LAST, 104, 928)); // 103 was lost
        var sent = peer.out();
        assertThat(sent.stream().map(RawPeer::text)).containsExactly("RC_RDMA_READ_REQUEST 103");
        assertThat(Reth.view(sent.get(0).segment(), 12)).isEqualTo(new Reth.View(REMOTE + 2048, 0xBEEF, 1952));
        peer.in(
                response(IbOpcode.class.getField(third).getInt(null), 103, 1024),
                response(IbOpcode.class.getField(fourth).getInt(null), 104, 928));
        assertThat(node.sendCompletions()).containsExactly("2 SUCCESS RDMA_READ 4000");
        assertThat(node.bytes(3072, 928)).isEqualTo(bytes(928));
    }

    @Test
    @Satisfies("IBTA-9.7.6-9")
    void aRequestFailsAfterItsRetries() {
        peer.connect(Link.DEFAULT.withTimeout(14, 2)); // 67.1 ms
        writes(3);
        long begin = peer.clock.nowNs();
        peer.out();
        peer.advance(200 * MS);
        assertThat(node.sendCompletions()).isEmpty();
        assertThat(node.device.counters().value(IbCounters.ACK_TIMEOUTS)).isEqualTo(2);
        peer.advance(2 * MS);
        assertThat(peer.clock.nowNs() - begin).isBetween(3 * 67 * MS, 203 * MS);
        assertThat(node.sendCompletions())
                .containsExactly(
                        "0 RETRY_EXC_ERR RDMA_WRITE 0", "1 WR_FLUSH_ERR RDMA_WRITE 0", "2 WR_FLUSH_ERR RDMA_WRITE 0");
        assertThat(node.qp.endReason()).isEqualTo("no answer from the peer for 0.201 s, after 2 retries");
        assertThat(peer.state()).isEqualTo(QpState.ERROR);
        assertThat(node.device.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
    }

    /** What is sent again before the limit is over costs no retry; progress gives all of them back. */
    @Test
    @Satisfies("IBTA-9.7.6-9")
    void retriesCountFromTheLastProgress() {
        peer.connect(Link.DEFAULT.withTimeout(14, 1));
        writes(2);
        peer.out();
        peer.advance(130 * MS);
        long again = node.device.counters().value(IbCounters.FAST_TIMEOUTS);
        assertThat(again).isPositive();
        assertThat(node.device.counters().value(IbCounters.ACK_TIMEOUTS)).isEqualTo(1);
        peer.in(ack(0, ACK, 1));
        peer.advance(130 * MS);
        assertThat(node.sendCompletions()).containsExactly("0 SUCCESS RDMA_WRITE 8");
        assertThat(peer.state()).isEqualTo(QpState.RTS);
        peer.in(ack(1, ACK, 2));
        assertThat(node.sendCompletions()).containsExactly("1 SUCCESS RDMA_WRITE 8");
    }

    /** Access flags and the like may change while requests are on the way; that is no answer of the peer's. */
    @Test
    @Satisfies("IBTA-9.7.6-9")
    void aChangeOfOtherAttributesGivesNoRetryBack() {
        peer.connect(Link.DEFAULT.withTimeout(14, 1));
        writes(1);
        peer.out();
        peer.advance(100 * MS);
        assertThat(node.device.counters().value(IbCounters.ACK_TIMEOUTS)).isEqualTo(1);
        node.qp.modify(QpAttributes.builder()
                .state(QpState.RTS)
                .access(TestNode.RIGHTS)
                .minRnrTimer(3)
                .build());
        peer.advance(40 * MS);
        assertThat(node.sendCompletions()).containsExactly("0 RETRY_EXC_ERR RDMA_WRITE 0");
    }

    @Test
    @Satisfies("IBTA-9.7.6-9")
    void withoutALimitNothingEverFails() {
        peer.connect(Link.DEFAULT.withTimeout(0, 0));
        writes(1);
        assertThat(peer.out()).hasSize(1);
        assertThat(node.device.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
        peer.advance(1_000_000 * MS);
        assertThat(peer.out()).isEmpty();
        peer.in(ack(0, ACK, 1));
        assertThat(node.sendCompletions()).hasSize(1);
    }

    @Test
    void theTimerFollowsTheTimeThatAnswersTake() {
        peer.connect(Link.DEFAULT.withTimeout(20, 7));
        for (int i = 0; i < 20; i++) {
            post(write(i, 8));
            peer.out();
            peer.advance(MS / 5);
            peer.in(ack(i, ACK, i + 1));
        }
        post(write(20, 8));
        peer.out();
        peer.advance(MS - 1);
        assertThat(peer.out()).isEmpty();
        peer.advance(1);
        assertThat(peer.out()).hasSize(1);
        // and waits twice as long each time
        peer.advance(2 * MS - 1);
        assertThat(peer.out()).isEmpty();
        peer.advance(1);
        assertThat(peer.out()).hasSize(1);
        peer.advance(4 * MS);
        assertThat(peer.out()).hasSize(1);
    }

    /** Ten packets of one message are on the way, and the time that answers usually take is over. */
    private void lateAnswer() {
        peer.connect(Link.DEFAULT.withTimeout(20, 7));
        post(write(0, 8));
        peer.out();
        peer.advance(MS / 5);
        peer.in(ack(0, ACK, 1));
        post(write(1, 10 * 1024));
        assertThat(peer.out()).hasSize(10);
        peer.advance(MS);
    }

    /** A peer that had no processor for a while lost nothing: one packet asks, and the window stays as it was. */
    @Test
    void anAnswerThatIsLateCostsOnePacket() {
        lateAnswer();
        var sent = peer.out();
        assertThat(sent).extracting(TestNetwork.Sent::psn).containsExactly(1);
        assertThat(Bth.isAckRequest(sent.get(0).segment(), 0)).isTrue();
        peer.in(ack(5, ACK, 1));
        assertThat(peer.out()).isEmpty();
        peer.in(ack(10, ACK, 2));
        assertThat(node.sendCompletions()).containsExactly("0 SUCCESS RDMA_WRITE 8", "1 SUCCESS RDMA_WRITE 10240");
        post(write(2, 64 * 1024));
        assertThat(peer.out()).hasSizeGreaterThanOrEqualTo(CongestionWindow.INITIAL);
        assertThat(node.device.counters().value(IbCounters.RETRANSMITTED)).isEqualTo(1);
    }

    /** The answer to the packet that asked says that nothing behind it has arrived. */
    @Test
    void whatIsMissingBehindThePacketThatAskedIsSentAgain() {
        lateAnswer();
        peer.out();
        peer.in(ack(1, ACK, 1));
        // as many as the smaller window holds
        assertThat(peer.out()).extracting(TestNetwork.Sent::psn).startsWith(2, 3, 4);
        peer.in(ack(10, ACK, 2));
        assertThat(node.sendCompletions()).hasSize(2);
    }

    /** Nothing at all comes back: the packet that asked was lost as well, or the peer is gone. */
    @Test
    void withoutAnyAnswerEverythingIsSentAgain() {
        lateAnswer();
        peer.out();
        peer.advance(2 * MS);
        assertThat(peer.out()).extracting(TestNetwork.Sent::psn).startsWith(1, 2, 3);
        peer.in(ack(10, ACK, 2));
        assertThat(node.sendCompletions()).hasSize(2);
    }

    /** The oldest is a Read: its response says nothing of what is behind it, so that is sent again. */
    @Test
    void aReadThatIsAskedForAgainHoldsNothingUp() {
        peer.connect(Link.DEFAULT.withTimeout(20, 7));
        post(read(0, 8));
        post(write(1, 2048));
        assertThat(peer.out()).hasSize(3);
        peer.advance(20 * MS);
        assertThat(peer.outText()).containsExactly("RC_RDMA_READ_REQUEST 0");
        peer.in(response(IbOpcode.RDMA_READ_RESPONSE_ONLY, 0, 8));
        assertThat(peer.out()).extracting(TestNetwork.Sent::psn).containsExactly(1, 2);
        peer.in(ack(2, ACK, 2));
        assertThat(node.sendCompletions()).containsExactly("0 SUCCESS RDMA_READ 8", "1 SUCCESS RDMA_WRITE 2048");
    }

    /** The time that a responder asks for is not cut short by another timer (both have their own). */
    @Test
    @Satisfies({"IBTA-9.7.6-7", "IBTA-9.7.6-8"})
    void anRnrNakIsWaitedFor() {
        peer.connect(Link.DEFAULT.withTimeout(10, 0).withRnr(1, 0));
        post(node.send(1, 0, 8));
        post(node.send(2, 0, 8));
        peer.out();
        peer.in(ack(0, 0x20 | 28, 0)); // 163.84 ms
        // rxe sends this one behind it
        peer.in(ack(0, SEQUENCE_NAK, 0), ack(0, 0x20 | 28, 0));
        peer.advance(163 * MS);
        assertThat(peer.out()).isEmpty();
        peer.advance(MS);
        assertThat(peer.out()).extracting(TestNetwork.Sent::psn).containsExactly(0, 1);
        peer.in(ack(1, ACK, 2));
        assertThat(node.sendCompletions()).containsExactly("1 SUCCESS SEND 8", "2 SUCCESS SEND 8");
    }

    /** Lost, sent again, not ready, and lost again: a responder that had nothing to receive with has had the packet all the same. */
    @Test
    @Satisfies("IBTA-9.7.6-5")
    void aSequenceNakCountsAgainBehindAnRnrNakForTheSamePsn() {
        peer.connect(Link.DEFAULT.withTimeout(20, 7).withRnr(7, 0));
        post(node.send(1, 0, 8));
        post(node.send(2, 0, 8));
        peer.out();
        peer.in(ack(0, SEQUENCE_NAK, 0));
        assertThat(peer.out()).extracting(TestNetwork.Sent::psn).containsExactly(0, 1);
        peer.in(ack(0, 0x21, 0));
        peer.advance(MS / 10);
        assertThat(peer.out()).extracting(TestNetwork.Sent::psn).containsExactly(0, 1);
        peer.in(ack(0, SEQUENCE_NAK, 0));
        assertThat(peer.out()).extracting(TestNetwork.Sent::psn).containsExactly(0, 1);
        // once, as ever
        peer.in(ack(0, SEQUENCE_NAK, 0));
        assertThat(peer.out()).isEmpty();
    }

    @Test
    @Satisfies("IBTA-9.7.6-7")
    void codeZeroIsTheLongestWait() {
        peer.connect();
        post(node.send(1, 0, 8));
        peer.out();
        peer.in(ack(0, 0x20, 0));
        peer.advance(655 * MS);
        assertThat(peer.out()).isEmpty();
        peer.advance(MS);
        assertThat(peer.out()).hasSize(1);
    }

    @Test
    @Satisfies("IBTA-9.7.6-8")
    void aRequestFailsAfterItsRnrRetries() {
        peer.connect(Link.DEFAULT.withRnr(2, 0));
        post(node.send(1, 0, 8));
        for (int i = 0; i < 3; i++) {
            assertThat(peer.out()).hasSize(1);
            assertThat(node.sendCompletions()).isEmpty();
            peer.in(ack(0, 0x21, 0));
            peer.advance(MS);
        }
        assertThat(node.sendCompletions()).containsExactly("1 RNR_RETRY_EXC_ERR SEND 0");
        assertThat(node.qp.endReason()).contains("no receive posted");
        assertThat(peer.state()).isEqualTo(QpState.ERROR);
    }

    @Test
    @Satisfies("IBTA-9.7.6-8")
    void sevenRnrRetriesAreForEver() {
        peer.connect(Link.DEFAULT.withRnr(7, 0));
        post(node.send(1, 0, 8));
        for (int i = 0; i < 100; i++) {
            assertThat(peer.out()).hasSize(1);
            peer.in(ack(0, 0x21, 0));
            peer.advance(MS);
        }
        peer.in(ack(0, ACK, 1));
        assertThat(node.sendCompletions()).containsExactly("1 SUCCESS SEND 8");
    }

    @ParameterizedTest
    @CsvSource({"0x61, REM_INV_REQ_ERR", "0x62, REM_ACCESS_ERR", "0x63, REM_OP_ERR", "0x64, REM_OP_ERR"})
    @Satisfies("IBTA-9.7.6-11")
    void aNakFailsItsRequestAndFlushesTheRest(int syndrome, String status) {
        peer.connect();
        writes(4);
        node.postReceive(9, 0, 10);
        peer.out();
        peer.in(ack(2, syndrome, 2));
        assertThat(node.sendCompletions())
                .containsExactly(
                        "0 SUCCESS RDMA_WRITE 8",
                        "1 SUCCESS RDMA_WRITE 8",
                        "2 " + status + " RDMA_WRITE 0",
                        "3 WR_FLUSH_ERR RDMA_WRITE 0");
        assertThat(node.receiveCompletions()).containsExactly("9 WR_FLUSH_ERR RECV 0");
        assertThat(peer.state()).isEqualTo(QpState.ERROR);
        peer.advance(1000 * MS);
        assertThat(peer.out()).isEmpty();
        assertThat(node.device.counters().value(IbCounters.FAULTS)).isEqualTo(1);
    }

    /** The NAK of a later request overtook a Read's response: the Read still gets its own result. */
    @Test
    @Satisfies("IBTA-9.7.6-11")
    void aNakBeyondAReadWaitsForItsResponse() {
        peer.connect();
        post(read(1, 8));
        post(write(2, 8));
        peer.out();
        peer.in(ack(1, 0x62, 1));
        assertThat(node.sendCompletions()).isEmpty();
        peer.in(response(IbOpcode.RDMA_READ_RESPONSE_ONLY, 0, 8));
        assertThat(node.sendCompletions()).containsExactly("1 SUCCESS RDMA_READ 8", "2 REM_ACCESS_ERR RDMA_WRITE 0");
    }

    @ParameterizedTest
    @CsvSource({
        // opcode of the response, bytes, syndrome
        "RDMA_READ_RESPONSE_ONLY, 8, 0x60",
        "RDMA_READ_RESPONSE_ONLY, 9, 0x1F",
        "RDMA_READ_RESPONSE_ONLY, 0, 0x1F",
        "RDMA_READ_RESPONSE_MIDDLE, 1024, 0x1F",
        "ATOMIC_ACKNOWLEDGE, 0, 0x1F"
    })
    @Satisfies("IBTA-9.7.6-11")
    void aResponseThatFitsNoRequest(String name, int length, int syndrome) throws ReflectiveOperationException {
        int opcode = IbOpcode.class.getField(name).getInt(null);
        peer.connect();
        post(read(1, 8));
        peer.out();
        PacketBuilder builder = packet(opcode, 0, bytes(length));
        peer.in(IbOpcode.hasAeth(opcode) ? builder.aeth(syndrome, 1) : builder);
        assertThat(node.sendCompletions()).containsExactly("1 BAD_RESP_ERR RDMA_READ 0");
        assertThat(node.bytes(0, 2000)).containsOnly(0);
    }

    @Test
    @Satisfies("IBTA-A17-6")
    void aNotificationOfCongestionHalvesTheWindowOnceAWindow() {
        peer.connect();
        post(write(1, 200 * 1024));
        peer.out();
        peer.in(ack(15, ACK, 0));
        assertThat(peer.out()).hasSize(32);
        PacketBuilder cnp = packet(IbOpcode.CNP, 0).flags(Bth.BECN);
        peer.in(cnp, cnp);
        peer.in(ack(47, ACK, 0));
        assertThat(peer.out()).hasSize(17);
        assertThat(node.device.counters().value(IbCounters.CNPS_RECEIVED)).isEqualTo(2);
        assertThat(peer.state()).isEqualTo(QpState.RTS);
    }

    @Test
    @Satisfies("IBTA-A17-6")
    void aMarkedPacketIsAnsweredWithANotification() {
        peer.connect();
        node.postReceive(1, 0, 10);
        byte[] send = packet(IbOpcode.SEND_ONLY, 0).build();
        var segment = MemorySegment.ofArray(send);
        List<Integer> sent = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            node.device.onPacket(RawPeer.SOURCE, segment, 0, send.length, 3, peer.clock.nowNs());
            peer.out().forEach(packet -> {
                if (packet.opcode() == IbOpcode.CNP) {
                    sent.add(Bth.flags(packet.segment(), 0));
                    assertThat(packet.bytes()).hasSize(32);
                    assertThat(packet.segment().asSlice(12, 16).toArray(ValueLayout.JAVA_BYTE))
                            .containsOnly(0);
                }
            });
            peer.advance(10_000);
        }
        // one in 50 us
        assertThat(sent).containsExactly(Bth.BECN, Bth.BECN);
    }

    @Test
    void aLossHalvesTheWindowOnceAWindow() {
        peer.connect();
        post(write(1, 200 * 1024));
        peer.out();
        peer.in(ack(15, ACK, 0));
        peer.out();
        peer.in(ack(16, SEQUENCE_NAK, 0));
        // of 32, half
        assertThat(peer.out()).extracting(TestNetwork.Sent::psn).hasSize(16).startsWith(16);
        peer.in(ack(20, SEQUENCE_NAK, 0));
        assertThat(peer.out()).extracting(TestNetwork.Sent::psn).hasSize(16).startsWith(20);
    }
}
