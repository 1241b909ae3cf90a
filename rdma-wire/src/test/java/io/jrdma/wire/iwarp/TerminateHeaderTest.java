package io.jrdma.wire.iwarp;

import static io.jrdma.wire.iwarp.TerminateHeader.FORM_EITHER;
import static io.jrdma.wire.iwarp.TerminateHeader.FORM_RFC;
import static io.jrdma.wire.iwarp.TerminateHeader.FORM_SIW;
import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.HexVectors;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reading Terminates in the form of RFC 5040 and in the one that Linux siw 6.1 sends on x86. */
class TerminateHeaderTest {
    /** First four bytes as Linux siw sent them, and what they mean. */
    @ParameterizedTest
    @CsvSource({
        "11000300, 1, 1, 00, c0",
        "11010300, 1, 1, 01, c0",
        "01000300, 1, 0, 00, c0",
        "21030300, 1, 2, 03, c0",
        "21010300, 1, 2, 01, c0",
        "21040300, 1, 2, 04, c0",
        "21020300, 1, 2, 02, c0",
        "10000700, 0, 1, 00, e0",
        "10010700, 0, 1, 01, e0",
        "20070300, 0, 2, 07, c0",
        "20090300, 0, 2, 09, c0",
        "20060000, 0, 2, 06, 00",
        "20050000, 0, 2, 05, 00",
        "20080000, 0, 2, 08, 00",
        "20090000, 0, 2, 09, 00",
        "20ff0000, 0, 2, ff, 00",
        "02010000, 2, 0, 01, 00",
        "21060000, 1, 2, 06, 00",
        "02020000, 2, 0, 02, 00",
        "02030000, 2, 0, 03, 00",
        "02040000, 2, 0, 04, 00"
    })
    void siwFormIsRecognised(String hex, int layer, int type, String code, String flags) {
        MemorySegment header = header(hex);
        int form = TerminateHeader.form(header, 0, false);
        assertThat(form).isEqualTo(FORM_SIW);
        assertThat(TerminateHeader.code(header, 0, form))
                .isEqualTo(TerminateCode.of(layer, type, Integer.parseInt(code, 16)));
        assertThat(TerminateHeader.flags(header, 0, form)).isEqualTo(Integer.parseInt(flags, 16));
    }

    @ParameterizedTest
    @CsvSource({
        "1100c000, 1, 1, 00, c0",
        "1200c000, 1, 2, 00, c0",
        "0100e000, 0, 1, 00, e0",
        "0206c000, 0, 2, 06, c0",
        "12060000, 1, 2, 06, 00",
        "20010000, 2, 0, 01, 00",
        "20020000, 2, 0, 02, 00",
        "20030000, 2, 0, 03, 00",
        "20040000, 2, 0, 04, 00",
        "20000000, 2, 0, 00, 00",
        "200a0000, 2, 0, 0a, 00",
        "02080000, 0, 2, 08, 00",
        "02090000, 0, 2, 09, 00",
        "02ff0000, 0, 2, ff, 00",
        "01020000, 0, 1, 02, 00",
        "10000000, 1, 0, 00, 00",
        "02060000, 0, 2, 06, 00",
        "02050000, 0, 2, 05, 00"
    })
    void rfcFormIsRecognised(String hex, int layer, int type, String code, String flags) {
        MemorySegment header = header(hex);
        int form = TerminateHeader.form(header, 0, false);
        assertThat(form).isEqualTo(FORM_RFC);
        assertThat(TerminateHeader.code(header, 0, form))
                .isEqualTo(TerminateCode.of(layer, type, Integer.parseInt(code, 16)));
        assertThat(TerminateHeader.flags(header, 0, form)).isEqualTo(Integer.parseInt(flags, 16));
    }

    @ParameterizedTest
    @CsvSource({"00ff0000, 0, 0, ff", "00000000, 0, 0, 00", "11040000, 1, 1, 04"})
    void someReadTheSameInBothForms(String hex, int layer, int type, String code) {
        MemorySegment header = header(hex);
        int form = TerminateHeader.form(header, 0, false);
        assertThat(form).isEqualTo(FORM_EITHER);
        assertThat(TerminateHeader.code(header, 0, form))
                .isEqualTo(TerminateCode.of(layer, type, Integer.parseInt(code, 16)));
    }

    /** The same bytes during MPA set-up, where siw reports IRD (02 06) and others the RFC's 20 06. */
    @ParameterizedTest
    @CsvSource({"02050000", "02060000", "02070000"})
    void setUpErrorsOfSiwAreMpaErrorsDuringSetUpOnly(String hex) {
        MemorySegment header = header(hex);
        assertThat(TerminateHeader.form(header, 0, true)).isEqualTo(FORM_SIW);
        assertThat(TerminateCode.layer(TerminateHeader.code(header, 0, FORM_SIW)))
                .isEqualTo(2);
        assertThat(TerminateHeader.form(header, 0, false)).isEqualTo(FORM_RFC);
        assertThat(TerminateCode.layer(TerminateHeader.code(header, 0, FORM_RFC)))
                .isEqualTo(0);
    }

