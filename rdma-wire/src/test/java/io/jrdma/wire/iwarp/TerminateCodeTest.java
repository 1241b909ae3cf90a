package io.jrdma.wire.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.wire.Malformed;
import java.lang.reflect.Field;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TerminateCodeTest {
    @Test
    void everyTripleHasItsOwnName() throws IllegalAccessException {
        Set<Integer> codes = new HashSet<>();
        for (Field field : TerminateCode.class.getFields()) {
            boolean triple = !field.getName().startsWith("LAYER_")
                    && !field.getName().startsWith("TYPE_")
                    && !field.getName().equals("NONE");
            if (triple) {
                int code = field.getInt(null);
                assertThat(TerminateCode.name(code)).isEqualTo(field.getName());
                assertThat(TerminateCode.isKnown(code)).isTrue();
                assertThat(TerminateCode.description(code)).isNotEqualTo("no known error");
                assertThat(codes.add(code)).isTrue();
            }
        }
        assertThat(codes).hasSize(33);
    }

    @Test
    void everyTripleWhateverHasAText() {
        int known = 0;
        for (int code = 0; code <= 0xFFFF; code++) {
            assertThat(TerminateCode.name(code)).isNotEmpty();
            assertThat(TerminateCode.of(
                            TerminateCode.layer(code), TerminateCode.type(code), TerminateCode.errorCode(code)))
                    .isEqualTo(code);
            known += TerminateCode.isKnown(code) ? 1 : 0;
        }
        // 31 single ones, and two types in which all 256 codes are the same error
        assertThat(known).isEqualTo(31 + 512);
        assertThat(TerminateCode.name(TerminateCode.of(3, 4, 0x5A))).isEqualTo("TERMINATE_3_4_5a");
        assertThat(TerminateCode.name(TerminateCode.of(0, 0, 0xFF))).isEqualTo("RDMAP_LOCAL_CATASTROPHIC");
        assertThat(TerminateCode.triple(TerminateCode.of(0, 1, 0xFF))).isEqualTo("0/1/ff");
        assertThat(TerminateCode.isKnown(TerminateCode.NONE)).isFalse();
    }

    @Test
    void everyReasonToRejectHasAnAnswer() {
        for (int malformed = 1; malformed < Malformed.COUNT; malformed++) {
            assertThat(TerminateCode.isKnown(TerminateCode.forMalformed(malformed)))
                    .as(Malformed.name(malformed))
                    .isTrue();
        }
        assertThat(TerminateCode.forMalformed(Malformed.OK)).isEqualTo(TerminateCode.NONE);
        assertThat(TerminateCode.forMalformed(Malformed.COUNT)).isEqualTo(TerminateCode.NONE);
        assertThat(TerminateCode.forMalformed(Malformed.MPA_KEY_INVALID)).isEqualTo(TerminateCode.MPA_INVALID_STARTUP);
        assertThat(TerminateCode.forMalformed(Malformed.MPA_CRC_MISMATCH)).isEqualTo(TerminateCode.MPA_CRC);
        assertThat(TerminateCode.forMalformed(Malformed.MPA_MARKER_MISMATCH))
                .isEqualTo(TerminateCode.MPA_MARKER_OR_LENGTH);
    }
}
