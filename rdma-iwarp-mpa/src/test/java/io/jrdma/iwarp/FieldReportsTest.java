package io.jrdma.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WrOpcode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What went wrong in other iWARP stacks, by their bug reports, tried here. */
class FieldReportsTest {
    /** LR a576d286a4: a handshake in crumbs made events early, or twice. */
    @Test
    void aHandshakeInCrumbsMakesEachEventOnce() {
        for (int length : new int[] {0, 200}) {
            byte[] data = Frames.pattern(length, 4);
            RawPeer server = new RawPeer().listen(MpaOptions.RECOMMENDED);
            server.inByteByByte(Frames.request(Frames.S, 2, Frames.enhanced(0, 1, 1, data)));
            assertThat(server.log.log).hasSize(1);
            assertThat(server.log.privateData).isEqualTo(data);
            server.accept(RawPeer.parameters(MpaOptions.RECOMMENDED, 1, 1, data));
            byte[] reply = server.out();
            assertThat(server.log.log).hasSize(2);
            RawPeer client = new RawPeer().initiate(RawPeer.parameters(MpaOptions.RECOMMENDED, 1, 1, data));
            client.out();
            client.inByteByByte(reply);
            assertThat(client.log.log).hasSize(1);
            assertThat(client.log.isEstablished()).isTrue();
        }
    }

    /** LR f2a3527f75: an FPDU whose pad or CRC came in a segment of its own was not seen before more traffic came. */
    @Test
    void aCutTrailerNeedsNoFurtherTraffic() {
        for (int length = 1; length <= 4; length++) {
            byte[] send = Frames.send(1, Frames.pattern(length, 1));
            for (int cut = 0; cut < send.length; cut++) {
                RawPeer peer = RawPeer.established(new RawPeer(), true);
                peer.node.postReceive(1, 0, 8);
                peer.in(Arrays.copyOf(send, cut));
                peer.advance(2_000_000_000L);
                assertThat(peer.node.receiveCompletions()).isEmpty();
                peer.in(Arrays.copyOfRange(send, cut, send.length));
                assertThat(peer.node.receiveCompletions()).containsExactly("1 SUCCESS RECV " + length);
            }
        }
    }

    /** LR 22796cde94: read queues and receive queues of size zero. */
    @ParameterizedTest
    @CsvSource({"0,0", "0,1", "1,0"})
    void depthsOfZeroAreLegal(int ird, int ord) {
        var options = TestNode.options().withDepths(128, 0);
        IwarpPair pair = new IwarpPair(options, options, 4096);
        pair.open(
                RawPeer.parameters(MpaOptions.RECOMMENDED, ird, ord),
                MpaOptions.RECOMMENDED,
                RawPeer.parameters(MpaOptions.RECOMMENDED, ird, ord));
        pair.run();
        for (int i = 0; i < 100; i++) {
            pair.left.postWrite(i, 0, 4, pair.right, 8);
        }
        pair.run();
        assertThat(pair.left.sendCompletions()).hasSize(100).allMatch(c -> c.contains("SUCCESS"));
        pair.left.postRead(200, 0, 4, pair.right, 0);
        pair.run();
        // a responder serves what the initiator wants, so only an initiator that wants nothing gets nothing
        assertThat(pair.left.sendCompletions())
                .containsExactly("200 " + (ord > 0 ? "SUCCESS RDMA_READ 4" : "LOC_QP_OP_ERR RDMA_READ 0"));
        if (ord > 0) {
            pair.left.postSend(300, 0, 4);
            pair.run();
            assertThat(pair.right.events.getFirst().detail()).isEqualTo(0x1202);
        }
    }