    @ParameterizedTest
    @CsvSource({"20050000", "20060000", "20070000"})
    void setUpErrorsOfTheRfcAreMpaErrorsDuringSetUpOnly(String hex) {
        MemorySegment header = header(hex);
        assertThat(TerminateHeader.form(header, 0, true)).isEqualTo(FORM_RFC);
        assertThat(TerminateCode.layer(TerminateHeader.code(header, 0, FORM_RFC)))
                .isEqualTo(2);
        assertThat(TerminateHeader.form(header, 0, false)).isEqualTo(FORM_SIW);
        assertThat(TerminateCode.layer(TerminateHeader.code(header, 0, FORM_SIW)))
                .isEqualTo(0);
    }

    @Test
    void siwShowsTheWriteThatItRefused() {
        MemorySegment header = header("11000300 0008 c140 12345600 0000000000001000");
        assertThat(TerminateHeader.view(header, 0, 20, false))
                .isEqualTo(new TerminateHeader.View(
                        FORM_SIW,
                        TerminateCode.DDP_INVALID_STAG,
                        0xC0,
                        8,
                        new DdpHeader.Tagged(true, 1, 0x40, 0x1234_5600, 0x1000),
                        null));
    }

    @Test
    void siwShowsTheReadRequestThatItRefusedWithItsSizeInPlaceOfTheMsn() {
        MemorySegment header = header("10000700 0000 4141 00000000 00000001 00000040 00000000"
                + "00a1b200 0000000000001000 00000040 00c3d400 0000000000002000");
        TerminateHeader.View view = TerminateHeader.view(header, 0, 52, false);
        assertThat(view.code()).isEqualTo(TerminateCode.RDMAP_INVALID_STAG);
        assertThat(view.readRequest())
                .isEqualTo(new ReadRequestHeader.View(0x00A1_B200, 0x1000, 64, 0x00C3_D400, 0x2000));
        assertThat(view.ddpHeader()).isEqualTo(new DdpHeader.Untagged(true, 1, 0x41, 0, 1, 0x40, 0));
    }

    @Test
    void siwFlagsAReadRequestThatIsNotThere() {
        MemorySegment header = header("10090700 0010 4144 12345600 00000000 00000001 00000000");
        TerminateHeader.View view = TerminateHeader.view(header, 0, 24, false);
        assertThat(view.code()).isEqualTo(TerminateCode.RDMAP_PROTECTION_CANNOT_INVALIDATE);
        assertThat(view.readRequest()).isNull();
        assertThat(view.ddpHeader()).isEqualTo(new DdpHeader.Untagged(true, 1, 0x44, 0x1234_5600, 0, 1, 0));
    }

    @Test
    void whatIsCutOffIsAbsent() {
        MemorySegment header = header("1100c000 0013 c140 00a1b200 0000000000001000");
        for (int length = 4; length < 20; length++) {
            TerminateHeader.View view = TerminateHeader.view(header.asSlice(0, length), 0, length, false);
            assertThat(view.code()).isEqualTo(TerminateCode.DDP_INVALID_STAG);
            assertThat(view.ddpHeader()).isNull();
            assertThat(view.segmentLength()).isEqualTo(length < 6 ? -1 : 0x13);
        }
    }

    @Test
    void readRequestThatIsCutOffIsAbsent() {
        MemorySegment header = header("0100e000 002e 4141 00000000 00000001 00000001 00000000" + "00".repeat(28));
        assertThat(TerminateHeader.readRequestAt(header, 0, 52, FORM_RFC)).isEqualTo(24);
        assertThat(TerminateHeader.readRequestAt(header, 0, 51, FORM_RFC)).isEqualTo(-1);
        assertThat(TerminateHeader.view(header.asSlice(0, 51), 0, 51, false).readRequest())
                .isNull();
    }

    @Test
    void segmentLengthCountsOnlyIfFlagged() {
        MemorySegment header = header("11004000 0013 c140 00a1b200 0000000000001000");
        assertThat(TerminateHeader.segmentLength(header, 0, 20, FORM_RFC)).isEqualTo(-1);
        assertThat(TerminateHeader.ddpHeaderBytes(header, 0, 20, FORM_RFC)).isEqualTo(14);
    }

    private static MemorySegment header(String hex) {
        return MemorySegment.ofArray(HexVectors.bytes(hex));
    }
}
