package io.jrdma.ib;

import static io.jrdma.ib.PacketBuilder.bytes;
import static io.jrdma.ib.PacketBuilder.packet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.ib.TestNode.Link;
import io.jrdma.verbs.spi.Engine;
import io.jrdma.verbs.spi.ManagementListener;
import io.jrdma.verbs.spi.ManagementPort;
import io.jrdma.wire.ib.Bth;
import io.jrdma.wire.ib.Deth;
import io.jrdma.wire.ib.IbOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** QP1: datagrams and the timer of the connection manager, and what it learns of queue pairs. */
class ManagementQueuePairTest {
    private final IbPair pair = new IbPair();
    private final Recorder left = attach(pair.left);
    private final Recorder right = attach(pair.right);

    private static final class Recorder implements ManagementListener {
        final List<String> calls = new ArrayList<>();
        final List<byte[]> mads = new ArrayList<>();

        @Override
        public void onDatagram(InetAddress from, MemorySegment segment, long offset, int length, long nowNs) {
            calls.add("datagram from " + from.getHostAddress());
            mads.add(segment.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE));
        }

        @Override
        public void onCommunicationEstablished(int qpNum, long nowNs) {
            calls.add("established " + qpNum);
        }

        @Override
        public void onQueuePairFault(int qpNum, long nowNs) {
            calls.add("fault " + qpNum);
        }

        @Override
        public void onTimeout(long nowNs) {
            calls.add("timeout " + nowNs);
        }

        @Override
        public void onClosed(long nowNs) {
            calls.add("closed");
        }
    }

    private static Recorder attach(TestNode node) {
        Recorder recorder = new Recorder();
        ManagementPort port = node.device.management();
        assertThat(port.attach(() -> recorder)).isSameAs(recorder);
        assertThat(port.attach(Recorder::new)).isSameAs(recorder);
        return recorder;
    }

    private byte[] mad(int first) {
        byte[] mad = bytes(ManagementPort.MAD_BYTES);
        mad[0] = (byte) first;
        return mad;
    }

    @Test
    void datagramsGoFromQp1ToQp1() {
        pair.network.record = true;
        for (int i = 0; i < 3; i++) {
            pair.left.device.management().send(TestNode.addressOf(1), mad(i));
        }
        pair.run();
        assertThat(right.calls).hasSize(3).containsOnly("datagram from 10.0.0.1");
        assertThat(right.mads).containsExactly(mad(0), mad(1), mad(2));
        MemorySegment sent = pair.network.sent.get(2).segment();
        assertThat(sent.byteSize()).isEqualTo(280);
        assertThat(Bth.view(sent, 0)).isEqualTo(new Bth.View(IbOpcode.UD_SEND_ONLY, 0, 0, 0, Bth.DEFAULT_P_KEY, 1, 2));
        assertThat(Deth.view(sent, 12)).isEqualTo(new Deth.View(Deth.Q_KEY_GSI, 1));
        assertThat(pair.left.sink.commits).isEqualTo(1);
        pair.left.device.management().send(TestNode.addressOf(1), mad(9));
        assertThat(pair.left.pins).isEqualTo(1);
    }

    @Test
    void aFloodOfDatagramsIsCutOff() {
        pair.network.roomBytes = 0;
        for (int i = 0; i < 300; i++) {
            pair.left.device.management().send(TestNode.addressOf(1), mad(i));
        }
        pair.network.roomBytes = 1 << 20;
        pair.run();
        assertThat(right.mads).hasSize(ManagementQueuePair.MAX_WAITING);
        assertThat(pair.left.device.counters().value(IbCounters.MADS_DROPPED))
                .isEqualTo(300 - ManagementQueuePair.MAX_WAITING);
        assertThatThrownBy(() -> pair.left.device.management().send(TestNode.addressOf(1), new byte[257]))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void onlyDatagramsWithTheRightKeyComeIn() {
        for (byte[] bad : List.of(
                packet(IbOpcode.UD_SEND_ONLY, 0, mad(0))
                        .destQp(1)
                        .deth(Deth.Q_KEY_GSI + 1, 1)
                        .build(),
                packet(IbOpcode.SEND_ONLY, 0, mad(0)).destQp(1).build(),
                packet(IbOpcode.UD_SEND_ONLY_WITH_IMM, 0, mad(0))
                        .destQp(1)
                        .deth(Deth.Q_KEY_GSI, 1)
                        .build())) {
            pair.right.device.onPacket(0, MemorySegment.ofArray(bad), 0, bad.length, 0, 0);
        }
        assertThat(right.calls).isEmpty();
        // any PSN, AckReq and any length are all right, and nothing is answered
        byte[] odd = packet(IbOpcode.UD_SEND_ONLY, 77, bytes(5))
                .destQp(1)
                .ackRequest()
                .deth(Deth.Q_KEY_GSI, 99)
                .build();
        pair.right.device.onPacket(0, MemorySegment.ofArray(odd), 0, odd.length, 0, 0);
        assertThat(right.mads).containsExactly(bytes(5));
        pair.network.record = true;
        pair.run();
        assertThat(pair.network.sent).isEmpty();
    }

    @Test
    void theTimerGoesOffOnce() {
        ManagementPort port = pair.left.device.management();
        long now = pair.clock.nowNs();
        port.deadline(now + 500);
        port.deadline(now + 900);
        pair.runFor(899);
        assertThat(left.calls).isEmpty();
        pair.runFor(1000);
        assertThat(left.calls).containsExactly("timeout " + (now + 900));
        port.deadline(now + 5000);
        port.deadline(Engine.NO_DEADLINE);
        pair.runFor(10_000);
        assertThat(left.calls).hasSize(1);
    }

    @Test
    void queuePairsTellThatThePeerIsThereAndThatTheyFailed() {
        pair.connect(Link.DEFAULT.withTimeout(10, 0), Link.DEFAULT);
        pair.right.postReceive(1, 0, 10);
        pair.right.postReceive(2, 0, 10);
        pair.left.postSend(1, 0, 5);
        pair.left.postSend(2, 0, 5);
        pair.run();
        assertThat(right.calls).containsExactly("established 257");
        pair.network.rule = packet -> true;
        pair.left.postSend(3, 0, 5);
        pair.run();
        assertThat(left.calls).containsExactly("fault 256");
        pair.right.device.onClosed(pair.clock.nowNs());
        assertThat(right.calls).containsExactly("established 257", "closed");
    }

    @Test
    void thePathMtuFitsTheInterface() {
        for (int[] one :
                new int[][] {{1500, 1024}, {4200, 4096}, {4180, 2048}, {9000, 4096}, {65_536, 4096}, {300, 256}}) {
            pair.left.interfaceMtu = one[0];
            assertThat(pair.left.device.management().pathMtu()).isEqualTo(one[1]);
        }
    }
}
