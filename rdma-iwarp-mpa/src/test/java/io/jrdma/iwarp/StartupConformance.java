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
import static io.jrdma.testing.HexVectors.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.testing.Satisfies;
import io.jrdma.verbs.CompletionSemantics;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.MpaOptions.ReadyToReceive;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.spi.ConnectFailure;
import io.jrdma.verbs.spi.StreamParameters;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** MPA start-up by bytes: RFC 5044 section 7.1, RFC 6581, and what Linux siw makes necessary. */
class StartupConformance {
    private static final MpaOptions PLAIN = MpaOptions.builder().crc(false).build();

    private static StreamParameters offer(MpaOptions options, int ird, int ord, byte... privateData) {
        return RawPeer.parameters(options, ird, ord, privateData);
    }

    // ---- the initiator's Request ----

    @Test
    @Satisfies({"RFC5044-7.1.1-1", "RFC5044-7.1.2-1", "RFC5044-7.1.1-6", "RFC6581-9-1", "RFC6581-9-2"})
    void requestOfRevisionTwoHasTheEnhancedData() {
        RawPeer peer = new RawPeer().initiate(offer(PLAIN, 1, 1));
        assertThat(peer.out()).isEqualTo(bytes("4D504120494420526571204672616D65 1002 0004 0001 0001"));
    }

    @Test
    @Satisfies({"RFC5044-7.1.1-3", "RFC5044-7.1.1-4", "RFC5044-7.1.1-8", "RFC6581-6-1"})
    void requestOfRevisionOneHasNone() {
        MpaOptions options =
                MpaOptions.builder().revision(1).crc(true).markersWanted(true).build();
        RawPeer peer = new RawPeer().initiate(offer(options, 1, 1, (byte) 'h', (byte) 'i'));
        assertThat(peer.out()).isEqualTo(request(M | C, 1, (byte) 'h', (byte) 'i'));
    }

    @Test
    void requestOfRevisionZero() {
        MpaOptions options = MpaOptions.builder().revision(0).crc(false).build();
        assertThat(new RawPeer().initiate(offer(options, 1, 1)).out()).isEqualTo(request(0, 0));
    }

