package io.jrdma.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class PcapTest {
    private static final int FIN = 0x01;
    private static final int SYN = 0x02;
    private static final int RST = 0x04;
    private static final int ACK = 0x10;

    private final ByteArrayOutputStream file = new ByteArrayOutputStream();

    PcapTest() {
        fileHeader(ByteOrder.LITTLE_ENDIAN, 0xA1B2_C3D4);
    }

    @Test
    void captureOfAKernelPeer() {
        List<TcpConnection> connections = Pcap.capture("siw-rping6").tcpConnections();
        assertThat(connections).hasSize(1);
        TcpConnection rping = connections.getFirst();
        assertThat(rping.server().getPort()).isEqualTo(7174);
        assertThat(rping.server().getAddress().getHostAddress()).isEqualTo("fd77:0:0:0:0:0:0:2");
        assertThat(text(rping.toServer())).startsWith("MPA ID Req Frame");
        assertThat(text(rping.toClient())).startsWith("MPA ID Rep Frame");
        assertThat(rping.toServer().finished()).isTrue();
    }

    @Test
    void unknownCaptureIsRefused() {
        assertThatThrownBy(() -> Pcap.capture("nothing")).hasMessageContaining("nothing.pcap");
    }

    @Test
    void directionsAreKeptApart() {
        tcp(1, 2, 100, SYN, "");
        tcp(2, 1, 500, SYN | ACK, "");
        tcp(1, 2, 101, ACK, "ab");
        tcp(2, 1, 501, ACK, "XY");
        tcp(1, 2, 103, ACK | FIN, "c");
        TcpConnection connection = only();
        assertThat(connection.client()).isEqualTo(address(1));
        assertThat(connection.server()).isEqualTo(address(2));
        assertThat(text(connection.toServer())).isEqualTo("abc");
        assertThat(connection.toServer().finished()).isTrue();
        assertThat(text(connection.toClient())).isEqualTo("XY");
        assertThat(connection.toClient().finished()).isFalse();
    }

    @Test
    void repeatedOverlappingAndLateSegmentsGiveTheStream() {
        tcp(1, 2, 100, SYN, "");
        tcp(1, 2, 104, ACK, "def");
        tcp(1, 2, 101, ACK, "abc");
        tcp(1, 2, 101, ACK, "abc");
        tcp(1, 2, 105, ACK, "efgh");
        tcp(1, 2, 109, ACK | FIN, "");
        assertThat(text(only().toServer())).isEqualTo("abcdefgh");
        assertThat(only().toServer().finished()).isTrue();
    }

    @Test
    void sequenceNumbersMayWrap() {
        tcp(1, 2, 0xFFFF_FFFD, SYN, "");
        tcp(1, 2, 0xFFFF_FFFE, ACK, "abc");
        tcp(1, 2, 1, ACK, "d");
        assertThat(text(only().toServer())).isEqualTo("abcd");
    }

    @Test
    void streamEndsAtTheFirstMissingByte() {
        tcp(1, 2, 100, SYN, "");
        tcp(1, 2, 101, ACK, "abc");
        tcp(1, 2, 105, ACK | FIN, "e");
        assertThat(text(only().toServer())).isEqualTo("abc");
        assertThat(only().toServer().finished()).isFalse();
    }

    @Test
    void samePortsAgainAreANewConnection() {
        tcp(1, 2, 100, SYN, "");
        tcp(1, 2, 100, SYN, "");
        tcp(1, 2, 101, ACK, "old");
        tcp(2, 1, 900, RST, "");
        tcp(1, 2, 7000, SYN, "");
        tcp(1, 2, 7001, ACK, "new");
        List<TcpConnection> connections = Pcap.parse(file.toByteArray()).tcpConnections();
        assertThat(connections).hasSize(2);
        assertThat(text(connections.get(0).toServer())).isEqualTo("old");
        assertThat(connections.get(0).toClient().reset()).isTrue();
        assertThat(text(connections.get(1).toServer())).isEqualTo("new");
        assertThat(connections.get(1).toClient().reset()).isFalse();
    }

    @Test
    void connectionWithoutItsStartIsLeftOut() {
        tcp(1, 2, 101, ACK, "abc");
        assertThat(Pcap.parse(file.toByteArray()).tcpConnections()).isEmpty();
    }

    @Test
    void udpPayloadWithoutLinkPadding() {
        ByteBuffer udp = ByteBuffer.allocate(8 + 3);
        udp.putShort((short) 49_152)
                .putShort((short) 4791)
                .putShort((short) 11)
                .putShort((short) 0)
                .put("abc".getBytes(StandardCharsets.US_ASCII));
        frame(ipv4(1, 2, IpPacket.UDP, udp.array()), 18);
        UdpDatagram datagram = Pcap.parse(file.toByteArray()).udpDatagrams().getFirst();
        assertThat(new String(datagram.payload(), StandardCharsets.US_ASCII)).isEqualTo("abc");
        assertThat(datagram.source().getPort()).isEqualTo(49_152);
        assertThat(datagram.target().getPort()).isEqualTo(4791);
        assertThat(datagram.ip().bytes()).hasSize(31);
    }

    @Test
    void otherByteOrderAndNanoseconds() {
        file.reset();
        fileHeader(ByteOrder.BIG_ENDIAN, 0xA1B2_3C4D);
        ByteBuffer record = ByteBuffer.allocate(16 + 2);
        record.putInt(3).putInt(5).putInt(2).putInt(9).put((byte) 1).put((byte) 2);
        file.writeBytes(record.array());
        Pcap.Frame frame = Pcap.parse(file.toByteArray()).frames().getFirst();
        assertThat(frame.timestampNs()).isEqualTo(3_000_000_005L);
        assertThat(frame.bytes()).containsExactly(1, 2);
        assertThat(frame.cut()).isTrue();
    }

    @Test
    void damagedFilesAreRefused() {
        assertThatThrownBy(() -> Pcap.parse(new byte[3])).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Pcap.parse(new byte[24])).hasMessageContaining("magic");
        ByteBuffer record =
                ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN).putInt(8, 100);
        file.writeBytes(record.array());
        assertThatThrownBy(() -> Pcap.parse(file.toByteArray())).hasMessageContaining("100 bytes");
    }

    @Test
    void whatIsNotIpIsSkipped() {
        frame(new byte[] {0, 1, 8, 0, 6, 4, 0, 1}, 0x0806, 0);
        byte[] fragment = ipv4(1, 2, IpPacket.UDP, new byte[8]);
        fragment[6] = 0x20;
        frame(fragment, 0);
        Pcap pcap = Pcap.parse(file.toByteArray());
        assertThat(pcap.frames()).hasSize(2);
        assertThat(pcap.ipPackets()).isEmpty();
    }

    private TcpConnection only() {
        List<TcpConnection> connections = Pcap.parse(file.toByteArray()).tcpConnections();
        assertThat(connections).hasSize(1);
        return connections.getFirst();
    }

    private static String text(TcpConnection.Stream stream) {
        return new String(stream.bytes(), StandardCharsets.ISO_8859_1);
    }

    private static InetSocketAddress address(int host) {
        return new InetSocketAddress("10.0.0." + host, 1000 + host);
    }

    private void tcp(int from, int to, int seq, int flags, String data) {
        byte[] payload = data.getBytes(StandardCharsets.US_ASCII);
        ByteBuffer tcp = ByteBuffer.allocate(24 + payload.length);
        tcp.putShort((short) (1000 + from))
                .putShort((short) (1000 + to))
                .putInt(seq)
                .putInt(0);
        tcp.put((byte) 0x60).put((byte) flags).putShort((short) 100).putInt(0).putInt(0x0101_0101);
        tcp.put(payload);
        frame(ipv4(from, to, IpPacket.TCP, tcp.array()), 4);
    }

    private static byte[] ipv4(int from, int to, int protocol, byte[] payload) {
        ByteBuffer ip = ByteBuffer.allocate(20 + payload.length);
        ip.putShort((short) 0x4500).putShort((short) (20 + payload.length)).putInt(0x4000);
        ip.put((byte) 64).put((byte) protocol).putShort((short) 0);
        ip.put(new byte[] {10, 0, 0, (byte) from}).put(new byte[] {10, 0, 0, (byte) to});
        return ip.put(payload).array();
    }

    private void frame(byte[] packet, int padding) {
        frame(packet, 0x0800, padding);
    }

    private void frame(byte[] packet, int etherType, int padding) {
        int length = 14 + packet.length + padding;
        ByteBuffer record = ByteBuffer.allocate(16 + length).order(ByteOrder.LITTLE_ENDIAN);
        record.putInt(1).putInt(2).putInt(length).putInt(length);
        record.position(28)
                .order(ByteOrder.BIG_ENDIAN)
                .putShort((short) etherType)
                .put(packet);
        file.writeBytes(record.array());
    }

    private void fileHeader(ByteOrder order, int magic) {
        ByteBuffer header = ByteBuffer.allocate(24).order(order);
        header.putInt(magic)
                .putShort((short) 2)
                .putShort((short) 4)
                .putLong(0)
                .putInt(65_535)
                .putInt(1);
        file.writeBytes(header.array());
    }
}
