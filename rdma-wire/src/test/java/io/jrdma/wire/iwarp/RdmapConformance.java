package io.jrdma.wire.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.HexVectors;
import io.jrdma.testing.Satisfies;
import io.jrdma.wire.Bytes;
import io.jrdma.wire.Malformed;
import io.jrdma.wire.Written;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** RFC 5040 and RFC 7306, as far as bytes alone can show. */
class RdmapConformance {
    private static final String READ_REQUEST =
            "4141 00000000 00000001 00000001 00000000" + "00a1b200 00007f0000001000 00000040 00c3d400 00007f0000002000";
    private static final String TERMINATE = "4147 00000000 00000002 00000001 00000000 20020000";

    @Satisfies({"RFC5040-4.1-1", "RFC5040-4.1-2"})
    @Test
    void controlByteIsVersionOneAndTheOpcode() {
        for (int opcode = 0; opcode < 16; opcode++) {
            assertThat(RdmapHeader.control(opcode)).isEqualTo(0x40 | opcode);
            MemorySegment segment = MemorySegment.ofArray(new byte[2]);
            RdmapHeader.put(segment, 0, opcode);
            assertThat(RdmapHeader.view(segment, 0)).isEqualTo(new RdmapHeader.View(1, opcode));
            assertThat(Bytes.u8(segment, 0)).isZero();
        }
    }

    @Satisfies("RFC5040-4.1-1")
    @Test
    void otherVersionsAreRefused() {
        for (int control : new int[] {0x03, 0x83, 0xC3}) {
            int malformed =
                    check("41" + HexFormat.of().toHexDigits((byte) control) + "00000000 00000000 00000001 00000000");
            assertThat(malformed).isEqualTo(Malformed.RDMAP_VERSION);
            assertThat(TerminateCode.forMalformed(malformed)).isEqualTo(TerminateCode.of(0, 2, 5));
        }
    }

    @Satisfies("RFC5040-4.1-2")
    @Test
    void reservedBitsAreNotLookedAt() {
        assertThat(check("4173 00000000 00000000 00000001 00000000")).isEqualTo(Malformed.OK);
    }

    @Satisfies("RFC5040-4.1-3")
    @Test
    void unknownAndUnsupportedOpcodesAreRefused() {
        for (int opcode = 0xC; opcode <= 0xF; opcode++) {
            int malformed = check("414" + Integer.toHexString(opcode) + "00000000 00000000 00000001 00000000");
            assertThat(malformed).isEqualTo(Malformed.RDMAP_OPCODE_UNKNOWN);
            assertThat(TerminateCode.forMalformed(malformed)).isEqualTo(TerminateCode.of(0, 2, 6));
        }
        for (int opcode = 8; opcode <= 0xB; opcode++) {
            // too short for its header, but that does not matter to who does not know the opcode
            MemorySegment segment = MemorySegment.ofArray(
                    HexVectors.bytes("414" + Integer.toHexString(opcode) + "00000000 00000000 00000001 00000000"));
            int malformed = DdpSegment.check(segment, 0, 18, RdmapOpcode.RFC5040);
            assertThat(malformed).isEqualTo(Malformed.RDMAP_OPCODE_UNSUPPORTED);
            assertThat(TerminateCode.forMalformed(malformed)).isEqualTo(TerminateCode.of(0, 2, 6));
        }
    }

    @Satisfies("RFC5040-4.1-4")
    @Test
    void invalidateStagStandsBehindTheControlByte() {
        MemorySegment send = MemorySegment.ofArray(HexVectors.bytes("4144 00a1b2c3 00000000 00000001 00000000"));
        assertThat(DdpSegment.check(send, 0, 18)).isEqualTo(Malformed.OK);
        assertThat(RdmapHeader.invalidateStag(send, 0)).isEqualTo(0x00A1_B2C3);
        // elsewhere the field is not looked at
        assertThat(check("4143 00a1b2c3 00000000 00000001 00000000")).isEqualTo(Malformed.OK);
    }

    @Satisfies("RFC5040-4.2-1")
    @Test
    void modelMustBeTheOpcodesOwn() {
        for (int opcode = 0; opcode <= 0xB; opcode++) {
            boolean tagged = opcode == RdmapOpcode.RDMA_WRITE || opcode == RdmapOpcode.RDMA_READ_RESPONSE;
            byte[] segment = new byte[80];
            segment[0] = (byte) (tagged ? 0x41 : 0xC1);
            segment[1] = (byte) (0x40 | opcode);
            int malformed = DdpSegment.check(MemorySegment.ofArray(segment), 0, segment.length);
            assertThat(malformed)
                    .isEqualTo(tagged ? Malformed.RDMAP_TAGGED_EXPECTED : Malformed.RDMAP_UNTAGGED_EXPECTED);
            assertThat(TerminateCode.forMalformed(malformed)).isEqualTo(TerminateCode.of(0, 2, 6));
        }
    }

