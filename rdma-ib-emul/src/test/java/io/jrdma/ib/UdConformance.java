package io.jrdma.ib;

import static io.jrdma.ib.PacketBuilder.bytes;
import static io.jrdma.ib.PacketBuilder.packet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.testing.Satisfies;
import io.jrdma.verbs.AddressHandle;
import io.jrdma.verbs.AddressVector;
import io.jrdma.verbs.AsyncEvent;
import io.jrdma.verbs.PostException;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.WrOpcode;
import io.jrdma.wire.ib.Deth;
import io.jrdma.wire.ib.Grh;
import io.jrdma.wire.ib.IbOpcode;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Datagram queue pairs (IBTA volume 1, 9.8.3). */
class UdConformance {
    private static final int Q_KEY = 0x1234_5678;

    private final IbPair pair = new IbPair(1, QueuePairOptions.ud(null), 1 << 16);
    private final TestNode left = ready(pair.left, Q_KEY);
    private final TestNode right = ready(pair.right, Q_KEY);
    private final AddressHandle toRight = handle(left, 1);

    static TestNode ready(TestNode node, int qKey) {
        node.qp.modify(QpAttributes.builder()
                .state(QpState.INIT)
                .pKeyIndex(0)
                .port(1)
                .qKey(qKey)
                .build());
        node.qp.modify(QpAttributes.state(QpState.RTR));
        node.qp.modify(
                QpAttributes.builder().state(QpState.RTS).sqPsn(0xFF_FFFF).build());
        return node;
    }

    private static AddressHandle handle(TestNode node, int peer) {
        AddressVector to = new AddressVector(TestNode.addressOf(peer), 0x68, 64, 0);
        return new AddressHandle(
                node, TestNode.PD, to, node.device.openPath(to), handle -> node.device.closePath(handle.pathId()));
    }

    private SendWr datagram(long id, int length) {
        return left.send(id, 0, length).datagram(toRight, right.qp.qpNum(), Q_KEY);
    }

    @Test
    @Satisfies({"IBTA-9.8.3-4", "IBTA-9.8.3-5"})
    void aDatagramArrivesBehindItsRoutingHeader() {
        left.fill(0, bytes(100));
        for (int i = 0; i < 3; i++) {
            right.postReceive(i, 1000 * i, 140);
        }
        left.qp.postSend(datagram(1, 100).solicited(true));
        left.qp.postSend(datagram(2, 99).opcode(WrOpcode.SEND_WITH_IMM).immediate(77));
        left.qp.postSend(datagram(3, 0));
        pair.run();
        assertThat(left.sendCompletions())
                .containsExactly("1 SUCCESS SEND 100", "2 SUCCESS SEND 99", "3 SUCCESS SEND 0");
        var completions = TestNode.take(right.receives);
        assertThat(completions).extracting(WorkCompletion::byteLength).containsExactly(140L, 139L, 40L);
        assertThat(completions).extracting(WorkCompletion::sourceQp).containsOnly(left.qp.qpNum());
        assertThat(completions)
                .extracting(WorkCompletion::flags)
                .containsExactly(WorkCompletion.GRH, WorkCompletion.GRH | WorkCompletion.WITH_IMM, WorkCompletion.GRH);
        assertThat(completions.get(1).immediate()).isEqualTo(77);
        assertThat(right.bytes(40, 100)).isEqualTo(bytes(100));
        assertThat(Grh.ipVersion(right.memory, 0)).isEqualTo(4);
        // the type of service, as it came
        assertThat(right.bytes(Grh.IPV4_AT + 1, 1)).containsExactly(0x68);
        assertThat(Grh.ipv4Source(right.memory, 0)).isEqualTo(0x0A00_0001);
        assertThat(Grh.ipv4Destination(right.memory, 0)).isEqualTo(0x0A00_0002);
    }

    private int sourceOf(int source) {
        right.postReceive(source, 0, 140);
        byte[] bytes = packet(IbOpcode.UD_SEND_ONLY, 0, bytes(4))
                .deth(Q_KEY, 5)
                .destQp(right.qp.qpNum())
                .build();
        right.device.onPacket(source, MemorySegment.ofArray(bytes), 0, bytes.length, 0, pair.clock.nowNs());
        assertThat(right.receiveCompletions()).hasSize(1);
        return Grh.ipv4Source(right.memory, 0);
    }

    @Test
    @Satisfies("IBTA-9.8.3-4")
    void eachSenderHasItsOwnRoutingHeaderEvenOnANumberThatAnotherHadBefore() {
        for (int source : new int[] {3, 4, 3, 200, 4, 200, 3}) {
            assertThat(sourceOf(source)).isEqualTo(0x0A00_0001 + source);
        }
        right.reusedSource = 3;
        right.reusedFor = 77;
        assertThat(sourceOf(3)).isEqualTo(0x0A00_0001 + 77);
        assertThat(sourceOf(4)).isEqualTo(0x0A00_0001 + 4);
    }

    @Test
    @Satisfies("IBTA-9.8.3-2")
    void whatFindsNoReceiveThatHoldsItIsGone() {
        left.qp.postSend(datagram(1, 10));
        pair.run();
        right.postReceive(1, 0, 140);
        right.postReceive(2, 0, 40);
        left.qp.postSend(datagram(2, 200));
        left.qp.postSend(datagram(3, 100));
        left.qp.postSend(datagram(4, 1));
        left.qp.postSend(datagram(5, 0));
        pair.run();
        assertThat(right.receiveCompletions()).containsExactly("1 SUCCESS RECV 140", "2 SUCCESS RECV 40");
        assertThat(right.device.counters().value(IbCounters.NO_RECEIVE)).isEqualTo(3);
        assertThat(right.qp.state()).isEqualTo(QpState.RTS);
        assertThat(right.events).isEmpty();
    }

