package io.jrdma.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.Pcap;
import io.jrdma.testing.TcpConnection;
import io.jrdma.testing.UdpDatagram;
import io.jrdma.testkit.toy.ToyDatagramPair;
import io.jrdma.testkit.toy.ToyPair;
import io.jrdma.wire.ib.Bth;
import io.jrdma.wire.ib.IbOpcode;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CaptureTest {
    @Test
    void streamsCanBeReadBackFromTheFile(@TempDir Path directory) throws IOException {
        ToyPair pair = new ToyPair(1);
        Capture capture = pair.simulator.network().capture();
        pair.simulator.network().link(LinkOptions.builder().maxSegmentBytes(100).build());
        pair.start();
        pair.send(pair.left, 0, 1000);
        pair.send(pair.right, 2000, 10);
        pair.simulator.runFor(1_000_000_000L);
        pair.left.device.driver().call(() -> pair.left.connection.disconnect());
        pair.simulator.runFor(1_000_000_000L);
        Path file = directory.resolve("sub/run.pcap");
        capture.write(file);
        Pcap pcap = Pcap.read(file);
        assertThat(pcap.frames()).hasSize(capture.frames());
        assertThat(pcap.frames().get(0).timestampNs()).isEqualTo(1_000_010_000L);
        assertThat(pcap.tcpConnections()).hasSize(1);
        TcpConnection connection = pcap.tcpConnections().get(0);
        assertThat(connection.client().getAddress()).isEqualTo(pair.left.host.address());
        assertThat(connection.server()).isEqualTo(new InetSocketAddress(pair.right.host.address(), ToyPair.PORT));
        assertThat(connection.toServer().finished()).isTrue();
        assertThat(connection.toClient().finished()).isTrue();
        assertThat(connection.toServer().reset()).isFalse();
        byte[] sent = connection.toServer().bytes();
        assertThat(sent).hasSize(1 + 16 + 1000 + 4);
        assertThat(Arrays.copyOfRange(sent, 17, 1017)).isEqualTo(ToyPair.payload(1, 1000));
        assertThat(connection.toClient().bytes()).hasSize(1 + 16 + 10 + 4);
    }

    @Test
    void resetAndVersion6AreWrittenToo(@TempDir Path directory) throws IOException {
        Simulator simulator = new Simulator(1);
        Capture capture = new Capture();
        StreamLink there = link(simulator);
        StreamLink back = link(simulator);
        InetSocketAddress active = new InetSocketAddress(InetAddress.ofLiteral("fd00::1"), 1000);
        InetSocketAddress passive = new InetSocketAddress(InetAddress.ofLiteral("fd00::2"), 2000);
        capture.opened(5, there, back, active, passive);
        capture.data(6, back, 0, new byte[70_000]);
        capture.reset(7, there);
        capture.data(8, link(simulator), 0, new byte[5]);
        Path file = directory.resolve("run.pcap");
        capture.write(file);
        TcpConnection connection = Pcap.read(file).tcpConnections().get(0);
        assertThat(connection.server()).isEqualTo(passive);
        assertThat(connection.toClient().bytes()).hasSize(70_000);
        assertThat(connection.toServer().reset()).isTrue();
    }

    @Test
    void failureWritesTheCapture(@TempDir Path directory) {
        ToyPair pair = new ToyPair(9);
        pair.simulator.captureOnFailure(directory);
        pair.start();
        SimFailure failure = pair.simulator.failure("x", new AssertionError("x"));
        Path file = directory.resolve("seed-9.pcap");
        assertThat(failure).hasMessageContaining("capture in " + file);
        assertThat(Pcap.read(file).tcpConnections()).hasSize(1);
    }

    @Test
    void datagramsCanBeReadBackFromTheFile(@TempDir Path directory) throws IOException {
        for (String[] addresses : new String[][] {{"10.0.0.1", "10.0.0.2"}, {"fd00::1", "fd00::2"}}) {
            ToyDatagramPair pair = new ToyDatagramPair(new Simulator(1), PortOptions.CALM, addresses[0], addresses[1]);
            Capture capture = pair.simulator.network().capture();
            pair.datagrams().rule(DatagramRule.nth(2, datagram -> true, DatagramFate.MARK));
            pair.send(pair.left, 600);
            pair.finish(1_000_000_000L);
            Path file = directory.resolve("run.pcap");
            capture.write(file);
            List<UdpDatagram> datagrams = Pcap.read(file).udpDatagrams();
            assertThat(datagrams).hasSize(4).hasSize(capture.frames());
            UdpDatagram third = datagrams.get(2);
            assertThat(third.source().getAddress()).isEqualTo(pair.left.host.address());
            assertThat(third.target()).isEqualTo(new InetSocketAddress(pair.right.host.address(), 4791));
            MemorySegment packet = MemorySegment.ofArray(third.payload());
            assertThat(IbOpcode.name(Bth.opcode(packet, 0))).isEqualTo("RC_SEND_LAST");
            assertThat(Arrays.copyOfRange(third.payload(), 12, 12 + 88))
                    .isEqualTo(Arrays.copyOfRange(ToyPair.payload(1, 600), 512, 600));
            assertThat(ecn(datagrams.get(1))).isEqualTo(3);
            assertThat(ecn(third)).isEqualTo(2);
        }
    }

    private static int ecn(UdpDatagram datagram) {
        byte[] ip = datagram.ip().bytes();
        return (ip[0] >>> 4 == 4 ? ip[1] : ip[1] >>> 4) & 3;
    }

    private static StreamLink link(Simulator simulator) {
        ToyPair pair = ToyPair.connected(simulator.seed());
        return pair.simulator.network().streams().get(0).out();
    }
}
