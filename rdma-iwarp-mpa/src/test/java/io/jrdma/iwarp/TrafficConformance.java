package io.jrdma.iwarp;

import static io.jrdma.iwarp.Frames.fpdu;
import static io.jrdma.iwarp.Frames.pattern;
import static io.jrdma.iwarp.Frames.readRequest;
import static io.jrdma.iwarp.Frames.readRequestUlpdu;
import static io.jrdma.iwarp.Frames.readResponse;
import static io.jrdma.iwarp.Frames.send;
import static io.jrdma.iwarp.Frames.tagged;
import static io.jrdma.iwarp.Frames.untagged;
import static io.jrdma.iwarp.Frames.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.Satisfies;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.WrOpcode;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What work requests look like on the wire, and what arrives turns into (RFC 5040 sections 4 to 6, RFC 5041 section 5). */
class TrafficConformance {
    private static RawPeer initiator(int maxUlpdu) {
        return RawPeer.initiator(maxUlpdu, TestNode.options(), 4);
    }

    private static SendWr op(WrOpcode opcode, long id) {
        return new SendWr().id(id).opcode(opcode);
    }

    // ---- sending ----

    @ParameterizedTest
    @CsvSource({"SEND,false,3", "SEND,true,5", "SEND_WITH_INV,false,4", "SEND_WITH_INV,true,6"})
    @Satisfies({"RFC5040-4.1-4", "RFC5040-4.2-1", "RFC5040-4.2-2", "RFC5040-5.1-2", "RFC5040-4.1-2", "RFC5041-4.1-5"})
    void theFourSends(WrOpcode opcode, boolean solicited, int expected) {
        RawPeer peer = initiator(16_384);
        peer.node.fill(0, (byte) 'a', (byte) 'b', (byte) 'c');
        peer.node.qp.postSend(
                peer.node.send(1, 0, 3).opcode(opcode).solicited(solicited).invalidate(0x1234_5678));
        int word = opcode == WrOpcode.SEND_WITH_INV ? 0x1234_5678 : 0;
        assertThat(Frames.ulpdus(peer.out()))
                .containsExactly(untagged(expected, true, word, 0, 1, 0, (byte) 'a', (byte) 'b', (byte) 'c'));
    }

    @Test
    @Satisfies({"RFC5041-4.3-2", "RFC5041-4.3-3", "RFC5041-4.3-4", "RFC5041-5.2-2", "RFC5041-4.1-3", "RFC5041-5.3-1"})
    void aLongSendIsCutIntoSegments() {
        RawPeer peer = initiator(128);
        byte[] data = pattern(250, 5);
        peer.node.fill(0, data);
        peer.node.postSend(1, 0, 250);
        peer.node.postSend(2, 0, 0);
        List<byte[]> out = Frames.ulpdus(peer.out());
        // 128 - 18 bytes of header, and a multiple of eight
        assertThat(out)
                .containsExactly(
                        untagged(3, false, 0, 0, 1, 0, Arrays.copyOfRange(data, 0, 104)),
                        untagged(3, false, 0, 0, 1, 104, Arrays.copyOfRange(data, 104, 208)),
                        untagged(3, true, 0, 0, 1, 208, Arrays.copyOfRange(data, 208, 250)),
                        untagged(3, true, 0, 0, 2, 0));
        assertThat(peer.node.sendCompletions()).containsExactly("1 SUCCESS SEND 250", "2 SUCCESS SEND 0");
    }

    @Test
    @Satisfies({"RFC5041-5.2-1", "RFC5041-4.1-3", "RFC5041-5.2-3"})
    void aLongWriteIsCutIntoSegments() {
        RawPeer peer = initiator(128);
        byte[] data = pattern(224, 5);
        peer.node.fill(8, data);
        peer.node.qp.postSend(
                peer.node.send(1, 8, 224).opcode(WrOpcode.RDMA_WRITE).remote(0xFFFF_FFFF_FFFF_FF00L, 0x55));
        peer.node.qp.postSend(op(WrOpcode.RDMA_WRITE, 2).remote(7, 9));
        // 128 - 14 bytes of header, and a multiple of eight; the last one is full
        assertThat(Frames.ulpdus(peer.out()))
                .containsExactly(
                        tagged(0, false, 0x55, 0xFFFF_FFFF_FFFF_FF00L, Arrays.copyOfRange(data, 0, 112)),
                        tagged(0, true, 0x55, 0xFFFF_FFFF_FFFF_FF70L, Arrays.copyOfRange(data, 112, 224)),
                        tagged(0, true, 9, 7));
        assertThat(peer.node.sendCompletions()).containsExactly("1 SUCCESS RDMA_WRITE 224", "2 SUCCESS RDMA_WRITE 0");
    }

