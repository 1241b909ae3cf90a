package io.jrdma.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class HexVectorsTest {
    @Test
    void sourceAndBytes() {
        HexVector vector = HexVectors.parse("# source: somewhere \n00 ff # a comment\n\n 1234\n", "test");
        assertThat(vector.source()).isEqualTo("somewhere");
        assertThat(vector.bytes()).containsExactly(0, 0xFF, 0x12, 0x34);
    }

    @Test
    void aFileMustSayWhereItsBytesComeFrom() {
        assertThatThrownBy(() -> HexVectors.parse("00ff\n", "test.hex")).hasMessageContaining("test.hex");
        assertThatThrownBy(() -> HexVectors.parse("", "test.hex")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void oddDigitsAndMissingFilesAreRefused() {
        assertThatThrownBy(() -> HexVectors.parse("# source: x\n0", "test"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> HexVectors.load(HexVectorsTest.class, "/no.hex"))
                .hasMessageContaining("/no.hex");
    }
}
