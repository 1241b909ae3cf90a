package io.jrdma.iwarp;

import static io.jrdma.iwarp.Frames.A;
import static io.jrdma.iwarp.Frames.C;
import static io.jrdma.iwarp.Frames.M;
import static io.jrdma.iwarp.Frames.R;
import static io.jrdma.iwarp.Frames.RTR_READ;
import static io.jrdma.iwarp.Frames.RTR_SEND;
import static io.jrdma.iwarp.Frames.RTR_WRITE;
import static io.jrdma.iwarp.Frames.S;
import static io.jrdma.iwarp.Frames.enhanced;
import static io.jrdma.iwarp.Frames.reply;
import static io.jrdma.iwarp.Frames.request;
import static io.jrdma.iwarp.RawPeer.parameters;
import static io.jrdma.testing.HexVectors.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.testing.Satisfies;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.MpaOptions.ReadyToReceive;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.spi.ConnectFailure;
import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The initiator's MPA start-up by bytes: RFC 5044 section 7.1, RFC 6581, and what Linux siw makes necessary. */
class StartupInitiatorConformance {
    private static final MpaOptions PLAIN = MpaOptions.builder().crc(false).build();

    // ---- the initiator's Request ----

    @Test
    @Satisfies({"RFC5044-7.1.1-1", "RFC5044-7.1.2-1", "RFC5044-7.1.1-6", "RFC6581-9-1", "RFC6581-9-2"})
    void requestOfRevisionTwoHasTheEnhancedData() {
        RawPeer peer = new RawPeer().initiate(parameters(PLAIN, 1, 1));
        assertThat(peer.out()).isEqualTo(bytes("4D504120494420526571204672616D65 1002 0004 0001 0001"));
    }

    @Test
    @Satisfies({"RFC5044-7.1.1-3", "RFC5044-7.1.1-4", "RFC5044-7.1.1-8", "RFC6581-6-1"})
    void requestOfRevisionOneHasNone() {
        MpaOptions options =
                MpaOptions.builder().revision(1).crc(true).markersWanted(true).build();
        RawPeer peer = new RawPeer().initiate(parameters(options, 1, 1, (byte) 'h', (byte) 'i'));
        assertThat(peer.out()).isEqualTo(request(M | C, 1, (byte) 'h', (byte) 'i'));
    }

    @Test
    void requestOfRevisionZero() {
        MpaOptions options = MpaOptions.builder().revision(0).crc(false).build();
        assertThat(new RawPeer().initiate(parameters(options, 1, 1)).out()).isEqualTo(request(0, 0));
    }

    @Test
    @Satisfies("RFC6581-9-3")
    void peerToPeerRequestListsTheKindsThatCanBeSent() {
        MpaOptions all = MpaOptions.builder().crc(false).peerToPeer(true).build();
        assertThat(new RawPeer().initiate(parameters(all, 3, 2)).out())
                .isEqualTo(request(S, 2, enhanced(A | RTR_SEND | RTR_WRITE | RTR_READ, 3, 2)));
        // a Read needs room for one
        assertThat(new RawPeer().initiate(parameters(all, 3, 0)).out())
                .isEqualTo(request(S, 2, enhanced(A | RTR_SEND | RTR_WRITE, 3, 0)));
        MpaOptions read =
                all.toBuilder().readyToReceive(Set.of(ReadyToReceive.READ)).build();
        assertThatThrownBy(() -> new RawPeer().initiate(parameters(read, 3, 0)))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("ORD");
    }

    @ParameterizedTest
    @CsvSource({"2,508", "1,512", "0,512"})
    @Satisfies("RFC5044-7.1.1-8")
    void privateDataOfTheRequestHasALimit(int revision, int max) {
        MpaOptions options = MpaOptions.builder().revision(revision).crc(false).build();
        for (int length : new int[] {0, 1, 127, 128, 255, 256, max}) {
            byte[] data = Frames.pattern(length, 3);
            byte[] sent =
                    new RawPeer().initiate(parameters(options, 1, 1, data)).out();
            assertThat(Arrays.copyOfRange(sent, sent.length - length, sent.length))
                    .isEqualTo(data);
        }
        RawPeer peer = new RawPeer();
        assertThatThrownBy(() -> peer.initiate(parameters(options, 1, 1, new byte[max + 1])))
                .isInstanceOf(VerbsException.class)
                .hasMessage("EINVAL: private data of " + (max + 1) + " bytes; " + max + " fit");
        // nothing was bound: the queue pair may be used
        peer.initiate(parameters(options, 1, 1));
    }

