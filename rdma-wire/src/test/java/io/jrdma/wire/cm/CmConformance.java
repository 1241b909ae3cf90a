package io.jrdma.wire.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.testing.HexVectors;
import io.jrdma.testing.Satisfies;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Every message as bytes: each field at its place, and what is refused. */
class CmConformance {
    private static final CmBytes DATA = CmBytes.of(new byte[] {(byte) 0xDA, 0x7A});
    private static final CmBytes INFO = CmBytes.of(new byte[] {0x1F, 0x0F});
    private static final Gid LOCAL = Gid.of(HexVectors.bytes("0a000001"));
    private static final Gid REMOTE = Gid.of(HexVectors.bytes("fd000000000000000000000000000002"));
    private static final String LOCAL_HEX = "00000000000000000000ffff0a000001";
    private static final String REMOTE_HEX = "fd000000000000000000000000000002";

    @Satisfies({"IBTA-13.4-1", "IBTA-12.6-1", "IBTA-12.6-6", "IBTA-12.6-8"})
    @Test
    void headerAndShortMessages() {
        CmRtu rtu = new CmRtu(0x01020304, 0x05060708, DATA);
        byte[] bytes = new CmMad(0x1112131415161718L, 0x21222324, rtu).encode();
        assertHex(bytes, "01070203 0000 0000 1112131415161718 0014 0000 21222324 01020304 05060708 da7a");
        assertHex(new CmMad(0, new CmDrep(1, 2)).encode(), header("0016") + "00000001 00000002");
        assertHex(
                new CmMad(0, new CmDreq(1, 2, 0x030405, DATA)).encode(),
                header("0015") + "00000001 00000002 030405 00 da7a");
        assertHex(new CmMad(0, new CmDreq(1, 2, 3)).encode(), header("0015") + "00000001 00000002 000003 00");
    }

    @Satisfies("IBTA-12.6-3")
    @Test
    void messageReceiptAcknowledgement() {
        assertHex(
                new CmMad(0, new CmMra(1, 2, CmMra.OF_LAP, 24, DATA)).encode(),
                header("0011") + "00000001 00000002 80 c0 da7a");
    }

    @Satisfies("IBTA-12.6-4")
    @Test
    void reject() {
        CmRej rej = new CmRej(1, 2, CmRej.OF_REP, CmRejReason.CONSUMER_DEFINED, INFO, DATA);
        assertHex(
                new CmMad(0, rej).encode(),
                header("0012") + "00000001 00000002 40 04 001c 1f0f" + "00".repeat(70) + "da7a");
    }

    @Satisfies("IBTA-12.6-2")
    @Test
    void connectRequest() {
        CmReq req = CmReq.builder()
                .localCommId(0x01020304)
                .vendorId(0x050607)
                .serviceId(ServiceId.of(ServiceId.PORT_SPACE_TCP, 18_515))
                .localCaGuid(0x1112131415161718L)
                .localQKey(0x21222324)
                .localQpn(0x313233)
                .responderResources(0x34)
                .localEecn(0x353637)
                .initiatorDepth(0x38)
                .remoteEecn(0x393A3B)
                .remoteCmResponseTimeout(20)
                .transportServiceType(CmReq.TYPE_EXTENDED)
                .endToEndFlowControl(true)
                .startingPsn(0x414243)
                .localCmResponseTimeout(21)
                .retryCount(7)
                .pathMtu(3)
                .rdcExists(true)
                .rnrRetryCount(5)
                .maxCmRetries(15)
                .srq(true)
                .extendedTransportType(CmReq.EXTENDED_XRC)
                .primary(new CmPath(0xFFFF, 0xFFFE, LOCAL, REMOTE, 0x12345, 0x3F, 0x51, 0x40, 0xA, true, 19))
                .alternate(new CmPath(0x61, 0x62, REMOTE, LOCAL, 0x54321, 0x15, 0x63, 0x64, 5, false, 18))
                .sapSupported(true)
                .privateData(DATA)
                .build();
        assertThat(req.hasAlternate()).isTrue();
        assertHex(
                new CmMad(0, req).encode(),
                header("0010")
                        + "01020304 00 050607 0000000001064853 1112131415161718 00000000 21222324"
                        + "313233 34 353637 38 393a3b a7 414243 af ffff 3d f9"
                        + "ffff fffe" + LOCAL_HEX + REMOTE_HEX + "1234503f 51 40 a8 98"
                        + "0061 0062" + REMOTE_HEX + LOCAL_HEX + "54321015 63 64 50 94"
                        + "da7a");
    }

