package io.jrdma.iwarp;

import static io.jrdma.iwarp.Frames.A;
import static io.jrdma.iwarp.Frames.C;
import static io.jrdma.iwarp.Frames.M;
import static io.jrdma.iwarp.Frames.R;
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
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.VerbsException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The responder's MPA start-up by bytes: RFC 5044 section 7.1, RFC 6581, and what Linux siw makes necessary. */
class StartupResponderConformance {
    private static final MpaOptions PLAIN = MpaOptions.builder().crc(false).build();

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
        peer.accept(parameters(PLAIN, 2, 3, (byte) 'y'));
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
        peer.accept(parameters(PLAIN, ird, ord));
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
        peer.accept(parameters(PLAIN, 5, 6));
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
        peer.accept(parameters(PLAIN, 2, 3));
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
                peer.accept(parameters(options, 4, 4));
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
                peer.accept(parameters(options, 4, 4));
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
        peer.accept(parameters(accepting, 4, 4));
        assertThat(peer.out()).isEqualTo(reply(S | C | M, 2, enhanced(0, 4, 4)));
        // the defaults say nothing
        RawPeer silent = new RawPeer().listen(listening);
        silent.in(request(S, 2, enhanced(0, 4, 4)));
        silent.accept(parameters(MpaOptions.RECOMMENDED, 4, 4));
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
        peer.accept(parameters(PLAIN, 0, 0));
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
        assertThatThrownBy(() -> peer.accept(parameters(PLAIN, 1, 1))).isInstanceOf(VerbsException.class);

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
                    peer.accept(parameters(PLAIN, 1, 1, new byte[length]));
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
                            peer.accept(parameters(PLAIN, 1, 1, new byte[max + 1]));
                        } else {
                            peer.reject(new byte[max + 1]);
                        }
                    })
                    .isInstanceOf(VerbsException.class)
                    .hasMessage("EINVAL: private data of " + (max + 1) + " bytes; " + max + " fit");
            // nothing was changed, so the request can still be answered
            assertThat(peer.node.qp.state()).isEqualTo(QpState.INIT);
            peer.accept(parameters(PLAIN, 1, 1));
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
        peer.accept(parameters(PLAIN, 1, 1));
        assertThat(peer.out()).isEqualTo(reply(0, 1));
    }

    @Test
    void aPeerThatDoesNotWaitForTheReplyIsDropped() {
        for (boolean accepted : new boolean[] {false, true}) {
            RawPeer peer = new RawPeer().listen(PLAIN);
            peer.in(request(0, 1));
            peer.node.postReceive(1, 0, 8);
            if (accepted) {
                peer.accept(parameters(PLAIN, 1, 1));
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
        assertThatThrownBy(() -> peer.accept(parameters(PLAIN, 1, 1)))
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
        peer.accept(parameters(PLAIN, 4, 4));
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
        peer.accept(parameters(options, 4, 4));
        peer.out();
        peer.node.postSend(1, 0, 5);
        peer.advance(29_999);
        assertThat(peer.out()).isEmpty();
        peer.advance(1);
        assertThat(Frames.ulpdus(peer.out())).hasSize(1);
    }
}