    @Test
    @Satisfies("RFC6581-9-3")
    void peerToPeerRequestListsTheKindsThatCanBeSent() {
        MpaOptions all = MpaOptions.builder().crc(false).peerToPeer(true).build();
        assertThat(new RawPeer().initiate(offer(all, 3, 2)).out())
                .isEqualTo(request(S, 2, enhanced(A | RTR_SEND | RTR_WRITE | RTR_READ, 3, 2)));
        // a Read needs room for one
        assertThat(new RawPeer().initiate(offer(all, 3, 0)).out())
                .isEqualTo(request(S, 2, enhanced(A | RTR_SEND | RTR_WRITE, 3, 0)));
        MpaOptions read =
                all.toBuilder().readyToReceive(Set.of(ReadyToReceive.READ)).build();
        assertThatThrownBy(() -> new RawPeer().initiate(offer(read, 3, 0)))
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
            byte[] sent = new RawPeer().initiate(offer(options, 1, 1, data)).out();
            assertThat(Arrays.copyOfRange(sent, sent.length - length, sent.length))
                    .isEqualTo(data);
        }
        RawPeer peer = new RawPeer();
        assertThatThrownBy(() -> peer.initiate(offer(options, 1, 1, new byte[max + 1])))
                .isInstanceOf(VerbsException.class)
                .hasMessage("EINVAL: private data of " + (max + 1) + " bytes; " + max + " fit");
        // nothing was bound: the queue pair may be used
        peer.initiate(offer(options, 1, 1));
    }

    @Test
    void depthsHaveLimits() {
        RawPeer peer = new RawPeer();
        assertThatThrownBy(() -> peer.initiate(offer(PLAIN, 129, 0))).hasMessageContaining("ird is 129");
        assertThatThrownBy(() -> peer.initiate(offer(PLAIN, 0, -1))).hasMessageContaining("ord is -1");
        assertThat(peer.initiate(offer(PLAIN, 128, 128)).out()).isEqualTo(request(S, 2, enhanced(0, 128, 128)));
    }

    @Test
    void anInitiatorNeedsAFreeQueuePairInInit() {
        RawPeer peer = new RawPeer();
        peer.initiate(offer(PLAIN, 1, 1));
        assertThatThrownBy(() -> peer.initiate(offer(PLAIN, 1, 1)))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("is connected or was");
        RawPeer reset = new RawPeer();
        reset.node.qp.modify(io.jrdma.verbs.QpAttributes.state(QpState.RESET));
        assertThatThrownBy(() -> reset.initiate(offer(PLAIN, 1, 1))).hasMessageContaining("a connection needs INIT");
    }

    // ---- the initiator and the Reply ----

    @Test
    @Satisfies("RFC5044-7.1.2-3")
    void initiatorSendsNothingBeforeTheReply() {
        RawPeer peer = new RawPeer().initiate(offer(PLAIN, 4, 4));
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
            RawPeer peer = new RawPeer().initiate(offer(PLAIN, 4, 4));
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
        RawPeer peer = new RawPeer().initiate(offer(PLAIN, 4, 4));
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
            RawPeer peer =
                    new RawPeer().initiate(offer(MpaOptions.builder().crc(asked).build(), 4, 4));
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
        RawPeer peer = new RawPeer().initiate(offer(PLAIN, ird, ord));
        peer.out();
        peer.in(reply(S, 2, enhanced(0, replyIrd, replyOrd)));
        assertThat(peer.log.isEstablished()).isTrue();
        return "ird " + peer.log.negotiated.ird() + " ord " + peer.log.negotiated.ord();
    }

    @Test
    @Satisfies({"RFC6581-9.1-5", "RFC6581-8-1", "RFC5040-7.1-1"})
    void tooLittleIrdEndsWithATerminate() {
        RawPeer peer = new RawPeer().initiate(offer(PLAIN, 1, 1));
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
        RawPeer peer = new RawPeer().initiate(offer(PLAIN, 1, 1));
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
        peer.initiate(offer(PLAIN, 1, 1));
    }

    @Test
    void theTextTellsHowToReachAPeerOfRevisionOne() {
        RawPeer peer = new RawPeer().initiate(offer(PLAIN, 1, 1));
        peer.out();
        peer.in(reply(0, 1));
        assertThat(peer.log.failure.text()).contains("MpaOptions revision 1");
    }

    @Test
    @Satisfies("RFC6581-10-1")
    void anEnhancedAnswerToAPlainRequestIsAnError() {
        RawPeer peer =
                new RawPeer().initiate(offer(MpaOptions.builder().revision(1).build(), 1, 1));
        peer.out();
        peer.in(reply(S, 2, enhanced(0, 1, 1)));
        assertThat(peer.log.log).containsExactly("failed ERROR EINVAL");
    }

    @Test
    void revisionOneAndZeroKeepTheirOwnDepths() {
        for (int revision = 0; revision < 2; revision++) {
            RawPeer peer = new RawPeer()
                    .initiate(offer(MpaOptions.builder().revision(revision).build(), 3, 5));
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
            RawPeer peer = new RawPeer().initiate(offer(PLAIN, 1, 1));
            peer.out();
            peer.in(reject);
            assertThat(peer.log.log).containsExactly("rejected no");
            assertThat(peer.end.closing).isTrue();
            peer.gone();
            assertThat(peer.log.log).hasSize(1);
        }
        // Linux siw rejects with S and no enhanced data in some cases
        RawPeer peer = new RawPeer().initiate(offer(PLAIN, 1, 1));
        peer.out();
        peer.in(reply(R | S, 2));
        assertThat(peer.log.log).containsExactly("rejected ");
    }

    @Test
    void thePeerMayCloseBeforeItReplies() {
        for (int length : new int[] {0, 1, 19, 23}) {
            for (boolean fin : new boolean[] {true, false}) {
                RawPeer peer = new RawPeer().initiate(offer(PLAIN, 1, 1));
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
        peer.end = new TestEnd(peer.node.device.initiator(peer.node.qp, offer(PLAIN, 1, 1), peer.log), peer.node);
        peer.end.engine.onOpenFailed(
                new ConnectFailure(ConnectFailure.Kind.UNREACHABLE, Errno.EHOSTUNREACH, "no route"), peer.clock.nowNs);
        assertThat(peer.log.log).containsExactly("failed UNREACHABLE EHOSTUNREACH");
        peer.initiate(offer(PLAIN, 1, 1));
    }

    @Test
    @Satisfies("RFC5044-7.1.2-10")
    void initiatorLimitsTheWaitForTheReply() {
        RawPeer peer = new RawPeer()
                .initiate(offer(PLAIN.toBuilder().handshakeTimeoutNs(3_000).build(), 1, 1));
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

    // ---- the responder ----

    @Test
    @Satisfies({"RFC5044-7.1.2-2", "RFC5044-7.1.1-1"})
    void responderSpeaksWhenTheRequestIsThereAndAnswered() {
        RawPeer peer = new RawPeer().listen(PLAIN);
        assertThat(peer.out()).isEmpty();
        byte[] request = request(S, 2, enhanced(0, 3, 2, (byte) 'x'));
        for (int i = 0; i < request.length - 1; i++) {
            peer.in(new byte[] {request[i]});
        }
        assertThat(peer.log.log).isEmpty();
        peer.in(new byte[] {request[request.length - 1]});
        assertThat(peer.log.log).containsExactly("request x");
        assertThat(peer.log.peerIrd).isEqualTo(3);
        assertThat(peer.log.peerOrd).isEqualTo(2);
        assertThat(peer.out()).isEmpty();
        peer.accept(offer(PLAIN, 2, 3, (byte) 'y'));
        assertThat(peer.node.qp.state()).isEqualTo(QpState.RTS);
        assertThat(peer.log.log).hasSize(1);
        assertThat(peer.out()).isEqualTo(reply(S, 2, enhanced(0, 2, 3, (byte) 'y')));
        assertThat(peer.log.log).containsExactly("request x", "established ");
    }

    @ParameterizedTest
    @CsvSource({
        // app ird, app ord, request ird, request ord -> reply ird, reply ord
        "4,8,8,4,4,8",
        "4,8,2,1,4,2",
        "1,1,300,300,128,1",
        "0,0,4,4,4,0",
        "8,4,0,0,8,0",
        "128,128,128,128,128,128",
    })
    @Satisfies({"RFC6581-9.1-1", "RFC6581-9.1-2"})
    void responderAnswersTheDepthsInForce(int ird, int ord, int reqIrd, int reqOrd, int replyIrd, int replyOrd) {
        RawPeer peer = new RawPeer().listen(PLAIN);
        peer.in(request(S, 2, enhanced(0, reqIrd, reqOrd)));
        assertThat(peer.log.peerIrd).isEqualTo(Math.min(reqIrd, 128));
        assertThat(peer.log.peerOrd).isEqualTo(Math.min(reqOrd, 128));
        peer.accept(offer(PLAIN, ird, ord));
        assertThat(peer.out()).isEqualTo(reply(S, 2, enhanced(0, replyIrd, replyOrd)));
        assertThat(peer.log.negotiated.ird()).isEqualTo(replyIrd);
        assertThat(peer.log.negotiated.ord()).isEqualTo(replyOrd);
    }

    @Test
    @Satisfies("RFC6581-9.1-3")
    void aDepthThatTheConsumersNegotiateIsLeftAlone() {
        RawPeer peer = new RawPeer().listen(PLAIN);
        peer.in(request(S, 2, enhanced(0, 0x3FFF, 0x3FFF)));
        assertThat(peer.log.peerIrd).isEqualTo(128);
        peer.accept(offer(PLAIN, 5, 6));
        assertThat(peer.out()).isEqualTo(reply(S, 2, enhanced(0, 0x3FFF, 0x3FFF)));
        assertThat(peer.log.negotiated.ird()).isEqualTo(5);
        assertThat(peer.log.negotiated.ord()).isEqualTo(6);
    }

    @ParameterizedTest
    @CsvSource({"0,0", "1,0", "1,16", "2,0", "0,16"})
    @Satisfies({"RFC6581-6-1", "RFC6581-10-1"})
    void aPlainRequestGetsAPlainReplyOfItsRevision(int revision, int flag) {
        // flag S means nothing below revision 2
        RawPeer peer = new RawPeer().listen(PLAIN);
        peer.in(request(flag, revision, (byte) 'h', (byte) 'e', (byte) 'l', (byte) 'l', (byte) 'o'));
        assertThat(peer.log.log).containsExactly("request hello");
        assertThat(peer.log.peerIrd).isZero();
        peer.accept(offer(PLAIN, 2, 3));
        assertThat(peer.out()).isEqualTo(reply(0, revision));
        assertThat(peer.log.negotiated.enhanced()).isFalse();
        assertThat(peer.log.negotiated.ird()).isEqualTo(2);
        assertThat(peer.log.negotiated.ord()).isEqualTo(3);
        peer.node.postReceive(1, 0, 16);
        peer.in(Frames.send(1, (byte) 1));
        assertThat(peer.node.receiveCompletions()).containsExactly("1 SUCCESS RECV 1");
    }

    @Test
    @Satisfies({"RFC5044-7.1.1-3", "RFC5044-4.3-3"})
    void eachSideSaysWhetherItWantsMarkers() {
        for (boolean own : new boolean[] {true, false}) {
            for (boolean peers : new boolean[] {true, false}) {
                MpaOptions options = PLAIN.toBuilder().markersWanted(own).build();
                RawPeer peer = new RawPeer().listen(options);
                peer.in(request(S | (peers ? M : 0), 2, enhanced(0, 4, 4)));
                peer.accept(offer(options, 4, 4));
                assertThat(peer.out()).isEqualTo(reply(S | (own ? M : 0), 2, enhanced(0, 4, 4)));
                assertThat(peer.log.negotiated.markersReceived()).isEqualTo(own);
                assertThat(peer.log.negotiated.markersSent()).isEqualTo(peers);
            }
        }
    }

    @Test
    void theReplySaysWhetherCrcsAreInForce() {
        for (boolean own : new boolean[] {true, false}) {
            for (boolean peers : new boolean[] {true, false}) {
                MpaOptions options = PLAIN.toBuilder().crc(own).build();
                RawPeer peer = new RawPeer().listen(options);
                peer.in(request(S | (peers ? C : 0), 2, enhanced(0, 4, 4)));
                peer.accept(offer(options, 4, 4));
                assertThat(peer.out()).isEqualTo(reply(S | (own || peers ? C : 0), 2, enhanced(0, 4, 4)));
                assertThat(peer.log.negotiated.crc()).isEqualTo(own || peers);
            }
        }
    }

    @Test
    void anAcceptMaySayOtherwiseThanTheListener() {
        MpaOptions listening = MpaOptions.builder().crc(false).maxUlpdu(128).build();
        MpaOptions accepting =
                MpaOptions.builder().crc(true).markersWanted(true).build();
        RawPeer peer = new RawPeer().listen(listening);
        peer.in(request(S, 2, enhanced(0, 4, 4)));
        peer.accept(offer(accepting, 4, 4));
        assertThat(peer.out()).isEqualTo(reply(S | C | M, 2, enhanced(0, 4, 4)));
        // the defaults say nothing
        RawPeer silent = new RawPeer().listen(listening);
        silent.in(request(S, 2, enhanced(0, 4, 4)));
        silent.accept(offer(MpaOptions.RECOMMENDED, 4, 4));
        assertThat(silent.out()).isEqualTo(reply(S, 2, enhanced(0, 4, 4)));
        silent.node.postSend(1, 0, 200);
        silent.in(Frames.write(0, 0));
        assertThat(Frames.ulpdus(silent.out())).hasSize(2);
    }

    @Test
    @Satisfies({"RFC5044-7.1.1-5", "RFC5044-7.1.1-6"})
    void reservedBitsAndRejectInARequestMeanNothingAndDoNotComeBack() {
        RawPeer peer = new RawPeer().listen(PLAIN);
        peer.in(request(R | 0x0F, 1));
        peer.accept(offer(PLAIN, 0, 0));
        assertThat(peer.out()).isEqualTo(reply(0, 1));
    }

    @Test
    @Satisfies({"RFC5044-7.1.1-5", "RFC6581-6-2"})
    void aRejectCarriesPrivateDataAndTheEnhancedData() {
        RawPeer peer = new RawPeer().listen(PLAIN);
        peer.in(request(S, 2, enhanced(A | RTR_WRITE, 2, 3)));
        peer.reject((byte) 'n', (byte) 'o');
        byte[] out = peer.out();
        assertThat(out).isEqualTo(reply(R | S, 2, enhanced(0, 3, 0, (byte) 'n', (byte) 'o')));
        assertThat(peer.end.closing).isTrue();
        peer.gone();
        assertThat(peer.log.log).containsExactly("request ");
        assertThatThrownBy(() -> peer.accept(offer(PLAIN, 1, 1))).isInstanceOf(VerbsException.class);

        RawPeer plain = new RawPeer().listen(PLAIN);
        plain.in(request(0, 1));
        plain.reject();
        assertThat(plain.out()).isEqualTo(reply(R, 1));
    }

    /** A longer Reply, or a Reply with S and less than four bytes, takes a Linux siw host's kernel down. */
    @ParameterizedTest
    @CsvSource({"16,2,252", "0,2,256", "0,1,256"})
    @Satisfies({"RFC5044-7.1.1-8", "RFC6581-9-1"})
    void noReplyIsOneThatSiwCannotBear(int flags, int revision, int max) {
        byte[] request = request(flags, revision, flags == S ? enhanced(0, 1, 1) : new byte[0]);
        for (boolean accept : new boolean[] {true, false}) {
            for (int length : new int[] {0, 1, 3, max}) {
                RawPeer peer = new RawPeer().listen(PLAIN);
                peer.in(request);
                if (accept) {
                    peer.accept(offer(PLAIN, 1, 1, new byte[length]));
                } else {
                    peer.reject(new byte[length]);
                }
                byte[] out = peer.out();
                int pdLength = (out[18] & 0xFF) << 8 | out[19] & 0xFF;
                assertThat(pdLength).isEqualTo(out.length - 20).isLessThanOrEqualTo(256);
                assertThat(pdLength).isGreaterThanOrEqualTo((out[16] & S) != 0 ? 4 : 0);
            }
            RawPeer peer = new RawPeer().listen(PLAIN);
            peer.in(request);
            assertThatThrownBy(() -> {
                        if (accept) {
                            peer.accept(offer(PLAIN, 1, 1, new byte[max + 1]));
                        } else {
                            peer.reject(new byte[max + 1]);
                        }
                    })
                    .isInstanceOf(VerbsException.class)
                    .hasMessage("EINVAL: private data of " + (max + 1) + " bytes; " + max + " fit");
            // nothing was changed, so the request can still be answered
            assertThat(peer.node.qp.state()).isEqualTo(QpState.INIT);
            peer.accept(offer(PLAIN, 1, 1));
            assertThat(peer.out()).isNotEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "474554202f20485454502f312e310d0a0d0a",
                "4D504120494420526570204672616D65 1002 0004 0001 0001",
                "4D504120494420526571204672616D65 1003",
                // 600 bytes of private data announced
                "4D504120494420526571204672616D65 0002 0258",
                "4D504120494420526571204672616D65 1002 0003",
            })
    @Satisfies({"RFC5044-7.1.1-2", "RFC5044-7.1.1-7", "RFC5044-7.1.1-8"})
    void aRequestThatIsNoneIsClosedWithoutAWord(String hex) {
        RawPeer peer = new RawPeer().listen(PLAIN);
        peer.in(bytes(hex));
        assertThat(peer.out()).isEmpty();
        assertThat(peer.end.closing).isTrue();
        assertThat(peer.log.log).containsExactly("failed ERROR EINVAL");
        peer.gone();
        assertThat(peer.log.log).hasSize(1);
    }

    @Test
    @Satisfies("RFC5044-7.1.1-7")
    void aResponderTakesNoHigherRevisionThanItIsToldTo() {
        RawPeer peer = new RawPeer().listen(MpaOptions.builder().revision(1).build());
        peer.in(request(S, 2, enhanced(0, 1, 1)));
        assertThat(peer.log.log).containsExactly("failed ERROR EINVAL");
        assertThat(peer.log.failure.text()).contains("revision 2");
    }

    @Test
    @Satisfies("RFC5044-7.1.2-8")
    void responderLimitsTheWaitForTheRequest() {
        RawPeer peer =
                new RawPeer().listen(PLAIN.toBuilder().handshakeTimeoutNs(5_000).build());
        peer.advance(4_999);
        peer.in(Arrays.copyOf(request(0, 1), 19));
        assertThat(peer.log.log).isEmpty();
        peer.advance(1);
        assertThat(peer.log.log).containsExactly("failed UNREACHABLE ETIMEDOUT");
        assertThat(peer.end.closing).isTrue();
    }

    @Test
    void theApplicationMayTakeItsTime() {
        RawPeer peer =
                new RawPeer().listen(PLAIN.toBuilder().handshakeTimeoutNs(5_000).build());
        peer.in(request(0, 1));
        peer.advance(1_000_000_000_000L);
        assertThat(peer.log.log).containsExactly("request ");
        peer.accept(offer(PLAIN, 1, 1));
        assertThat(peer.out()).isEqualTo(reply(0, 1));
    }

    @Test
    void aPeerThatDoesNotWaitForTheReplyIsDropped() {
        for (boolean accepted : new boolean[] {false, true}) {
            RawPeer peer = new RawPeer().listen(PLAIN);
            peer.in(request(0, 1));
            peer.node.postReceive(1, 0, 8);
            if (accepted) {
                peer.accept(offer(PLAIN, 1, 1));
            }
            peer.in(Frames.send(1, (byte) 1));
            assertThat(peer.log.log).containsExactly("request ", "failed ERROR EINVAL");
            assertThat(peer.end.closing).isTrue();
            assertThat(peer.out()).isEmpty();
            assertThat(peer.node.receiveCompletions())
                    .isEqualTo(accepted ? java.util.List.of("1 WR_FLUSH_ERR RECV 0") : java.util.List.of());
        }
    }

    @Test
    void thePeerMayLeaveWhileTheApplicationThinks() {
        RawPeer peer = new RawPeer().listen(PLAIN);
        peer.in(request(0, 1));
        peer.fin();
        assertThat(peer.log.log).containsExactly("request ", "failed REFUSED ECONNRESET");
        assertThatThrownBy(() -> peer.accept(offer(PLAIN, 1, 1)))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("no connection request");
        assertThatThrownBy(peer::reject).isInstanceOf(VerbsException.class);
        assertThat(peer.node.qp.state()).isEqualTo(QpState.INIT);
    }

    // ---- who may send first ----

    @Test
    @Satisfies("RFC5044-7.1.2-4")
    void responderHoldsEverythingBackUntilItHasReceivedAnFpdu() {
        RawPeer peer = RawPeer.established();
        peer.node.postSend(1, 0, 5);
        assertThat(peer.out()).isEmpty();
        peer.advance(1_000_000_000_000L);
        assertThat(peer.out()).isEmpty();
        byte[] first = Frames.write(0, 0);
        peer.in(Arrays.copyOf(first, first.length - 1));
        assertThat(peer.out()).isEmpty();
        peer.in(new byte[] {first[first.length - 1]});
        assertThat(Frames.ulpdus(peer.out())).hasSize(1);
        assertThat(peer.node.sendCompletions()).containsExactly("1 SUCCESS SEND 5");
    }

    @Test
    @Satisfies({"RFC5044-7.1.2-4", "RFC5044-7.1.2-7"})
    void noMarkerGoesOutBeforeTheFirstFpduCame() {
        RawPeer peer = new RawPeer().listen(PLAIN);
        peer.in(request(S | M, 2, enhanced(0, 4, 4)));
        peer.accept(offer(PLAIN, 4, 4));
        assertThat(peer.out()).hasSize(24);
        peer.node.postSend(1, 0, 0);
        assertThat(peer.out()).isEmpty();
        peer.in(Frames.write(0, 0));
        assertThat(peer.out()).startsWith(0, 0, 0, 0, 0, 18).hasSize(4 + Frames.fpduBytes(18));
    }

    @Test
    void aGraceDelayServesProgramsInWhichTheServerSpeaksFirst() {
        MpaOptions options = PLAIN.toBuilder().firstMessageGraceNs(30_000).build();
        RawPeer peer = new RawPeer().listen(options);
        peer.in(request(S, 2, enhanced(0, 4, 4)));
        peer.accept(offer(options, 4, 4));
        peer.out();
        peer.node.postSend(1, 0, 5);
        peer.advance(29_999);
        assertThat(peer.out()).isEmpty();
        peer.advance(1);
        assertThat(Frames.ulpdus(peer.out())).hasSize(1);
    }

    // ---- peer-to-peer ----

    @ParameterizedTest
    @CsvSource({
        "WRITE,000ec140 00000001 00000000 00000000 ebd34c5f",
        "SEND,00124143 00000000 00000000 00000001 00000000 587be8c4",
        "READ,002e4141 00000000 00000001 00000001 00000000 00000001 00000000 00000000 00000000 00000001 00000000 00000000",
    })
    @Satisfies({"RFC6581-9.2-2", "RFC6581-9.2-3", "RFC6581-9.2-4"})
    void initiatorOpensWithTheKindThatTheReplySelects(ReadyToReceive kind, String expected) {
        MpaOptions options = MpaOptions.builder().peerToPeer(true).build();
        RawPeer peer = new RawPeer().initiate(offer(options, 4, 4));
        peer.out();
        int bit = kind == ReadyToReceive.SEND ? RTR_SEND : kind == ReadyToReceive.WRITE ? RTR_WRITE : RTR_READ;
        peer.in(reply(S | C, 2, enhanced(A | bit, 4, 4)));
        assertThat(peer.log.log).containsExactly("established ");
        assertThat(peer.log.negotiated.readyToReceive()).isEqualTo(kind);
        peer.node.postSend(1, 0, 3);
        byte[] out = peer.out();
        assertThat(out).startsWith(bytes(expected));
        int msn = kind == ReadyToReceive.SEND ? 2 : 1;
        assertThat(Frames.ulpdus(out).get(1)).startsWith(Frames.untagged(Frames.SEND, true, 0, 0, msn, 0));
        // an initiator's ready-to-receive message completes nothing
        if (kind == ReadyToReceive.READ) {
            peer.in(Frames.readResponse(1, 0));
        }
        assertThat(peer.node.sendCompletions()).containsExactly("1 SUCCESS SEND 3");
    }

    @Test
    @Satisfies("RFC6581-9.2-2")
    void initiatorPicksTheCheapestOfSeveral() {
        MpaOptions options = MpaOptions.builder().peerToPeer(true).build();
        RawPeer peer = new RawPeer().initiate(offer(options, 4, 4));
        peer.out();
        peer.in(reply(S, 2, enhanced(A | RTR_SEND | RTR_READ | RTR_WRITE, 4, 4)));
        assertThat(peer.log.negotiated.readyToReceive()).isEqualTo(ReadyToReceive.WRITE);
    }

    @ParameterizedTest
    @CsvSource({"READ,WRITE", "WRITE,READ", "WRITE,NONE", "WRITE,REFUSED", "READ,NO_ROOM"})
    @Satisfies({"RFC6581-9.2-2", "RFC6581-8-1"})
    void withoutACommonKindATerminateEndsIt(ReadyToReceive own, String peers) {
        MpaOptions options = MpaOptions.builder()
                .peerToPeer(true)
                .readyToReceive(Set.of(own))
                .build();
        RawPeer peer = new RawPeer().initiate(offer(options, 4, 4));
        peer.out();
        int control = switch (peers) {
            case "WRITE" -> A | RTR_WRITE;
            case "READ", "NO_ROOM" -> A | RTR_READ;
            case "NONE" -> A;
            default -> 0;
        };
        peer.in(reply(S, 2, enhanced(control, peers.equals("NO_ROOM") ? 0 : 4, 4)));
        assertThat(Frames.terminateCodeAtEnd(peer.out())).isEqualTo("2/0/7");
        assertThat(peer.end.closing).isTrue();
        assertThat(peer.log.log).containsExactly("failed ERROR EINVAL");
    }

    @Test
    void controlFlagsThatNobodyAskedForMeanNothing() {
        RawPeer peer = new RawPeer().initiate(offer(PLAIN, 4, 4));
        peer.out();
        peer.in(reply(S, 2, enhanced(A | RTR_READ, 4, 4)));
        assertThat(peer.log.negotiated.peerToPeer()).isFalse();
        assertThat(peer.log.negotiated.readyToReceive()).isNull();
        peer.node.postSend(1, 0, 0);
        assertThat(Frames.ulpdus(peer.out())).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({
        // offered, own, replied
        "SWR,SWR,SWR",
        "W,SWR,W",
        "R,SWR,R",
        "S,SWR,S",
        "W,R,R",
        "SR,W,W",
        "S,-,W",
    })
    @Satisfies("RFC6581-9.2-1")
    void responderListsTheCommonKindsOrItsOwn(String offered, String own, String replied) {
        MpaOptions options = PLAIN.toBuilder().readyToReceive(kinds(own)).build();
        RawPeer peer = new RawPeer().listen(options);
        peer.in(request(S, 2, enhanced(A | control(offered), 0, 0)));
        peer.accept(offer(options, 0, 0));
        // a Read that opens the stream needs an IRD of 1
        int ird = replied.contains("R") ? 1 : 0;
        assertThat(peer.out()).isEqualTo(reply(S, 2, enhanced(A | control(replied), ird, 0)));
        assertThat(peer.log.log).containsExactly("request ");
    }

    private static Set<ReadyToReceive> kinds(String letters) {
        EnumSet<ReadyToReceive> kinds = EnumSet.noneOf(ReadyToReceive.class);
        if (letters.contains("S")) {
            kinds.add(ReadyToReceive.SEND);
        }
        if (letters.contains("W")) {
            kinds.add(ReadyToReceive.WRITE);
        }
        if (letters.contains("R")) {
            kinds.add(ReadyToReceive.READ);
        }
        return kinds;
    }

    private static int control(String letters) {
        return (letters.contains("S") ? RTR_SEND : 0)
                | (letters.contains("W") ? RTR_WRITE : 0)
                | (letters.contains("R") ? RTR_READ : 0);
    }

    private static RawPeer peerToPeerResponder() {
        RawPeer peer = new RawPeer().listen(PLAIN);
        peer.in(request(S, 2, enhanced(A | RTR_SEND | RTR_WRITE | RTR_READ, 4, 4)));
        peer.accept(offer(PLAIN, 4, 4));
        peer.out();
        peer.node.postReceive(9, 0, 64);
        peer.node.postSend(1, 0, 3);
        assertThat(peer.out()).isEmpty();
        assertThat(peer.log.log).containsExactly("request ");
        return peer;
    }

    @ParameterizedTest
    @ValueSource(strings = {"WRITE", "SEND", "READ"})
    @Satisfies({"RFC6581-9.2-3", "RFC6581-9.2-4", "RFC5044-7.1.2-4"})
    void responderTakesEachKindAndHandsNothingUp(ReadyToReceive kind) {
        RawPeer peer = peerToPeerResponder();
        peer.in(
                switch (kind) {
                    case WRITE -> Frames.write(1, 0);
                    case SEND -> Frames.send(1);
                    case READ -> Frames.readRequest(1, 7, 8, 0, 1, 0);
                });
        assertThat(peer.log.log).containsExactly("request ", "established ");
        assertThat(peer.log.negotiated.readyToReceive()).isEqualTo(kind);
        assertThat(peer.log.negotiated.peerToPeer()).isTrue();
        assertThat(peer.node.receiveCompletions()).isEmpty();
        var out = Frames.ulpdus(peer.out());
        if (kind == ReadyToReceive.READ) {
            assertThat(out.removeFirst()).isEqualTo(Frames.tagged(Frames.READ_RESPONSE, true, 7, 8));
        }
        assertThat(out).hasSize(1);
        // the application's first Send is the next one of the queue
        peer.in(Frames.send(kind == ReadyToReceive.SEND ? 2 : 1, (byte) 1));
        assertThat(peer.node.receiveCompletions()).containsExactly("9 SUCCESS RECV 1");
    }

    @Test
    void anotherFirstMessageOpensTheStreamAsWell() {
        RawPeer peer = peerToPeerResponder();
        peer.in(Frames.send(1, (byte) 1));
        assertThat(peer.log.log).containsExactly("request ", "established ");
        assertThat(peer.log.negotiated.readyToReceive()).isNull();
        assertThat(peer.node.receiveCompletions()).containsExactly("9 SUCCESS RECV 1");
    }

    @Test
    void aFirstFpduThatIsWrongEndsTheSetUp() {
        RawPeer peer = peerToPeerResponder();
        peer.in(Frames.fpdu((byte) 0xC1, (byte) 0x4F));
        assertThat(Frames.terminateCodeAtEnd(peer.out())).isEqualTo("0/2/6");
        assertThat(peer.log.log).containsExactly("request ", "failed ERROR EINVAL");
        assertThat(peer.node.receiveCompletions()).containsExactly("9 WR_FLUSH_ERR RECV 0");
        assertThat(peer.node.sendCompletions()).containsExactly("1 WR_FLUSH_ERR SEND 0");
        peer.gone();
        assertThat(peer.log.log).hasSize(2);
    }

    @Test
    void theReadyToReceiveMessageHasATimeLimit() {
        RawPeer peer = peerToPeerResponder();
        peer.advance(PLAIN.handshakeTimeoutNs());
        assertThat(peer.log.log).containsExactly("request ", "failed UNREACHABLE ETIMEDOUT");
        assertThat(peer.node.receiveCompletions()).containsExactly("9 WR_FLUSH_ERR RECV 0");
        assertThat(peer.node.qp.state()).isEqualTo(QpState.ERROR);
    }

    // ---- remote acknowledgement ----

    @Test
    void remoteAcknowledgementNeedsAnOrd() {
        var options = TestNode.options().withCompletion(CompletionSemantics.REMOTE_ACKNOWLEDGED);
        RawPeer initiator = new RawPeer(options);
        assertThatThrownBy(() -> initiator.initiate(offer(PLAIN, 1, 0)))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("REMOTE_ACKNOWLEDGED");
        RawPeer responder = new RawPeer(options).listen(PLAIN);
        responder.in(request(S, 2, enhanced(0, 0, 4)));
        assertThatThrownBy(() -> responder.accept(offer(PLAIN, 1, 1))).hasMessageContaining("REMOTE_ACKNOWLEDGED");
        assertThat(responder.node.qp.state()).isEqualTo(QpState.INIT);

        initiator.initiate(offer(PLAIN, 1, 1));
        initiator.out();
        initiator.in(reply(S, 2, enhanced(0, 0, 0)));
        assertThat(initiator.log.log).containsExactly("failed ERROR EINVAL");
        assertThat(Frames.terminateCodeAtEnd(initiator.out())).isEqualTo("2/0/6");
    }
}
