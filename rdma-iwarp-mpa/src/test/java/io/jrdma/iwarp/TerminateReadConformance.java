package io.jrdma.iwarp;

import static io.jrdma.iwarp.Faults.carriesHeader;
import static io.jrdma.iwarp.Faults.carriesNothing;
import static io.jrdma.iwarp.Faults.fault;
import static io.jrdma.iwarp.Faults.ready;
import static io.jrdma.iwarp.Frames.fpdu;
import static io.jrdma.iwarp.Frames.readRequest;
import static io.jrdma.iwarp.Frames.readRequestUlpdu;
import static io.jrdma.iwarp.Frames.readResponse;
import static io.jrdma.iwarp.Frames.tagged;
import static io.jrdma.iwarp.Frames.write;
import static io.jrdma.testing.HexVectors.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.Satisfies;
import io.jrdma.verbs.Access;
import io.jrdma.verbs.AsyncEvent;
import io.jrdma.verbs.QpAttributes;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each fault of a Read, of either side's, and the Terminate that answers it (RFC 5040 sections 4.8 and 7). */
class TerminateReadConformance {
    private static final int OTHER_PD = TestNode.PD + 1;

    // ---- Reads that the peer asks for ----

    private static byte[] readFault(RawPeer peer, String code, int key, long offset, int bytes) {
        byte[] request = readRequestUlpdu(1, 0x1234, 0x5678, bytes, key, offset);
        byte[] terminate = fault(peer, code, AsyncEvent.Type.QP_ACCESS_ERR, fpdu(request));
        // M, D and R: the whole request goes back
        assertThat(terminate).hasSize(18 + 6 + 46);
        assertThat(terminate[20]).isEqualTo((byte) 0xE0);
        assertThat(Arrays.copyOfRange(terminate, 22, 24)).containsExactly(0, 46);
        assertThat(Arrays.copyOfRange(terminate, 24, 70)).isEqualTo(request);
        return terminate;
    }

    @Test
    @Satisfies({"RFC5040-5.2-2", "RFC5040-4.8-3", "RFC5040-4.8-4", "RFC5040-4.8-7"})
    void readFromASourceThatIsNone() {
        RawPeer peer = ready();
        readFault(peer, "0/1/0", peer.node.key ^ 1, peer.node.address(0), 8);
        RawPeer invalidated = ready();
        invalidated.node.table.invalidate(invalidated.node.key, TestNode.PD);
        readFault(invalidated, "0/1/0", invalidated.node.key, invalidated.node.address(0), 8);
        RawPeer bounds = ready();
        readFault(bounds, "0/1/1", bounds.node.key, bounds.node.address(bounds.node.memory.byteSize() - 7), 8);
        RawPeer rights = ready();
        int key = rights.node.table.register(
                TestNode.PD, rights.node.memory, Access.LOCAL_WRITE.bit() | Access.REMOTE_WRITE.bit());
        readFault(rights, "0/1/2", key, rights.node.address(0), 8);
        RawPeer closed = ready();
        closed.node.qp.modify(
                QpAttributes.builder().access(EnumSet.of(Access.REMOTE_WRITE)).build());
        readFault(closed, "0/1/2", closed.node.key, closed.node.address(0), 8);
        RawPeer domain = ready();
        int foreign = domain.node.table.register(OTHER_PD, domain.node.memory, TestNode.ALL);
        readFault(domain, "0/1/3", foreign, domain.node.address(0), 8);
        RawPeer wrap = ready();
        readFault(wrap, "0/1/4", wrap.node.key, -4, 8);
    }

    @Test
    void readFromMemoryThatIsGone() {
        RawPeer peer = ready();
        TestNode.Gone gone = peer.node.registerGone();
        peer.in(readRequest(1, 0, 0, 8, gone.key(), gone.address()));
        byte[] terminate = Frames.terminateAtEnd(peer.out());
        carriesNothing(terminate);
        assertThat(Arrays.copyOfRange(terminate, 18, 20)).containsExactly(0, 0);
        assertThat(peer.node.events).extracting(AsyncEvent::type).containsExactly(AsyncEvent.Type.QP_FATAL);
    }

    @Test
    @Satisfies("RFC5040-5.2-4")
    void readsBeforeTheOneThatFailsAreAnswered() {
        RawPeer peer = ready();
        TestNode node = peer.node;
        peer.in(
                readRequest(1, 9, 0, 8, node.key, node.address(0)),
                readRequest(2, 9, 8, 8, node.key ^ 1, node.address(0)),
                write(node.key, node.address(100), (byte) 1));
        List<byte[]> out = Frames.ulpdus(peer.out());
        assertThat(out).hasSize(2);
        assertThat(out.getFirst()).isEqualTo(tagged(Frames.READ_RESPONSE, true, 9, 0, new byte[8]));
        assertThat(Arrays.copyOfRange(out.getLast(), 18, 20)).containsExactly(0x01, 0x00);
        // nothing behind the one that fails is taken
        assertThat(node.bytes(100, 1)).containsExactly(0);
        // and the posted Send is not begun any more
        assertThat(node.sendCompletions()).containsExactly("3 WR_FLUSH_ERR SEND 0");
    }

