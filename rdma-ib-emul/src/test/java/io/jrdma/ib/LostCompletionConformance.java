package io.jrdma.ib;

import static io.jrdma.ib.PacketBuilder.bytes;
import static io.jrdma.ib.PacketBuilder.packet;
import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.ib.TestNode.Link;
import io.jrdma.testing.Satisfies;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.queue.CompletionPort;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.wire.ib.IbOpcode;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Messages that arrive when the completion queue is full (IBTA volume 1, 9.9.3). The queue has room for one completion. */
class LostCompletionConformance {
    private static final int QP = 0x300;

    private final RawPeer peer = new RawPeer();
    private final TestNode node = peer.node;
    private int overflows;
    private final CompletionPort one = new CompletionPort(3, 1, () -> {}, () -> overflows++);

    private QueuePairCore connected(int receives) {
        QueuePairCore core = node.newQueuePair(TestNode.options(), QP, one);
        TestNode.toInit(core);
        TestNode.toRtr(core, TestNode.addressOf(RawPeer.SOURCE), RawPeer.PEER_QP, 0, Link.DEFAULT);
        TestNode.toRts(core, Link.DEFAULT);
        for (int i = 0; i < receives; i++) {
            core.postReceive(new RecvWr().id(i).addSge(node.address(100 * i), 100, node.key));
        }
        return core;
    }

    private static PacketBuilder send(int psn) {
        return packet(IbOpcode.SEND_ONLY, psn, bytes(8)).ackRequest().destQp(QP);
    }

    private PacketBuilder write(int opcode, int psn) {
        return packet(opcode, psn, bytes(8))
                .reth(node.address(1000), node.key, 8)
                .ackRequest()
                .destQp(QP);
    }

    private void silentInError(QueuePairCore core) {
        assertThat(core.state()).isEqualTo(QpState.ERROR);
        assertThat(overflows).isEqualTo(1);
        assertThat(TestNode.take(one)).extracting(WorkCompletion::id).containsExactly(0L);
        peer.in(send(1), send(2));
        peer.advance(1_000_000_000);
        assertThat(peer.out()).isEmpty();
        assertThat(node.events).isEmpty();
    }

    @Test
    @Satisfies("IBTA-9.9.3-1")
    void whatTheApplicationWillNotHearOfIsNotAcknowledgedAndNothingBehindItIs() {
        QueuePairCore core = connected(4);
        peer.in(
                send(0),
                send(1),
                write(IbOpcode.RDMA_WRITE_ONLY, 2),
                packet(IbOpcode.RDMA_READ_REQUEST, 3)
                        .reth(node.address(0), node.key, 8)
                        .destQp(QP));
        // the message before it was completed, and its ACK still goes out
        assertThat(peer.outText()).containsExactly("RC_ACKNOWLEDGE 0 00/1");
        assertThat(node.bytes(1000, 8)).containsOnly(0);
        silentInError(core);
    }

    @Test
    @Satisfies("IBTA-9.9.3-1")
    void norIsAWriteWithImmediateData() {
        QueuePairCore core = connected(2);
        peer.in(send(0));
        assertThat(peer.outText()).containsExactly("RC_ACKNOWLEDGE 0 01/1");
        peer.in(write(IbOpcode.RDMA_WRITE_ONLY_WITH_IMM, 1));
        assertThat(peer.out()).isEmpty();
        silentInError(core);
    }

    @Test
    @Satisfies("IBTA-9.9.3-1")
    void aNakThatAskedForItIsNotSentEither() {
        QueuePairCore core = connected(2);
        peer.in(send(0));
        peer.out();
        peer.in(send(2), send(1));
        assertThat(peer.out()).isEmpty();
        silentInError(core);
    }

    @Test
    @Satisfies("IBTA-9.9.3-1")
    void aDatagramQueuePairGoesToErrorAtOnce() {
        QueuePairCore core = node.newQueuePair(QueuePairOptions.ud(null), QP, one);
        core.modify(QpAttributes.builder()
                .state(QpState.INIT)
                .pKeyIndex(0)
                .port(1)
                .qKey(5)
                .build());
        core.modify(QpAttributes.state(QpState.RTR));
        for (int i = 0; i < 4; i++) {
            core.postReceive(new RecvWr().id(i).addSge(node.address(100 * i), 100, node.key));
        }
        byte[] datagram =
                packet(IbOpcode.UD_SEND_ONLY, 0, bytes(8)).deth(5, 1).destQp(QP).build();
        for (int i = 0; i < 3; i++) {
            node.device.onPacket(
                    RawPeer.SOURCE, MemorySegment.ofArray(datagram), 0, datagram.length, 0, peer.clock.nowNs());
        }
        assertThat(node.device.counters().value(IbCounters.WRONG_STATE)).isEqualTo(1);
        silentInError(core);
    }
}