    @Satisfies({"RFC5040-4.2-2", "RFC7306-4.2-1"})
    @Test
    void queueMustBeTheOpcodesOwn() {
        int[] queues = {-1, 1, -1, 0, 0, 0, 0, 2, 0, 0, 1, 3, -1, -1, -1, -1};
        for (int opcode = 0; opcode < 16; opcode++) {
            assertThat(RdmapOpcode.queueNumber(opcode))
                    .as(RdmapOpcode.name(opcode))
                    .isEqualTo(queues[opcode]);
            for (int queue = -1; queue < 5 && queues[opcode] >= 0; queue++) {
                MemorySegment segment = MemorySegment.ofArray(new byte[RdmapOpcode.headerBytes(opcode)]);
                DdpHeader.putUntagged(segment, 0, true, RdmapHeader.control(opcode), 0, queue, 1, 0);
                int malformed = DdpSegment.check(segment, 0, (int) segment.byteSize());
                assertThat(malformed).isEqualTo(queue == queues[opcode] ? Malformed.OK : Malformed.DDP_QN_INVALID);
            }
        }
        assertThat(TerminateCode.forMalformed(Malformed.DDP_QN_INVALID)).isEqualTo(TerminateCode.of(1, 2, 1));
    }

    @Satisfies("RFC5040-4.4-1")
    @Test
    void readRequestIsExactly46Bytes() {
        assertThat(check(READ_REQUEST)).isEqualTo(Malformed.OK);
        assertThat(check(READ_REQUEST + "00")).isEqualTo(Malformed.RDMAP_READ_REQUEST_TOO_LONG);
        assertThat(check(READ_REQUEST.substring(0, READ_REQUEST.length() - 2)))
                .isEqualTo(Malformed.RDMAP_READ_REQUEST_TOO_SHORT);
        MemorySegment header = Written.by(
                28,
                (s, at) -> ReadRequestHeader.put(
                        s, at, 0x00A1_B200, 0x7f00_0000_1000L, 64, 0x00C3_D400, 0x7f00_0000_2000L));
        MemorySegment segment = MemorySegment.ofArray(HexVectors.bytes(READ_REQUEST));
        assertThat(header.mismatch(segment.asSlice(18))).isEqualTo(-1);
        assertThat(ReadRequestHeader.view(segment, 18))
                .isEqualTo(
                        new ReadRequestHeader.View(0x00A1_B200, 0x7f00_0000_1000L, 64, 0x00C3_D400, 0x7f00_0000_2000L));
    }

    @Satisfies({"RFC5040-4.4-2", "RFC5040-4.8-5", "RFC7306-4.2-1"})
    @Test
    void messagesOfRdmapItselfAreOneSegment() {
        for (int opcode : new int[] {1, 7, 8, 9, 0xA, 0xB}) {
            MemorySegment segment = MemorySegment.ofArray(new byte[RdmapOpcode.headerBytes(opcode)]);
            DdpHeader.putUntagged(
                    segment, 0, false, RdmapHeader.control(opcode), 0, RdmapOpcode.queueNumber(opcode), 1, 0);
            assertThat(DdpSegment.check(segment, 0, (int) segment.byteSize())).isEqualTo(Malformed.DDP_LAST_MISSING);
        }
        assertThat(check("0143 00000000 00000000 00000001 00000000")).isEqualTo(Malformed.OK);
        assertThat(check("8140 00000001 0000000000000000")).isEqualTo(Malformed.OK);
    }

    @Satisfies("RFC5040-4.8-1")
    @Test
    void terminateStartsWithLayerTypeCodeAndFlags() {
        MemorySegment header = Written.by(4, (s, at) -> TerminateHeader.put(s, at, TerminateCode.DDP_MSN_NO_BUFFER));
        assertThat(Bytes.u32(header, 0)).isEqualTo(0x1202_0000);
        assertThat(check(TERMINATE)).isEqualTo(Malformed.OK);
        assertThat(check(TERMINATE.substring(0, TERMINATE.length() - 2)))
                .isEqualTo(Malformed.RDMAP_TERMINATE_TOO_SHORT);
    }

