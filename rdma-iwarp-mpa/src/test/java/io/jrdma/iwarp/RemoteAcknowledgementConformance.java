package io.jrdma.iwarp;

import static io.jrdma.iwarp.Frames.S;
import static io.jrdma.iwarp.Frames.enhanced;
import static io.jrdma.iwarp.Frames.readRequestUlpdu;
import static io.jrdma.iwarp.Frames.readResponse;
import static io.jrdma.iwarp.Frames.reply;
import static io.jrdma.iwarp.Frames.request;
import static io.jrdma.iwarp.RawPeer.parameters;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.testing.Satisfies;
import io.jrdma.verbs.CompletionSemantics;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.WrOpcode;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Completion of Sends and Writes when the peer has them, by Reads that the engine adds (RFC 5040 section 5.5). */
class RemoteAcknowledgementConformance {
    private static final MpaOptions PLAIN = MpaOptions.builder().crc(false).build();

    private static SendWr op(WrOpcode opcode, long id) {
        return new SendWr().id(id).opcode(opcode);
    }

    // ---- start-up ----

    @Test
    void remoteAcknowledgementNeedsAnOrd() {
        var options = TestNode.options().withCompletion(CompletionSemantics.REMOTE_ACKNOWLEDGED);
        RawPeer initiator = new RawPeer(options);
        assertThatThrownBy(() -> initiator.initiate(parameters(PLAIN, 1, 0)))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("REMOTE_ACKNOWLEDGED");
        RawPeer responder = new RawPeer(options).listen(PLAIN);
        responder.in(request(S, 2, enhanced(0, 0, 4)));
        assertThatThrownBy(() -> responder.accept(parameters(PLAIN, 1, 1))).hasMessageContaining("REMOTE_ACKNOWLEDGED");
        assertThat(responder.node.qp.state()).isEqualTo(QpState.INIT);

        initiator.initiate(parameters(PLAIN, 1, 1));
        initiator.out();
        initiator.in(reply(S, 2, enhanced(0, 0, 0)));
        assertThat(initiator.log.log).containsExactly("failed ERROR EINVAL");
        assertThat(Frames.terminateCodeAtEnd(initiator.out())).isEqualTo("2/0/6");
    }

    // ---- completion ----

    private static RawPeer acknowledged(int ord, int depth) {
        RawPeer peer = RawPeer.initiator(
                16_384,
                TestNode.options().withDepths(depth, 16).withCompletion(CompletionSemantics.REMOTE_ACKNOWLEDGED),
                ord);
        assertThat(peer.log.isEstablished()).isTrue();
        return peer;
    }

    @Test
    @Satisfies("RFC5040-5.5-3")
    void oneReadAcknowledgesAllThatWasBeforeIt() {
        RawPeer peer = acknowledged(4, 16);
        peer.node.postSend(1, 0, 1);
        peer.node.qp.postSend(op(WrOpcode.RDMA_WRITE, 2).remote(0, 1));
        List<byte[]> out = Frames.ulpdus(peer.out());
        assertThat(out).hasSize(3);
        assertThat(out.getLast()).isEqualTo(readRequestUlpdu(1, 1, 0, 0, 1, 0));
        assertThat(peer.node.sendCompletions()).isEmpty();
        peer.node.postSend(3, 0, 1);
        assertThat(Frames.ulpdus(peer.out())).hasSize(2);
        peer.in(readResponse(1, 0));
        assertThat(peer.node.sendCompletions()).containsExactly("1 SUCCESS SEND 1", "2 SUCCESS RDMA_WRITE 0");
        peer.in(readResponse(1, 0));
        assertThat(peer.node.sendCompletions()).containsExactly("3 SUCCESS SEND 1");
        assertThat(peer.out()).isEmpty();
    }

    @Test
    void theApplicationsOwnReadAcknowledgesAsWell() {
        RawPeer peer = acknowledged(1, 16);
        peer.node.postSend(1, 0, 1);
        peer.node.qp.postSend(op(WrOpcode.RDMA_READ, 2).remote(0, 1));
        peer.node.postSend(3, 0, 1);
        List<byte[]> out = Frames.ulpdus(peer.out());
        // ORD is used up: the second Send's own Read waits
        assertThat(out).hasSize(3);
        peer.in(readResponse(1, 0));
        assertThat(peer.node.sendCompletions()).containsExactly("1 SUCCESS SEND 1", "2 SUCCESS RDMA_READ 0");
        assertThat(Frames.ulpdus(peer.out())).containsExactly(readRequestUlpdu(2, 1, 0, 0, 1, 0));
        peer.in(readResponse(1, 0));
        assertThat(peer.node.sendCompletions()).containsExactly("3 SUCCESS SEND 1");
    }

    /** The slots of completed requests may be taken again while the ones behind them are being completed. */
    @Test
    void whatIsPostedDuringCompletionIsNotTakenForDone() {
        RawPeer peer = acknowledged(4, 4);
        TestNode node = peer.node;
        node.postSend(0, 0, 1);
        for (int i = 1; i <= 2; i++) {
            int key = node.table.register(TestNode.PD, node.memory, TestNode.ALL);
            node.qp.postSend(op(WrOpcode.LOCAL_INV, i).invalidate(key));
        }
        peer.out();
        int[] seen = {0};
        node.sends.arm(false);
        node.onSend = () -> {
            if (++seen[0] == 3) {
                node.postSend(4, 0, 1);
                node.postSend(5, 0, 1);
            }
            node.sends.arm(false);
        };
        peer.in(readResponse(1, 0));
        assertThat(node.sendCompletions())
                .containsExactly("0 SUCCESS SEND 1", "1 SUCCESS LOCAL_INV 0", "2 SUCCESS LOCAL_INV 0");
        assertThat(Frames.ulpdus(peer.out())).hasSize(4);
        peer.in(readResponse(1, 0), readResponse(1, 0));
        assertThat(node.sendCompletions()).containsExactly("4 SUCCESS SEND 1", "5 SUCCESS SEND 1");
    }

    @Test
    void aBusyQueueIsAcknowledgedInPortions() {
        RawPeer peer = acknowledged(4, 16);
        for (int i = 0; i < 16; i++) {
            peer.node.postSend(i, 0, 1);
        }
        List<byte[]> out = Frames.ulpdus(peer.out());
        long flushes =
                out.stream().filter(u -> (u[1] & 0xF) == Frames.READ_REQUEST).count();
        assertThat(flushes).isEqualTo(4);
        for (int i = 0; i < 4; i++) {
            peer.in(readResponse(1, 0));
            assertThat(peer.node.sendCompletions()).hasSize(4);
        }
    }
}
