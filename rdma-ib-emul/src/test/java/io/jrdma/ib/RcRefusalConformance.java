package io.jrdma.ib;

import static io.jrdma.ib.PacketBuilder.bytes;
import static io.jrdma.ib.PacketBuilder.packet;
import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.ib.TestNode.Link;
import io.jrdma.testing.Satisfies;
import io.jrdma.verbs.Access;
import io.jrdma.verbs.AsyncEvent;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.memory.AccessFault;
import io.jrdma.wire.ib.Bth;
import io.jrdma.wire.ib.IbOpcode;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a responder refuses, with which NAK, and what it does not even answer (IBTA volume 1, 9.6 and 9.7.4). */
class RcRefusalConformance {
    private static final String INVALID = "61";
    private static final String ACCESS = "62";

    private final RawPeer peer = new RawPeer();
    private final TestNode node = peer.node;

    private void refused(String syndrome, int psn, AsyncEvent.Type event) {
        assertThat(peer.outText()).hasSize(1).first().asString().startsWith("RC_ACKNOWLEDGE " + psn + " " + syndrome);
        assertThat(peer.state()).isEqualTo(QpState.ERROR);
        assertThat(node.eventTypes()).isEqualTo(event == null ? List.of() : List.of(event));
        // [IBTA-9.7.4-16] and then it is silent
        peer.in(packet(IbOpcode.SEND_ONLY, psn).ackRequest());
        peer.advance(1_000_000_000);
        assertThat(peer.out()).isEmpty();
    }

    static Stream<List<Integer>> disorder() {
        return Stream.of(
                List.of(IbOpcode.SEND_MIDDLE),
                List.of(IbOpcode.SEND_LAST),
                List.of(IbOpcode.RDMA_WRITE_MIDDLE),
                List.of(IbOpcode.RDMA_WRITE_LAST_WITH_IMM),
                List.of(IbOpcode.SEND_FIRST, IbOpcode.SEND_FIRST),
                List.of(IbOpcode.SEND_FIRST, IbOpcode.SEND_ONLY),
                List.of(IbOpcode.SEND_FIRST, IbOpcode.RDMA_WRITE_MIDDLE),
                List.of(IbOpcode.SEND_FIRST, IbOpcode.RDMA_READ_REQUEST),
                List.of(IbOpcode.RDMA_WRITE_FIRST, IbOpcode.SEND_LAST),
                List.of(IbOpcode.RDMA_WRITE_FIRST, IbOpcode.FETCH_ADD),
                List.of(IbOpcode.RDMA_WRITE_FIRST, IbOpcode.RDMA_WRITE_ONLY));
    }

    @ParameterizedTest
    @MethodSource("disorder")
    @Satisfies({"IBTA-9.7.4-5", "IBTA-9.7.4-16"})
    void packetsOfAMessageOutOfOrder(List<Integer> opcodes) {
        peer.connect();
        node.postReceive(1, 0, 10_000);
        int psn = 0;
        for (int opcode : opcodes) {
            byte[] payload =
                    !IbOpcode.hasPayload(opcode) ? new byte[0] : bytes(IbOpcode.endsMessage(opcode) ? 5 : 1024);
            PacketBuilder builder = packet(opcode, psn++, payload);
            if (IbOpcode.hasReth(opcode)) {
                builder.reth(node.address(0), node.key, payload.length < 1024 ? payload.length : 2000);
            }
            peer.in(builder);
        }
        boolean holdsReceive = opcodes.size() == 2 && opcodes.get(0) == IbOpcode.SEND_FIRST;
        refused(INVALID, psn - 1, holdsReceive ? null : AsyncEvent.Type.QP_REQ_ERR);
        assertThat(node.receiveCompletions())
                .containsExactly(holdsReceive ? "1 REM_INV_REQ_ERR RECV 0" : "1 WR_FLUSH_ERR RECV 0");
    }

