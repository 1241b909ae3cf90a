package io.jrdma.iwarp;

import static io.jrdma.iwarp.Faults.carriesHeader;
import static io.jrdma.iwarp.Faults.carriesNothing;
import static io.jrdma.iwarp.Faults.fault;
import static io.jrdma.iwarp.Faults.ready;
import static io.jrdma.iwarp.Frames.fpdu;
import static io.jrdma.iwarp.Frames.pattern;
import static io.jrdma.iwarp.Frames.readRequest;
import static io.jrdma.iwarp.Frames.readRequestUlpdu;
import static io.jrdma.iwarp.Frames.send;
import static io.jrdma.iwarp.Frames.spoilt;
import static io.jrdma.iwarp.Frames.tagged;
import static io.jrdma.iwarp.Frames.untagged;
import static io.jrdma.iwarp.Frames.write;
import static io.jrdma.testing.HexVectors.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.Satisfies;
import io.jrdma.verbs.Access;
import io.jrdma.verbs.AsyncEvent;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.memory.AccessFault;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each fault that a peer can commit but for those of Reads, the Terminate that answers it, and what the own application sees (RFC 5040 sections 4.8 and 7). */
class TerminateConformance {
    private static final int OTHER_PD = TestNode.PD + 1;

    // ---- headers and Sends ----

    @Test
    @Satisfies({"RFC5041-4.1-4", "RFC5041-7.1-1", "RFC5041-7.2-1"})
    void wrongDdpVersion() {
        for (int version : new int[] {0, 2, 3}) {
            byte[] tagged = tagged(Frames.WRITE, true, 1, 2, (byte) 3);
            tagged[0] = (byte) (tagged[0] & ~3 | version);
            carriesHeader(fault(ready(), "1/1/4", AsyncEvent.Type.QP_REQ_ERR, fpdu(tagged)), tagged);
            byte[] untagged = untagged(Frames.SEND, true, 0, 0, 1, 0);
            untagged[0] = (byte) (untagged[0] & ~3 | version);
            carriesHeader(fault(ready(), "1/2/6", AsyncEvent.Type.QP_REQ_ERR, fpdu(untagged)), untagged);
        }
    }

    @Test
    void aHeaderThatDidNotComeWholeDoesNotGoBack() {
        carriesNothing(fault(ready(), "1/1/4", AsyncEvent.Type.QP_REQ_ERR, fpdu((byte) 0xC0, (byte) 0x40)));
        carriesNothing(fault(ready(), "0/2/6", AsyncEvent.Type.QP_REQ_ERR, fpdu((byte) 0x41, (byte) 0x4F, (byte) 0)));
    }

    @Test
    @Satisfies("RFC5040-4.1-1")
    void wrongRdmapVersion() {
        for (int version : new int[] {0, 2, 3}) {
            byte[] segment = untagged(Frames.SEND, true, 0, 0, 1, 0);
            segment[1] = (byte) (version << 6 | Frames.SEND);
            carriesHeader(fault(ready(), "0/2/5", AsyncEvent.Type.QP_REQ_ERR, fpdu(segment)), segment);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 9, 10, 11, 12, 13, 14, 15})
    @Satisfies("RFC5040-4.1-3")
    void opcodesThatThisSideDoesNotTakePartIn(int opcode) {
        byte[] segment = untagged(opcode, true, 0, 0, 1, 0, new byte[8]);
        carriesHeader(fault(ready(), "0/2/6", AsyncEvent.Type.QP_REQ_ERR, fpdu(segment)), segment);
    }

    @Test
    @Satisfies("RFC5040-4.2-1")
    void anOpcodeOfTheOtherModel() {
        byte[] taggedSend = tagged(Frames.SEND, true, 0, 0);
        carriesHeader(fault(ready(), "0/2/6", AsyncEvent.Type.QP_REQ_ERR, fpdu(taggedSend)), taggedSend);
        byte[] untaggedWrite = untagged(Frames.WRITE, true, 0, 0, 1, 0);
        carriesHeader(fault(ready(), "0/2/6", AsyncEvent.Type.QP_REQ_ERR, fpdu(untaggedWrite)), untaggedWrite);
    }

