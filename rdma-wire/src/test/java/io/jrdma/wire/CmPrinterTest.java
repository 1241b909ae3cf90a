package io.jrdma.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.wire.cm.CmApr;
import io.jrdma.wire.cm.CmBytes;
import io.jrdma.wire.cm.CmDrep;
import io.jrdma.wire.cm.CmDreq;
import io.jrdma.wire.cm.CmLap;
import io.jrdma.wire.cm.CmMad;
import io.jrdma.wire.cm.CmMessage;
import io.jrdma.wire.cm.CmMra;
import io.jrdma.wire.cm.CmPath;
import io.jrdma.wire.cm.CmRej;
import io.jrdma.wire.cm.CmRejReason;
import io.jrdma.wire.cm.CmRep;
import io.jrdma.wire.cm.CmReq;
import io.jrdma.wire.cm.CmRtu;
import io.jrdma.wire.cm.CmSidrRep;
import io.jrdma.wire.cm.CmSidrReq;
import io.jrdma.wire.cm.Gid;
import io.jrdma.wire.cm.IpCmPrivateData;
import io.jrdma.wire.cm.ServiceId;
import io.jrdma.wire.cm.SidrStatus;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class CmPrinterTest {
    private static final Gid LEFT = Gid.ofIpv4(0x0A00_0001);
    private static final Gid RIGHT = Gid.ofIpv4(0x0A00_0002);
    private static final CmPath PATH = CmPath.roce(LEFT, RIGHT, 1234, 0, 64, 19);
    private static final CmBytes SIX = CmBytes.of(new byte[] {1, 2, 3, 0, 5, 0});

    private static String print(byte[] mad) {
        return PacketPrinter.mad(MemorySegment.ofArray(mad), 0, mad.length);
    }

    private static String print(CmMessage message) {
        return print(new CmMad(0x1_0000_00AAL, message).encode());
    }

    private static CmReq.Builder req() {
        return CmReq.builder()
                .localCommId(0x1234_5678)
                .serviceId(ServiceId.of(ServiceId.PORT_SPACE_TCP, 7471))
                .localCaGuid(0x0250_54FF_FE77_0003L)
                .localQpn(0x11)
                .responderResources(16)
                .initiatorDepth(8)
                .startingPsn(99)
                .retryCount(7)
                .rnrRetryCount(6)
                .pathMtu(3)
                .maxCmRetries(15)
                .remoteCmResponseTimeout(20)
                .localCmResponseTimeout(12)
                .primary(PATH);
    }

    @Test
    void connectRequest() {
        IpCmPrivateData header = new IpCmPrivateData(40_000, LEFT, RIGHT);
        assertThat(print(req().privateData(header.with(SIX)).build()))
                .isEqualTo("REQ tid 1000000aa comm 12345678 service TCP 7471 RC qp 0x11 psn 99 mtu 1024"
                        + " resources 16 depth 8 retry 7 rnr-retry 6 guid 25054fffe770003"
                        + " path 10.0.0.1>10.0.0.2 flow 1234 class 0 hops 64 ack-timeout 2.15 s"
                        + " local-timeout 16.78 ms remote-timeout 4.29 s cm-retries 15"
                        + " from 10.0.0.1 port 40000 to 10.0.0.2 private 0102030005");
    }

    @Test
    void unusualConnectRequests() {
        Gid six = new Gid(0xFD00_0000_0000_0000L, 2);
        String line = print(req().serviceId(0xABCD_0000_0000_0001L)
                .transportServiceType(CmReq.TYPE_EXTENDED)
                .extendedTransportType(CmReq.EXTENDED_XRC)
                .pathMtu(9)
                .vendorId(0x123)
                .localQKey(-1)
                .localEecn(4)
                .remoteEecn(5)
                .pKey(0x7FFF)
                .endToEndFlowControl(true)
                .srq(true)
                .rdcExists(true)
                .sapSupported(true)
                .alternate(CmPath.roce(six, RIGHT, 0, 8, 64, 1))
                .privateData(SIX)
                .build());
        assertThat(line)
                .contains(" service abcd000000000001 XRC qp 0x11 psn 99 mtu-code 9 ")
                .contains(" rnr-retry 6 flow-control srq rdc sap guid ")
                .contains(" vendor 291 qkey ffffffff local-eec 4 remote-eec 5 pkey 7fff path ")
                .contains(" alternate fd00::2>10.0.0.2 flow 0 class 8 hops 64 ack-timeout 8.19 us local-timeout ")
                .endsWith(" cm-retries 15 private 0102030005");
        assertThat(print(req().transportServiceType(CmReq.TYPE_UC).build())).contains(" UC qp ");
        assertThat(print(req().transportServiceType(CmReq.TYPE_RD).build())).contains(" RD qp ");
        assertThat(print(req().transportServiceType(CmReq.TYPE_EXTENDED).build()))
                .contains(" extended type 0 qp ");
    }

    @Test
    void portSpaces() {
        assertThat(print(req().serviceId(ServiceId.of(ServiceId.PORT_SPACE_UDP, 5))
                        .build()))
                .contains(" service UDP 5 ");
        assertThat(print(req().serviceId(ServiceId.of(ServiceId.PORT_SPACE_IB, 5))
                        .build()))
                .contains(" service IB 5 ");
        assertThat(print(req().serviceId(ServiceId.of(ServiceId.PORT_SPACE_IPOIB, 5))
                        .build()))
                .contains(" service IPOIB 5 ");
        assertThat(print(req().serviceId(ServiceId.of(0x0107, 5)).build())).contains(" service 1070005 ");
    }

    @Test
    void privateDataThatIsNotOfTheIpService() {
        assertThat(print(req().privateData(SIX).build())).endsWith(" cm-retries 15 IP_CM_VERSION private 0102030005");
        assertThat(print(req().build())).endsWith(" cm-retries 15 IP_VERSION");
    }

    @Test
    void connectReplyAndReadyToUse() {
        CmRep.Builder rep = CmRep.builder()
                .localCommId(0x1111_1111)
                .remoteCommId(0x1234_5678)
                .localQpn(0x12)
                .startingPsn(98)
                .responderResources(8)
                .initiatorDepth(16)
                .rnrRetryCount(7)
                .targetAckDelay(15)
                .localCaGuid(5);
        assertThat(print(rep.build()))
                .isEqualTo("REP tid 1000000aa comm 11111111/12345678 qp 0x12 psn 98 resources 8 depth 16 rnr-retry 7"
                        + " ack-delay 134.22 ms guid 5");
        assertThat(print(rep.endToEndFlowControl(true)
                        .srq(true)
                        .failoverAccepted(1)
                        .vendorId(2)
                        .localQKey(3)
                        .localEecn(4)
                        .privateData(SIX)
                        .build()))
                .endsWith(" rnr-retry 7 flow-control srq ack-delay 134.22 ms guid 5"
                        + " failover 1 vendor 2 qkey 00000003 local-eec 4 private 0102030005");
        assertThat(print(new CmRtu(1, 2))).isEqualTo("RTU tid 1000000aa comm 00000001/00000002");
        assertThat(print(new CmRtu(1, 2, SIX))).endsWith(" comm 00000001/00000002 private 0102030005");
    }

    @Test
    void rejectAndMessageReceiptAcknowledgement() {
        assertThat(print(new CmRej(0, 2, CmRej.OF_REQ, CmRejReason.INVALID_SERVICE_ID, CmBytes.EMPTY, CmBytes.EMPTY)))
                .isEqualTo("REJ tid 1000000aa comm 00000000/00000002 of REQ INVALID_SERVICE_ID reason 8");
        assertThat(print(new CmRej(0, 2, CmRej.OF_OTHER, CmRejReason.CONSUMER_DEFINED, SIX, SIX)))
                .endsWith(" of no message CONSUMER_DEFINED reason 28 info 010203000500 private 0102030005");
        assertThat(print(new CmRej(0, 2, 3, 127, 34, CmBytes.EMPTY, CmBytes.EMPTY)))
                .endsWith(" of message 3 REASON_34 reason 34 info " + "00".repeat(24) + "...");
        assertThat(print(new CmMra(1, 2, CmMra.OF_REP, 24, CmBytes.EMPTY)))
                .isEqualTo("MRA tid 1000000aa comm 00000001/00000002 of REP service-timeout 68.72 s");
        assertThat(print(new CmMra(1, 2, CmMra.OF_LAP, 31, SIX)))
                .endsWith(" of LAP service-timeout 8796.09 s private 0102030005");
    }

    @Test
    void disconnect() {
        assertThat(print(new CmDreq(1, 2, 0x22))).isEqualTo("DREQ tid 1000000aa comm 00000001/00000002 remote-qp 0x22");
        assertThat(print(new CmDrep(2, 1))).isEqualTo("DREP tid 1000000aa comm 00000002/00000001");
    }

    @Test
    void serviceIdResolution() {
        long service = ServiceId.of(ServiceId.PORT_SPACE_UDP, 4000);
        IpCmPrivateData header = new IpCmPrivateData(40_000, LEFT, RIGHT);
        assertThat(print(new CmSidrReq(7, 0xFFFF, service, header.with(CmBytes.EMPTY))))
                .isEqualTo("SIDR_REQ tid 1000000aa request 00000007 service UDP 4000"
                        + " from 10.0.0.1 port 40000 to 10.0.0.2");
        assertThat(print(new CmSidrReq(7, 1, 5, SIX))).endsWith(" service 5 pkey 0001 private 0102030005");
        assertThat(print(new CmSidrRep(7, SidrStatus.SUCCESS, 0x15, service, 0x1111_1111, SIX)))
                .isEqualTo("SIDR_REP tid 1000000aa request 00000007 SUCCESS status 0 service UDP 4000"
                        + " qp 0x15 qkey 11111111 private 0102030005");
        assertThat(print(new CmSidrRep(7, 9, 2, 3, 0, service, 0, SIX, CmBytes.EMPTY)))
                .endsWith(" STATUS_9 status 9 service UDP 4000 qp 0x0 qkey 00000000 vendor 3 info 0102");
    }

    @Test
    void alternatePaths() {
        assertThat(print(new CmLap(1, 2, 0x22, 20, PATH, CmBytes.EMPTY)))
                .isEqualTo("LAP tid 1000000aa comm 00000001/00000002 remote-qp 0x22 remote-timeout 4.29 s"
                        + " alternate 10.0.0.1>10.0.0.2 flow 1234 class 0 hops 64 ack-timeout 2.15 s");
        assertThat(print(new CmApr(2, 1, 1, 5, SIX, CmBytes.EMPTY)))
                .isEqualTo("APR tid 1000000aa comm 00000002/00000001 status 5 info 01");
    }

    @Test
    void headersThatAreNotAsUsual() {
        byte[] mad = new CmMad(1, -1, new CmRtu(1, 2)).encode();
        assertThat(print(mad)).isEqualTo("RTU tid 1 modifier 4294967295 comm 00000001/00000002");
        mad[5] = 12;
        assertThat(print(mad)).isEqualTo("RTU tid 1 modifier 4294967295 status 12 comm 00000001/00000002");
    }

    @Test
    void whatIsNoMessageIsNamed() {
        wrong(0, 2, "MAD BASE_VERSION 256 bytes base 2 class 7 version 2 method 3 attribute 0014 02070203");
        wrong(1, 4, "MAD MANAGEMENT_CLASS 256 bytes base 1 class 4 version 2 method 3 attribute 0014 01040203");
        wrong(2, 1, "MAD CLASS_VERSION 256 bytes base 1 class 7 version 1 method 3 attribute 0014 01070103");
        wrong(3, 0x83, "MAD METHOD 256 bytes base 1 class 7 version 2 method 131 attribute 0014 01070283");
        wrong(17, 0x1B, "MAD ATTRIBUTE_UNKNOWN 256 bytes base 1 class 7 version 2 method 3 attribute 001b 01070203");
        byte[] longer = new byte[260];
        assertThat(print(longer))
                .isEqualTo("MAD LENGTH 260 bytes base 0 class 0 version 0 method 0 attribute 0000 " + "00".repeat(24)
                        + "...");
        assertThat(print(new byte[] {1, 7})).isEqualTo("MAD LENGTH 2 bytes 0107");
    }

    private static void wrong(int at, int value, String start) {
        byte[] mad = new CmMad(1, new CmRtu(1, 2)).encode();
        mad[at] = (byte) value;
        assertThat(print(mad)).startsWith(start).endsWith("...");
    }
}
