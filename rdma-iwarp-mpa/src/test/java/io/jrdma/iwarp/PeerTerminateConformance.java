package io.jrdma.iwarp;

import static io.jrdma.iwarp.Frames.concat;
import static io.jrdma.iwarp.Frames.readRequestUlpdu;
import static io.jrdma.iwarp.Frames.tagged;
import static io.jrdma.iwarp.Frames.terminate;
import static io.jrdma.iwarp.Frames.untagged;
import static io.jrdma.testing.HexVectors.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.Satisfies;
import io.jrdma.verbs.AsyncEvent;
import io.jrdma.verbs.CompletionSemantics;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.WrOpcode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A Terminate that arrives: what ends, and which work request it is about (RFC 5040 sections 4.8 and 7.2). */
class PeerTerminateConformance {
    private static final long TO = 0x7F00_0000_1000L;
    private static final int STAG = 0x00C3_D400;

    /** Completes Sends and Writes only when the peer has shown that they arrived, so that all can be told from each other. */
    private static RawPeer waiting() {
        RawPeer peer = new RawPeer(TestNode.options().withCompletion(CompletionSemantics.REMOTE_ACKNOWLEDGED));
        peer.initiate(RawPeer.parameters(MpaOptions.builder().crc(false).build(), 4, 16));
        peer.out();
        peer.in(Frames.reply(Frames.S, 2, Frames.enhanced(0, 16, 4)));
        peer.node.postReceive(90, 0, 8);
        // 1 Send (message 1), 2 Write, 3 Read (message 1), 4 Send (message 2), 5 Write, 6 Read (message 2)
        for (int i = 0; i < 6; i += 3) {
            peer.node.postSend(i + 1, 0, 8);
            peer.node.qp.postSend(
                    peer.node.send(i + 2, 0, 100).opcode(WrOpcode.RDMA_WRITE).remote(TO + i * 1000, STAG));
            peer.node.qp.postSend(
                    peer.node.send(i + 3, 0, 64).opcode(WrOpcode.RDMA_READ).remote(TO + i * 1000, STAG));
        }
        // one that is in the middle
        peer.end.out.limit(peer.end.out.waiting() + 600);
        peer.node.postSend(7, 0, 100);
        peer.out();
        return peer;
    }

    private static void end(RawPeer peer, byte[] terminate) {
        peer.in(terminate);
        assertThat(peer.end.closing).isTrue();
        assertThat(peer.end.resetCalled).isFalse();
        assertThat(peer.node.qp.state()).isEqualTo(QpState.ERROR);
        assertThat(peer.out()).isEmpty();
        peer.node.postSend(100, 0, 1);
        assertThat(peer.out()).isEmpty();
        peer.gone();
        assertThat(peer.log.log).containsExactly("established ", "disconnected");
        assertThat(peer.node.receiveCompletions()).containsExactly("90 WR_FLUSH_ERR RECV 0");
    }