    @ParameterizedTest
    @ValueSource(ints = {IbOpcode.FLUSH, IbOpcode.ATOMIC_WRITE})
    @Satisfies("IBTA-9.7.4-6")
    void operationsThatAreNotThere(int opcode) {
        peer.connect();
        peer.in(packet(opcode, 0, bytes(opcode == IbOpcode.ATOMIC_WRITE ? 8 : 0))
                .reth(node.address(0), node.key, 8));
        refused(INVALID, 0, AsyncEvent.Type.QP_REQ_ERR);
    }

    @ParameterizedTest
    @CsvSource({
        "SEND_FIRST, 1023, 0",
        "SEND_FIRST, 1028, 0",
        "SEND_FIRST, 0, 0",
        "SEND_ONLY, 1028, 0",
        "RDMA_WRITE_FIRST, 1020, 2000",
        "RDMA_WRITE_FIRST, 1028, 2000",
        "RDMA_WRITE_ONLY, 1028, 1028"
    })
    @Satisfies("IBTA-9.7.4-7")
    void payloadThatDoesNotFitThePathMtu(String name, int payload, int length) throws ReflectiveOperationException {
        int opcode = IbOpcode.class.getField(name).getInt(null);
        peer.connect();
        node.postReceive(1, 0, 10_000);
        PacketBuilder builder = packet(opcode, 0, bytes(payload));
        if (IbOpcode.hasReth(opcode)) {
            builder.reth(node.address(0), node.key, length);
        }
        peer.in(builder);
        refused(INVALID, 0, AsyncEvent.Type.QP_REQ_ERR);
        assertThat(node.bytes(0, 1024)).containsOnly(0);
        assertThat(node.receiveCompletions()).containsExactly("1 WR_FLUSH_ERR RECV 0");
    }

    @Test
    @Satisfies("IBTA-9.7.4-7")
    void anEmptyLastPacket() {
        peer.connect();
        node.postReceive(1, 0, 10_000);
        peer.in(packet(IbOpcode.SEND_FIRST, 0, bytes(1024)), packet(IbOpcode.SEND_LAST, 1));
        refused(INVALID, 1, null);
    }

    @ParameterizedTest
    // payload of an only packet and its RETH; or of first, middle or last ones and the RETH
    @CsvSource({"8, 12", "8, 7", "8, 0", "0, 8", "1024, 2000", "1024, 4294967295"})
    @Satisfies("IBTA-9.7.4-8")
    void aWriteThatContradictsItsLength(int payload, long length) {
        peer.connect();
        peer.in(packet(IbOpcode.RDMA_WRITE_ONLY, 0, bytes(payload)).reth(node.address(0), node.key, length));
        refused(
                length > 1 << 20 ? ACCESS : INVALID,
                0,
                length > 1 << 20 ? AsyncEvent.Type.QP_ACCESS_ERR : AsyncEvent.Type.QP_REQ_ERR);
        assertThat(node.bytes(0, 1024)).containsOnly(0);
    }

    @ParameterizedTest
    @CsvSource({
        "1024, RDMA_WRITE_LAST, 1",
        "2048, RDMA_WRITE_MIDDLE, 1024",
        "2000, RDMA_WRITE_LAST, 975",
        "2000, RDMA_WRITE_LAST, 977",
        "2000, RDMA_WRITE_MIDDLE, 1024"
    })
    @Satisfies("IBTA-9.7.4-8")
    void aLongWriteThatContradictsItsLength(int length, String second, int payload)
            throws ReflectiveOperationException {
        peer.connect();
        peer.in(packet(IbOpcode.RDMA_WRITE_FIRST, 0, bytes(1024)).reth(node.address(0), node.key, length));
        int psn = length == 1024 ? 0 : 1;
        if (psn == 1) {
            peer.in(packet(IbOpcode.class.getField(second).getInt(null), 1, bytes(payload)));
        }
        refused(INVALID, psn, AsyncEvent.Type.QP_REQ_ERR);
    }

    @Test
    @Satisfies("IBTA-9.7.4-9")
    void aSendLongerThanItsReceive() {
        peer.connect();
        node.postReceive(1, 0, 16);
        node.postReceive(2, 0, 16);
        peer.in(packet(IbOpcode.SEND_ONLY, 0, bytes(20)));
        refused(INVALID, 0, null);
        assertThat(node.receiveCompletions()).containsExactly("1 LOC_LEN_ERR RECV 0", "2 WR_FLUSH_ERR RECV 0");
        assertThat(node.bytes(0, 20)).containsOnly(0);
    }