    @Test
    @Satisfies("RFC5040-4.2-2")
    void wrongQueueNumber() {
        for (int queue : new int[] {1, 2, 3, 0x1_0000, -1}) {
            byte[] segment = untagged(Frames.SEND, true, 0, queue, 1, 0);
            carriesHeader(fault(ready(), "1/2/1", AsyncEvent.Type.QP_REQ_ERR, fpdu(segment)), segment);
        }
        byte[] read = readRequestUlpdu(1, 0, 0, 0, 0, 0);
        read[9] = 0;
        carriesHeader(fault(ready(), "1/2/1", AsyncEvent.Type.QP_REQ_ERR, fpdu(read)), read);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 3, -1, 0x100_0001})
    @Satisfies({"RFC5041-4.3-2", "RFC5041-7.1-2"})
    void wrongMessageNumber(int msn) {
        byte[] segment = untagged(Frames.SEND, true, 0, 0, msn, 0);
        carriesHeader(fault(ready(), "1/2/3", AsyncEvent.Type.QP_REQ_ERR, fpdu(segment)), segment);
        byte[] read = readRequestUlpdu(msn, 0, 0, 0, 0, 0);
        carriesHeader(fault(ready(), "1/2/3", AsyncEvent.Type.QP_REQ_ERR, fpdu(read)), read);
    }

    @Test
    @Satisfies({"RFC5041-4.3-2", "RFC5041-4.3-3", "RFC5041-7.1-2"})
    void aMessageNumberThatComesTwice() {
        fault(ready(), "1/2/3", AsyncEvent.Type.QP_REQ_ERR, send(1), send(1));
        fault(ready(), "1/2/3", AsyncEvent.Type.QP_REQ_ERR, send(1), send(3));
        // each queue counts by itself, so a Read Request does not move the Sends on
        fault(ready(), "1/2/3", AsyncEvent.Type.QP_REQ_ERR, readRequest(1, 0, 0, 0, 0, 0), send(2));
        // inside a message
        byte[] first = untagged(Frames.SEND, false, 0, 0, 1, 0, (byte) 1);
        byte[] second = untagged(Frames.SEND, true, 0, 0, 2, 1, (byte) 1);
        fault(ready(), "1/2/3", AsyncEvent.Type.QP_REQ_ERR, fpdu(first), fpdu(second));
    }

    @Test
    @Satisfies({"RFC5041-4.3-4", "RFC5041-7.1-3", "RFC5041-5.2-2"})
    void wrongMessageOffset() {
        byte[] late = untagged(Frames.SEND, true, 0, 0, 1, 1, (byte) 1);
        carriesHeader(fault(ready(), "1/2/4", AsyncEvent.Type.QP_REQ_ERR, fpdu(late)), late);
        byte[] first = untagged(Frames.SEND, false, 0, 0, 1, 0, new byte[8]);
        for (int offset : new int[] {0, 7, 9, -1}) {
            byte[] second = untagged(Frames.SEND, true, 0, 0, 1, offset, new byte[8]);
            fault(ready(), "1/2/4", AsyncEvent.Type.QP_REQ_ERR, fpdu(first), fpdu(second));
        }
        byte[] read = readRequestUlpdu(1, 0, 0, 0, 0, 0);
        read[17] = 4;
        fault(ready(), "1/2/4", AsyncEvent.Type.QP_REQ_ERR, fpdu(read));
    }

    @Test
    @Satisfies({"RFC5041-7.1-7", "RFC5040-5.1-1"})
    void noReceiveIsPosted() {
        RawPeer peer = ready();
        byte[] third = untagged(Frames.SEND, true, 0, 0, 3, 0);
        carriesHeader(fault(peer, "1/2/2", AsyncEvent.Type.QP_REQ_ERR, send(1, (byte) 1), send(2), fpdu(third)), third);
        assertThat(peer.node.receiveCompletions()).containsExactly("1 SUCCESS RECV 1", "2 SUCCESS RECV 0");
    }

    @Test
    @Satisfies("RFC5041-7.1-6")
    void aMessageLongerThanItsReceive() {
        RawPeer peer = ready();
        byte[] tooLong = untagged(Frames.SEND, true, 0, 0, 1, 0, pattern(65, 1));
        carriesHeader(fault(peer, "1/2/5", AsyncEvent.Type.QP_REQ_ERR, fpdu(tooLong)), tooLong);
        assertThat(TestNode.take(peer.node.receives))
                .satisfiesExactly(
                        wc -> {
                            assertThat(wc.id()).isEqualTo(1);
                            assertThat(wc.status()).isEqualTo(io.jrdma.verbs.WcStatus.LOC_LEN_ERR);
                            assertThat(wc.vendorError()).isEqualTo(0x1205);
                        },
                        wc -> assertThat(wc.status()).isEqualTo(io.jrdma.verbs.WcStatus.WR_FLUSH_ERR));
        assertThat(peer.node.bytes(0, 65)).containsOnly(0);
        // the segment before fitted
        RawPeer later = ready();
        byte[] first = untagged(Frames.SEND, false, 0, 0, 1, 0, pattern(64, 1));
        byte[] second = untagged(Frames.SEND, true, 0, 0, 1, 64, (byte) 1);
        fault(later, "1/2/5", AsyncEvent.Type.QP_REQ_ERR, fpdu(first), fpdu(second));
        assertThat(later.node.receiveCompletions()).containsExactly("1 LOC_LEN_ERR RECV 0", "2 WR_FLUSH_ERR RECV 0");
    }

    @Test
    void anotherOpcodeInsideAMessage() {
        byte[] first = untagged(Frames.SEND, false, 0, 0, 1, 0, new byte[8]);
        byte[] second = untagged(Frames.SEND_SOLICITED, true, 0, 0, 1, 8, new byte[8]);
        fault(ready(), "0/2/6", AsyncEvent.Type.QP_REQ_ERR, fpdu(first), fpdu(second));
    }

    @Test
    void aReadRequestOfMoreThanOneSegment() {
        byte[] open = readRequestUlpdu(1, 0, 0, 0, 0, 0);
        open[0] &= ~0x40;
        fault(ready(), "1/2/5", AsyncEvent.Type.QP_REQ_ERR, fpdu(open));
        byte[] read = readRequestUlpdu(1, 0, 0, 0, 0, 0);
        fault(ready(), "1/2/5", AsyncEvent.Type.QP_REQ_ERR, fpdu(Arrays.copyOf(read, 47)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // ULPDUs that end inside their headers
                "",
                "41",
                "C140",
                "4143 00000000 00000000 00000001 000000",
                "C140 00000000 00000000 000000",
                "4141 00000000 00000001 00000001 00000000 0000",
                "4147 00000000 00000002 00000001 00000000 00"
            })
    void aUlpduShorterThanItsHeaders(String hex) {
        carriesNothing(fault(ready(), "2/0/3", AsyncEvent.Type.QP_FATAL, fpdu(bytes(hex))));
    }

    // ---- Writes ----

    @Test
    @Satisfies("RFC5041-7.1-5")
    void writeToAKeyThatIsNone() {
        RawPeer peer = ready();
        for (int key : new int[] {0, 1, peer.node.key ^ 1, peer.node.key ^ 0x8000_0000}) {
            byte[] segment = tagged(Frames.WRITE, true, key, peer.node.address(0), (byte) 1);
            carriesHeader(fault(ready(), "1/1/0", AsyncEvent.Type.QP_ACCESS_ERR, fpdu(segment)), segment);
        }
    }

    @Test
    @Satisfies("RFC5041-7.1-5")
    void writeToAnInvalidatedKey() {
        RawPeer peer = ready();
        peer.node.table.invalidate(peer.node.key, TestNode.PD);
        fault(peer, "1/1/0", AsyncEvent.Type.QP_ACCESS_ERR, write(peer.node.key, peer.node.address(0), (byte) 1));
    }

    @Test
    @Satisfies("RFC5041-7.1-5")
    void writeOutOfBounds() {
        long size = ready().node.memory.byteSize();
        for (long offset : new long[] {-1, size, size - 1, size + (1L << 32), Long.MIN_VALUE}) {
            RawPeer peer = ready();
            byte[] segment = tagged(Frames.WRITE, true, peer.node.key, peer.node.address(offset), (byte) 1, (byte) 2);
            carriesHeader(fault(peer, "1/1/1", AsyncEvent.Type.QP_ACCESS_ERR, fpdu(segment)), segment);
            assertThat(peer.node.bytes(size - 1, 1)).containsExactly(0);
        }
        // TO counts from the region's address, not from 0
        RawPeer peer = ready();
        fault(peer, "1/1/1", AsyncEvent.Type.QP_ACCESS_ERR, write(peer.node.key, 0, (byte) 1));
    }

    @Test
    @Satisfies("RFC5041-7.1-5")
    void writeToAnotherDomainsRegion() {
        RawPeer peer = ready();
        int key = peer.node.table.register(OTHER_PD, peer.node.memory, TestNode.ALL);
        fault(peer, "1/1/2", AsyncEvent.Type.QP_ACCESS_ERR, write(key, peer.node.address(0), (byte) 1));
    }

    @Test
    @Satisfies("RFC5041-7.1-5")
    void writeThatWraps() {
        RawPeer peer = ready();
        fault(peer, "1/1/3", AsyncEvent.Type.QP_ACCESS_ERR, write(peer.node.key, -1, (byte) 1, (byte) 2));
    }

    @Test
    void writeWithoutTheRight() {
        RawPeer peer = ready();
        int key = peer.node.table.register(
                TestNode.PD, peer.node.memory, Access.LOCAL_WRITE.bit() | Access.REMOTE_READ.bit());
        fault(peer, "1/1/0", AsyncEvent.Type.QP_ACCESS_ERR, write(key, peer.node.address(0), (byte) 1));
        assertThat(peer.node.bytes(0, 1)).containsExactly(0);
    }

    /** What the queue pair does not allow, no region can: IBTA volume 1, 11.2.5.2 for the attribute, which iWARP shares. */
    @Test
    void writeThroughAQueuePairWithoutTheRight() {
        RawPeer peer = ready();
        peer.node.qp.modify(QpAttributes.builder()
                .access(EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_READ))
                .build());
        fault(peer, "1/1/0", AsyncEvent.Type.QP_ACCESS_ERR, write(peer.node.key, peer.node.address(0), (byte) 1));
        assertThat(peer.node.bytes(0, 1)).containsExactly(0);
    }

    @Test
    @Satisfies("RFC5041-5.2-1")
    void writeThatGoesOnElsewhere() {
        RawPeer peer = ready();
        int other = peer.node.table.register(TestNode.PD, peer.node.memory, TestNode.ALL);
        byte[] first = fpdu(tagged(Frames.WRITE, false, peer.node.key, peer.node.address(0), new byte[8]));
        fault(peer, "1/1/0", AsyncEvent.Type.QP_ACCESS_ERR, first, write(other, peer.node.address(8), new byte[8]));
        RawPeer gap = ready();
        fault(
                gap,
                "1/1/1",
                AsyncEvent.Type.QP_ACCESS_ERR,
                fpdu(tagged(Frames.WRITE, false, gap.node.key, gap.node.address(0), new byte[8])),
                write(gap.node.key, gap.node.address(9), new byte[8]));
    }

    @Test
    void writeToMemoryThatIsGone() {
        RawPeer peer = ready();
        TestNode.Gone gone = peer.node.registerGone();
        carriesNothing(fault(peer, "1/0/0", AsyncEvent.Type.QP_FATAL, write(gone.key(), gone.address(), (byte) 1)));
    }

    /** IBTA volume 1, 9.9.3, for the queue, which iWARP shares: a message that nobody hears of is an error, nothing behind it counts. */
    @Test
    void sendWhoseCompletionIsLost() {
        RawPeer peer = ready();
        peer.node.overflowExpected = true;
        int room = peer.node.receives.capacity();
        for (int i = 1; i <= room; i++) {
            peer.node.postReceive(2 + i, 0, 64);
            peer.in(send(i));
        }
        peer.out();
        assertThat(peer.node.qp.state()).isEqualTo(QpState.RTS);
        carriesNothing(fault(peer, "0/0/0", AsyncEvent.Type.QP_FATAL, send(room + 1), send(room + 2, (byte) 5)));
        assertThat(peer.node.overflows).isEqualTo(1);
        assertThat(peer.node.receiveCompletions()).hasSize(room);
        assertThat(peer.node.bytes(0, 1)).containsExactly(0);
    }

    // ---- Send with Invalidate ----

    @Test
    @Satisfies("RFC5040-5.3-2")
    void sendThatInvalidatesARegionThatNoPeerMayInvalidate() {
        RawPeer peer = ready();
        byte[] ordinary = untagged(Frames.SEND_INVALIDATE, true, peer.node.key, 0, 1, 0, (byte) 1);
        carriesHeader(fault(peer, "0/1/9", AsyncEvent.Type.QP_ACCESS_ERR, fpdu(ordinary)), ordinary);
        assertThat(peer.node.receiveCompletions()).containsExactly("1 LOC_ACCESS_ERR RECV 0", "2 WR_FLUSH_ERR RECV 0");
        assertThat(peer.node.table.check(peer.node.key, TestNode.PD, TestNode.ALL, peer.node.address(0), 8))
                .isEqualTo(AccessFault.NONE);
    }

    @Test
    @Satisfies("RFC5040-5.3-1")
    void sendThatInvalidatesWhatItMayNot() {
        RawPeer peer = ready();
        byte[] unknown = untagged(Frames.SEND_INVALIDATE, true, peer.node.key ^ 1, 0, 1, 0, (byte) 1);
        carriesHeader(fault(peer, "0/2/9", AsyncEvent.Type.QP_ACCESS_ERR, fpdu(unknown)), unknown);
        assertThat(peer.node.receiveCompletions()).containsExactly("1 LOC_ACCESS_ERR RECV 0", "2 WR_FLUSH_ERR RECV 0");
        RawPeer other = ready();
        int key = other.node.table.register(OTHER_PD, other.node.memory, TestNode.ALL);
        byte[] foreign = untagged(Frames.SEND_SOLICITED_INVALIDATE, true, key, 0, 1, 0, (byte) 1);
        carriesHeader(fault(other, "0/1/9", AsyncEvent.Type.QP_ACCESS_ERR, fpdu(foreign)), foreign);
    }

    // ---- local faults ----

    @Test
    void theReceivesMemoryIsGone() {
        RawPeer peer = RawPeer.established();
        TestNode.Gone gone = peer.node.registerGone();
        peer.node.qp.postReceive(new io.jrdma.verbs.RecvWr().id(1).addSge(gone.address(), 64, gone.key()));
        carriesNothing(fault(peer, "1/0/0", AsyncEvent.Type.QP_FATAL, send(1, (byte) 1)));
        assertThat(peer.node.receiveCompletions()).containsExactly("1 LOC_PROT_ERR RECV 0");
    }

    @Test
    void theReceivesBufferIsNotWritable() {
        RawPeer peer = RawPeer.established();
        int key = peer.node.table.register(TestNode.PD, peer.node.memory, Access.REMOTE_READ.bit());
        peer.node.qp.postReceive(new io.jrdma.verbs.RecvWr().id(1).addSge(peer.node.address(0), 64, key));
        fault(peer, "1/0/0", AsyncEvent.Type.QP_FATAL, send(1, (byte) 1));
        assertThat(peer.node.receiveCompletions()).containsExactly("1 LOC_PROT_ERR RECV 0");
    }

    // ---- MPA ----

    @Test
    @Satisfies({"RFC5044-4.4-5", "RFC5040-7.1-1"})
    void crcError() {
        RawPeer peer = RawPeer.established(new RawPeer(), true);
        peer.node.postReceive(1, 0, 64);
        peer.in(spoilt(send(1, (byte) 1)));
        byte[] out = peer.out();
        assertThat(out).isEqualTo(bytes("00164147 00000000 00000002 00000001 00000000 20020000 7fe42585"));
        assertThat(peer.node.receiveCompletions()).containsExactly("1 WR_FLUSH_ERR RECV 0");
        assertThat(peer.node.bytes(0, 1)).containsExactly(0);
        assertThat(peer.node.events).extracting(AsyncEvent::detail).containsExactly(0x2002);
    }

    @Test
    @Satisfies("RFC5044-8-2")
    void markerError() {
        var options = io.jrdma.verbs.MpaOptions.builder()
                .crc(false)
                .markersWanted(true)
                .build();
        RawPeer peer = new RawPeer().listen(options);
        peer.in(Frames.request(Frames.S, 2, Frames.enhanced(0, 4, 4)));
        peer.accept(RawPeer.parameters(options, 4, 4));
        peer.out();
        peer.in(bytes("00000004"));
        assertThat(Frames.terminateCodeAtEnd(peer.out())).isEqualTo("2/0/3");
    }

    // ---- once ----

    @Test
    @Satisfies({"RFC5040-7-1", "RFC5040-7-2", "RFC5041-7.2-2"})
    void onlyTheFirstFaultIsTold() {
        RawPeer peer = ready();
        peer.in(send(5));
        peer.in(write(0x77, 0, (byte) 1));
        peer.in(Frames.terminate((byte) 0, (byte) 0, (byte) 0, (byte) 0));
        List<byte[]> out = Frames.ulpdus(peer.out());
        assertThat(out).hasSize(1);
        assertThat(Arrays.copyOfRange(out.getFirst(), 18, 20)).containsExactly(0x12, 0x03);
        peer.in(send(1));
        assertThat(peer.out()).isEmpty();
        peer.gone();
        assertThat(peer.log.log).containsOnlyOnce("disconnected");
        assertThat(peer.node.events).hasSize(1);
        assertThat(peer.node.receiveCompletions()).containsExactly("1 WR_FLUSH_ERR RECV 0", "2 WR_FLUSH_ERR RECV 0");
        assertThat(peer.node.sendCompletions()).containsExactly("3 WR_FLUSH_ERR SEND 0");
    }

    @Test
    @Satisfies("RFC5041-5.3-1")
    void behindAnOwnMessageThatWasCutOnlyTheTerminateFollows() {
        RawPeer peer = ready();
        TestNode node = peer.node;
        peer.end.out.limit(20_000);
        node.postWrite(7, 0, 60_000, node, 0);
        peer.in(write(0, 0));
        assertThat(Frames.ulpdus(peer.out())).hasSize(2);
        peer.in(readRequest(1, 1, 0, 8, node.key, node.address(0)), send(5));
        List<byte[]> out = Frames.ulpdus(peer.out());
        assertThat(out).hasSize(1);
        assertThat(out.getFirst()[1] & 0xF).isEqualTo(Frames.TERMINATE);
        assertThat(node.sendCompletions()).containsExactly("3 SUCCESS SEND 1", "7 WR_FLUSH_ERR RDMA_WRITE 0");
    }

    @Test
    void answersBeforeATerminateHaveATimeLimit() {
        RawPeer peer = ready();
        TestNode node = peer.node;
        peer.end.out.limit(20_000);
        peer.in(readRequest(1, 1, 0, 100_000, node.key, node.address(0)), send(5));
        assertThat(Frames.ulpdus(peer.out())).hasSize(1);
        assertThat(Frames.ulpdus(peer.out())).hasSize(1);
        peer.advance(IwarpTimers.CLOSE_LIMIT_NS - 1);
        assertThat(Frames.ulpdus(peer.out())).hasSize(1);
        peer.advance(1);
        assertThat(Frames.terminateCodeAtEnd(peer.out())).isEqualTo("1/2/3");
        assertThat(peer.end.closing).isTrue();
        peer.gone();
        assertThat(peer.log.log).containsOnlyOnce("disconnected");
    }

    @Test
    void aTerminateThatFindsNoRoomWaitsAndIsGivenUp() {
        RawPeer peer = ready();
        peer.end.out.limit(0);
        peer.in(send(5));
        assertThat(peer.out()).isEmpty();
        assertThat(peer.end.closing).isFalse();
        assertThat(peer.node.receiveCompletions()).hasSize(2);
        peer.end.out.limit(1 << 20);
        assertThat(Frames.terminateCodeAtEnd(peer.out())).isEqualTo("1/2/3");
        assertThat(peer.end.closing).isTrue();

        RawPeer stuck = ready();
        stuck.end.out.limit(0);
        stuck.in(send(5));
        stuck.advance(IwarpTimers.CLOSE_LIMIT_NS);
        assertThat(stuck.end.resetCalled).isTrue();
        assertThat(stuck.log.log).endsWith("disconnected");
    }
}