    @Satisfies({"RFC5040-4.8-2", "RFC5040-4.8-3"})
    @Test
    void terminateShowsTheOffendingTaggedHeader() {
        MemorySegment write = MemorySegment.ofArray(HexVectors.bytes("c140 00a1b200 0000000000001000 68656c6c6f"));
        MemorySegment header = Written.by(
                20, (s, at) -> TerminateHeader.put(s, at, TerminateCode.DDP_INVALID_STAG, write, 0, 19, false));
        assertThat(header.mismatch(
                        MemorySegment.ofArray(HexVectors.bytes("1100c000 0013 c140 00a1b200 0000000000001000"))))
                .isEqualTo(-1);
        assertThat(TerminateHeader.view(header, 0, 20, false))
                .isEqualTo(new TerminateHeader.View(
                        TerminateHeader.FORM_RFC,
                        TerminateCode.DDP_INVALID_STAG,
                        0xC0,
                        19,
                        new DdpHeader.Tagged(true, 1, 0x40, 0x00A1_B200, 0x1000),
                        null));
    }

    @Satisfies({"RFC5040-4.8-3", "RFC5040-4.8-4"})
    @Test
    void terminateShowsTheOffendingReadRequest() {
        MemorySegment request = MemorySegment.ofArray(HexVectors.bytes(READ_REQUEST));
        MemorySegment header = Written.by(
                52, (s, at) -> TerminateHeader.put(s, at, TerminateCode.RDMAP_INVALID_STAG, request, 0, 46, true));
        assertThat(Bytes.u32(header, 0)).isEqualTo(0x0100_E000);
        assertThat(Bytes.u16(header, 4)).isEqualTo(46);
        assertThat(header.asSlice(6).mismatch(request)).isEqualTo(-1);
        TerminateHeader.View view = TerminateHeader.view(header, 0, 52, false);
        assertThat(view.readRequest()).isEqualTo(ReadRequestHeader.view(request, 18));
        assertThat(view.ddpHeader()).isEqualTo(DdpHeader.view(request, 0));
    }

    @Satisfies({"RFC5040-4.8-3", "RFC5040-4.8-4"})
    @ParameterizedTest
    @CsvSource({
        "0, 0, 0, false, false",
        "0, 1, 1, true, true",
        "0, 2, 6, true, false",
        "1, 0, 0, false, false",
        "1, 1, 0, true, false",
        "1, 2, 5, true, false",
        "2, 0, 2, false, false"
    })
    void whatATerminateCarriesDependsOnTheError(int layer, int type, int code, boolean ddp, boolean readRequest) {
        int error = TerminateCode.of(layer, type, code);
        assertThat(TerminateCode.carriesDdpHeader(error)).isEqualTo(ddp);
        assertThat(TerminateCode.carriesReadRequest(error)).isEqualTo(readRequest);
    }

    @Satisfies({"RFC5040-7.1-1", "RFC6581-8-1"})
    @Test
    void rdmapAndMpaErrorsHaveTheirTypesAndCodes() {
        assertThat(TerminateCode.RDMAP_LOCAL_CATASTROPHIC).isEqualTo(TerminateCode.of(0, 0, 0));
        assertThat(TerminateCode.RDMAP_INVALID_STAG).isEqualTo(TerminateCode.of(0, 1, 0));
        assertThat(TerminateCode.RDMAP_BASE_OR_BOUNDS).isEqualTo(TerminateCode.of(0, 1, 1));
        assertThat(TerminateCode.RDMAP_ACCESS_RIGHTS).isEqualTo(TerminateCode.of(0, 1, 2));
        assertThat(TerminateCode.RDMAP_STAG_NOT_ASSOCIATED).isEqualTo(TerminateCode.of(0, 1, 3));
        assertThat(TerminateCode.RDMAP_TO_WRAP).isEqualTo(TerminateCode.of(0, 1, 4));
        assertThat(TerminateCode.RDMAP_PROTECTION_CANNOT_INVALIDATE).isEqualTo(TerminateCode.of(0, 1, 9));
        assertThat(TerminateCode.RDMAP_PROTECTION_UNSPECIFIED).isEqualTo(TerminateCode.of(0, 1, 0xFF));
        assertThat(TerminateCode.RDMAP_INVALID_VERSION).isEqualTo(TerminateCode.of(0, 2, 5));
        assertThat(TerminateCode.RDMAP_UNEXPECTED_OPCODE).isEqualTo(TerminateCode.of(0, 2, 6));
        assertThat(TerminateCode.RDMAP_CATASTROPHIC_STREAM).isEqualTo(TerminateCode.of(0, 2, 7));
        assertThat(TerminateCode.RDMAP_CATASTROPHIC_GLOBAL).isEqualTo(TerminateCode.of(0, 2, 8));
        assertThat(TerminateCode.RDMAP_CANNOT_INVALIDATE).isEqualTo(TerminateCode.of(0, 2, 9));
        assertThat(TerminateCode.RDMAP_OPERATION_UNSPECIFIED).isEqualTo(TerminateCode.of(0, 2, 0xFF));
        assertThat(TerminateCode.MPA_CONNECTION_LOST).isEqualTo(TerminateCode.of(2, 0, 1));
        assertThat(TerminateCode.MPA_CRC).isEqualTo(TerminateCode.of(2, 0, 2));
        assertThat(TerminateCode.MPA_MARKER_OR_LENGTH).isEqualTo(TerminateCode.of(2, 0, 3));
        assertThat(TerminateCode.MPA_INVALID_STARTUP).isEqualTo(TerminateCode.of(2, 0, 4));
        assertThat(TerminateCode.MPA_LOCAL_CATASTROPHIC).isEqualTo(TerminateCode.of(2, 0, 5));
        assertThat(TerminateCode.MPA_INSUFFICIENT_IRD).isEqualTo(TerminateCode.of(2, 0, 6));
        assertThat(TerminateCode.MPA_NO_MATCHING_RTR).isEqualTo(TerminateCode.of(2, 0, 7));
    }