    /** Which of the six got which status; all others are flushed, each exactly once, in order. */
    private static void blames(byte[] body, long id, WcStatus status, int code) {
        RawPeer peer = waiting();
        end(peer, terminate(body));
        List<WorkCompletion> all = TestNode.take(peer.node.sends);
        assertThat(all).extracting(WorkCompletion::id).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 100L);
        for (WorkCompletion wc : all) {
            assertThat(wc.status()).as("%s", wc).isEqualTo(wc.id() == id ? status : WcStatus.WR_FLUSH_ERR);
            assertThat(wc.vendorError()).isEqualTo(wc.id() == id ? code : 0);
        }
        assertThat(peer.node.events).hasSize(1);
        AsyncEvent event = peer.node.events.getFirst();
        assertThat(event.type()).isEqualTo(AsyncEvent.Type.QP_FATAL);
        assertThat(event.detail()).isEqualTo(code);
        assertThat(event.text()).startsWith("Terminate ").contains(" received: ");
    }

    private static byte[] rfc(int layerAndType, int code, int flags, byte[]... headers) {
        byte[] control = {(byte) layerAndType, (byte) code, (byte) flags, 0};
        return flags == 0 ? control : concat(control, new byte[] {0, 50}, concat(headers));
    }

    @ParameterizedTest
    @CsvSource({
        "0x11,0,REM_ACCESS_ERR",
        "0x11,1,REM_ACCESS_ERR",
        "0x11,2,REM_ACCESS_ERR",
        "0x11,3,REM_ACCESS_ERR",
        "0x11,4,REM_INV_REQ_ERR"
    })
    @Satisfies({"RFC5040-7.2-1", "RFC5040-4.8-1", "RFC5040-4.8-2", "RFC5040-4.8-3"})
    void aWriteIsFoundByItsKeyAndPlace(String layerAndType, int code, WcStatus status) {
        int lt = Integer.decode(layerAndType);
        blames(rfc(lt, code, 0xC0, tagged(0, true, STAG, TO + 99)), 2, status, lt << 8 | code);
        blames(rfc(lt, code, 0xC0, tagged(0, true, STAG, TO + 3000)), 5, status, lt << 8 | code);
        // no Write of ours
        blames(rfc(lt, code, 0xC0, tagged(0, true, STAG, TO + 100)), 0, status, lt << 8 | code);
        blames(rfc(lt, code, 0xC0, tagged(0, true, STAG + 1, TO)), 0, status, lt << 8 | code);
        // a Read Response of ours is no work request
        blames(rfc(lt, code, 0xC0, tagged(2, true, STAG, TO)), 0, status, lt << 8 | code);
    }

    @ParameterizedTest
    @CsvSource({
        "0x12,1,REM_INV_REQ_ERR", "0x12,2,REM_OP_ERR", "0x12,3,REM_INV_REQ_ERR", "0x12,4,REM_INV_REQ_ERR",
        "0x12,5,REM_INV_REQ_ERR", "0x12,6,REM_INV_REQ_ERR", "0x02,5,REM_INV_REQ_ERR", "0x02,6,REM_INV_REQ_ERR",
        "0x02,7,REM_OP_ERR", "0x02,8,REM_OP_ERR", "0x02,9,REM_ACCESS_ERR", "0x02,255,REM_OP_ERR",
        "0x01,9,REM_ACCESS_ERR"
    })
    void aSendIsFoundByItsNumber(String layerAndType, int code, WcStatus status) {
        int lt = Integer.decode(layerAndType);
        blames(rfc(lt, code, 0xC0, untagged(3, true, 0, 0, 1, 0)), 1, status, lt << 8 | code);
        blames(rfc(lt, code, 0xC0, untagged(3, true, 0, 0, 2, 0)), 4, status, lt << 8 | code);
        blames(rfc(lt, code, 0xC0, untagged(3, true, 0, 0, 9, 0)), 0, status, lt << 8 | code);
    }

    @ParameterizedTest
    @CsvSource({"0", "1", "2", "3", "4", "255"})
    @Satisfies("RFC5040-4.8-4")
    void aReadIsFoundByItsNumber(int code) {
        for (int read = 1; read <= 2; read++) {
            // its header may stand where the response got to
            byte[] header = readRequestUlpdu(read, 1, 8, 56, STAG, TO + (read - 1) * 3000L + 8);
            blames(rfc(0x01, code, 0xE0, header), 3L * read, WcStatus.REM_ACCESS_ERR, 0x0100 | code);
            byte[] shortHeader = untagged(1, true, 0, 1, read, 0);
            blames(rfc(0x12, 2, 0xC0, shortHeader), 3L * read, WcStatus.REM_OP_ERR, 0x1202);
        }
        blames(rfc(0x12, 2, 0xC0, untagged(1, true, 0, 1, 77, 0)), 0, WcStatus.REM_OP_ERR, 0x1202);
    }

    @Test
    void anErrorWithoutAHeaderBlamesNobody() {
        blames(rfc(0x00, 0, 0), 0, WcStatus.REM_OP_ERR, 0);
        blames(rfc(0x20, 2, 0), 0, WcStatus.REM_OP_ERR, 0x2002);
        blames(rfc(0x10, 0, 0), 0, WcStatus.REM_OP_ERR, 0x1000);
        // flags that promise more than there is
        blames(bytes("11 00 C0 00 00 10 C140"), 0, WcStatus.REM_OP_ERR, 0x1100);
        blames(bytes("01 00 E0 00"), 0, WcStatus.REM_OP_ERR, 0x0100);
    }

    /** As captured from Linux siw 6.1 on x86: halves swapped, flags in the low bits. */
    @Test
    void theFormThatLinuxSiwWrites() {
        blames(concat(bytes("11 00 03 00 0008"), tagged(0, true, STAG, TO)), 2, WcStatus.REM_ACCESS_ERR, 0x1100);
        blames(concat(bytes("11 01 03 00 0008"), tagged(0, true, STAG, TO + 3000)), 5, WcStatus.REM_ACCESS_ERR, 0x1101);
        blames(concat(bytes("21 03 03 00 0010"), untagged(3, true, 0, 0, 2, 0)), 4, WcStatus.REM_INV_REQ_ERR, 0x1203);
        blames(concat(bytes("20 09 03 00 0010"), untagged(4, true, 5, 0, 1, 0)), 1, WcStatus.REM_ACCESS_ERR, 0x0209);
        blames(bytes("20 06 00 00"), 0, WcStatus.REM_OP_ERR, 0x0206);
        blames(bytes("02 02 00 00"), 0, WcStatus.REM_OP_ERR, 0x2002);
        // a Read's header has the size in the place of the number
        for (int read = 1; read <= 2; read++) {
            byte[] header = readRequestUlpdu(64, 1, 0, 64, STAG, TO + (read - 1) * 3000L);
            blames(concat(bytes("10 00 07 00 0000"), header), 3L * read, WcStatus.REM_ACCESS_ERR, 0x0100);
        }
    }

    @Test
    void whatHasCompletedStaysCompleted() {
        RawPeer peer = RawPeer.establishedInitiator();
        peer.node.postReceive(90, 0, 8);
        peer.node.qp.postSend(new SendWr().id(1).opcode(WrOpcode.RDMA_READ).remote(0, 1));
        peer.node.qp.postSend(
                peer.node.send(2, 0, 8).opcode(WrOpcode.RDMA_WRITE).remote(TO, STAG));
        peer.out();
        end(peer, terminate(rfc(0x11, 0, 0xC0, tagged(0, true, STAG, TO))));
        assertThat(peer.node.sendCompletions())
                .containsExactly("1 WR_FLUSH_ERR RDMA_READ 0", "2 SUCCESS RDMA_WRITE 8", "100 WR_FLUSH_ERR SEND 0");
    }

    /** 32 Writes wait when the Terminate comes. */
    @Test
    @Satisfies("RFC5040-7.2-1")
    void nothingIsSentBehindAReceivedTerminate() {
        RawPeer peer = RawPeer.establishedInitiator();
        peer.node.postReceive(90, 0, 8);
        peer.end.out.limit(4_100);
        for (int i = 0; i < 32; i++) {
            peer.node.qp.postSend(
                    peer.node.send(i, 0, 2_000).opcode(WrOpcode.RDMA_WRITE).remote(TO, STAG));
        }
        assertThat(Frames.ulpdus(peer.out())).hasSize(2);
        end(peer, terminate(rfc(0x01, 1, 0)));
        List<WorkCompletion> all = TestNode.take(peer.node.sends);
        assertThat(all).hasSize(33);
        assertThat(all).extracting(WorkCompletion::id).startsWith(0L, 1L, 2L).endsWith(31L, 100L);
        assertThat(all.subList(2, 33)).extracting(WorkCompletion::status).containsOnly(WcStatus.WR_FLUSH_ERR);
    }

    @Test
    void aTerminateAsFirstFpduEndsAConnectionThatWaitsForIt() {
        MpaOptions options = MpaOptions.builder().crc(false).build();
        RawPeer peer = new RawPeer().listen(options);
        peer.in(Frames.request(Frames.S, 2, Frames.enhanced(Frames.A | Frames.RTR_WRITE, 4, 4)));
        peer.accept(RawPeer.parameters(options, 4, 4));
        peer.out();
        // what an initiator says that found no kind in common; Linux siw swaps the halves
        peer.in(terminate(bytes("02 07 00 00")));
        assertThat(peer.node.events.getFirst().detail()).isEqualTo(0x2007);
        assertThat(peer.end.closing).isTrue();
        assertThat(peer.log.log).endsWith("failed ERROR ECONNRESET");
        assertThat(peer.log.log).doesNotContain("established ");
    }

    @Test
    void bothSidesAtOnce() {
        RawPeer peer = RawPeer.established();
        peer.end.out.limit(0);
        peer.in(Frames.write(0x77, 0, (byte) 1));
        peer.run();
        peer.in(terminate(rfc(0x01, 1, 0)));
        peer.end.out.limit(1 << 20);
        assertThat(Frames.terminateCodeAtEnd(peer.out())).isEqualTo("1/1/0");
        peer.gone();
        assertThat(peer.log.log).containsExactly("request ", "established ", "disconnected");
    }
}
