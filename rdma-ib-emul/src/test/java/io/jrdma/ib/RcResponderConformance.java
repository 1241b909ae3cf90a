package io.jrdma.ib;

import static io.jrdma.ib.PacketBuilder.bytes;
import static io.jrdma.ib.PacketBuilder.packet;
import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.ib.TestNode.Link;
import io.jrdma.testing.Satisfies;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.wire.ib.AtomicAckEth;
import io.jrdma.wire.ib.IbOpcode;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** What a responder does with requests in good order, again, and out of order (IBTA volume 1, 9.7.4 and 9.7.5). */
class RcResponderConformance {
    private final RawPeer peer = new RawPeer();
    private final TestNode node = peer.node;

    private PacketBuilder send(int psn, int length) {
        return packet(IbOpcode.SEND_ONLY, psn, bytes(length)).ackRequest();
    }

    private PacketBuilder write(int psn, int length) {
        return packet(IbOpcode.RDMA_WRITE_ONLY, psn, bytes(length))
                .reth(node.address(0), node.key, length)
                .ackRequest();
    }

    private PacketBuilder read(int psn, long offset, int length) {
        return packet(IbOpcode.RDMA_READ_REQUEST, psn).reth(node.address(offset), node.key, length);
    }

    private PacketBuilder fetchAdd(int psn, long offset, long add) {
        return packet(IbOpcode.FETCH_ADD, psn).atomic(node.address(offset), node.key, add, 0xDEAD);
    }

    @Test
    @Satisfies({"IBTA-9.7.5-7", "IBTA-9.7.5-8", "IBTA-9.7.5-9"})
    void anAckCoversEverythingUpToItsPsnAndCountsMessagesAndReceives() {
        peer.connect();
        for (int i = 0; i < 5; i++) {
            node.postReceive(i, 0, 100);
        }
        peer.in(send(0, 10), send(1, 0), write(2, 5));
        // 3 receives are left: credit code 3
        assertThat(peer.outText()).containsExactly("RC_ACKNOWLEDGE 2 03/3");
        assertThat(node.receiveCompletions()).containsExactly("0 SUCCESS RECV 10", "1 SUCCESS RECV 0");
        peer.in(packet(IbOpcode.SEND_ONLY, 3, bytes(4)));
        assertThat(peer.out()).isEmpty();
        peer.in(send(4, 1));
        assertThat(peer.outText()).containsExactly("RC_ACKNOWLEDGE 4 01/5");
    }

    @Test
    @Satisfies("IBTA-9.7.5-7")
    void aPacketInTheMiddleOfAMessageIsAcknowledgedAtOnceIfItAsks() {
        peer.connect();
        node.postReceive(1, 0, 5000);
        peer.in(
                packet(IbOpcode.SEND_FIRST, 0, bytes(1024)),
                packet(IbOpcode.SEND_MIDDLE, 1, bytes(1024)).ackRequest());
        assertThat(peer.outText()).containsExactly("RC_ACKNOWLEDGE 1 01/0");
        peer.in(packet(IbOpcode.SEND_LAST, 2, bytes(7)).ackRequest());
        assertThat(peer.outText()).containsExactly("RC_ACKNOWLEDGE 2 00/1");
        assertThat(node.receiveCompletions()).containsExactly("1 SUCCESS RECV 2055");
        assertThat(node.bytes(1024, 1024)).isEqualTo(bytes(1024));
    }

    @Test
    @Satisfies("IBTA-9.7.4-1")
    void aGapIsNakedOnceAndAgainOnlyAfterTheExpectedPacketCame() {
        peer.connect(Link.DEFAULT, 10, TestNode.RIGHTS);
        node.postReceive(1, 0, 100);
        node.postReceive(2, 0, 100);
        peer.in(send(12, 1)).in(send(13, 1), send(14, 1));
        assertThat(peer.outText()).containsExactly("RC_ACKNOWLEDGE 10 60/0");
        peer.in(send(12, 1));
        assertThat(peer.out()).isEmpty();
        peer.in(send(10, 1));
        assertThat(peer.outText()).containsExactly("RC_ACKNOWLEDGE 10 01/1");
        peer.in(send(12, 1));
        assertThat(peer.outText()).containsExactly("RC_ACKNOWLEDGE 11 60/1");
        assertThat(node.receiveCompletions()).hasSize(1);
        assertThat(peer.state()).isEqualTo(QpState.RTS);
    }

