package io.jrdma.tools.rping;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PingPatternTest {
    @Test
    void lettersFollowTheNumberAndAZeroEndsThem() {
        assertThat(filled(20, 0)).isEqualTo("rdma-ping-0: ABCDEF\0");
        assertThat(filled(20, 1)).isEqualTo("rdma-ping-1: BCDEFG\0");
        assertThat(filled(20, 12)).isEqualTo("rdma-ping-12: MNOPQ\0");
    }

    @Test
    void lettersGoRoundBehindSmallZ() {
        assertThat(filled(20, 56)).isEqualTo("rdma-ping-56: yzABC\0");
        assertThat(filled(20, 57)).isEqualTo("rdma-ping-57: zABCD\0");
        assertThat(filled(20, 58)).isEqualTo("rdma-ping-58: ABCDE\0");
        assertThat(filled(20, 115)).isEqualTo("rdma-ping-115: zABC\0");
        assertThat(filled(13 + 58 + 1, 0)).endsWith("xyz\0").contains(": ABC");
        assertThat(filled(13 + 59 + 1, 0)).endsWith("xyzA\0");
    }

    @Test
    void aBufferTooSmallForTheNumberCutsIt() {
        assertThat(filled(16, 999)).isEqualTo("rdma-ping-999: \0");
        assertThat(filled(16, 1000)).isEqualTo("rdma-ping-1000:\0");
        assertThat(filled(1, 7)).isEqualTo("\0");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 16, 26, 64, 100, 4096, 65535})
    void anyChangedByteIsFound(int size) {
        byte[] data = new byte[size];
        MemorySegment buffer = MemorySegment.ofArray(data);
        PingPattern.fill(buffer, 3);
        assertThat(PingPattern.firstDifference(buffer, 3)).isEqualTo(-1);
        for (int at : new int[] {0, size / 2, size - 1}) {
            data[at] ^= 0x20;
            assertThat(PingPattern.firstDifference(buffer, 3)).isEqualTo(at);
            data[at] ^= 0x20;
        }
    }

    @Test
    void dataOfAnotherPingIsFound() {
        MemorySegment buffer = MemorySegment.ofArray(new byte[64]);
        PingPattern.fill(buffer, 3);
        assertThat(PingPattern.firstDifference(buffer, 4)).isEqualTo("rdma-ping-".length());
    }

    @Test
    void textEndsAtTheFirstZero() {
        MemorySegment buffer = MemorySegment.ofArray("ab\0c".getBytes(StandardCharsets.US_ASCII));
        assertThat(PingPattern.text(buffer)).isEqualTo("ab");
        assertThat(PingPattern.textBytes(buffer)).isEqualTo(2);
        assertThat(PingPattern.textBytes(buffer.asSlice(0, 2))).isEqualTo(2);
    }

    private static String filled(int size, int ping) {
        byte[] data = new byte[size];
        PingPattern.fill(MemorySegment.ofArray(data), ping);
        return new String(data, StandardCharsets.US_ASCII);
    }
}