    @Test
    @Satisfies("IBTA-9.7.4-16")
    void aReceiveWhoseMemoryIsNotAccessible() {
        peer.connect();
        node.qp.postReceive(new io.jrdma.verbs.RecvWr().id(1).addSge(node.address(0), 100, node.key + 1));
        peer.in(packet(IbOpcode.SEND_ONLY, 0, bytes(20)));
        refused("63", 0, null);
        assertThat(node.receiveCompletions()).containsExactly("1 LOC_PROT_ERR RECV 0");
    }

    @ParameterizedTest
    @ValueSource(ints = {IbOpcode.RDMA_WRITE_ONLY, IbOpcode.RDMA_READ_REQUEST, IbOpcode.FETCH_ADD})
    @Satisfies("IBTA-9.7.4-10")
    void whatTheQueuePairDoesNotAllow(int opcode) {
        peer.connect(Link.DEFAULT, 0, EnumSet.of(Access.LOCAL_WRITE));
        peer.in(oneSided(opcode, node.address(0), node.key, 8));
        refused(INVALID, 0, AsyncEvent.Type.QP_REQ_ERR);
    }

    @ParameterizedTest
    @ValueSource(ints = {IbOpcode.RDMA_READ_REQUEST, IbOpcode.COMPARE_SWAP})
    @Satisfies("IBTA-9.7.4-12")
    void readsWhenNoneWereAgreed(int opcode) {
        peer.connect(Link.DEFAULT.withDepths(4, 0));
        peer.in(oneSided(opcode, node.address(0), node.key, 8));
        refused(INVALID, 0, AsyncEvent.Type.QP_REQ_ERR);
    }

    private PacketBuilder oneSided(int opcode, long address, int key, int length) {
        if (IbOpcode.isAtomic(opcode)) {
            return packet(opcode, 0).atomic(address, key, 1, 0);
        }
        return packet(opcode, 0, IbOpcode.hasPayload(opcode) ? bytes(length) : new byte[0])
                .reth(address, key, length);
    }

    @ParameterizedTest
    @ValueSource(ints = {IbOpcode.RDMA_WRITE_ONLY, IbOpcode.RDMA_READ_REQUEST, IbOpcode.FETCH_ADD})
    @Satisfies("IBTA-9.7.4-11")
    void keysAndRanges(int opcode) {
        long base = node.address(0);
        long size = node.memory.byteSize();
        int readOnly = node.table.register(TestNode.PD, node.memory, 0);
        int foreign = node.table.register(TestNode.PD + 1, node.memory, TestNode.ALL);
        int invalid = node.table.register(TestNode.PD, node.memory, TestNode.ALL);
        assertThat(node.table.invalidate(invalid, TestNode.PD)).isEqualTo(AccessFault.NONE);
        long[][] cases = {
            {base, node.key + 1},
            {base, readOnly},
            {base, foreign},
            {base, invalid},
            {base - 8, node.key},
            {base + size - 4, node.key},
            {base + size, node.key},
            {-4, node.key},
            {-8, node.key},
            {0, node.key},
            {Long.MAX_VALUE - 3, node.key}
        };
        int number = 0x1000;
        for (long[] one : cases) {
            refusedOnAQueuePairOfItsOwn(opcode, one[0], (int) one[1], number++);
        }
    }

    private void refusedOnAQueuePairOfItsOwn(int opcode, long address, int key, int number) {
        var core = node.newQueuePair(TestNode.options(), number);
        TestNode.toInit(core);
        TestNode.toRtr(core, TestNode.addressOf(RawPeer.SOURCE), RawPeer.PEER_QP, 0, Link.DEFAULT);
        TestNode.toRts(core, Link.DEFAULT);
        node.events.clear();
        peer.in(oneSided(opcode, address, key, 8).destQp(number));
        assertThat(peer.outText()).as("0x%x with key 0x%x", address, key).containsExactly("RC_ACKNOWLEDGE 0 62/0");
        assertThat(core.state()).isEqualTo(QpState.ERROR);
        assertThat(node.eventTypes()).containsExactly(AsyncEvent.Type.QP_ACCESS_ERR);
        assertThat(node.bytes(0, 64)).containsOnly(0);
    }