    @ParameterizedTest
    @ValueSource(ints = {128, 129, 1442, 16_384, 64_768})
    @Satisfies("RFC5044-4.5-2")
    void noUlpduIsLargerThanTold(int max) {
        RawPeer peer = initiator(max);
        peer.node.postSend(1, 0, 100_000);
        peer.node.qp.postSend(
                peer.node.send(1, 0, 100_000).opcode(WrOpcode.RDMA_WRITE).remote(0, 1));
        List<byte[]> out = Frames.ulpdus(peer.out());
        assertThat(out).allSatisfy(u -> assertThat(u.length).isLessThanOrEqualTo(max));
        assertThat(out.getFirst().length).isGreaterThan(max - 8);
        assertThat(out.stream().mapToInt(u -> u.length - (u[0] < 0 ? 14 : 18)).sum())
                .isEqualTo(200_000);
    }

    @Test
    void payloadIsGatheredFromAllElements() {
        RawPeer peer = RawPeer.initiator(128, TestNode.options().withSges(4, 4), 4);
        byte[] data = pattern(400, 1);
        peer.node.fill(0, data);
        SendWr wr = new SendWr().id(1);
        wr.addSge(peer.node.address(300), 100, peer.node.key)
                .addSge(0, 0, 0)
                .addSge(peer.node.address(0), 1, peer.node.key)
                .addSge(peer.node.address(10), 99, peer.node.key);
        peer.node.qp.postSend(wr);
        byte[] whole = Frames.concat(
                Arrays.copyOfRange(data, 300, 400), Arrays.copyOfRange(data, 0, 1), Arrays.copyOfRange(data, 10, 109));
        assertThat(Frames.ulpdus(peer.out()))
                .containsExactly(
                        untagged(3, false, 0, 0, 1, 0, Arrays.copyOfRange(whole, 0, 104)),
                        untagged(3, true, 0, 0, 1, 104, Arrays.copyOfRange(whole, 104, 200)));
    }

    @Test
    void inlinePayloadIsTakenWhenItIsPosted() {
        RawPeer peer = initiator(16_384);
        byte[] data = pattern(100, 1);
        peer.node.qp.postSend(new SendWr().id(1).inlineData(MemorySegment.ofArray(data)));
        peer.node.fill(0, (byte) 1, (byte) 2);
        peer.node.qp.postSend(
                peer.node.send(2, 0, 2).opcode(WrOpcode.RDMA_WRITE).remote(3, 4).inline(true));
        peer.node.fill(0, (byte) 8, (byte) 9);
        assertThat(Frames.ulpdus(peer.out()))
                .containsExactly(untagged(3, true, 0, 0, 1, 0, data), tagged(0, true, 4, 3, (byte) 1, (byte) 2));
    }

    @Test
    @Satisfies({"RFC5040-4.4-1", "RFC5040-4.4-2", "RFC5041-4.3-2"})
    void readRequestsHaveTheirOwnNumbers() {
        RawPeer peer = initiator(128);
        TestNode node = peer.node;
        node.postSend(1, 0, 0);
        node.qp.postSend(node.send(2, 64, 1000).opcode(WrOpcode.RDMA_READ).remote(0x77, 0x88));
        node.qp.postSend(op(WrOpcode.RDMA_READ, 3).remote(0x99, 0xAA));
        node.postSend(4, 0, 0);
        assertThat(Frames.ulpdus(peer.out()))
                .containsExactly(
                        untagged(3, true, 0, 0, 1, 0),
                        readRequestUlpdu(1, node.key, node.address(64), 1000, 0x88, 0x77),
                        readRequestUlpdu(2, 1, 0, 0, 0xAA, 0x99),
                        untagged(3, true, 0, 0, 2, 0));
    }

