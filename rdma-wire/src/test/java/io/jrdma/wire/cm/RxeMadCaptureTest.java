package io.jrdma.wire.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.Pcap;
import io.jrdma.testing.UdpDatagram;
import io.jrdma.wire.ib.Bth;
import io.jrdma.wire.ib.Deth;
import io.jrdma.wire.ib.IbOpcode;
import io.jrdma.wire.ib.RoceV2Packet;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every management datagram of two Linux peers is decoded into a message, and the message is encoded again to the same bytes. */
class RxeMadCaptureTest {
    @ParameterizedTest
    @CsvSource({
        "rxe-rping, '{DREP=2, DREQ=2, REP=2, REQ=2, RTU=2}'",
        "rxe-read-lat-cm, '{DREP=4, DREQ=4, REP=2, REQ=2, RTU=2}'",
        "rxe-ucmatose, '{DREP=2, DREQ=2, REP=2, REQ=2, RTU=2}'",
        "rxe-rdma-client, '{DREP=2, DREQ=2, REP=1, REQ=1, RTU=1}'",
        "rxe-rstream, '{DREP=1, DREQ=1, REP=1, REQ=1, RTU=1}'"
    })
    void everyDatagramDecodesAndEncodesToItself(String capture, String messages) {
        Map<String, Integer> seen = new TreeMap<>();
        for (UdpDatagram datagram : Pcap.capture(capture).udpDatagrams()) {
            MemorySegment packet = MemorySegment.ofArray(datagram.payload());
            if (datagram.target().getPort() != RoceV2Packet.UDP_PORT || Bth.destQp(packet, 0) != Bth.QP_GSI) {
                continue;
            }
            assertThat(Bth.opcode(packet, 0)).isEqualTo(IbOpcode.UD_SEND_ONLY);
            assertThat(Deth.view(packet, Bth.LENGTH)).isEqualTo(new Deth.View(Deth.Q_KEY_GSI, Bth.QP_GSI));
            int at = RoceV2Packet.payloadAt(packet, 0);
            int length = RoceV2Packet.payloadBytes(packet, 0, datagram.payload().length);
            CmDecoded decoded = CmMad.decode(packet, at, length);
            assertThat(decoded).isInstanceOf(CmMad.class);
            CmMad mad = (CmMad) decoded;
            assertThat(mad.encode())
                    .isEqualTo(packet.asSlice(at, length).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE));
            addresses(mad.message(), datagram);
            seen.merge(CmAttribute.name(mad.message().attributeId()), 1, Integer::sum);
        }
        assertThat(seen).hasToString(messages);
    }

    private static void addresses(CmMessage message, UdpDatagram datagram) {
        Gid source = Gid.of(datagram.ip().source().getAddress());
        Gid destination = Gid.of(datagram.ip().target().getAddress());
        if (message instanceof CmReq req) {
            assertThat(req.primary().localGid()).isEqualTo(source);
            assertThat(req.primary().remoteGid()).isEqualTo(destination);
            assertThat(req.hasAlternate()).isFalse();
            CmBytes data = req.privateData();
            assertThat(IpCmPrivateData.check(data)).isEqualTo(CmMalformed.OK);
            IpCmPrivateData header = IpCmPrivateData.of(data);
            assertThat(header.source()).isEqualTo(source);
            assertThat(header.destination()).isEqualTo(destination);
            assertThat(header.with(IpCmPrivateData.consumerData(data))).isEqualTo(data);
            assertThat(ServiceId.portSpace(req.serviceId())).isEqualTo(ServiceId.PORT_SPACE_TCP);
            int flowLabel = (31 * header.sourcePort() + ServiceId.port(req.serviceId())) & 0xF_FFFF;
            assertThat(req.primary())
                    .isEqualTo(CmPath.roce(
                            source,
                            destination,
                            flowLabel,
                            0,
                            req.primary().hopLimit(),
                            req.primary().localAckTimeout()));
        }
    }
}