    @Satisfies("IBTA-12.6-2")
    @Test
    void connectRequestOfRoce() {
        CmPath routed = CmPath.roce(LOCAL, LOCAL, 7, 8, 64, 19);
        assertThat(routed).isEqualTo(new CmPath(0xFFFF, 0xFFFF, LOCAL, LOCAL, 7, 0, 8, 64, 0, false, 19));
        CmPath direct = CmPath.roce(LOCAL, LOCAL, 7, 8, 1, 19);
        assertThat(direct).isEqualTo(new CmPath(0, 0, LOCAL, LOCAL, 7, 0, 8, 1, 0, true, 19));
        CmReq req = CmReq.builder().primary(routed).build();
        assertThat(req.hasAlternate()).isFalse();
        assertThat(req.pKey()).isEqualTo(0xFFFF);
    }

    @Satisfies("IBTA-12.6-5")
    @Test
    void connectReply() {
        CmRep rep = CmRep.builder()
                .localCommId(1)
                .remoteCommId(2)
                .localQKey(0x21222324)
                .localQpn(0x313233)
                .localEecn(0x343536)
                .startingPsn(0x373839)
                .vendorId(0x414243)
                .responderResources(0x51)
                .initiatorDepth(0x52)
                .targetAckDelay(15)
                .failoverAccepted(2)
                .endToEndFlowControl(true)
                .rnrRetryCount(6)
                .srq(true)
                .localCaGuid(0x1112131415161718L)
                .privateData(DATA)
                .build();
        assertHex(
                new CmMad(0, rep).encode(),
                header("0013")
                        + "00000001 00000002 21222324 313233 41 343536 42 373839 43 51 52 7d d0 1112131415161718 da7a");
    }

    @Satisfies("IBTA-12.11-1")
    @Test
    void serviceIdResolution() {
        assertHex(
                new CmMad(0, new CmSidrReq(1, 0x7FFF, 0x1112131415161718L, DATA)).encode(),
                header("0017") + "00000001 7fff 0000 1112131415161718 da7a");
        assertHex(
                new CmMad(0, new CmSidrRep(1, SidrStatus.REDIRECT, 2, 0x212223, 0x313233, 5, 6, INFO, DATA)).encode(),
                header("0018") + "00000001 04 02 2122 313233 23 0000000000000005 00000006 1f0f" + "00".repeat(70)
                        + "da7a");
        CmSidrRep rep = new CmSidrRep(1, SidrStatus.SUCCESS, 2, 3, 4, DATA);
        assertThat(rep.vendorId()).isZero();
        assertThat(rep.additionalInfo()).isEqualTo(CmBytes.EMPTY);
        assertThat(SidrStatus.name(SidrStatus.REJECTED)).isEqualTo("REJECTED");
        assertThat(SidrStatus.name(5)).isEqualTo("UNSUPPORTED_VERSION");
        assertThat(SidrStatus.name(6)).isEqualTo("STATUS_6");
        assertThat(SidrStatus.name(-1)).isEqualTo("STATUS_-1");
    }

    @Satisfies("IBTA-12.8-1")
    @Test
    void alternatePath() {
        CmPath path = new CmPath(0x61, 0x62, LOCAL, REMOTE, 0x12345, 0x3F, 0x51, 0x40, 0xA, true, 19);
        assertHex(
                new CmMad(0, new CmLap(1, 2, 0x313233, 20, path, DATA)).encode(),
                header("0019") + "00000001 00000002 00000000 313233 a0 00000000 0061 0062" + LOCAL_HEX + REMOTE_HEX
                        + "123450 51 40 3f a8 98 da7a");
        assertHex(
                new CmMad(0, new CmApr(1, 2, 2, 7, INFO, DATA)).encode(),
                header("001a") + "00000001 00000002 02 07 0000 1f0f" + "00".repeat(70) + "da7a");
    }