    @Test
    @Satisfies({"RFC5040-5.5-4", "RFC5040-5.5-5", "RFC5040-5.5-2"})
    void completionsAppearInTheOrderOfPosting() {
        RawPeer peer = RawPeer.establishedInitiator();
        TestNode node = peer.node;
        node.postSend(1, 0, 1);
        node.qp.postSend(node.send(2, 64, 8).opcode(WrOpcode.RDMA_READ).remote(0, 1));
        node.postSend(3, 0, 1);
        node.qp.postSend(node.send(4, 80, 8).opcode(WrOpcode.RDMA_READ).remote(0, 1));
        peer.out();
        assertThat(node.sendCompletions()).containsExactly("1 SUCCESS SEND 1");
        byte[] data = pattern(8, 3);
        byte[] head = fpdu(tagged(2, false, node.key, node.address(64), Arrays.copyOf(data, 3)));
        peer.in(head);
        assertThat(node.sendCompletions()).isEmpty();
        peer.in(readResponse(node.key, node.address(67), Arrays.copyOfRange(data, 3, 8)));
        assertThat(node.sendCompletions()).containsExactly("2 SUCCESS RDMA_READ 8", "3 SUCCESS SEND 1");
        assertThat(node.bytes(64, 8)).isEqualTo(data);
        peer.in(readResponse(node.key, node.address(80), data));
        assertThat(node.sendCompletions()).containsExactly("4 SUCCESS RDMA_READ 8");
    }

    @Test
    @Satisfies("RFC5040-6.1-1")
    void readsBeyondOrdWaitAndWhatIsBehindThem() {
        RawPeer peer = RawPeer.initiator(16_384, TestNode.options(), 2);
        for (int i = 1; i <= 3; i++) {
            peer.node.qp.postSend(op(WrOpcode.RDMA_READ, i).remote(0, i));
        }
        peer.node.postSend(4, 0, 0);
        assertThat(Frames.ulpdus(peer.out())).hasSize(2);
        peer.in(readResponse(0, 0));
        assertThat(Frames.ulpdus(peer.out()))
                .containsExactly(readRequestUlpdu(3, 1, 0, 0, 3, 0), untagged(3, true, 0, 0, 1, 0));
        assertThat(peer.node.sendCompletions()).containsExactly("1 SUCCESS RDMA_READ 0");
        peer.in(readResponse(0, 0), readResponse(0, 0));
        assertThat(peer.node.sendCompletions())
                .containsExactly("2 SUCCESS RDMA_READ 0", "3 SUCCESS RDMA_READ 0", "4 SUCCESS SEND 0");
    }

    @Test
    void aReadOnAConnectionWithoutReadsFails() {
        RawPeer peer = RawPeer.initiator(16_384, TestNode.options(), 0);
        peer.node.postSend(1, 0, 1);
        peer.node.postRead(2, 0, 1, peer.node, 0);
        peer.node.postSend(3, 0, 1);
        List<byte[]> out = Frames.ulpdus(peer.out());
        assertThat(out).hasSize(2);
        assertThat(Arrays.copyOfRange(out.getLast(), 18, 21)).containsExactly(0, 0, 0);
        assertThat(peer.node.sendCompletions())
                .containsExactly("1 SUCCESS SEND 1", "2 LOC_QP_OP_ERR RDMA_READ 0", "3 WR_FLUSH_ERR SEND 0");
        assertThat(peer.node.events.getFirst().text()).contains("ORD 0");
    }

    @Test
    @Satisfies("RFC5040-5.5-1")
    void aFencedRequestWaitsForTheReadsBeforeIt() {
        RawPeer peer = RawPeer.establishedInitiator();
        peer.node.qp.postSend(op(WrOpcode.RDMA_READ, 1).remote(0, 1));
        peer.node.qp.postSend(op(WrOpcode.SEND, 2));
        peer.node.qp.postSend(op(WrOpcode.SEND, 3).fenced(true));
        peer.node.qp.postSend(op(WrOpcode.SEND, 4));
        assertThat(Frames.ulpdus(peer.out())).hasSize(2);
        peer.in(readResponse(0, 0));
        assertThat(Frames.ulpdus(peer.out())).hasSize(2);
    }