    @Test
    void depthsHaveLimits() {
        RawPeer peer = new RawPeer();
        assertThatThrownBy(() -> peer.initiate(parameters(PLAIN, 129, 0))).hasMessageContaining("ird is 129");
        assertThatThrownBy(() -> peer.initiate(parameters(PLAIN, 0, -1))).hasMessageContaining("ord is -1");
        assertThat(peer.initiate(parameters(PLAIN, 128, 128)).out()).isEqualTo(request(S, 2, enhanced(0, 128, 128)));
    }

    @Test
    void anInitiatorNeedsAFreeQueuePairInInit() {
        RawPeer peer = new RawPeer();
        peer.initiate(parameters(PLAIN, 1, 1));
        assertThatThrownBy(() -> peer.initiate(parameters(PLAIN, 1, 1)))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("is connected or was");
        RawPeer reset = new RawPeer();
        reset.node.qp.modify(io.jrdma.verbs.QpAttributes.state(QpState.RESET));
        assertThatThrownBy(() -> reset.initiate(parameters(PLAIN, 1, 1)))
                .hasMessageContaining("a connection needs INIT");
    }

    // ---- the initiator and the Reply ----

    @Test
    @Satisfies("RFC5044-7.1.2-3")
    void initiatorSendsNothingBeforeTheReply() {
        RawPeer peer = new RawPeer().initiate(parameters(PLAIN, 4, 4));
        peer.out();
        assertThat(peer.node.qp.state()).isEqualTo(QpState.INIT);
        assertThat(peer.out()).isEmpty();
        byte[] reply = reply(S, 2, enhanced(0, 4, 4));
        for (int i = 0; i < reply.length - 1; i++) {
            peer.in(new byte[] {reply[i]});
            assertThat(peer.out()).isEmpty();
            assertThat(peer.log.log).isEmpty();
        }
        peer.in(new byte[] {reply[reply.length - 1]});
        assertThat(peer.log.log).containsExactly("established ");
        assertThat(peer.node.qp.state()).isEqualTo(QpState.RTS);
    }

    @Test
    @Satisfies({"RFC6581-9-4", "RFC5044-7.1.1-9"})
    void privateDataOfTheReplyIsWithoutTheEnhancedData() {
        for (int length : new int[] {0, 1, 127, 128, 252, 255, 256, 508}) {
            RawPeer peer = new RawPeer().initiate(parameters(PLAIN, 4, 4));
            peer.out();
            byte[] data = Frames.pattern(length, 9);
            peer.in(reply(S, 2, enhanced(0, 4, 4, data)));
            assertThat(peer.log.isEstablished()).isTrue();
            assertThat(peer.log.privateData == null ? new byte[0] : peer.log.privateData)
                    .isEqualTo(data);
        }
    }

