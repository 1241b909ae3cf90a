package io.jrdma.wire.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.HexVectors;
import io.jrdma.testing.Satisfies;
import io.jrdma.wire.Bytes;
import io.jrdma.wire.Malformed;
import io.jrdma.wire.Written;
import io.jrdma.wire.crc.Crc32c;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 5044 and RFC 6581, as far as bytes alone can show. */
class MpaConformance {
    private static final String REQUEST = "4D504120494420526571204672616D65";
    private static final String REPLY = "4D504120494420526570204672616D65";

    @Satisfies({"RFC5044-4.1-1", "RFC5044-4.1-3", "RFC5044-4.1-4"})
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 14, 18, 46, 1442, 64_768, 65_535})
    void fpduIsLengthUlpduPadAndCrc(int ulpduLength) {
        assertThat(MpaFpdu.padBytes(ulpduLength)).isBetween(0, 3);
        assertThat(MpaFpdu.crcAt(ulpduLength)).isEqualTo(2 + ulpduLength + MpaFpdu.padBytes(ulpduLength));
        assertThat(MpaFpdu.fpduBytes(ulpduLength)).isEqualTo(MpaFpdu.crcAt(ulpduLength) + 4);
        assertThat(MpaFpdu.fpduBytes(ulpduLength) % 4).isZero();
        MemorySegment length = Written.by(2, (s, at) -> MpaFpdu.put(s, at, ulpduLength));
        assertThat(MpaFpdu.ulpduLength(length, 0)).isEqualTo(ulpduLength);
    }

    @Satisfies("RFC5044-4.1-2")
    @Test
    void padIsSentAsZeroAndNotLookedAt() {
        MemorySegment fpdu =
                MemorySegment.ofArray(HexVectors.bytes("000f ffffffff ffffffff ffffffff ffffff ffffff 00000000"));
        fpdu.fill((byte) 0xFF);
        MpaFpdu.put(fpdu, 0, 15);
        MpaFpdu.putPad(fpdu, 0);
        assertThat(Bytes.u8(fpdu, 16)).isEqualTo(0xFF);
        assertThat(Bytes.u24(fpdu, 17)).isZero();
        assertThat(Bytes.u8(fpdu, 20)).isEqualTo(0xFF);

        // Linux siw leaves old bytes behind short messages
        MemorySegment garbage = MemorySegment.ofArray(
                HexVectors.bytes("0014 4143 00000000 00000000 00000001 00000000 3034 0040 00000000"));
        assertThat(MpaFpdu.check(garbage, 0, 28)).isEqualTo(28);
        assertThat(DdpSegment.check(garbage, 2, 20)).isEqualTo(Malformed.OK);
    }

    @Satisfies({"RFC5044-4.2-1", "RFC5044-4.2-3"})
    @Test
    void markerIsTwoZeroBytesAndThePointer() {
        MemorySegment marker = Written.by(4, (s, at) -> MpaMarkers.put(s, at, 0x01FC));
        assertThat(Bytes.u32(marker, 0)).isEqualTo(0x0000_01FC);
        assertThat(MpaMarkers.fpduPointer(marker, 0)).isEqualTo(0x01FC);
    }

    @Satisfies("RFC5044-4.2-2")
    @Test
    void lowBitsOfThePointerAreTakenForZero() {
        MemorySegment marker = MemorySegment.ofArray(HexVectors.bytes("ffff 01ff"));
        assertThat(MpaMarkers.fpduPointer(marker, 0)).isEqualTo(0x01FC);
    }

    @Satisfies("RFC5044-8-2")
    @Test
    void markerThatPointsElsewhereIsAnError() {
        MemorySegment marker = Written.by(4, (s, at) -> MpaMarkers.put(s, at, 24));
        assertThat(MpaMarkers.check(marker, 0, 24)).isEqualTo(Malformed.OK);
        assertThat(MpaMarkers.check(marker, 0, 20)).isEqualTo(Malformed.MPA_MARKER_MISMATCH);
    }

    @Satisfies({"RFC5044-4.3-1", "RFC5044-7.1.2-7"})
    @Test
    void markersStandAtEvery512thByteFromTheFirst() {
        assertThat(MpaMarkers.bytesToNext(0)).isZero();
        assertThat(MpaMarkers.bytesToNext(4)).isEqualTo(508);
        assertThat(MpaMarkers.bytesToNext(511)).isEqualTo(1);
        assertThat(MpaMarkers.bytesToNext(512)).isZero();
        assertThat(MpaMarkers.bytesToNext((1L << 40) + 516)).isEqualTo(508);
        assertThat(MpaMarkers.countIn(0, 1)).isEqualTo(1);
        assertThat(MpaMarkers.countIn(4, 508)).isZero();
        assertThat(MpaMarkers.countIn(4, 509)).isEqualTo(1);
        assertThat(MpaMarkers.countIn(0, 1024)).isEqualTo(2);
    }

    @Satisfies("RFC5044-4.3-2")
    @Test
    void markerDueBehindAnFpduGoesWithTheNext() {
        assertThat(MpaMarkers.countFor(4, 508)).isZero();
        assertThat(MpaMarkers.countFor(512, 24)).isEqualTo(1);
        assertThat(MpaMarkers.streamBytes(512, 24)).isEqualTo(28);
    }

    @Satisfies({"RFC5044-4.4-1", "RFC5044-4.4-3"})
    @Test
    void crcOfFigureFiveCoversTheMarkerBeforeTheLength() {
        MemorySegment bytes = vector("mpa-fig5-marker-send");
        assertThat(new Crc32c().compute(bytes, 0, bytes.byteSize() - 4))
                .isEqualTo(MpaFpdu.crcField(bytes, bytes.byteSize() - 4));
        assertThat(MpaMarkers.fpduPointer(bytes, 0)).isZero();
        assertThat(DdpSegment.check(bytes, 6, MpaFpdu.ulpduLength(bytes, 4))).isEqualTo(Malformed.OK);
    }

    @Satisfies({"RFC5044-4.4-1", "RFC5044-4.3-4"})
    @Test
    void crcOfFigureSixCoversTheMarkerInside() {
        MemorySegment bytes = vector("mpa-fig6-marker-inside");
        assertThat(new Crc32c().compute(bytes, 0, bytes.byteSize() - 4))
                .isEqualTo(MpaFpdu.crcField(bytes, bytes.byteSize() - 4));
        assertThat(MpaMarkers.fpduPointer(bytes, 20)).isEqualTo(20);
    }

    @Satisfies({"RFC5044-4.4-2", "RFC5044-4.4-5"})
    @ParameterizedTest
    @ValueSource(
            strings = {
                "send-24-zero",
                "write-zero-length",
                "read-request-zero-length",
                "read-response-zero-length",
                "send-zero-length",
                "send-abc",
                "write-hello",
                "read-request-64",
                "terminate-crc-rfc",
                "terminate-crc-siw"
            })
    void crcIsSentLeastSignificantByteFirst(String name) {
        MemorySegment fpdu = vector(name);
        int length = (int) fpdu.byteSize();
        Crc32c crc = new Crc32c();
        assertThat(MpaFpdu.check(fpdu, 0, length)).isEqualTo(length);
        assertThat(MpaFpdu.checkCrc(fpdu, 0, crc)).isEqualTo(Malformed.OK);
        assertThat(DdpSegment.check(fpdu, 2, MpaFpdu.ulpduLength(fpdu, 0))).isEqualTo(Malformed.OK);

        MemorySegment copy = MemorySegment.ofArray(fpdu.toArray(ValueLayout.JAVA_BYTE));
        MpaFpdu.putCrc(copy, 0, 0);
        MpaFpdu.putCrc(copy, 0, MpaFpdu.computeCrc(copy, 0, crc));
        assertThat(copy.mismatch(fpdu)).isEqualTo(-1);

        for (int i = 0; i < length; i++) {
            copy.set(ValueLayout.JAVA_BYTE, i, (byte) (Bytes.u8(copy, i) ^ 0x10));
            boolean lengthField = i < 2;
            assertThat(lengthField || MpaFpdu.checkCrc(copy, 0, crc) == Malformed.MPA_CRC_MISMATCH)
                    .as("byte %d changed", i)
                    .isTrue();
            copy.set(ValueLayout.JAVA_BYTE, i, (byte) (Bytes.u8(copy, i) ^ 0x10));
        }
    }

    @Satisfies({"RFC5044-4.5-1", "RFC5044-4.5-2"})
    @Test
    void mulpduFitsTheSegmentSize() {
        assertThat(MpaFpdu.mulpdu(1460, false)).isEqualTo(1454);
        assertThat(MpaFpdu.mulpdu(1460, true)).isEqualTo(1442);
        assertThat(MpaFpdu.mulpdu(1448, false)).isEqualTo(1442);
        assertThat(MpaFpdu.mulpdu(1447, false)).isEqualTo(1438);
        assertThat(MpaFpdu.mulpdu(0, true)).isEqualTo(128);
        assertThat(MpaFpdu.mulpdu(536, true)).isEqualTo(522);
        assertThat(MpaFpdu.mulpdu(1 << 20, false)).isEqualTo(64_768);
        for (int emss = 160; emss < 9000; emss++) {
            assertThat(MpaFpdu.fpduBytes(MpaFpdu.mulpdu(emss, false))).isBetween(emss - 3, emss);
            // the worst start for markers is right before one
            long withMarkers = MpaMarkers.streamBytes(0, MpaFpdu.fpduBytes(MpaFpdu.mulpdu(emss, true)));
            assertThat(withMarkers).isLessThanOrEqualTo(emss);
        }
    }

    @Satisfies("RFC5044-7.1.1-1")
    @Test
    void eachFrameHasItsKey() {
        assertThat(check(REQUEST + "0001 0000", MpaStartup.REQUEST)).isEqualTo(20);
        assertThat(check(REPLY + "0001 0000", MpaStartup.REPLY)).isEqualTo(20);
        assertThat(check("4D504120494420526572204672616D65 0001 0000", MpaStartup.REQUEST))
                .isEqualTo(-Malformed.MPA_KEY_INVALID);
    }

    @Satisfies("RFC5044-7.1.1-2")
    @Test
    void theOtherFramesKeyIsToldApart() {
        assertThat(check(REQUEST + "0001 0000", MpaStartup.REPLY)).isEqualTo(-Malformed.MPA_KEY_UNEXPECTED);
        assertThat(check(REPLY + "0001 0000", MpaStartup.REQUEST)).isEqualTo(-Malformed.MPA_KEY_UNEXPECTED);
        assertThat(check(REPLY.substring(0, 20), MpaStartup.REQUEST)).isEqualTo(-Malformed.MPA_KEY_UNEXPECTED);
    }

    @Satisfies({"RFC5044-7.1.1-3", "RFC5044-7.1.1-4", "RFC5044-7.1.1-5", "RFC6581-6-1"})
    @Test
    void eachFlagHasItsBit() {
        assertThat(flagsOf(MpaStartup.MARKERS)).isEqualTo(0x80);
        assertThat(flagsOf(MpaStartup.CRC)).isEqualTo(0x40);
        assertThat(flagsOf(MpaStartup.REJECT)).isEqualTo(0x20);
        MemorySegment revisionOneWithS = frame(REPLY + "1001 0004 00010001");
        assertThat(MpaStartup.announcesEnhanced(revisionOneWithS, 0)).isFalse();
        assertThat(MpaStartup.privateDataBytes(revisionOneWithS, 0)).isEqualTo(4);
    }

    private static int flagsOf(int flags) {
        return Bytes.u8(Written.by(20, (s, at) -> MpaStartup.put(s, at, MpaStartup.REPLY, flags, 1, 0)), 16);
    }

    @Satisfies({"RFC5044-7.1.1-5", "RFC5044-7.1.1-6"})
    @Test
    void reservedBitsAndRejectInARequestDoNoHarm() {
        MemorySegment request = frame(REQUEST + "2f01 0000");
        assertThat(MpaStartup.check(request, 0, 20, MpaStartup.REQUEST)).isEqualTo(20);
        assertThat(MpaStartup.flags(request, 0)).isEqualTo(MpaStartup.REJECT);
    }

    @Satisfies("RFC5044-7.1.1-7")
    @Test
    void revisionsZeroToTwoAreTakenAndOthersRefusedAtOnce() {
        assertThat(check(REQUEST + "0000 0000", MpaStartup.REQUEST)).isEqualTo(20);
        assertThat(check(REQUEST + "0001 0000", MpaStartup.REQUEST)).isEqualTo(20);
        assertThat(check(REQUEST + "0002 0000", MpaStartup.REQUEST)).isEqualTo(20);
        assertThat(check(REQUEST + "0003", MpaStartup.REQUEST)).isEqualTo(-Malformed.MPA_REVISION_UNSUPPORTED);
        assertThat(check(REQUEST + "00ff", MpaStartup.REQUEST)).isEqualTo(-Malformed.MPA_REVISION_UNSUPPORTED);
    }

    @Satisfies("RFC5044-7.1.1-8")
    @Test
    void noMoreThan512BytesOfPrivateData() {
        assertThat(check(REQUEST + "0001 0200", MpaStartup.REQUEST)).isEqualTo(MpaStartup.NEED_MORE);
        assertThat(check(REQUEST + "0001 0200" + "00".repeat(512), MpaStartup.REQUEST))
                .isEqualTo(532);
        assertThat(check(REQUEST + "0001 0201", MpaStartup.REQUEST)).isEqualTo(-Malformed.MPA_PRIVATE_DATA_TOO_LONG);
        assertThat(check(REQUEST + "0001 ffff", MpaStartup.REQUEST)).isEqualTo(-Malformed.MPA_PRIVATE_DATA_TOO_LONG);
    }

    @Satisfies("RFC5044-7.1.1-9")
    @Test
    void privateDataMayBeAbsent() {
        assertThat(check(REPLY + "0001 0000", MpaStartup.REPLY)).isEqualTo(20);
    }

    @Satisfies("RFC6581-9-1")
    @Test
    void enhancedDataMustFitIntoThePrivateData() {
        assertThat(check(REQUEST + "1002 0004 00010001", MpaStartup.REQUEST)).isEqualTo(24);
        assertThat(check(REQUEST + "1002 0003 000100", MpaStartup.REQUEST))
                .isEqualTo(-Malformed.MPA_ENHANCED_DATA_MISSING);
        assertThat(check(REPLY + "1002 0000", MpaStartup.REPLY)).isEqualTo(-Malformed.MPA_ENHANCED_DATA_MISSING);
        // R means nothing in a Request, so it excuses nothing there
        assertThat(check(REQUEST + "3002 0000", MpaStartup.REQUEST)).isEqualTo(-Malformed.MPA_ENHANCED_DATA_MISSING);
    }

    @Satisfies({"RFC6581-9-2", "RFC6581-9-3", "RFC6581-9-4"})
    @Test
    void enhancedDataAreNoPrivateData() {
        MemorySegment request = frame(REQUEST + "1002 0006 8003 c005 abcd");
        assertThat(MpaStartup.ird(request, 0)).isEqualTo(3);
        assertThat(MpaStartup.ord(request, 0)).isEqualTo(5);
        assertThat(MpaStartup.controlFlags(request, 0))
                .isEqualTo(MpaStartup.PEER_TO_PEER | MpaStartup.RTR_WRITE | MpaStartup.RTR_READ);
        assertThat(Bytes.u16(request, MpaStartup.privateDataAt(request, 0))).isEqualTo(0xABCD);
        assertThat(MpaStartup.privateDataBytes(request, 0)).isEqualTo(2);
    }

    private static int check(String hex, int expectedKind) {
        MemorySegment frame = frame(hex);
        return MpaStartup.check(frame, 0, frame.byteSize(), expectedKind);
    }

    private static MemorySegment frame(String hex) {
        return MemorySegment.ofArray(HexVectors.bytes(hex));
    }

    private static MemorySegment vector(String name) {
        return MemorySegment.ofArray(HexVectors.load(MpaConformance.class, "/vectors/iwarp/" + name + ".hex")
                .bytes());
    }
}
