package io.jrdma.iwarp;

import static io.jrdma.iwarp.Frames.A;
import static io.jrdma.iwarp.Frames.C;
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

import io.jrdma.testing.Satisfies;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.MpaOptions.ReadyToReceive;
import io.jrdma.verbs.QpState;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The ready-to-receive message of the peer-to-peer model by bytes, on both sides (RFC 6581 section 9.2). */
class PeerToPeerConformance {
    private static final MpaOptions PLAIN = MpaOptions.builder().crc(false).build();

    @ParameterizedTest
    @CsvSource({
        "WRITE,000ec140 00000001 00000000 00000000 ebd34c5f",
        "SEND,00124143 00000000 00000000 00000001 00000000 587be8c4",
        "READ,002e4141 00000000 00000001 00000001 00000000 00000001 00000000 00000000 00000000 00000001 00000000 00000000",
    })
    @Satisfies({"RFC6581-9.2-2", "RFC6581-9.2-3", "RFC6581-9.2-4"})
    void initiatorOpensWithTheKindThatTheReplySelects(ReadyToReceive kind, String expected) {
        MpaOptions options = MpaOptions.builder().peerToPeer(true).build();
        RawPeer peer = new RawPeer().initiate(parameters(options, 4, 4));
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
        RawPeer peer = new RawPeer().initiate(parameters(options, 4, 4));
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
        RawPeer peer = new RawPeer().initiate(parameters(options, 4, 4));
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
        RawPeer peer = new RawPeer().initiate(parameters(PLAIN, 4, 4));
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
        peer.accept(parameters(options, 0, 0));
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
        peer.accept(parameters(PLAIN, 4, 4));
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
}
