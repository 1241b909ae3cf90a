package io.jrdma.iwarp;

import static io.jrdma.iwarp.Frames.fpdu;
import static io.jrdma.iwarp.Frames.pattern;
import static io.jrdma.iwarp.Frames.readRequest;
import static io.jrdma.iwarp.Frames.send;
import static io.jrdma.iwarp.Frames.tagged;
import static io.jrdma.iwarp.Frames.untagged;
import static io.jrdma.iwarp.Frames.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.Satisfies;
import io.jrdma.verbs.MpaOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** However a stream is cut, it means the same: start-up, every kind of message, and every kind of end. */
class SplitProperties {
    private static final MemorySegment MEMORY = Arena.ofAuto().allocate(1 << 14, 4096);
    private static final int KEY = new RawPeer(MEMORY).node.key;
    private static final long BASE = MEMORY.address();
    private static final MpaOptions OPTIONS = MpaOptions.builder().maxUlpdu(128).build();

    /** What an initiator sends in a session in which everything occurs. */
    private static byte[] session(boolean peerToPeer) {
        int control = peerToPeer ? Frames.A | Frames.RTR_SEND : 0;
        int first = peerToPeer ? 2 : 1;
        return Frames.concat(
                Frames.request(Frames.S | Frames.C, 2, Frames.enhanced(control, 4, 4, pattern(7, 2))),
                peerToPeer ? send(1) : new byte[0],
                send(first, pattern(13, 1)),
                write(KEY, BASE + 100, pattern(33, 5)),
                readRequest(1, 0x11, 0x22, 300, KEY, BASE + 4000),
                fpdu(untagged(Frames.SEND, false, 0, 0, first + 1, 0, pattern(9, 7))),
                write(0, 0),
                fpdu(untagged(Frames.SEND, true, 0, 0, first + 1, 9, pattern(30, 9))),
                readRequest(2, 0x33, 0x44, 0, 0, 0),
                fpdu(tagged(Frames.WRITE, false, KEY, BASE + 200, pattern(16, 3))),
                fpdu(tagged(Frames.WRITE, true, KEY, BASE + 216, pattern(5, 4))),
                send(first + 2));
    }

    private static final byte[][] ENDS = {
        {},
        send(9),
        write(KEY ^ 1, BASE, (byte) 1),
        write(KEY, BASE + (1 << 14), (byte) 1),
        readRequest(3, 1, 2, 3, KEY ^ 1, BASE),
        fpdu(),
        Frames.spoilt(write(KEY, BASE, (byte) 1)),
        fpdu((byte) 0xC1, (byte) 0x4E),
        Frames.terminate((byte) 0x11, (byte) 0, (byte) 0, (byte) 0),
        {0, 5},
    };

    /** All that can be seen of an engine that was fed with those pieces. */
    private static String outcome(List<byte[]> pieces) {
        MEMORY.fill((byte) 0);
        RawPeer peer = new RawPeer(MEMORY).listen(OPTIONS);
        for (int i = 0; i < 5; i++) {
            peer.node.postReceive(i, 1000 + 64L * i, 64);
        }
        List<byte[]> out = new ArrayList<>();
        boolean accepted = false;
        for (byte[] piece : pieces) {
            int taken = 0;
            if (!accepted) {
                // the initiator waits for the Reply
                int request = 31;
                int had = in(out);
                taken = Math.min(piece.length, request - had);
                peer.in(Arrays.copyOf(piece, taken));
                out.add(new byte[] {(byte) taken});
                if (had + taken == request) {
                    peer.accept(RawPeer.parameters(OPTIONS, 4, 4));
                    accepted = true;
                    out.clear();
                    out.add(peer.out());
                }
            }
            if (accepted && taken < piece.length) {
                peer.in(Arrays.copyOfRange(piece, taken, piece.length));
                out.add(peer.out());
            }
        }
        peer.fin();
        out.add(peer.out());
        peer.gone();
        byte[] sent = Frames.concat(out.toArray(byte[][]::new));
        return String.join(
                "\n",
                peer.log.log.toString(),
                String.valueOf(peer.log.negotiated),
                peer.node.events.toString(),
                peer.node.receiveCompletions().toString(),
                peer.node.sendCompletions().toString(),
                "closing " + peer.end.closing,
                // behind a Terminate nothing goes out, so there it counts what had gone out before
                peer.node.events.toString().contains("received")
                        ? ""
                        : HexFormat.of().formatHex(sent),
                HexFormat.of().formatHex(peer.node.bytes(0, 1400)));
    }