    @Test
    @Satisfies({"IBTA-9.8.3-1", "IBTA-9.8.3-3"})
    void theQueueKeyDecides() {
        right.postReceive(1, 0, 140);
        left.qp.postSend(left.send(1, 0, 5).datagram(toRight, right.qp.qpNum(), Q_KEY + 1));
        pair.run();
        assertThat(right.device.counters().value(IbCounters.WRONG_Q_KEY)).isEqualTo(1);
        // the own one, whatever the rest says
        pair.network.record = true;
        left.qp.postSend(left.send(2, 0, 5).datagram(toRight, right.qp.qpNum(), 0x8000_0000));
        pair.run();
        assertThat(Deth.view(pair.network.sent.get(0).segment(), 12)).isEqualTo(new Deth.View(Q_KEY, left.qp.qpNum()));
        assertThat(pair.network.sent.get(0).psn()).isZero();
        assertThat(right.receiveCompletions()).containsExactly("1 SUCCESS RECV 45");
    }

    @Test
    @Satisfies("IBTA-9.6-3")
    void packetsOfConnectionsAreDropped() {
        right.postReceive(1, 0, 140);
        byte[] send = packet(IbOpcode.SEND_ONLY, 0).destQp(right.qp.qpNum()).build();
        right.device.onPacket(0, MemorySegment.ofArray(send), 0, send.length, 0, pair.clock.nowNs());
        assertThat(right.device.counters().value(IbCounters.WRONG_SERVICE)).isEqualTo(1);
        assertThat(right.receiveCompletions()).isEmpty();
    }

    @Test
    void whatCannotBeSentIsRefusedOrFails() {
        assertThatThrownBy(() -> left.qp.postSend(left.send(1, 0, 5)))
                .isInstanceOf(PostException.class)
                .hasMessageContaining("address handle");
        assertThatThrownBy(() -> left.qp.postSend(datagram(1, 5).opcode(WrOpcode.RDMA_WRITE)))
                .isInstanceOf(PostException.class)
                .hasMessageContaining("sends alone");
        AddressHandle closed = handle(left, 1);
        closed.close();
        closed.close();
        assertThat(left.pins).isEqualTo(1);
        assertThatThrownBy(() -> left.qp.postSend(left.send(1, 0, 5).datagram(closed, 1, Q_KEY)))
                .isInstanceOf(PostException.class);
        left.qp.postSend(datagram(1, 5000));
        pair.run();
        assertThat(left.sendCompletions()).containsExactly("1 LOC_LEN_ERR SEND 0");
        assertThat(left.qp.state()).isEqualTo(QpState.ERROR);
    }

    /** Closed too early: the number of its path must not be given to another host while datagrams wait that have it. */
    @Test
    void aHandleThatIsClosedKeepsItsPathUntilItsDatagramsAreSent() {
        right.postReceive(1, 0, 140);
        right.postReceive(2, 200, 140);
        left.qp.postSend(datagram(1, 10));
        left.qp.postSend(datagram(2, 10));
        pair.network.maxSegments = 1;
        pair.network.roomBytes = 40;
        left.poll();
        assertThat(left.sendCompletions()).containsExactly("1 SUCCESS SEND 10");
        toRight.close();
        left.driver.runTasks();
        assertThat(left.pins).isEqualTo(1);
        assertThatThrownBy(() -> left.qp.postSend(datagram(3, 10))).isInstanceOf(PostException.class);
        pair.network.roomBytes = 1 << 20;
        left.poll();
        left.driver.runTasks();
        assertThat(left.pins).isZero();
        pair.run();
        assertThat(right.receiveCompletions()).containsExactly("1 SUCCESS RECV 50", "2 SUCCESS RECV 50");
    }

    @ParameterizedTest
    @ValueSource(strings = {"RESET", "ERROR", "DESTROYED"})
    void datagramsThatAreNeverSentLetTheirPathGo(String end) {
        pair.network.roomBytes = 0;
        left.qp.postSend(datagram(1, 10));
        left.qp.postSend(datagram(2, 10));
        left.poll();
        toRight.close();
        left.driver.runTasks();
        assertThat(left.pins).isEqualTo(1);
        if (end.equals("DESTROYED")) {
            left.qp.destroy();
        } else {
            left.qp.modify(QpAttributes.state(QpState.valueOf(end)));
        }
        left.driver.runTasks();
        assertThat(left.pins).isZero();
    }

    /** Path numbers mean something on their own device only, and domains are numbered on each. */
    @Test
    void aHandleOfAnotherDeviceIsRefused() {
        AddressHandle foreign = handle(right, 0);
        assertThatThrownBy(() -> left.qp.postSend(left.send(1, 0, 5).datagram(foreign, 1, Q_KEY)))
                .isInstanceOf(PostException.class)
                .hasMessageContaining("address handle");
    }

    @Test
    void aReceiveWhoseMemoryIsGoneFailsTheQueuePair() {
        right.qp.postReceive(new RecvWr().id(1).addSge(right.address(0), 100, right.key + 1));
        left.qp.postSend(datagram(1, 5));
        pair.run();
        assertThat(right.receiveCompletions()).containsExactly("1 LOC_PROT_ERR RECV 0");
        assertThat(right.qp.state()).isEqualTo(QpState.ERROR);
        assertThat(right.eventTypes()).containsExactly(AsyncEvent.Type.QP_FATAL);
    }
}