    @Test
    void fpdusRightBehindTheReplyAreTaken() {
        RawPeer peer = new RawPeer().initiate(parameters(PLAIN, 4, 4));
        peer.out();
        peer.node.postReceive(1, 0, 64);
        peer.in(reply(S, 2, enhanced(0, 4, 4)), Frames.send(1, (byte) 5, (byte) 6));
        assertThat(peer.log.log).containsExactly("established ");
        assertThat(peer.node.receiveCompletions()).containsExactly("1 SUCCESS RECV 2");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Satisfies("RFC5044-7.1.1-4")
    void crcIsOnIfEitherSideAsks(boolean asked) {
        for (boolean replied : new boolean[] {true, false}) {
            RawPeer peer = new RawPeer()
                    .initiate(parameters(MpaOptions.builder().crc(asked).build(), 4, 4));
            peer.out();
            peer.in(reply(S | (replied ? C : 0), 2, enhanced(0, 4, 4)));
            assertThat(peer.log.negotiated.crc()).isEqualTo(asked || replied);
            peer.node.postSend(1, 0, 3);
            byte[] out = peer.out();
            boolean zero = Arrays.equals(Arrays.copyOfRange(out, out.length - 4, out.length), new byte[4]);
            assertThat(zero).isEqualTo(!(asked || replied));
        }
    }

    @Test
    @Satisfies({"RFC6581-9.1-4", "RFC6581-9.1-5", "RFC6581-9.1-3"})
    void initiatorTakesTheDepthsOfTheReply() {
        assertThat(depths(4, 8, 2, 3)).isEqualTo("ird 4 ord 2");
        assertThat(depths(4, 8, 16, 4)).isEqualTo("ird 4 ord 8");
        assertThat(depths(4, 8, 0, 0)).isEqualTo("ird 4 ord 0");
        // the peer wants more than was offered: tolerated within the limit
        assertThat(depths(1, 1, 1, 128)).isEqualTo("ird 128 ord 1");
        assertThat(depths(4, 8, 0x3FFF, 0x3FFF)).isEqualTo("ird 4 ord 8");
    }

    private static String depths(int ird, int ord, int replyIrd, int replyOrd) {
        RawPeer peer = new RawPeer().initiate(parameters(PLAIN, ird, ord));
        peer.out();
        peer.in(reply(S, 2, enhanced(0, replyIrd, replyOrd)));
        assertThat(peer.log.isEstablished()).isTrue();
        return "ird " + peer.log.negotiated.ird() + " ord " + peer.log.negotiated.ord();
    }

    @Test
    @Satisfies({"RFC6581-9.1-5", "RFC6581-8-1", "RFC5040-7.1-1"})
    void tooLittleIrdEndsWithATerminate() {
        RawPeer peer = new RawPeer().initiate(parameters(PLAIN, 1, 1));
        peer.out();
        peer.in(reply(S, 2, enhanced(0, 1, 129)));
        assertThat(Frames.terminateCodeAtEnd(peer.out())).isEqualTo("2/0/6");
        assertThat(peer.end.closing).isTrue();
        assertThat(peer.log.log).containsExactly("failed ERROR EINVAL");
        assertThat(peer.log.failure.text()).contains("129");
        assertThat(peer.node.qp.state()).isEqualTo(QpState.INIT);
        peer.gone();
        assertThat(peer.log.log).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // another protocol; a Request where a Reply is due; a revision that is unknown; more than 512 bytes
                "535348 2d322e302d4f70656e5353485f392e32 0d0a",
                "4D504120494420526571204672616D65 1002 0004 0001 0001",
                "4D504120494420526570204672616D65 1003 0004 0001 0001",
                "4D504120494420526570204672616D65 1002 0201",
                // enhanced data announced but not there; an answer without them to a request with them
                "4D504120494420526570204672616D65 1002 0003 000001",
                "4D504120494420526570204672616D65 0002 0000",
                "4D504120494420526570204672616D65 0001 0000",
                "4D504120494420526570204672616D65 1001 0004 0001 0001",
            })
    @Satisfies({"RFC5044-7.1.1-2", "RFC5044-7.1.1-7", "RFC5044-7.1.1-8", "RFC6581-10-1"})
    void aReplyThatIsNoneEndsTheConnection(String hex) {
        RawPeer peer = new RawPeer().initiate(parameters(PLAIN, 1, 1));
        peer.out();
        peer.in(bytes(hex));
        assertThat(peer.out()).isEmpty();
        assertThat(peer.end.closing).isTrue();
        assertThat(peer.log.log).containsExactly("failed ERROR EINVAL");
        assertThat(peer.log.failure.text()).isNotBlank();
        peer.gone();
        assertThat(peer.log.log).hasSize(1);
        // it never was connected, so it may be tried again
        assertThat(peer.node.qp.state()).isEqualTo(QpState.INIT);
        peer.initiate(parameters(PLAIN, 1, 1));
    }

    @Test
    void theTextTellsHowToReachAPeerOfRevisionOne() {
        RawPeer peer = new RawPeer().initiate(parameters(PLAIN, 1, 1));
        peer.out();
        peer.in(reply(0, 1));
        assertThat(peer.log.failure.text()).contains("MpaOptions revision 1");
    }