    /** libfabric 90da7326c and softiwarp e23c13b: transfers without payload were taken for the end, or refused. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void transfersWithoutPayloadAreTransfers(boolean crc) {
        IwarpPair pair = new IwarpPair();
        MpaOptions options = MpaOptions.builder().crc(crc).build();
        pair.connect(options, options);
        SendWr wr = new SendWr();
        for (int round = 0; round < 1000; round++) {
            int length = round & 1;
            pair.right.postReceive(round, 0, 1);
            pair.right.postReceive(round, 0, 0);
            pair.left.postSend(round, 0, length);
            pair.left.qp.postSend(wr.reset().solicited(true));
            pair.left.postWrite(round, 0, 0, pair.right, 0);
            pair.left.qp.postSend(wr.reset().opcode(WrOpcode.RDMA_WRITE));
            pair.left.qp.postSend(wr.reset().opcode(WrOpcode.RDMA_READ));
            pair.left.postRead(round, 8, length, pair.right, 0);
            pair.run();
            assertThat(pair.right.receiveCompletions())
                    .containsExactly(round + " SUCCESS RECV " + length, round + " SUCCESS RECV 0");
            assertThat(pair.left.sendCompletions()).hasSize(6).allMatch(c -> c.contains("SUCCESS"));
        }
        assertThat(pair.left.qp.state()).isEqualTo(QpState.RTS);
    }

    /** LR 66f336e9a2: a buffer that changes while it is sent must not spoil the CRC. */
    @Test
    void aBufferThatChangesWhileItIsSentDoesNotBreakTheStream() throws InterruptedException {
        IwarpPair pair = new IwarpPair(TestNode.options(), TestNode.options(), 1 << 17).connect();
        AtomicBoolean stop = new AtomicBoolean();
        Thread flipper = new Thread(() -> {
            for (int i = 0; !stop.get(); i++) {
                pair.left.memory.fill((byte) i);
            }
        });
        flipper.start();
        try {
            for (int i = 0; i < 1_000; i++) {
                pair.right.postReceive(i, 0, 65_536);
                pair.left.postSend(i, 0, 65_536);
                pair.left.postWrite(i, 0, 65_536, pair.right, 65_536);
                pair.run();
                assertThat(pair.left.sendCompletions()).hasSize(2).allMatch(c -> c.contains("SUCCESS"));
                assertThat(pair.right.receiveCompletions()).containsExactly(i + " SUCCESS RECV 65536");
            }
        } finally {
            stop.set(true);
            flipper.join();
        }
        assertThat(pair.right.events).isEmpty();
        assertThat(pair.left.qp.state()).isEqualTo(QpState.RTS);
    }

    /** LR c18ecfce9f and 495af91b06: FPDUs of other sizes than one per TCP segment, from odd addresses. */
    @Test
    void fpdusOfAnySizeAreTaken() {
        RawPeer peer = RawPeer.established(new RawPeer(), true);
        TestNode node = peer.node;
        List<byte[]> writes = new ArrayList<>();
        int[] sizes = {0, 1, 1428, 16_384, 65_535 - 14};
        for (int size : sizes) {
            writes.add(Frames.write(node.key, node.address(7), Frames.pattern(size, size)));
            peer.in(writes.getLast());
            assertThat(node.bytes(7, size)).isEqualTo(Frames.pattern(size, size));
        }
        // several in one piece, and each of them over many
        peer.in(writes.toArray(byte[][]::new));
        byte[] all = Frames.concat(writes.toArray(byte[][]::new));
        for (int at = 0; at < all.length; at += 536) {
            peer.in(Arrays.copyOfRange(all, at, Math.min(all.length, at + 536)));
        }
        assertThat(peer.out()).isEmpty();
        assertThat(node.bytes(7, sizes[4])).isEqualTo(Frames.pattern(sizes[4], sizes[4]));
    }

    @ParameterizedTest
    @ValueSource(ints = {518, 1442, 8942, 64_768})
    void largeWritesFromOddAddressesArriveWhole(int maxUlpdu) {
        int size = 1 << 20;
        IwarpPair pair = new IwarpPair(TestNode.options(), TestNode.options(), size + 8192);
        MpaOptions options = MpaOptions.builder().maxUlpdu(maxUlpdu).build();
        pair.connect(options, options);
        Random random = new Random(maxUlpdu);
        byte[] data = new byte[size];
        random.nextBytes(data);
        for (int offset : new int[] {0, 1, 2, 3, 4, 5, 6, 7, 4095}) {
            pair.left.fill(offset, data);
            pair.left.postWrite(offset, offset, size, pair.right, 8192 - offset);
            pair.run();
            assertThat(Arrays.equals(pair.right.bytes(8192 - offset, size), data))
                    .isTrue();
        }
        assertThat(pair.left.sendCompletions()).hasSize(9).allMatch(c -> c.contains("SUCCESS"));
    }

    /** LR 124a3c1693: a reset while the queue pair is destroyed, with much in flight. */
    @Test
    void aResetMeetsTheDestructionOfTheQueuePair() {
        for (int round = 0; round < 200; round++) {
            IwarpPair pair = new IwarpPair(TestNode.options(), TestNode.options(), 1 << 17).connect();
            for (int i = 0; i < 8; i++) {
                pair.left.postWrite(i, 0, 60_000, pair.right, 0);
            }
            for (int i = 0; i < round % 20; i++) {
                pair.step();
            }
            pair.left.sendCompletions();
            if (round % 2 == 0) {
                pair.leftEnd.gone();
                pair.left.qp.destroy();
            } else {
                pair.left.qp.destroy();
                pair.leftEnd.gone();
            }
            pair.rightEnd.gone();
            assertThat(pair.left.sendCompletions().size()).isIn(0, 1, 2, 3, 4, 5, 6, 7, 8);
            if (round % 2 == 1) {
                assertThat(pair.left.sendCompletions()).isEmpty();
            }
            assertThat(pair.leftLog.log).containsOnlyOnce("disconnected");
            assertThat(pair.rightLog.log).containsOnlyOnce("disconnected");
        }
    }
}