    @Test
    void localInvalidateTakesEffectInItsTurn() {
        RawPeer peer = RawPeer.establishedInitiator();
        TestNode node = peer.node;
        int key = node.table.register(TestNode.PD, node.memory, TestNode.ALL);
        node.qp.postSend(op(WrOpcode.RDMA_READ, 1).remote(0, 1));
        node.qp.postSend(new SendWr().id(2).addSge(node.address(0), 4, key));
        node.qp.postSend(op(WrOpcode.LOCAL_INV, 3).invalidate(key).fenced(true));
        node.postSend(4, 0, 1);
        assertThat(Frames.ulpdus(peer.out())).hasSize(2);
        peer.in(write(key, node.address(0), (byte) 1));
        assertThat(node.bytes(0, 1)).containsExactly(1);
        peer.in(readResponse(0, 0));
        peer.out();
        assertThat(node.sendCompletions())
                .containsExactly(
                        "1 SUCCESS RDMA_READ 0", "2 SUCCESS SEND 4", "3 SUCCESS LOCAL_INV 0", "4 SUCCESS SEND 1");
        peer.in(write(key, node.address(0), (byte) 2));
        assertThat(Frames.terminateCodeAtEnd(peer.out())).isEqualTo("1/1/0");
    }

    @Test
    void localInvalidateOfAKeyThatIsNoneFails() {
        RawPeer peer = RawPeer.establishedInitiator();
        peer.node.qp.postSend(op(WrOpcode.LOCAL_INV, 3).invalidate(peer.node.key ^ 1));
        assertThat(Frames.terminateCodeAtEnd(peer.out())).isEqualTo("0/0/0");
        assertThat(peer.node.sendCompletions()).containsExactly("3 LOC_QP_OP_ERR LOCAL_INV 0");
    }

    @ParameterizedTest
    @CsvSource({"SEND", "RDMA_WRITE", "RDMA_READ"})
    void aBufferThatIsNoneFailsTheRequestAndTheConnection(WrOpcode opcode) {
        RawPeer peer = RawPeer.establishedInitiator();
        peer.node.postSend(1, 0, 1);
        peer.node.qp.postSend(op(opcode, 2).addSge(peer.node.address(0), 4, peer.node.key ^ 1));
        peer.node.postSend(3, 0, 1);
        List<byte[]> out = Frames.ulpdus(peer.out());
        assertThat(out).hasSize(2);
        // a local fault: no headers
        assertThat(Arrays.copyOfRange(out.getLast(), 18, 22)).containsExactly(0, 0, 0, 0);
        assertThat(peer.node.sendCompletions())
                .containsExactly("1 SUCCESS SEND 1", "2 LOC_PROT_ERR " + opcode + " 0", "3 WR_FLUSH_ERR SEND 0");
        assertThat(peer.end.closing).isTrue();
        assertThat(peer.node.events).hasSize(1);
        assertThat(peer.node.events.getFirst().text())
                .contains(opcode + " with id 0x2")
                .contains("no region has that key");
    }

    @Test
    void aBufferThatGoesAwayInTheMiddleOfAMessage() {
        RawPeer peer = initiator(16_384);
        peer.end.out.limit(20_000);
        int key = peer.node.table.register(TestNode.PD, peer.node.memory, TestNode.ALL);
        peer.node.qp.postSend(new SendWr().id(1).addSge(peer.node.address(0), 50_000, key));
        assertThat(Frames.ulpdus(peer.out())).hasSize(1);
        peer.node.table.deregister(key);
        List<byte[]> out = Frames.ulpdus(peer.out());
        assertThat(out).hasSize(1);
        assertThat(out.getFirst()[1] & 0xF).isEqualTo(Frames.TERMINATE);
        assertThat(peer.node.sendCompletions()).containsExactly("1 LOC_PROT_ERR SEND 0");
    }

    @Test
    void aFullSinkChangesNothing() {
        RawPeer peer = initiator(16_384);
        peer.end.out.limit(0);
        peer.node.postSend(1, 0, 40_000);
        peer.node.qp.postSend(op(WrOpcode.RDMA_READ, 2).remote(0, 1));
        assertThat(peer.out()).isEmpty();
        assertThat(peer.node.sendCompletions()).isEmpty();
        peer.end.out.limit(16_500);
        byte[] all = new byte[0];
        for (int i = 0; i < 4; i++) {
            all = Frames.concat(all, peer.out());
        }
        assertThat(Frames.ulpdus(all)).hasSize(4);
        assertThat(peer.node.sendCompletions()).containsExactly("1 SUCCESS SEND 40000");
    }

