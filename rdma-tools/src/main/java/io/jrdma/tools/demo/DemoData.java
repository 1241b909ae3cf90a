package io.jrdma.tools.demo;

import io.jrdma.tools.ToolException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/** Bytes that a seed decides on, so that both processes know them without telling. */
final class DemoData {
    private DemoData() {}

    /** Fills the memory. */
    static void fill(MemorySegment memory, long seed) {
        byte[] bytes = new byte[Math.toIntExact(memory.byteSize())];
        new SplittableRandom(seed).nextBytes(bytes);
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, 0, bytes.length);
    }

    /** Complains of the first byte that is not as {@link #fill} would make it. */
    static void check(String what, MemorySegment memory, long seed) {
        byte[] expected = new byte[Math.toIntExact(memory.byteSize())];
        new SplittableRandom(seed).nextBytes(expected);
        long at = memory.mismatch(MemorySegment.ofArray(expected));
        if (at >= 0) {
            throw ToolException.failed(what + ": byte " + at + " of " + expected.length + " is "
                    + memory.get(ValueLayout.JAVA_BYTE, at) + ", expected " + expected[(int) at]);
        }
    }
}