    @Test
    @Satisfies("IBTA-9.7.4-11")
    void aWriteWithImmediateAndABadKeyFailsItsReceive() {
        peer.connect();
        node.postReceive(1, 0, 10);
        peer.in(packet(IbOpcode.RDMA_WRITE_ONLY_WITH_IMM, 0, bytes(8)).reth(node.address(0), node.key + 1, 8));
        refused(ACCESS, 0, null);
        assertThat(node.receiveCompletions()).containsExactly("1 LOC_ACCESS_ERR RECV 0");
    }

    @Test
    @Satisfies("IBTA-9.7.4-11")
    void aKeyThatCannotBeInvalidated() {
        peer.connect();
        node.postReceive(1, 0, 10);
        peer.in(packet(IbOpcode.SEND_ONLY_WITH_INVALIDATE, 0, bytes(8)).invalidate(node.key + 1));
        refused(ACCESS, 0, null);
        assertThat(node.receiveCompletions()).containsExactly("1 LOC_ACCESS_ERR RECV 0");
    }

    @Test
    @Satisfies("IBTA-9.7.4-17")
    void aRegionThatNoPeerMayInvalidate() {
        peer.connect();
        node.postReceive(1, 0, 10);
        peer.in(packet(IbOpcode.SEND_ONLY_WITH_INVALIDATE, 0, bytes(8)).invalidate(node.key));
        refused(ACCESS, 0, null);
        assertThat(node.receiveCompletions()).containsExactly("1 LOC_ACCESS_ERR RECV 0");
        assertThat(node.table.check(node.key, TestNode.PD, TestNode.ALL, node.address(0), 8))
                .isEqualTo(AccessFault.NONE);
    }

    @Test
    @Satisfies("IBTA-9.7.4-11")
    void aRegionThatGoesAwayDuringARead() {
        peer.connect();
        int key = node.table.register(TestNode.PD, node.memory, TestNode.ALL);
        peer.network.roomBytes = 0;
        peer.in(packet(IbOpcode.RDMA_READ_REQUEST, 0).reth(node.address(0), key, 3000));
        // there is room for the first train of the answer, no more
        peer.network.roomBytes = 1100;
        node.sink.begin();
        node.device.pollTransmit(node.sink, 1 << 16, peer.clock.nowNs());
        node.table.deregister(key);
        peer.network.roomBytes = 1 << 20;
        assertThat(peer.outText())
                .containsExactly(
                        "RC_RDMA_READ_RESPONSE_FIRST 0 00/1 [1024]",
                        "RC_RDMA_READ_RESPONSE_MIDDLE 1 [1024]",
                        "RC_ACKNOWLEDGE 2 62/1");
        assertThat(peer.state()).isEqualTo(QpState.ERROR);
    }

    /** Reads that were taken before are still answered; what goes wrong there is news for the peer alone. */
    @Test
    @Satisfies("IBTA-9.7.4-16")
    void aSecondFaultChangesOnlyTheNak() {
        peer.connect();
        int key = node.table.register(TestNode.PD, node.memory, TestNode.ALL);
        int[] faults = new int[1];
        node.device.management().attach(() -> new SilentListener() {
            @Override
            public void onQueuePairFault(int qpNum, long nowNs) {
                faults[0]++;
            }
        });
        peer.network.roomBytes = 0;
        peer.in(
                packet(IbOpcode.RDMA_READ_REQUEST, 0).reth(node.address(0), key, 8),
                packet(IbOpcode.RDMA_READ_REQUEST, 1).reth(node.address(0), node.key + 1, 8));
        assertThat(peer.state()).isEqualTo(QpState.ERROR);
        node.table.deregister(key);
        peer.network.roomBytes = 1 << 20;
        assertThat(peer.outText()).containsExactly("RC_ACKNOWLEDGE 0 62/1");
        assertThat(node.eventTypes()).containsExactly(AsyncEvent.Type.QP_ACCESS_ERR);
        assertThat(node.device.counters().value(IbCounters.FAULTS)).isEqualTo(1);
        assertThat(faults[0]).isEqualTo(1);
    }

