package io.jrdma.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.Pcap;
import io.jrdma.testing.UdpDatagram;
import io.jrdma.wire.cm.Gid;
import io.jrdma.wire.ib.IcrcPath;
import io.jrdma.wire.ib.RoceV2Packet;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Linux rxe peers said to each other, as text. */
class PrintedCaptureTest {
    private static List<UdpDatagram> packets(String capture) {
        return Pcap.capture(capture).udpDatagrams().stream()
                .filter(datagram -> datagram.target().getPort() == RoceV2Packet.UDP_PORT)
                .toList();
    }

    private static String line(UdpDatagram datagram) {
        byte[] source = datagram.ip().source().getAddress();
        byte[] target = datagram.ip().target().getAddress();
        MemorySegment packet = MemorySegment.ofArray(datagram.payload());
        IcrcPath path = IcrcPath.of(source, datagram.source().getPort(), target, RoceV2Packet.UDP_PORT);
        return Gid.of(source) + ">" + Gid.of(target) + " " + PacketPrinter.roce(path, packet, 0, packet.byteSize());
    }

    /** Two conversations of rping, over IPv4 and IPv6, from REQ to DREP, and pingpongs over UC and RC. */
    @Test
    void theConversationsOfRping() throws IOException {
        String lines =
                packets("rxe-rping").stream().map(PrintedCaptureTest::line).collect(Collectors.joining("\n"));
        try (InputStream in = PrintedCaptureTest.class.getResourceAsStream("/snapshots/rxe-rping.txt")) {
            assertThat(in).isNotNull();
            assertThat(lines + "\n").isEqualTo(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rxe-rping",
                "rxe-rc-pingpong",
                "rxe-ud-pingpong",
                "rxe-srq-pingpong",
                "rxe-atomic-fetchadd",
                "rxe-read-lat-cm",
                "rxe-ucmatose",
                "rxe-rdma-client",
                "rxe-rstream"
            })
    void nothingIsWrongWithAnyPacket(String capture) {
        for (UdpDatagram datagram : packets(capture)) {
            MemorySegment ip = MemorySegment.ofArray(datagram.ip().bytes());
            String identification = Bytes.u8(ip, 0) >>> 4 == 4 ? " id " + Bytes.u16(ip, 4) : "";
            assertThat(line(datagram))
                    .containsPattern(" icrc ok" + identification + "( \\| (REQ|REP|RTU|DREQ|DREP) .*)?$")
                    .doesNotContain("right for the opcode");
        }
    }
}