    @Test
    void unsignaledRequestsCompleteSilently() {
        RawPeer peer = RawPeer.establishedInitiator();
        peer.node.qp.postSend(op(WrOpcode.SEND, 1).signaled(false));
        peer.node.qp.postSend(op(WrOpcode.SEND, 2));
        peer.out();
        assertThat(peer.node.sendCompletions()).containsExactly("2 SUCCESS SEND 0");
    }

    // ---- receiving ----

    @Test
    @Satisfies({"RFC5040-5.1-1", "RFC5041-5.2-2", "RFC5040-5.3-1"})
    void sendsLandInTheReceivesInOrder() {
        RawPeer peer = RawPeer.established();
        TestNode node = peer.node;
        node.postReceive(1, 0, 64);
        node.qp.postReceive(new RecvWr()
                .id(2)
                .addSge(node.address(100), 3, node.key)
                .addSge(0, 0, 0)
                .addSge(node.address(200), 10, node.key));
        node.qp.postReceive(new RecvWr().id(3));
        int key = node.table.register(TestNode.PD, node.memory, TestNode.ALL_AND_INVALIDATE);
        peer.in(
                send(1, (byte) 1, (byte) 2),
                fpdu(untagged(Frames.SEND_SOLICITED_INVALIDATE, false, key, 0, 2, 0, pattern(2, 1))),
                fpdu(untagged(Frames.SEND_SOLICITED_INVALIDATE, false, key, 0, 2, 2)),
                fpdu(untagged(Frames.SEND_SOLICITED_INVALIDATE, true, key, 0, 2, 2, pattern(3, 50))),
                send(3));
        List<WorkCompletion> all = TestNode.take(node.receives);
        assertThat(all).extracting(WorkCompletion::id).containsExactly(1L, 2L, 3L);
        assertThat(all).extracting(WorkCompletion::byteLength).containsExactly(2L, 5L, 0L);
        assertThat(all).extracting(WorkCompletion::status).containsOnly(WcStatus.SUCCESS);
        assertThat(all).extracting(WorkCompletion::flags).containsExactly(0, WorkCompletion.WITH_INV, 0);
        assertThat(all.get(1).invalidatedKey()).isEqualTo(key);
        assertThat(node.bytes(0, 2)).containsExactly(1, 2);
        assertThat(node.bytes(100, 3)).containsExactly(pattern(2, 1)[0], pattern(2, 1)[1], (byte) 50);
        assertThat(node.bytes(200, 3)).containsExactly(pattern(3, 50)[1], pattern(3, 50)[2], (byte) 0);
        assertThat(peer.out()).isEmpty();
    }

    @Test
    @Satisfies({"RFC5041-7.1-4", "RFC5041-5.2-1", "RFC5041-4.1-5", "RFC5040-4.1-2", "RFC5040-4.1-4"})
    void writesLandWhereTheySay() {
        RawPeer peer = RawPeer.established();
        TestNode node = peer.node;
        int size = (int) node.memory.byteSize();
        byte[] reserved = tagged(0, true, node.key, node.address(0), (byte) 7);
        reserved[0] |= 0x3C;
        reserved[1] |= 0x30;
        peer.in(
                fpdu(tagged(0, false, node.key, node.address(10), pattern(5, 1))),
                fpdu(tagged(0, true, node.key, node.address(15), pattern(3, 9))),
                fpdu(reserved),
                // neither key nor place of a Write without payload is looked at
                write(0xDEAD, -1),
                write(node.key, node.address(size - 2), (byte) 1, (byte) 2),
                write(node.key, node.address(size)));
        assertThat(node.bytes(10, 9)).isEqualTo(Frames.concat(pattern(5, 1), pattern(3, 9), new byte[1]));
        assertThat(node.bytes(0, 1)).containsExactly(7);
        assertThat(node.bytes(size - 2, 2)).containsExactly(1, 2);
        assertThat(peer.out()).isEmpty();
        assertThat(node.receiveCompletions()).isEmpty();
        assertThat(node.events).isEmpty();
    }

