package io.jrdma.wire.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.HexVectors;
import io.jrdma.testing.Satisfies;
import io.jrdma.wire.Bytes;
import io.jrdma.wire.Malformed;
import io.jrdma.wire.Written;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** RFC 5041, as far as bytes alone can show. */
class DdpConformance {
    private static final String WRITE = "c140 00a1b200 0000000000001000";
    private static final String SEND = "4143 00000000 00000000 00000001 00000000";
    private static final String READ_REQUEST = "4141 00000000 00000001 00000001 00000000" + "00".repeat(28);

    @Satisfies({"RFC5041-4.1-1", "RFC5041-4.2-1"})
    @Test
    void taggedHeaderHasItsPlaces() {
        MemorySegment header = Written.by(
                14, (s, at) -> DdpHeader.putTagged(s, at, true, RdmapHeader.control(0), 0x00A1_B200, 0x1000));
        assertThat(header.mismatch(MemorySegment.ofArray(HexVectors.bytes(WRITE))))
                .isEqualTo(-1);
        assertThat(check(WRITE)).isEqualTo(Malformed.OK);
    }

    @Satisfies({"RFC5041-4.1-1", "RFC5041-4.3-1"})
    @Test
    void untaggedHeaderHasItsPlaces() {
        MemorySegment header = Written.by(
                18, (s, at) -> DdpHeader.putUntagged(s, at, false, 0x44, 0x0102_0304, 0, 0x0506_0708, 0x090A_0B0CL));
        assertThat(header.mismatch(MemorySegment.ofArray(HexVectors.bytes("0144 01020304 00000000 05060708 090a0b0c"))))
                .isEqualTo(-1);
        assertThat(check(SEND)).isEqualTo(Malformed.OK);
    }

    @Satisfies("RFC5041-4.1-1")
    @Test
    void segmentWithoutItsTwoControlBytesIsRefused() {
        assertThat(check("")).isEqualTo(Malformed.MPA_ULPDU_TOO_SHORT);
        assertThat(check("c1")).isEqualTo(Malformed.MPA_ULPDU_TOO_SHORT);
        assertThat(check("c140")).isEqualTo(Malformed.DDP_TAGGED_TOO_SHORT);
    }

    @Satisfies({"RFC5041-4.2-1", "RFC5041-4.3-1"})
    @Test
    void everyCutHeaderIsRefused() {
        for (int bytes = 2; bytes < 14; bytes++) {
            assertThat(check(WRITE.replace(" ", "").substring(0, 2 * bytes))).isEqualTo(Malformed.DDP_TAGGED_TOO_SHORT);
        }
        for (int bytes = 2; bytes < 18; bytes++) {
            assertThat(check(SEND.replace(" ", "").substring(0, 2 * bytes)))
                    .isEqualTo(Malformed.DDP_UNTAGGED_TOO_SHORT);
        }
    }

    @Satisfies({"RFC5041-4.1-2", "RFC5041-4.1-3"})
    @Test
    void controlByteHoldsTaggedLastAndVersion() {
        assertThat(Bytes.u8(tagged(true), 0)).isEqualTo(0xC1);
        assertThat(Bytes.u8(tagged(false), 0)).isEqualTo(0x81);
        assertThat(Bytes.u8(untagged(true), 0)).isEqualTo(0x41);
        assertThat(Bytes.u8(untagged(false), 0)).isEqualTo(0x01);
    }

    @Satisfies({"RFC5041-4.1-4", "RFC5041-7.1-1"})
    @Test
    void otherVersionsAreRefusedByModel() {
        for (int version : new int[] {0, 2, 3}) {
            int tagged = check(HexVectors.bytes(WRITE), 0, 0xC0 | version);
            int untagged = check(HexVectors.bytes(SEND), 0, 0x40 | version);
            assertThat(tagged).isEqualTo(Malformed.DDP_VERSION_TAGGED);
            assertThat(untagged).isEqualTo(Malformed.DDP_VERSION_UNTAGGED);
            assertThat(TerminateCode.forMalformed(tagged)).isEqualTo(TerminateCode.of(1, 1, 4));
            assertThat(TerminateCode.forMalformed(untagged)).isEqualTo(TerminateCode.of(1, 2, 6));
        }
    }