    @Test
    @Satisfies("IBTA-9.7.4-13")
    void anAtomicAtAnOddAddress() {
        peer.connect();
        peer.in(packet(IbOpcode.FETCH_ADD, 0).atomic(node.address(4), node.key, 1, 0));
        refused(INVALID, 0, AsyncEvent.Type.QP_REQ_ERR);
    }

    @Test
    @Satisfies({"IBTA-9.6-1", "IBTA-9.6-2", "IBTA-9.6-3", "IBTA-A17-5"})
    void whatIsDroppedInSilence() {
        peer.connect();
        node.postReceive(1, 0, 100);
        peer.in(packet(IbOpcode.SEND_ONLY, 0).ackRequest().destQp(0x101));
        peer.in(packet(IbOpcode.SEND_ONLY, 0).ackRequest().pKey(0x8001));
        peer.in(packet(IbOpcode.UC | IbOpcode.SEND_ONLY, 0).ackRequest());
        peer.in(packet(IbOpcode.UD_SEND_ONLY, 0).ackRequest());
        peer.in(packet(IbOpcode.XRC | IbOpcode.SEND_ONLY, 0).ackRequest());
        peer.inFrom(2, packet(IbOpcode.SEND_ONLY, 0).ackRequest());
        peer.inFrom(2, packet(IbOpcode.SEND_ONLY, 5).ackRequest());
        assertThat(peer.out()).isEmpty();
        assertThat(node.receiveCompletions()).isEmpty();
        IbCounters counters = node.device.counters();
        assertThat(counters.value(IbCounters.UNKNOWN_QP)).isEqualTo(1);
        assertThat(counters.value(IbCounters.WRONG_P_KEY)).isEqualTo(1);
        assertThat(counters.value(IbCounters.WRONG_SERVICE)).isEqualTo(3);
        assertThat(counters.value(IbCounters.WRONG_SOURCE)).isEqualTo(2);
        // a limited member of the partition, a card's M bit and reserved congestion bits are all right
        peer.in(packet(IbOpcode.SEND_ONLY, 0).ackRequest().pKey(0x7FFF).flags(Bth.MIGRATION | Bth.FECN));
        assertThat(peer.outText()).containsExactly("RC_ACKNOWLEDGE 0 00/1");
    }

    @Test
    @Satisfies({"IBTA-10.3.1-1", "IBTA-10.3.1-3"})
    void statesDecideWhatIsTaken() {
        PacketBuilder send = packet(IbOpcode.SEND_ONLY, 0).ackRequest();
        peer.in(send);
        TestNode.toInit(node.qp);
        node.postReceive(1, 0, 100);
        peer.in(send);
        assertThat(peer.out()).isEmpty();
        assertThat(node.device.counters().value(IbCounters.WRONG_STATE)).isEqualTo(2);
        TestNode.toRtr(node.qp, TestNode.addressOf(RawPeer.SOURCE), RawPeer.PEER_QP, 0, Link.DEFAULT);
        peer.in(send);
        assertThat(peer.outText()).containsExactly("RC_ACKNOWLEDGE 0 00/1");
        assertThat(node.eventTypes()).containsExactly(AsyncEvent.Type.COMM_EST);
        peer.in(PacketBuilder.ack(0, 0x1F, 1));
        assertThat(node.device.counters().value(IbCounters.WRONG_STATE)).isEqualTo(3);
        node.qp.modify(QpAttributes.state(QpState.ERROR));
        peer.in(send);
        assertThat(peer.out()).isEmpty();
        node.qp.modify(QpAttributes.state(QpState.RESET));
        peer.in(send);
        assertThat(peer.out()).isEmpty();
        assertThat(node.pins).isZero();
    }
}