    @Test
    @Satisfies("IBTA-9.7.4-1")
    void whatIsMissingWhenTheNakLeavesIsWhatItNames() {
        peer.connect();
        for (int i = 0; i < 3; i++) {
            node.postReceive(i, 0, 100);
        }
        // 1 overtook 0, in one burst: 1 is what is missing
        peer.in(send(1, 1), send(0, 1));
        assertThat(peer.outText()).containsExactly("RC_ACKNOWLEDGE 1 60/1");
        // 2 overtook 1, but 2 came twice: nothing is missing
        peer.in(send(2, 1), send(1, 1), send(2, 1));
        assertThat(peer.outText()).containsExactly("RC_ACKNOWLEDGE 2 00/3");
    }

    @Test
    @Satisfies({"IBTA-9.7.4-4", "IBTA-9.7.5-8"})
    void aSendOrWriteAgainIsAcknowledgedAndNotCarriedOut() {
        peer.connect();
        node.postReceive(1, 1000, 100);
        node.postReceive(2, 1000, 100);
        peer.in(send(0, 10), write(1, 8));
        peer.out();
        node.fill(0, new byte[8]);
        node.fill(1000, new byte[10]);
        node.receiveCompletions();
        peer.in(packet(IbOpcode.SEND_ONLY, 0, bytes(10)));
        assertThat(peer.outText()).containsExactly("RC_ACKNOWLEDGE 1 01/2");
        peer.in(write(1, 8));
        assertThat(peer.outText()).containsExactly("RC_ACKNOWLEDGE 1 01/2");
        assertThat(node.bytes(0, 8)).containsOnly(0);
        assertThat(node.bytes(1000, 10)).containsOnly(0);
        assertThat(node.receiveCompletions()).isEmpty();
        assertThat(node.device.counters().value(IbCounters.DUPLICATE_REQUESTS)).isEqualTo(2);
    }

    /** An ACK with a Read's PSN would stand for its response: Linux rxe completes the Read by it, without data. */
    @Test
    @Satisfies({"IBTA-9.7.4-4", "IBTA-9.7.5-6"})
    void theAckOfADuplicateNeverNamesAReadOrAtomic() {
        peer.connect();
        node.postReceive(1, 1000, 100);
        peer.in(send(0, 10), read(1, 0, 3000), fetchAdd(4, 512, 1));
        peer.out();
        peer.in(send(0, 10));
        assertThat(peer.outText()).containsExactly("RC_ACKNOWLEDGE 0 00/3");
    }

    @Test
    @Satisfies({"IBTA-9.7.5-10", "IBTA-9.7.3-2", "IBTA-9.7.5-8"})
    void aReadIsAnsweredInPacketsOfOnePathMtu() {
        peer.connect();
        node.fill(100, bytes(3000));
        peer.in(read(0, 100, 3000), read(3, 100, 0), read(4, 101, 1024));
        var sent = peer.out();
        assertThat(sent.stream().map(RawPeer::text))
                .containsExactly(
                        "RC_RDMA_READ_RESPONSE_FIRST 0 00/1 [1024]",
                        "RC_RDMA_READ_RESPONSE_MIDDLE 1 [1024]",
                        "RC_RDMA_READ_RESPONSE_LAST 2 00/1 [952]",
                        "RC_RDMA_READ_RESPONSE_ONLY 3 00/2 [0]",
                        "RC_RDMA_READ_RESPONSE_ONLY 4 00/3 [1024]");
        assertThat(sent.get(2).segment().asSlice(16, 952).toArray(ValueLayout.JAVA_BYTE))
                .isEqualTo(node.bytes(100 + 2048, 952));
    }

    @Test
    @Satisfies("IBTA-9.7.4-2")
    void aReadAgainIsCarriedOutAgainFromWhereItSays() {
        peer.connect();
        node.fill(0, bytes(3000));
        peer.in(read(0, 0, 3000));
        peer.out();
        node.fill(2048, (byte) 99);
        peer.in(read(2, 2048, 952));
        var sent = peer.out();
        assertThat(sent.stream().map(RawPeer::text)).containsExactly("RC_RDMA_READ_RESPONSE_ONLY 2 00/1 [952]");
        assertThat(sent.get(0).bytes()[16]).isEqualTo((byte) 99);
        peer.in(read(1, 1024, 1976));
        assertThat(peer.outText())
                .containsExactly(
                        "RC_RDMA_READ_RESPONSE_FIRST 1 00/1 [1024]", "RC_RDMA_READ_RESPONSE_LAST 2 00/1 [952]");
        peer.in(read(0, 0, 3000));
        assertThat(peer.outText()).hasSize(3);
    }