    @Satisfies("RFC7306-5.2.1-1")
    @Test
    void atomicRequestIsExactly70Bytes() {
        exactly(
                RdmapOpcode.ATOMIC_REQUEST,
                70,
                Malformed.RDMAP_ATOMIC_REQUEST_TOO_SHORT,
                Malformed.RDMAP_ATOMIC_REQUEST_TOO_LONG);
        MemorySegment header = Written.by(
                52,
                (s, at) -> AtomicHeaders.Request.put(
                        s, at, AtomicHeaders.COMPARE_SWAP, 0x0102_0304, 0x0506_0708, 9, 10, 11, 12, 13));
        assertThat(header.mismatch(MemorySegment.ofArray(HexVectors.bytes("00000002 01020304 05060708 0000000000000009"
                        + "000000000000000a 000000000000000b 000000000000000c 000000000000000d"))))
                .isEqualTo(-1);
    }

    @Satisfies("RFC7306-5.2.2-1")
    @Test
    void atomicResponseIsExactly30Bytes() {
        exactly(
                RdmapOpcode.ATOMIC_RESPONSE,
                30,
                Malformed.RDMAP_ATOMIC_RESPONSE_TOO_SHORT,
                Malformed.RDMAP_ATOMIC_RESPONSE_TOO_LONG);
    }

    @Satisfies("RFC7306-6.2-1")
    @Test
    void immediateDataAreExactlyEightBytes() {
        exactly(RdmapOpcode.IMMEDIATE, 26, Malformed.RDMAP_IMMEDIATE_TOO_SHORT, Malformed.RDMAP_IMMEDIATE_TOO_LONG);
        exactly(
                RdmapOpcode.IMMEDIATE_SOLICITED,
                26,
                Malformed.RDMAP_IMMEDIATE_TOO_SHORT,
                Malformed.RDMAP_IMMEDIATE_TOO_LONG);
    }

    private static void exactly(int opcode, int length, int tooShort, int tooLong) {
        MemorySegment segment = MemorySegment.ofArray(new byte[length + 1]);
        DdpHeader.putUntagged(segment, 0, true, RdmapHeader.control(opcode), 0, RdmapOpcode.queueNumber(opcode), 1, 0);
        assertThat(DdpSegment.check(segment, 0, length)).isEqualTo(Malformed.OK);
        assertThat(DdpSegment.check(segment, 0, length + 1)).isEqualTo(tooLong);
        assertThat(DdpSegment.check(segment, 0, 18)).isEqualTo(tooShort);
        assertThat(DdpSegment.check(segment, 0, length - 1)).isEqualTo(tooShort);
        assertThat(Arrays.asList(TerminateCode.forMalformed(tooShort), TerminateCode.forMalformed(tooLong)))
                .containsExactly(TerminateCode.MPA_MARKER_OR_LENGTH, TerminateCode.DDP_MESSAGE_TOO_LONG);
    }

    private static int check(String hex) {
        MemorySegment segment = MemorySegment.ofArray(HexVectors.bytes(hex));
        return DdpSegment.check(segment, 0, (int) segment.byteSize());
    }
}