    @Satisfies({"IBTA-13.4-1", "IBTA-13.4-2", "IBTA-12.6-1"})
    @Test
    void otherHeadersAreRefused() {
        byte[] good = new CmMad(1, new CmRtu(1, 2)).encode();
        assertThat(CmMad.decode(good)).isInstanceOf(CmMad.class);
        refused(Arrays.copyOf(good, 255), CmMalformed.LENGTH);
        refused(Arrays.copyOf(good, 257), CmMalformed.LENGTH);
        refused(new byte[0], CmMalformed.LENGTH);
        refused(with(good, 0, 2), CmMalformed.BASE_VERSION);
        refused(with(good, 1, 0x81), CmMalformed.MANAGEMENT_CLASS);
        refused(with(good, 2, 1), CmMalformed.CLASS_VERSION);
        refused(with(good, 3, 0x83), CmMalformed.METHOD);
        refused(with(good, 3, 0x81), CmMalformed.METHOD);
        refused(with(good, 16, 1), CmMalformed.ATTRIBUTE_UNKNOWN);
        refused(with(good, 17, 0x0F), CmMalformed.ATTRIBUTE_UNKNOWN);
        refused(with(good, 17, 0x1B), CmMalformed.ATTRIBUTE_UNKNOWN);
        assertThat(MadHeader.status(MemorySegment.ofArray(with(good, 5, 4)), 0)).isEqualTo(4);
    }

    @Satisfies("IBTA-12.6-1")
    @Test
    void attributesHaveTheirNames() throws IllegalAccessException {
        int names = 0;
        for (Field field : CmAttribute.class.getFields()) {
            assertThat(CmAttribute.name(field.getInt(null))).isEqualTo(field.getName());
            names++;
        }
        assertThat(names).isEqualTo(11);
        assertThat(CmAttribute.name(0x1B)).isEqualTo("ATTRIBUTE_1b");
    }

    @Satisfies("IBTA-12.6-7")
    @Test
    void reasonsHaveTheirNumbers() throws IllegalAccessException {
        int names = 0;
        for (Field field : CmRejReason.class.getFields()) {
            int reason = field.getInt(null);
            assertThat(CmRejReason.isKnown(reason)).isTrue();
            assertThat(CmRejReason.name(reason)).isEqualTo(field.getName());
            names++;
        }
        assertThat(names).isEqualTo(34);
        assertThat(CmRejReason.INVALID_SERVICE_ID).isEqualTo(8);
        assertThat(CmRejReason.STALE_CONNECTION).isEqualTo(10);
        assertThat(CmRejReason.PRIMARY_GID_REJECTED).isEqualTo(12);
        assertThat(CmRejReason.ALTERNATE_GID_REJECTED).isEqualTo(18);
        assertThat(CmRejReason.INVALID_PATH_MTU).isEqualTo(26);
        assertThat(CmRejReason.CONSUMER_DEFINED).isEqualTo(28);
        for (int reason : new int[] {-1, 0, 34, 36, 65_535}) {
            assertThat(CmRejReason.isKnown(reason)).isFalse();
            assertThat(CmRejReason.name(reason)).isEqualTo("REASON_" + reason);
        }
    }

    @Satisfies("IBTA-A11-1")
    @Test
    void addressesOfTheIpService() {
        Gid peer = Gid.ofIpv4(0x0A000002);
        assertThat(new IpCmPrivateData(0x1234, LOCAL, peer).with(DATA))
                .hasToString("0040" + "1234" + "00".repeat(12) + "0a000001" + "00".repeat(12) + "0a000002" + "da7a");
        assertThat(new IpCmPrivateData(0x1234, REMOTE, REMOTE).with(CmBytes.EMPTY))
                .hasToString("0060" + "1234" + REMOTE_HEX + REMOTE_HEX);
        // one address of each kind can be told only in the form of IPv6
        IpCmPrivateData mixed = new IpCmPrivateData(0x1234, LOCAL, REMOTE);
        assertThat(mixed.with(CmBytes.EMPTY)).hasToString("0060" + "1234" + LOCAL_HEX + REMOTE_HEX);
        assertThat(IpCmPrivateData.of(mixed.with(DATA))).isEqualTo(mixed);
        // Linux takes the mapped form and bits in the low nibble as well
        CmBytes mapped = CmBytes.of(HexVectors.bytes("004f1234" + LOCAL_HEX + LOCAL_HEX));
        assertThat(IpCmPrivateData.of(mapped)).isEqualTo(new IpCmPrivateData(0x1234, LOCAL, LOCAL));
        assertThatThrownBy(() -> IpCmPrivateData.of(CmBytes.EMPTY)).hasMessageContaining("LENGTH");
        assertThatThrownBy(() -> new IpCmPrivateData(65_536, LOCAL, peer)).hasMessageContaining("sourcePort");
    }