    private static int in(List<byte[]> counts) {
        return counts.stream().mapToInt(c -> c[0]).sum();
    }

    private static byte[] stream(boolean peerToPeer, int end) {
        return Frames.concat(session(peerToPeer), ENDS[end]);
    }

    @Test
    void theWholeSessionMeansWhatItSays() {
        String outcome = outcome(List.of(stream(false, 0)));
        assertThat(outcome)
                .contains("established", "0 SUCCESS RECV 13, 1 SUCCESS RECV 39, 2 SUCCESS RECV 0, 3 WR_FLUSH");
    }

    @Test
    @Satisfies({"RFC5044-7.1.2-2", "RFC5044-4.4-5"})
    void oneCutAnywhereChangesNothing() {
        for (int end = 0; end < ENDS.length; end++) {
            for (boolean peerToPeer : new boolean[] {false, true}) {
                byte[] stream = stream(peerToPeer, end);
                String whole = outcome(List.of(stream));
                // the early bytes are the same for all ends
                int from = end == 0 ? 1 : session(peerToPeer).length - 40;
                for (int cut = from; cut < stream.length; cut++) {
                    assertThat(outcome(List.of(
                                    Arrays.copyOf(stream, cut), Arrays.copyOfRange(stream, cut, stream.length))))
                            .as("end %d, peer-to-peer %s, cut at %d", end, peerToPeer, cut)
                            .isEqualTo(whole);
                }
            }
        }
    }

    @Test
    void oneByteATimeChangesNothing() {
        for (int end = 0; end < ENDS.length; end++) {
            for (boolean peerToPeer : new boolean[] {false, true}) {
                byte[] stream = stream(peerToPeer, end);
                List<byte[]> pieces = new ArrayList<>();
                for (byte one : stream) {
                    pieces.add(new byte[] {one});
                }
                assertThat(outcome(pieces))
                        .as("end %d, peer-to-peer %s", end, peerToPeer)
                        .isEqualTo(outcome(List.of(stream)));
            }
        }
    }

    @Property
    void randomCutsChangeNothing(
            @ForAll @IntRange(max = 9) int end,
            @ForAll boolean peerToPeer,
            @ForAll @IntRange(min = 1, max = 200) int longest,
            @ForAll long seed) {
        byte[] stream = stream(peerToPeer, end);
        Random random = new Random(seed);
        List<byte[]> pieces = new ArrayList<>();
        for (int at = 0; at < stream.length; ) {
            int n = Math.min(stream.length - at, 1 + random.nextInt(longest));
            pieces.add(Arrays.copyOfRange(stream, at, at + n));
            at += n;
        }
        assertThat(outcome(pieces)).isEqualTo(outcome(List.of(stream)));
    }

    /** The Reply and what follows it, to an initiator. */
    @Test
    @Satisfies("RFC5044-7.1.2-3")
    void theInitiatorsSideDoesNotMindEither() {
        byte[] stream = Frames.concat(
                Frames.reply(Frames.S | Frames.C, 2, Frames.enhanced(0, 4, 4, pattern(9, 9))),
                send(1, pattern(20, 1)),
                write(KEY, BASE + 100, pattern(33, 5)));
        String whole = initiatorOutcome(stream, stream.length);
        assertThat(whole).contains("established", "0 SUCCESS RECV 20");
        for (int cut = 1; cut < stream.length; cut++) {
            assertThat(initiatorOutcome(stream, cut)).as("cut at %d", cut).isEqualTo(whole);
        }
    }

    private static String initiatorOutcome(byte[] stream, int cut) {
        MEMORY.fill((byte) 0);
        RawPeer peer = new RawPeer(MEMORY).initiate(RawPeer.parameters(OPTIONS, 4, 4));
        peer.node.postReceive(0, 1000, 64);
        peer.out();
        peer.in(Arrays.copyOf(stream, cut));
        peer.out();
        peer.in(Arrays.copyOfRange(stream, cut, stream.length));
        return peer.log.log + " " + peer.node.receiveCompletions()
                + HexFormat.of().formatHex(peer.node.bytes(0, 1400));
    }
}