    @Test
    @Satisfies("IBTA-9.7.4-2")
    void aReadAgainThatIsNotRememberedGetsNoAnswer() {
        peer.connect();
        peer.in(read(0, 0, 3000));
        peer.out();
        peer.in(read(1, 0, 3000)); // beyond the end of the range
        peer.in(read(0, 4096, 3000)); // another address
        peer.in(packet(IbOpcode.RDMA_READ_REQUEST, 0).reth(node.address(0), node.key + 1, 3000));
        peer.in(fetchAdd(0, 0, 1));
        for (int psn = 3; psn < 11; psn++) {
            peer.in(read(psn, 0, 8));
        }
        peer.out();
        peer.in(read(0, 0, 3000)); // forgotten: four came after it
        assertThat(peer.out()).isEmpty();
        assertThat(node.device.counters().value(IbCounters.UNKNOWN_DUPLICATE)).isEqualTo(5);
        assertThat(peer.state()).isEqualTo(QpState.RTS);
    }

    @Test
    @Satisfies("IBTA-9.7.4-3")
    void anAtomicAgainIsNotCarriedOutAgain() {
        peer.connect();
        node.memory.set(ValueLayout.JAVA_LONG, 512, 40);
        peer.in(fetchAdd(0, 512, 2));
        peer.in(packet(IbOpcode.COMPARE_SWAP, 1).atomic(node.address(512), node.key, 7, 42));
        peer.in(packet(IbOpcode.COMPARE_SWAP, 2).atomic(node.address(512), node.key, 8, 42));
        assertThat(node.memory.get(ValueLayout.JAVA_LONG, 512)).isEqualTo(7);
        assertThat(originals()).containsExactly(40L, 42L, 7L);
        peer.in(fetchAdd(0, 512, 2));
        peer.in(packet(IbOpcode.COMPARE_SWAP, 1).atomic(node.address(512), node.key, 7, 42));
        assertThat(originals()).containsExactly(40L, 42L);
        assertThat(node.memory.get(ValueLayout.JAVA_LONG, 512)).isEqualTo(7);
    }

    private java.util.List<Long> originals() {
        return peer.out().stream()
                .filter(sent -> sent.opcode() == IbOpcode.ATOMIC_ACKNOWLEDGE)
                .map(sent -> AtomicAckEth.originalValue(
                        sent.segment(), IbOpcode.atomicAckEthAt(IbOpcode.ATOMIC_ACKNOWLEDGE)))
                .toList();
    }

    @Test
    @Satisfies("IBTA-9.7.5-6")
    void anAckWaitsForTheAnswersToEarlierReads() {
        peer.connect();
        node.postReceive(1, 0, 100);
        peer.network.roomBytes = 1500;
        peer.in(read(0, 0, 4096), send(4, 1));
        assertThat(peer.outText())
                .containsExactly(
                        "RC_RDMA_READ_RESPONSE_FIRST 0 00/1 [1024]",
                        "RC_RDMA_READ_RESPONSE_MIDDLE 1 [1024]",
                        "RC_RDMA_READ_RESPONSE_MIDDLE 2 [1024]",
                        "RC_RDMA_READ_RESPONSE_LAST 3 00/1 [1024]",
                        "RC_ACKNOWLEDGE 4 00/2");
    }

    @Test
    @Satisfies("IBTA-9.7.4-12")
    void noReadIsForgottenBeforeItIsAnswered() {
        peer.connect();
        // four resources, nothing can be sent meanwhile
        peer.network.roomBytes = 0;
        peer.in(read(0, 0, 8), read(1, 0, 8), read(2, 0, 8), read(3, 0, 8), read(4, 0, 8));
        peer.network.roomBytes = 1 << 20;
        assertThat(peer.outText())
                .containsExactly(
                        "RC_RDMA_READ_RESPONSE_ONLY 0 00/1 [8]",
                        "RC_RDMA_READ_RESPONSE_ONLY 1 00/2 [8]",
                        "RC_RDMA_READ_RESPONSE_ONLY 2 00/3 [8]",
                        "RC_RDMA_READ_RESPONSE_ONLY 3 00/4 [8]",
                        "RC_ACKNOWLEDGE 4 61/4");
        assertThat(peer.state()).isEqualTo(QpState.ERROR);
    }

    @Test
    void aRequestDoesNotWaitForTheEndOfALongAnswerWhereThereIsRoomForLittle() {
        peer.connect();
        peer.network.roomBytes = 0;
        peer.in(read(0, 0, 8192));
        node.postSend(1, 0, 10);
        peer.network.roomBytes = 1100;
        var sent = peer.outText();
        assertThat(sent).hasSize(9).endsWith("RC_RDMA_READ_RESPONSE_LAST 7 00/1 [1024]");
        assertThat(sent.subList(0, 3)).anyMatch(text -> text.startsWith("RC_SEND_ONLY"));
    }

