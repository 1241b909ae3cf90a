package io.jrdma.wire.crc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.testing.Allocation;
import io.jrdma.testing.Satisfies;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class Crc32cTest {
    @Satisfies("RFC5044-4.4-2")
    @Test
    void checkValueOfThePolynomial() {
        MemorySegment digits = MemorySegment.ofArray("123456789".getBytes(StandardCharsets.US_ASCII));
        assertThat(new Crc32c().compute(digits, 0, 9)).isEqualTo(0xE306_9283);
        assertThat(new Crc32c().value()).isEqualTo(Crc32c.EMPTY);
    }

    @Test
    void rangesAddUpAcrossSegmentsOfEveryKind() {
        byte[] bytes = randomBytes(100_000, 1);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment nativeSegment = arena.allocate(bytes.length);
            MemorySegment.copy(bytes, 0, nativeSegment, ValueLayout.JAVA_BYTE, 0, bytes.length);
            MemorySegment heapSegment = MemorySegment.ofArray(bytes).asReadOnly();
            Random random = new Random(2);
            for (int round = 0; round < 100; round++) {
                Crc32c crc = new Crc32c();
                int at = 0;
                while (at < bytes.length) {
                    int length = Math.min(bytes.length - at, random.nextInt(12_000));
                    crc.update(random.nextBoolean() ? nativeSegment : heapSegment, at, length);
                    at += length;
                }
                assertThat(crc.value()).isEqualTo(slow(bytes, bytes.length));
            }
        }
    }

    @Test
    void everyLengthAroundTheWorkingArrayIsRight() {
        byte[] bytes = randomBytes(9000, 3);
        MemorySegment segment = MemorySegment.ofArray(bytes);
        Crc32c crc = new Crc32c();
        for (int length : new int[] {0, 1, 7, 4095, 4096, 4097, 8191, 8192, 8193, 9000}) {
            assertThat(crc.compute(segment, 0, length)).as("%d bytes", length).isEqualTo(slow(bytes, length));
        }
    }

    @Test
    void valueMayBeReadBetweenUpdates() {
        byte[] bytes = randomBytes(20, 4);
        MemorySegment segment = MemorySegment.ofArray(bytes);
        Crc32c crc = new Crc32c();
        crc.update(segment, 0, 7);
        assertThat(crc.value()).isEqualTo(slow(bytes, 7));
        crc.update(segment, 7, 13);
        assertThat(crc.value()).isEqualTo(slow(bytes, 20));
        crc.reset();
        assertThat(crc.value()).isEqualTo(Crc32c.EMPTY);
    }

    @Test
    void sharedWorkingArrayKeepsTheValuesApart() {
        byte[] bytes = randomBytes(10_000, 5);
        MemorySegment segment = MemorySegment.ofArray(bytes);
        Crc32c one = new Crc32c();
        Crc32c two = Crc32c.sharing(one);
        one.update(segment, 0, 5000);
        two.update(segment, 0, 10);
        one.update(segment, 5000, 5000);
        assertThat(one.value()).isEqualTo(slow(bytes, 10_000));
        assertThat(two.value()).isEqualTo(slow(bytes, 10));
    }

    @Test
    void copyingGivesTheBytesAndTheirCrc() {
        byte[] bytes = randomBytes(10_001, 6);
        byte[] copy = new byte[10_010];
        Crc32c crc = new Crc32c();
        crc.updateCopying(MemorySegment.ofArray(bytes), 1, MemorySegment.ofArray(copy), 5, 10_000);
        assertThat(crc.value())
                .isEqualTo(new Crc32c().compute(MemorySegment.ofArray(copy), 5, 10_000))
                .isEqualTo(new Crc32c().compute(MemorySegment.ofArray(bytes), 1, 10_000));
        assertThat(Arrays.equals(bytes, 1, 10_001, copy, 5, 10_005)).isTrue();
    }

    @Test
    void segmentsBeyondTwoGibibytesWork(@TempDir Path directory) throws IOException {
        long size = 3L << 30;
        long boundary = 1L << 31;
        byte[] bytes = randomBytes(20_000, 7);
        try (Arena arena = Arena.ofConfined();
                FileChannel sparse = FileChannel.open(
                        directory.resolve("sparse"),
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.SPARSE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            MemorySegment segment = sparse.map(FileChannel.MapMode.READ_WRITE, 0, size, arena);
            MemorySegment.copy(bytes, 0, segment, ValueLayout.JAVA_BYTE, boundary - 10_000, bytes.length);
            assertThat(new Crc32c().compute(segment, boundary - 10_000, bytes.length))
                    .isEqualTo(slow(bytes, bytes.length));
        }
    }

    @Test
    void rangeOutsideTheSegmentIsRefused() {
        MemorySegment segment = MemorySegment.ofArray(new byte[10]);
        assertThatThrownBy(() -> new Crc32c().update(segment, 5, 6)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void nothingIsAllocatedInTheSteadyState() {
        Crc32c crc = new Crc32c();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment[] segments = {
                arena.allocate(70_000), MemorySegment.ofArray(new byte[70_000]), arena.allocate(70_000)
            };
            Allocation.assertAtMost(0, 1, () -> run(crc, segments, 2000));
        }
    }

    private static int run(Crc32c crc, MemorySegment[] segments, int updates) {
        int sum = 0;
        for (int i = 0; i < updates; i++) {
            crc.reset();
            crc.update(segments[i % segments.length], i, 64 + i);
            crc.updateCopying(segments[0], i, segments[i % 2 + 1], 0, 1448);
            sum += crc.value();
        }
        return sum;
    }

    private static byte[] randomBytes(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /** The definition, bit by bit. */
    private static int slow(byte[] bytes, int length) {
        int crc = 0xFFFF_FFFF;
        for (int i = 0; i < length; i++) {
            crc ^= bytes[i] & 0xFF;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc >>> 1) ^ ((crc & 1) == 0 ? 0 : 0x82F6_3B78);
            }
        }
        return ~crc;
    }
}
