package io.jrdma.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.Satisfies;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Waking up a peer that stays silent: Linux siw's lost wake-up. */
class WakeUpTest {
    private static final byte[] NUDGE = Frames.tagged(Frames.WRITE, true, 1, 0);

    @Test
    void anInitiatorWakesUpAPeerThatStaysSilent() {
        RawPeer peer = RawPeer.establishedInitiator();
        peer.advance(1_000_000_000L);
        assertThat(peer.out()).isEmpty();
        peer.node.postSend(1, 0, 3);
        assertThat(Frames.ulpdus(peer.out())).hasSize(1);
        long waited = 0;
        for (long interval : new long[] {20, 100, 500, 2_000, 8_000}) {
            peer.advance(interval * 1_000_000 - 1);
            assertThat(peer.out()).as("after " + waited).isEmpty();
            peer.advance(1);
            assertThat(Frames.ulpdus(peer.out())).as("after " + waited).containsExactly(NUDGE);
            waited += interval;
        }
        peer.advance(1_000_000_000_000L);
        assertThat(peer.out()).isEmpty();
        assertThat(peer.node.sendCompletions()).containsExactly("1 SUCCESS SEND 3");
    }

    @Test
    void anyByteFromThePeerEndsThat() {
        RawPeer peer = RawPeer.establishedInitiator();
        peer.node.postSend(1, 0, 3);
        peer.out();
        peer.advance(20_000_000);
        assertThat(Frames.ulpdus(peer.out())).hasSize(1);
        peer.in(new byte[1]);
        peer.advance(1_000_000_000_000L);
        assertThat(peer.out()).isEmpty();
        // one that spoke first is awake
        RawPeer early = RawPeer.establishedInitiator();
        early.in(Frames.write(0, 0));
        early.node.postSend(1, 0, 3);
        early.out();
        early.advance(1_000_000_000_000L);
        assertThat(early.out()).isEmpty();
    }

    @Test
    void aResponderWakesNobodyUp() {
        RawPeer peer = RawPeer.established();
        peer.in(Frames.write(0, 0));
        peer.node.postSend(1, 0, 3);
        peer.out();
        peer.advance(1_000_000_000_000L);
        assertThat(peer.out()).isEmpty();
    }

    @Test
    @Satisfies("RFC5041-5.3-1")
    void wakingUpWaitsForTheGapBetweenMessages() {
        RawPeer peer = RawPeer.establishedInitiator();
        peer.end.out.limit(17_000);
        peer.node.postWrite(1, 0, 40_000, peer.node, 0);
        assertThat(Frames.ulpdus(peer.out())).hasSize(1);
        peer.advance(20_000_000);
        // the Write's second segment, then its last one, then the nudge
        List<byte[]> rest = new java.util.ArrayList<>();
        for (int i = 0; i < 4; i++) {
            rest.addAll(Frames.ulpdus(peer.out()));
        }
        assertThat(rest).hasSize(3);
        assertThat(rest.getLast()).isEqualTo(NUDGE);
        assertThat(rest.get(1)[0] & 0x40).isEqualTo(0x40);
    }
}