    @Satisfies("IBTA-A11-2")
    @Test
    void serviceIdsOfTheIpService() {
        assertThat(ServiceId.of(ServiceId.PORT_SPACE_TCP, 18_515)).isEqualTo(0x0000_0000_0106_4853L);
        assertThat(ServiceId.of(ServiceId.PORT_SPACE_UDP, 1)).isEqualTo(0x0000_0000_0111_0001L);
        assertThat(ServiceId.portSpace(0x1000_0000_0000_0001L)).isEqualTo(-1);
    }

    @Test
    void valuesOutOfRangeAreTheCallersFault() {
        assertThatThrownBy(() -> new CmDreq(1, 2, 0x100_0000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("remoteQpn is 16777216, must be 0..16777215");
        assertThatThrownBy(() -> new CmMra(1, 2, 4, 0, DATA)).hasMessageContaining("messageMraed");
        assertThatThrownBy(() -> new CmMra(1, 2, 0, 32, DATA)).hasMessageContaining("serviceTimeout");
        assertThatThrownBy(() -> CmReq.builder().retryCount(8).build()).hasMessageContaining("retryCount");
        assertThatThrownBy(() -> CmReq.builder().pathMtu(-1).build()).hasMessageContaining("pathMtu");
        assertThatThrownBy(() -> CmRep.builder().startingPsn(-1).build()).hasMessageContaining("startingPsn");
        assertThatThrownBy(() -> CmPath.roce(LOCAL, LOCAL, 1 << 20, 0, 64, 19)).hasMessageContaining("flowLabel");
        assertThatThrownBy(() -> Gid.of(new byte[5])).hasMessageContaining("5 bytes");
        CmBytes tooLong = CmBytes.of(new byte[225]);
        assertThatThrownBy(() -> new CmRtu(1, 2, tooLong)).hasMessage("privateData has 225 bytes, room is for 224");
        assertThatThrownBy(() ->
                        CmReq.builder().privateData(CmBytes.of(new byte[93])).build())
                .hasMessageContaining("92");
        assertThatThrownBy(() -> new CmRej(1, 2, 0, 1, CmBytes.of(new byte[73]), DATA))
                .hasMessageContaining("additionalRejectInfo");
    }

    @Test
    void bytesAreWhatTheyWereMadeOf() {
        byte[] source = {1, 2, 3};
        CmBytes bytes = CmBytes.of(source);
        source[0] = 9;
        bytes.toByteArray()[1] = 9;
        assertThat(bytes).hasToString("010203").isEqualTo(CmBytes.of(new byte[] {1, 2, 3}));
        assertThat(bytes.hashCode()).isEqualTo(CmBytes.of(new byte[] {1, 2, 3}).hashCode());
        assertThat(bytes.resize(5)).hasToString("0102030000").isNotEqualTo(bytes);
        assertThat(bytes.resize(2)).hasToString("0102");
        assertThat(bytes.resize(3)).isSameAs(bytes);
        assertThat(bytes.from(1)).hasToString("0203");
        assertThat(bytes.from(4)).isEqualTo(CmBytes.EMPTY);
        assertThat(bytes.plus(INFO)).hasToString("0102031f0f");
        assertThat(bytes.length()).isEqualTo(3);
    }

    private static String header(String attributeId) {
        return "01070203 0000 0000 0000000000000000" + attributeId + "0000 00000000";
    }

    /** The bytes are those, and zeros up to 256. */
    private static void assertHex(byte[] bytes, String hex) {
        String digits = hex.replaceAll("\\s", "");
        assertThat(HexFormat.of().formatHex(bytes)).isEqualTo(digits + "0".repeat(512 - digits.length()));
    }

    private static void refused(byte[] bytes, CmMalformed reason) {
        assertThat(CmMad.decode(bytes)).isEqualTo(new CmDecoded.Refused(reason));
    }

    private static byte[] with(byte[] bytes, int at, int value) {
        byte[] changed = bytes.clone();
        changed[at] = (byte) value;
        return changed;
    }
}