    @Test
    @Satisfies("RFC6581-10-1")
    void anEnhancedAnswerToAPlainRequestIsAnError() {
        RawPeer peer = new RawPeer()
                .initiate(parameters(MpaOptions.builder().revision(1).build(), 1, 1));
        peer.out();
        peer.in(reply(S, 2, enhanced(0, 1, 1)));
        assertThat(peer.log.log).containsExactly("failed ERROR EINVAL");
    }

    @Test
    void revisionOneAndZeroKeepTheirOwnDepths() {
        for (int revision = 0; revision < 2; revision++) {
            RawPeer peer = new RawPeer()
                    .initiate(parameters(MpaOptions.builder().revision(revision).build(), 3, 5));
            peer.out();
            peer.in(reply(C, revision));
            assertThat(peer.log.negotiated.revision()).isEqualTo(revision);
            assertThat(peer.log.negotiated.enhanced()).isFalse();
            assertThat(peer.log.negotiated.ird()).isEqualTo(3);
            assertThat(peer.log.negotiated.ord()).isEqualTo(5);
        }
    }

    @Test
    @Satisfies("RFC5044-7.1.1-5")
    void aRejectIsNoFailure() {
        for (byte[] reject : new byte[][] {
            reply(R | S, 2, enhanced(0, 1, 1, (byte) 'n', (byte) 'o')),
            reply(R, 2, (byte) 'n', (byte) 'o'),
            reply(R, 1, (byte) 'n', (byte) 'o'),
        }) {
            RawPeer peer = new RawPeer().initiate(parameters(PLAIN, 1, 1));
            peer.out();
            peer.in(reject);
            assertThat(peer.log.log).containsExactly("rejected no");
            assertThat(peer.end.closing).isTrue();
            peer.gone();
            assertThat(peer.log.log).hasSize(1);
        }
        // Linux siw rejects with S and no enhanced data in some cases
        RawPeer peer = new RawPeer().initiate(parameters(PLAIN, 1, 1));
        peer.out();
        peer.in(reply(R | S, 2));
        assertThat(peer.log.log).containsExactly("rejected ");
    }

    @Test
    void thePeerMayCloseBeforeItReplies() {
        for (int length : new int[] {0, 1, 19, 23}) {
            for (boolean fin : new boolean[] {true, false}) {
                RawPeer peer = new RawPeer().initiate(parameters(PLAIN, 1, 1));
                peer.out();
                peer.in(Arrays.copyOf(reply(S, 2, enhanced(0, 1, 1)), length));
                if (fin) {
                    peer.fin();
                }
                peer.gone();
                assertThat(peer.log.log).containsExactly("failed REFUSED ECONNRESET");
            }
        }
    }

    @Test
    void aStreamThatDoesNotOpenIsAFailure() {
        RawPeer peer = new RawPeer();
        peer.end = new TestEnd(peer.node.device.initiator(peer.node.qp, parameters(PLAIN, 1, 1), peer.log), peer.node);
        peer.end.engine.onOpenFailed(
                new ConnectFailure(ConnectFailure.Kind.UNREACHABLE, Errno.EHOSTUNREACH, "no route"),
                peer.clock.nowNs());
        assertThat(peer.log.log).containsExactly("failed UNREACHABLE EHOSTUNREACH");
        peer.initiate(parameters(PLAIN, 1, 1));
    }

    @Test
    @Satisfies("RFC5044-7.1.2-10")
    void initiatorLimitsTheWaitForTheReply() {
        RawPeer peer = new RawPeer()
                .initiate(parameters(PLAIN.toBuilder().handshakeTimeoutNs(3_000).build(), 1, 1));
        peer.out();
        peer.in(Arrays.copyOf(reply(S, 2, enhanced(0, 1, 1)), 23));
        peer.advance(2_999);
        assertThat(peer.log.log).isEmpty();
        peer.advance(1);
        assertThat(peer.log.log).containsExactly("failed UNREACHABLE ETIMEDOUT");
        assertThat(peer.end.closing).isTrue();
        // and it does not wait for the close for ever
        peer.advance(IwarpTimers.CLOSE_LIMIT_NS);
        assertThat(peer.end.resetCalled).isTrue();
        assertThat(peer.log.log).hasSize(1);
    }
}