    /** A peer that repeats Reads because the answers are late, gets the answers then, and asks for more, does not ask for too much. */
    @Test
    @Satisfies("IBTA-9.7.4-12")
    void aReadThatIsAnsweredAgainMakesRoomForANewOne() {
        peer.connect();
        PacketBuilder[] four = {read(0, 0, 8), read(1, 8, 8), read(2, 16, 8), read(3, 24, 8)};
        peer.in(four);
        assertThat(peer.out()).hasSize(4);
        peer.network.roomBytes = 0;
        peer.in(four);
        peer.in(read(4, 32, 8), fetchAdd(5, 40, 1));
        peer.network.roomBytes = 1 << 20;
        assertThat(peer.outText())
                .containsExactly(
                        "RC_RDMA_READ_RESPONSE_ONLY 2 00/4 [8]",
                        "RC_RDMA_READ_RESPONSE_ONLY 3 00/4 [8]",
                        "RC_RDMA_READ_RESPONSE_ONLY 4 00/5 [8]",
                        "RC_ATOMIC_ACKNOWLEDGE 5 00/6");
        assertThat(peer.state()).isEqualTo(QpState.RTS);
    }

    @Test
    @Satisfies({"IBTA-9.7.4-14", "IBTA-9.7.5-5"})
    void aSendWithoutReceiveIsRefusedUntilThereIsOne() {
        peer.connect(Link.DEFAULT.withRnr(7, 20));
        peer.in(send(0, 10));
        assertThat(peer.outText()).containsExactly("RC_ACKNOWLEDGE 0 34/0");
        // what was on the way behind it gets no answer
        peer.in(send(1, 10), send(2, 10));
        assertThat(peer.out()).isEmpty();
        node.postReceive(1, 0, 100);
        peer.in(send(0, 10));
        assertThat(peer.outText()).containsExactly("RC_ACKNOWLEDGE 0 00/1");
        peer.in(packet(IbOpcode.RDMA_WRITE_ONLY_WITH_IMM, 1, bytes(4))
                .reth(node.address(500), node.key, 4)
                .immediate(5));
        assertThat(peer.outText()).containsExactly("RC_ACKNOWLEDGE 1 34/1");
        assertThat(node.bytes(500, 4)).containsOnly(0);
        assertThat(node.receiveCompletions()).hasSize(1);
    }

    @Test
    @Satisfies("IBTA-9.7.4-14")
    void aLongWriteWithImmediateNeedsItsReceiveAtTheEndOnly() {
        peer.connect();
        peer.in(packet(IbOpcode.RDMA_WRITE_FIRST, 0, bytes(1024)).reth(node.address(0), node.key, 1030));
        PacketBuilder last = packet(IbOpcode.RDMA_WRITE_LAST_WITH_IMM, 1, bytes(6))
                .immediate(77)
                .ackRequest();
        peer.in(last);
        assertThat(peer.outText()).containsExactly("RC_ACKNOWLEDGE 1 21/0");
        node.postReceive(3, 4096, 0);
        peer.in(last);
        assertThat(peer.outText()).containsExactly("RC_ACKNOWLEDGE 1 00/1");
        var completion = TestNode.take(node.receives).get(0);
        assertThat(completion.byteLength()).isEqualTo(1030);
        assertThat(completion.immediate()).isEqualTo(77);
        assertThat(node.bytes(1024, 6)).isEqualTo(bytes(6));
    }

    @Test
    @Satisfies("IBTA-9.7.4-15")
    void neitherKeyNorAddressOfNothingIsChecked() {
        peer.connect();
        PacketBuilder write =
                packet(IbOpcode.RDMA_WRITE_ONLY, 0).reth(0xDEAD_BEEFL, -1, 0).ackRequest();
        PacketBuilder read = packet(IbOpcode.RDMA_READ_REQUEST, 1).reth(0xDEAD_BEEFL, -1, 0);
        for (int round = 0; round < 2; round++) {
            peer.in(write);
            assertThat(peer.outText()).containsExactly("RC_ACKNOWLEDGE 0 00/" + (round + 1));
            peer.in(read);
            assertThat(peer.outText()).containsExactly("RC_RDMA_READ_RESPONSE_ONLY 1 00/2 [0]");
        }
        assertThat(peer.state()).isEqualTo(QpState.RTS);
    }

