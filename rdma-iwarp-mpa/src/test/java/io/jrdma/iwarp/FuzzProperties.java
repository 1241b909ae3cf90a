package io.jrdma.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.MpaOptions;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * A peer that sends anything at all: no exception, no byte outside the region, one end, and one completion for each request; what goes out
 * last is a Terminate or nothing.
 */
class FuzzProperties {
    private static final int REGION = 4096;
    private static final int GUARD = 256;

    private final MemorySegment all = Arena.ofAuto().allocate(REGION + 2 * GUARD, 4096);

    private RawPeer peer() {
        all.fill((byte) 0x5C);
        return new RawPeer(all.asSlice(GUARD, REGION));
    }

    private void feed(RawPeer peer, byte[] stream, Random random) {
        for (int at = 0; at < stream.length; ) {
            int n = Math.min(stream.length - at, 1 + random.nextInt(random.nextBoolean() ? 8 : 4000));
            peer.in(Arrays.copyOfRange(stream, at, at + n));
            at += n;
            if (random.nextBoolean()) {
                peer.end.out.takeAll();
                peer.run();
            }
            if (random.nextInt(16) == 0) {
                peer.advance(random.nextInt(30_000_000));
            }
        }
    }

    private void checkEnd(RawPeer peer, int sends, int receives, Random random) {
        peer.end.out.takeAll();
        peer.run();
        if (random.nextBoolean()) {
            peer.fin();
        }
        boolean connected = peer.log.isEstablished();
        peer.gone();
        List<String> ends = peer.log.log.stream()
                .filter(l -> l.equals("disconnected") || l.startsWith("failed") || l.startsWith("rejected"))
                .toList();
        assertThat(ends).as(peer.log.log.toString()).hasSizeLessThanOrEqualTo(1);
        if (connected) {
            assertThat(ends).containsExactly("disconnected");
            assertThat(peer.node.sendCompletions()).hasSize(sends);
            assertThat(peer.node.receiveCompletions()).hasSize(receives);
        }
        assertThat(peer.node.events.size()).isLessThanOrEqualTo(1);
        assertThat(all.asSlice(0, GUARD).toArray(ValueLayout.JAVA_BYTE)).containsOnly(0x5C);
        assertThat(all.asSlice(GUARD + REGION).toArray(ValueLayout.JAVA_BYTE)).containsOnly(0x5C);
        assertThat(peer.end.deadline()).isEqualTo(Long.MAX_VALUE);
    }

    private static RawPeer post(RawPeer peer) {
        for (int i = 0; i < 4; i++) {
            peer.node.postReceive(i, 64L * i, 64);
        }
        return peer;
    }

    @Property
    void garbageInsteadOfAHandshake(@ForAll long seed, @ForAll boolean initiator) {
        Random random = new Random(seed);
        RawPeer peer = peer();
        if (initiator) {
            peer.initiate(RawPeer.parameters(MpaOptions.RECOMMENDED, 4, 4));
            peer.out();
        } else {
            peer.listen(MpaOptions.RECOMMENDED);
        }
        byte[] stream = new byte[1 + random.nextInt(600)];
        random.nextBytes(stream);
        // most of a right frame, so that it gets further than the first byte
        byte[] good = initiator
                ? Frames.reply(Frames.S, 2, Frames.enhanced(0, 4, 4))
                : Frames.request(Frames.S, 2, Frames.enhanced(0, 4, 4));
        System.arraycopy(good, 0, stream, 0, Math.min(stream.length, random.nextInt(good.length + 1)));
        feed(peer, stream, random);
        checkEnd(peer, 0, 0, random);
    }

    @Property
    void garbageBehindTheHandshake(@ForAll long seed, @ForAll boolean crc) {
        Random random = new Random(seed);
        RawPeer peer = RawPeer.established(post(peer()), crc);
        byte[] stream = new byte[random.nextInt(3000)];
        random.nextBytes(stream);
        if (random.nextBoolean() && stream.length > 2) {
            stream[0] = 0;
        }
        peer.node.postSend(9, 0, 10);
        feed(peer, stream, random);
        checkEnd(peer, 1, 4, random);
    }