    @Test
    @Satisfies({"RFC5040-5.2-2", "RFC5040-4.8-6"})
    void whatIsRevokedWhileItIsReadDoesNotLeave() {
        RawPeer peer = RawPeer.established();
        TestNode node = peer.node;
        peer.end.out.limit(20_000);
        peer.in(write(0, 0), readRequest(1, 0x1234, 0x5678, 40_000, node.key, node.address(0)));
        byte[] first = peer.out();
        int sent = first.length - Frames.fpduBytes(14);
        assertThat(sent).isGreaterThan(0).isLessThan(20_000);
        node.table.invalidate(node.key, TestNode.PD);
        byte[] terminate = Frames.terminateAtEnd(peer.out());
        assertThat(Arrays.copyOfRange(terminate, 18, 21)).containsExactly(0x01, 0x00, 0xE0);
        // the header that goes back stands where the response got to
        assertThat(Arrays.copyOfRange(terminate, 24, 70))
                .isEqualTo(readRequestUlpdu(1, 0x1234, 0x5678 + sent, 40_000 - sent, node.key, node.address(sent)));
    }

    @Test
    @Satisfies("RFC5040-6.1-2")
    void moreReadsThanAgreed() {
        // 4 were agreed, and nothing is answered while the sink is full
        RawPeer peer = ready();
        peer.end.out.limit(0);
        for (int i = 1; i <= 4; i++) {
            peer.in(readRequest(i, 0, 0, 0, 0, 0));
        }
        assertThat(peer.out()).isEmpty();
        peer.end.out.limit(1 << 20);
        byte[] fifth = readRequestUlpdu(5, 0, 0, 0, 0, 0);
        carriesHeader(fault(peer, "1/2/2", AsyncEvent.Type.QP_REQ_ERR, fpdu(fifth)), fifth);
    }

    @Test
    void withoutIrdNoReadIsTaken() {
        RawPeer peer = new RawPeer()
                .listen(io.jrdma.verbs.MpaOptions.builder().crc(false).build());
        peer.in(Frames.request(Frames.S, 2, Frames.enhanced(0, 0, 0)));
        peer.accept(RawPeer.parameters(
                io.jrdma.verbs.MpaOptions.RECOMMENDED.toBuilder().crc(false).build(), 0, 0));
        peer.out();
        assertThat(peer.log.negotiated.ird()).isZero();
        assertThat(peer.log.negotiated.crc()).isFalse();
        fault(peer, "1/2/2", AsyncEvent.Type.QP_REQ_ERR, readRequest(1, 0, 0, 0, 0, 0));
    }

    // ---- Reads that this side asked for ----

    /** An initiator with one Read of 16 bytes outstanding, to offset 128. */
    private static RawPeer reading() {
        RawPeer peer = RawPeer.establishedInitiator();
        peer.node.qp.postSend(peer.node
                .send(5, 128, 16)
                .opcode(io.jrdma.verbs.WrOpcode.RDMA_READ)
                .remote(0x9000, 0x55));
        assertThat(Frames.ulpdus(peer.out()))
                .containsExactly(readRequestUlpdu(1, peer.node.key, peer.node.address(128), 16, 0x55, 0x9000));
        return peer;
    }

    @Test
    @Satisfies("RFC5040-5.2-3")
    void aReadResponseThatIsNotWhatWasAskedFor() {
        RawPeer peer = reading();
        int key = peer.node.key;
        fault(
                peer,
                "1/1/0",
                AsyncEvent.Type.QP_ACCESS_ERR,
                readResponse(key ^ 1, peer.node.address(128), new byte[16]));
        assertThat(peer.node.sendCompletions()).containsExactly("5 BAD_RESP_ERR RDMA_READ 0");
        peer = reading();
        fault(peer, "1/1/1", AsyncEvent.Type.QP_ACCESS_ERR, readResponse(key, peer.node.address(129), new byte[16]));
        peer = reading();
        fault(peer, "1/1/1", AsyncEvent.Type.QP_ACCESS_ERR, readResponse(key, peer.node.address(128), new byte[17]));
        peer = reading();
        fault(peer, "1/1/1", AsyncEvent.Type.QP_ACCESS_ERR, readResponse(key, peer.node.address(128), new byte[15]));
        peer = reading();
        fault(peer, "1/1/1", AsyncEvent.Type.QP_ACCESS_ERR, readResponse(key, peer.node.address(128)));
        // the second segment is looked at as closely as the first
        peer = reading();
        byte[] first = fpdu(tagged(Frames.READ_RESPONSE, false, key, peer.node.address(128), new byte[8]));
        fault(
                peer,
                "1/1/1",
                AsyncEvent.Type.QP_ACCESS_ERR,
                first,
                readResponse(key, peer.node.address(137), new byte[8]));
        peer = reading();
        first = fpdu(tagged(Frames.READ_RESPONSE, false, key, peer.node.address(128), new byte[8]));
        fault(
                peer,
                "1/1/0",
                AsyncEvent.Type.QP_ACCESS_ERR,
                first,
                readResponse(key + 1, peer.node.address(136), new byte[8]));
    }

    @Test
    void aReadResponseThatNobodyAskedFor() {
        byte[] response = tagged(Frames.READ_RESPONSE, true, 0, 0);
        carriesHeader(fault(ready(), "0/2/6", AsyncEvent.Type.QP_REQ_ERR, fpdu(response)), response);
        // and one answer is enough
        RawPeer peer = reading();
        byte[] good = readResponse(peer.node.key, peer.node.address(128), new byte[16]);
        fault(peer, "0/2/6", AsyncEvent.Type.QP_REQ_ERR, good, good);
        assertThat(peer.node.sendCompletions()).containsExactly("5 SUCCESS RDMA_READ 16");
    }

    @Test
    void theOwnSinkWasTakenAwayMeanwhile() {
        RawPeer peer = reading();
        peer.node.table.deregister(peer.node.key);
        fault(
                peer,
                "1/1/0",
                AsyncEvent.Type.QP_ACCESS_ERR,
                readResponse(peer.node.key, peer.node.address(128), new byte[16]));
        assertThat(peer.node.sendCompletions()).containsExactly("5 LOC_PROT_ERR RDMA_READ 0");
    }
}