    @Satisfies("RFC5041-4.1-5")
    @Test
    void reservedBitsAreNotLookedAt() {
        for (int reserved = 0; reserved < 16; reserved++) {
            assertThat(check(HexVectors.bytes(WRITE), 0, 0xC1 | reserved << 2)).isEqualTo(Malformed.OK);
            assertThat(check(HexVectors.bytes(SEND), 0, 0x41 | reserved << 2)).isEqualTo(Malformed.OK);
        }
    }

    @Satisfies("RFC5041-4.3-4")
    @Test
    void messageOfOneSegmentStartsAtOffsetZero() {
        assertThat(check(READ_REQUEST)).isEqualTo(Malformed.OK);
        int malformed = check(HexVectors.bytes(READ_REQUEST), 17, 5);
        assertThat(malformed).isEqualTo(Malformed.DDP_MO_INVALID);
        assertThat(TerminateCode.forMalformed(malformed)).isEqualTo(TerminateCode.of(1, 2, 4));
        // a Send may be at any offset: what is right there, only the stream can tell
        assertThat(check(HexVectors.bytes(SEND), 17, 5)).isEqualTo(Malformed.OK);
    }

    @Satisfies({"RFC5041-4.3-2", "RFC5041-4.3-3"})
    @Test
    void sequenceNumbersStartAtOneAndMayBeAnything() {
        assertThat(DdpHeader.FIRST_MSN).isEqualTo(1);
        MemorySegment wrapped = MemorySegment.ofArray(HexVectors.bytes("4143 00000000 00000000 ffffffff 00000000"));
        assertThat(DdpSegment.check(wrapped, 0, 18)).isEqualTo(Malformed.OK);
        assertThat(DdpHeader.ddpMsn(wrapped, 0)).isEqualTo(-1);
    }

    @Satisfies("RFC5041-7.2-1")
    @Test
    void ddpErrorsHaveTheirTypesAndCodes() {
        assertThat(TerminateCode.DDP_LOCAL_CATASTROPHIC).isEqualTo(TerminateCode.of(1, 0, 0));
        assertThat(TerminateCode.DDP_INVALID_STAG).isEqualTo(TerminateCode.of(1, 1, 0));
        assertThat(TerminateCode.DDP_BASE_OR_BOUNDS).isEqualTo(TerminateCode.of(1, 1, 1));
        assertThat(TerminateCode.DDP_STAG_NOT_ASSOCIATED).isEqualTo(TerminateCode.of(1, 1, 2));
        assertThat(TerminateCode.DDP_TO_WRAP).isEqualTo(TerminateCode.of(1, 1, 3));
        assertThat(TerminateCode.DDP_TAGGED_INVALID_VERSION).isEqualTo(TerminateCode.of(1, 1, 4));
        assertThat(TerminateCode.DDP_INVALID_QN).isEqualTo(TerminateCode.of(1, 2, 1));
        assertThat(TerminateCode.DDP_MSN_NO_BUFFER).isEqualTo(TerminateCode.of(1, 2, 2));
        assertThat(TerminateCode.DDP_MSN_RANGE).isEqualTo(TerminateCode.of(1, 2, 3));
        assertThat(TerminateCode.DDP_INVALID_MO).isEqualTo(TerminateCode.of(1, 2, 4));
        assertThat(TerminateCode.DDP_MESSAGE_TOO_LONG).isEqualTo(TerminateCode.of(1, 2, 5));
        assertThat(TerminateCode.DDP_UNTAGGED_INVALID_VERSION).isEqualTo(TerminateCode.of(1, 2, 6));
    }

    private static MemorySegment tagged(boolean last) {
        return Written.by(14, (s, at) -> DdpHeader.putTagged(s, at, last, 0x40, 0, 0));
    }

    private static MemorySegment untagged(boolean last) {
        return Written.by(18, (s, at) -> DdpHeader.putUntagged(s, at, last, 0x43, 0, 0, 1, 0));
    }

    private static int check(String hex) {
        MemorySegment segment = MemorySegment.ofArray(HexVectors.bytes(hex));
        return DdpSegment.check(segment, 0, (int) segment.byteSize());
    }

    private static int check(byte[] bytes, int at, int value) {
        bytes[at] = (byte) value;
        return DdpSegment.check(MemorySegment.ofArray(bytes), 0, bytes.length);
    }
}