    /** FPDUs that are right as such, with headers of all kinds of values, near the right ones most of the time. */
    @Property(tries = 2000)
    void anyHeaderInRightFpdus(@ForAll long seed) {
        Random random = new Random(seed);
        RawPeer peer = RawPeer.established(post(peer()), random.nextBoolean());
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        int sendMsn = 1;
        int readMsn = 1;
        int mo = 0;
        for (int i = random.nextInt(8); i >= 0; i--) {
            int opcode = random.nextInt(4) == 0 ? random.nextInt(16) : random.nextInt(8);
            boolean last = random.nextInt(4) != 0;
            byte[] payload = new byte[random.nextInt(4) == 0 ? 0 : random.nextInt(80)];
            random.nextBytes(payload);
            byte[] ulpdu = switch (opcode) {
                case 0, 2 -> Frames.tagged(opcode, last, stag(peer, random), offset(peer, random), payload);
                case 1 ->
                    Frames.readRequestUlpdu(
                            near(readMsn, random),
                            random.nextInt(),
                            random.nextLong(),
                            random.nextInt(3) == 0 ? random.nextInt() : random.nextInt(200),
                            stag(peer, random),
                            offset(peer, random));
                default ->
                    Frames.untagged(
                            opcode,
                            last,
                            stag(peer, random),
                            opcode == 7 ? near(2, random) : near(0, random),
                            near(opcode == 7 ? 1 : sendMsn, random),
                            near(opcode == 7 ? 0 : mo, random),
                            payload);
            };
            if (opcode == 1) {
                readMsn++;
            } else if (opcode >= 3 && opcode <= 6) {
                mo = last ? 0 : mo + payload.length;
                sendMsn += last ? 1 : 0;
            }
            if (random.nextInt(10) == 0) {
                ulpdu[random.nextInt(Math.min(2, ulpdu.length))] ^= (byte) (1 << random.nextInt(8));
            }
            if (random.nextInt(12) == 0) {
                ulpdu = Arrays.copyOf(ulpdu, random.nextInt(ulpdu.length + 1));
            }
            stream.writeBytes(Frames.fpdu(ulpdu));
        }
        peer.node.postSend(9, 0, 10);
        peer.node.postRead(10, 100, 30, peer.node, 0);
        feed(peer, stream.toByteArray(), random);
        checkEnd(peer, 2, 4, random);
    }

    private static int near(int value, Random random) {
        return switch (random.nextInt(8)) {
            case 0 -> value + random.nextInt(3) - 1;
            case 1 -> random.nextInt(20) == 0 ? random.nextInt() : value;
            default -> value;
        };
    }

    private static int stag(RawPeer peer, Random random) {
        return random.nextInt(8) == 0 ? random.nextInt() : peer.node.key;
    }

    private static long offset(RawPeer peer, Random random) {
        return switch (random.nextInt(8)) {
            case 0 -> random.nextLong();
            case 1 -> peer.node.address(REGION - random.nextInt(90));
            case 2 -> peer.node.address(-random.nextInt(90));
            default -> peer.node.address(random.nextInt(REGION - 300));
        };
    }

    /** A good session in which some bytes were changed, left out, doubled. */
    @Property(tries = 1000)
    void mutatedSessions(@ForAll long seed) {
        Random random = new Random(seed);
        boolean crc = random.nextBoolean();
        RawPeer peer = RawPeer.established(post(peer()), crc);
        TestNode node = peer.node;
        byte[] stream = Frames.concat(
                Frames.send(1, Frames.pattern(13, 1)),
                Frames.write(node.key, node.address(1000), Frames.pattern(33, 5)),
                Frames.readRequest(1, 1, 2, 100, node.key, node.address(0)),
                Frames.fpdu(Frames.untagged(Frames.SEND, false, 0, 0, 2, 0, Frames.pattern(9, 7))),
                Frames.fpdu(Frames.untagged(Frames.SEND, true, 0, 0, 2, 9, Frames.pattern(30, 9))),
                Frames.readRequest(2, 1, 2, 0, 0, 0),
                Frames.fpdu(Frames.tagged(Frames.WRITE, false, node.key, node.address(2000), Frames.pattern(16, 3))),
                Frames.fpdu(Frames.tagged(Frames.WRITE, true, node.key, node.address(2016), Frames.pattern(5, 4))),
                Frames.send(3));
        for (int i = random.nextInt(4); i >= 0; i--) {
            int at = random.nextInt(stream.length);
            int to = Math.min(stream.length, at + 1 + random.nextInt(30));
            byte[] head = Arrays.copyOf(stream, at);
            byte[] tail = Arrays.copyOfRange(stream, to, stream.length);
            byte[] middle = Arrays.copyOfRange(stream, at, to);
            switch (random.nextInt(4)) {
                case 0 -> stream = Frames.concat(head, tail);
                case 1 -> stream = Frames.concat(head, middle, middle, tail);
                default -> stream[at] ^= (byte) (1 << random.nextInt(8));
            }
            if (stream.length == 0) {
                return;
            }
        }
        feed(peer, stream, random);
        checkEnd(peer, 0, 4, random);
    }

    /** Garbage as the answers to an initiator that sends and reads. */
    @Property(tries = 500)
    void mutatedAnswers(@ForAll long seed) {
        Random random = new Random(seed);
        RawPeer peer = RawPeer.establishedInitiator(post(peer()));
        TestNode node = peer.node;
        node.postRead(1, 1000, 40, node, 0);
        node.postSend(2, 0, 20);
        node.postRead(3, 1100, 0, node, 0);
        peer.out();
        byte[] stream = Frames.concat(
                Frames.fpdu(Frames.tagged(2, false, node.key, node.address(1000), new byte[16])),
                Frames.fpdu(Frames.tagged(2, true, node.key, node.address(1016), new byte[24])),
                Frames.readResponse(1, 0),
                Frames.terminate((byte) 1, (byte) 0, (byte) 0, (byte) 0));
        for (int i = random.nextInt(3); i >= 0; i--) {
            stream[random.nextInt(stream.length)] ^= (byte) (1 << random.nextInt(8));
        }
        feed(peer, stream, random);
        checkEnd(peer, 3, 4, random);
    }
}