    @Test
    void aTaggedSegmentBetweenThoseOfASendIsTaken() {
        RawPeer peer = RawPeer.established();
        TestNode node = peer.node;
        node.postReceive(1, 0, 64);
        peer.in(
                fpdu(untagged(3, false, 0, 0, 1, 0, pattern(4, 1))),
                write(node.key, node.address(200), (byte) 1),
                readRequest(1, 5, 6, 0, 0, 0),
                fpdu(untagged(3, true, 0, 0, 1, 4, pattern(4, 1))));
        assertThat(node.receiveCompletions()).containsExactly("1 SUCCESS RECV 8");
        assertThat(Frames.ulpdus(peer.out())).containsExactly(tagged(2, true, 5, 6));
    }

    // ---- the peer's Reads ----

    @Test
    @Satisfies({"RFC5040-5.2-1", "RFC5040-5.2-4", "RFC5040-5.2-2", "RFC5040-5.5-3"})
    void readsAreAnsweredInOrderWithWhatIsThereNow() {
        RawPeer peer = RawPeer.established(new RawPeer(), false);
        TestNode node = peer.node;
        byte[] data = pattern(20_000, 3);
        node.fill(0, data);
        peer.in(
                readRequest(1, 0xA1, 0x1000, 20_000, node.key, node.address(0)),
                readRequest(2, 0xA2, -8, 4, node.key, node.address(100)),
                readRequest(3, 0xA3, 3, 0, 0xBAD, -1),
                write(node.key, node.address(100), (byte) 0x55));
        // 16384 - 14 bytes of header, and a multiple of eight
        data[100] = 0x55;
        assertThat(Frames.ulpdus(peer.out()))
                .containsExactly(
                        tagged(2, false, 0xA1, 0x1000, Arrays.copyOf(data, 16_368)),
                        tagged(2, true, 0xA1, 0x1000 + 16_368, Arrays.copyOfRange(data, 16_368, 20_000)),
                        tagged(2, true, 0xA2, -8, Arrays.copyOfRange(data, 100, 104)),
                        tagged(2, true, 0xA3, 3));
        assertThat(node.sendCompletions()).isEmpty();
    }

    @Test
    void morePendingReadsThanAgreedAreBorneUpToAPowerOfTwo() {
        MpaOptions options = MpaOptions.builder().crc(false).build();
        RawPeer peer = new RawPeer().listen(options);
        peer.in(Frames.request(Frames.S, 2, Frames.enhanced(0, 4, 5)));
        peer.accept(RawPeer.parameters(options, 5, 4));
        peer.out();
        assertThat(peer.log.negotiated.ird()).isEqualTo(5);
        peer.end.out.limit(0);
        // Linux siw rounds up what it was granted
        for (int i = 1; i <= 8; i++) {
            peer.in(readRequest(i, i, 0, 0, 0, 0));
        }
        peer.end.out.limit(1 << 20);
        assertThat(Frames.ulpdus(peer.out())).hasSize(8);
        peer.end.out.limit(0);
        for (int i = 9; i <= 17; i++) {
            peer.in(readRequest(i, i, 0, 0, 0, 0));
        }
        peer.end.out.limit(1 << 20);
        assertThat(Frames.terminateCodeAtEnd(peer.out())).isEqualTo("1/2/2");
    }

    @Test
    @Satisfies("RFC5041-5.3-1")
    void neitherResponsesNorRequestsStarveAndNoMessageIsCut() {
        MpaOptions options = MpaOptions.builder().crc(false).maxUlpdu(128).build();
        RawPeer peer = new RawPeer().listen(options);
        peer.in(Frames.request(Frames.S, 2, Frames.enhanced(0, 16, 16)));
        peer.accept(RawPeer.parameters(options, 16, 16));
        peer.out();
        for (int i = 1; i <= 4; i++) {
            peer.node.postSend(i, 0, 200);
        }
        byte[][] reads = new byte[16][];
        for (int i = 0; i < 16; i++) {
            reads[i] = readRequest(i + 1, i + 1, 0, 200, peer.node.key, peer.node.address(0));
        }
        peer.in(reads);
        StringBuilder order = new StringBuilder();
        boolean last = true;
        for (byte[] ulpdu : Frames.ulpdus(peer.out())) {
            char kind = (ulpdu[1] & 0xF) == Frames.SEND ? 'S' : 'r';
            if (last) {
                order.append(kind);
            } else {
                assertThat(kind).isEqualTo(order.charAt(order.length() - 1));
            }
            last = (ulpdu[0] & 0x40) != 0;
        }
        assertThat(order.toString()).isEqualTo("rrrSrrrSrrrSrrrSrrrr");
    }
}