    @Test
    @Satisfies("IBTA-9.7.4-1")
    void psnsWrap() {
        peer.connect(Link.DEFAULT, 0xFF_FFFE, TestNode.RIGHTS);
        for (int i = 0; i < 3; i++) {
            node.postReceive(i, 0, 100);
        }
        peer.in(send(0xFF_FFFE, 1), read(0xFF_FFFF, 0, 3000), send(2, 1));
        assertThat(peer.outText())
                .containsExactly(
                        "RC_RDMA_READ_RESPONSE_FIRST 16777215 01/2 [1024]",
                        "RC_RDMA_READ_RESPONSE_MIDDLE 0 [1024]",
                        "RC_RDMA_READ_RESPONSE_LAST 1 01/2 [952]",
                        "RC_ACKNOWLEDGE 2 01/3");
        peer.in(read(0, 1024, 1976));
        assertThat(peer.outText()).hasSize(2);
        peer.in(send(0xFF_FFFE, 1));
        assertThat(peer.outText()).containsExactly("RC_ACKNOWLEDGE 2 01/3");
        peer.in(send(4, 1));
        assertThat(peer.outText()).containsExactly("RC_ACKNOWLEDGE 3 60/3");
    }

    private void changeDepth(int maxDestRdAtomic) {
        node.qp.modify(QpAttributes.state(QpState.SQD));
        node.qp.modify(QpAttributes.builder()
                .state(QpState.SQD)
                .maxDestRdAtomic(maxDestRdAtomic)
                .build());
        node.qp.modify(QpAttributes.state(QpState.RTS));
    }

    @Test
    @Satisfies({"IBTA-10.3.1-4", "IBTA-9.7.4-3", "IBTA-9.7.4-12"})
    void theNumberOfReadsAndAtomicsAtOnceCanBeChangedInSqd() {
        peer.connect(Link.DEFAULT.withDepths(4, 0));
        changeDepth(2);
        peer.in(fetchAdd(0, 0, 1), fetchAdd(1, 0, 1));
        assertThat(peer.outText()).containsExactly("RC_ATOMIC_ACKNOWLEDGE 0 00/1", "RC_ATOMIC_ACKNOWLEDGE 1 00/2");
        // what was remembered is remembered by a larger store and by a smaller one
        changeDepth(8);
        peer.in(fetchAdd(0, 0, 1), fetchAdd(1, 0, 1));
        assertThat(peer.outText()).containsExactly("RC_ATOMIC_ACKNOWLEDGE 0 00/2", "RC_ATOMIC_ACKNOWLEDGE 1 00/2");
        changeDepth(1);
        peer.in(fetchAdd(0, 0, 1), fetchAdd(1, 0, 1));
        assertThat(peer.outText()).containsExactly("RC_ATOMIC_ACKNOWLEDGE 1 00/2");
        assertThat(node.device.counters().value(IbCounters.UNKNOWN_DUPLICATE)).isEqualTo(1);
        assertThat(node.memory.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(2);
        changeDepth(0);
        peer.in(fetchAdd(2, 0, 1));
        assertThat(peer.outText()).containsExactly("RC_ACKNOWLEDGE 2 61/2");
    }

    @Test
    @Satisfies("IBTA-10.3.1-4")
    void whatIsStillToBeAnsweredOutlivesASmallerStore() {
        peer.connect();
        node.fill(0, bytes(3000));
        peer.in(read(0, 0, 8));
        peer.out();
        peer.network.roomBytes = 0;
        peer.in(read(1, 8, 8), read(2, 16, 8), read(3, 0, 3000));
        changeDepth(1);
        peer.network.roomBytes = 1 << 20;
        var sent = peer.out();
        assertThat(sent.stream().map(RawPeer::text))
                .containsExactly(
                        "RC_RDMA_READ_RESPONSE_ONLY 1 00/2 [8]",
                        "RC_RDMA_READ_RESPONSE_ONLY 2 00/3 [8]",
                        "RC_RDMA_READ_RESPONSE_FIRST 3 00/4 [1024]",
                        "RC_RDMA_READ_RESPONSE_MIDDLE 4 [1024]",
                        "RC_RDMA_READ_RESPONSE_LAST 5 00/4 [952]");
        // and can be asked for again
        peer.in(read(4, 1024, 1976));
        assertThat(peer.out()).extracting(TestNetwork.Sent::psn).containsExactly(4, 5);
        peer.in(read(6, 0, 8));
        assertThat(peer.out()).extracting(TestNetwork.Sent::psn).containsExactly(6);
    }
}
