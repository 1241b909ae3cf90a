package io.jrdma.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Runs a header writer and shows that it writes each of its bytes and no other. */
public final class Written {
    private static final int GUARD = 7;

    private Written() {}

    /** A header writer. */
    @FunctionalInterface
    public interface Put {
        void put(MemorySegment segment, long at);
    }

    /** What {@code put} writes: exactly {@code length} bytes, whatever was there before. */
    public static MemorySegment by(int length, Put put) {
        byte[] overZeros = run(length, put, (byte) 0);
        byte[] overOnes = run(length, put, (byte) 0xFF);
        assertThat(overOnes).as("every byte is written").isEqualTo(overZeros);
        return MemorySegment.ofArray(overZeros);
    }

    private static byte[] run(int length, Put put, byte before) {
        byte[] bytes = new byte[GUARD + length + GUARD];
        Arrays.fill(bytes, before);
        put.put(MemorySegment.ofArray(bytes), GUARD);
        for (int i = 0; i < GUARD; i++) {
            assertThat(bytes[i]).as("before the header").isEqualTo(before);
            assertThat(bytes[GUARD + length + i]).as("behind the header").isEqualTo(before);
        }
        return Arrays.copyOfRange(bytes, GUARD, GUARD + length);
    }
}
