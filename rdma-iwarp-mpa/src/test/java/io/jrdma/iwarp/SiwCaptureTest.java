package io.jrdma.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.Pcap;
import io.jrdma.testing.Satisfies;
import io.jrdma.testing.TcpConnection;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.wire.iwarp.MpaStartup;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What Linux siw sent to another siw, fed to this engine in the other's place. Keys and addresses in it are those of processes long gone,
 * so one-sided accesses fail; up to the first of them everything has to go well.
 */
class SiwCaptureTest {
    record Session(String name, TcpConnection connection) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Session> sessions() {
        List<Session> all = new ArrayList<>();
        for (String name : List.of("siw-rping", "siw-rping6", "siw-rdma-client", "siw-read-lat-cm")) {
            int number = 0;
            for (TcpConnection connection : Pcap.capture(name).tcpConnections()) {
                if (connection.toServer().bytes().length > 20) {
                    all.add(new Session(name + " " + number++, connection));
                }
            }
        }
        return all;
    }

    static Stream<Session> connections() {
        List<Session> all = sessions();
        assertThat(all).hasSizeGreaterThan(4);
        return all.stream();
    }

    private static int frameBytes(byte[] stream) {
        return MpaStartup.frameBytes(MemorySegment.ofArray(stream), 0);
    }

    /** Opcodes of the FPDUs behind the start-up frame, up to and without the first that needs memory of the other side. */
    private static List<byte[]> untilOneSided(byte[] stream) {
        List<byte[]> all = new ArrayList<>();
        for (byte[] ulpdu : Frames.ulpdus(Arrays.copyOfRange(stream, frameBytes(stream), stream.length))) {
            int opcode = ulpdu[1] & 0xF;
            if (opcode < Frames.SEND) {
                break;
            }
            all.add(ulpdu);
        }
        return all;
    }

    private static void checkReceives(RawPeer peer, byte[] stream) {
        List<byte[]> sends = untilOneSided(stream);
        List<String> completions = peer.node.receiveCompletions();
        for (int i = 0; i < sends.size(); i++) {
            byte[] send = sends.get(i);
            assertThat(completions.get(i)).isEqualTo(i + " SUCCESS RECV " + (send.length - 18));
            assertThat(peer.node.bytes(i * 256L, send.length - 18))
                    .isEqualTo(Arrays.copyOfRange(send, 18, send.length));
        }
    }

    private static void post(RawPeer peer) {
        for (int i = 0; i < 64; i++) {
            peer.node.postReceive(i, i * 256L, 256);
        }
    }

    @ParameterizedTest
    @MethodSource("connections")
    @Satisfies({"RFC5044-7.1.2-2", "RFC5040-4.2-2"})
    void theClientsBytesToAResponder(Session session) {
        byte[] stream = session.connection().toServer().bytes();
        MpaOptions options = MpaOptions.builder().crc(false).build();
        RawPeer peer = new RawPeer().listen(options);
        post(peer);
        int request = frameBytes(stream);
        peer.in(Arrays.copyOf(stream, request));
        assertThat(peer.log.log).hasSize(1);
        peer.accept(RawPeer.parameters(options, 128, 128));
        byte[] reply = peer.out();
        byte[] theirs = session.connection().toClient().bytes();
        // the same Reply as siw's own, up to depths and private data
        assertThat(Arrays.copyOf(reply, 18)).isEqualTo(Arrays.copyOf(theirs, 18));
        feed(peer, stream, request);
        peer.fin();
        checkReceives(peer, stream);
        assertThat(peer.end.closing).isTrue();
    }

    @ParameterizedTest
    @MethodSource("connections")
    void theServersBytesToAnInitiator(Session session) {
        byte[] stream = session.connection().toClient().bytes();
        byte[] theirs = session.connection().toServer().bytes();
        RawPeer peer = new RawPeer();
        post(peer);
        int depth = theirs[21] & 0xFF;
        int ord = theirs[23] & 0xFF;
        peer.initiate(RawPeer.parameters(MpaOptions.builder().crc(false).build(), depth, ord));
        // the same Request as siw's own, without private data
        if (frameBytes(theirs) == 24) {
            assertThat(peer.out()).isEqualTo(Arrays.copyOf(theirs, 24));
        }
        peer.out();
        feed(peer, stream, 0);
        assertThat(peer.log.isEstablished()).isTrue();
        peer.fin();
        checkReceives(peer, stream);
        assertThat(peer.end.closing).isTrue();
    }

    private static void feed(RawPeer peer, byte[] stream, int from) {
        for (int at = from; at < stream.length; ) {
            int n = Math.min(stream.length - at, 1 + at * 31 % 97);
            peer.in(Arrays.copyOfRange(stream, at, at + n));
            peer.end.out.takeAll();
            peer.run();
            at += n;
        }
    }
}
