package io.jrdma.wire;

import java.lang.foreign.MemorySegment;
import java.util.HexFormat;

/** A line of text in the making: words, and values behind their names, with a space between any two. Numbers are decimal, keys and bytes hex. */
final class Line {
    private static final int HEX_BYTES = 24;
    private static final long US = 1_000;
    private static final long MS = 1_000_000;
    private static final long S = 1_000_000_000;

    private final StringBuilder text = new StringBuilder();

    /** How many of {@code length} bytes at {@code at} the segment has. */
    static long clip(MemorySegment segment, long at, long length) {
        return Math.clamp(length, 0, Math.max(0, segment.byteSize() - at));
    }

    /** Adds a word, or several. */
    Line word(String word) {
        text.append(text.isEmpty() ? "" : " ").append(word);
        return this;
    }

    /** Adds it if that is so. */
    Line wordIf(boolean condition, String word) {
        return condition ? word(word) : this;
    }

    Line number(String name, long value) {
        return word(name).word(Long.toString(value));
    }

    /** Adds a number that says something only if it is not 0. */
    Line numberIfAny(String name, long value) {
        return value == 0 ? this : number(name, value);
    }

    /** Adds eight digits. */
    Line hex(String name, int value) {
        return word(name).word(HexFormat.of().toHexDigits(value));
    }

    /** Adds four digits. */
    Line hex(String name, short value) {
        return word(name).word(HexFormat.of().toHexDigits(value));
    }

    /** Adds as many digits as it takes. */
    Line hex(String name, long value) {
        return word(name).word(Long.toHexString(value));
    }

    private Line hexPair(String name, String first, String second) {
        return word(name).word(first + "/" + second);
    }

    /** Adds two values that belong together. */
    Line hexPair(String name, int first, int second) {
        return hexPair(name, digits(first), digits(second));
    }

    /** Adds a key and an offset. */
    Line hexPair(String name, int first, long second) {
        return hexPair(name, digits(first), Long.toHexString(second));
    }

    /** Adds a value and its mask. */
    Line hexPair(String name, long first, long second) {
        return hexPair(name, Long.toHexString(first), Long.toHexString(second));
    }

    private static String digits(int value) {
        return HexFormat.of().toHexDigits(value);
    }

    /** Adds the number of a queue pair, which people know in hex. */
    Line queuePair(String name, int number) {
        return word(name).word("0x" + Integer.toHexString(number));
    }

    /** Adds a time in the unit that suits it, to two places. */
    Line time(String name, long nanos) {
        long unit = nanos < MS ? US : nanos < S ? MS : S;
        String number = Double.toString(Math.round(nanos * 100.0 / unit) / 100.0);
        String shown = number.endsWith(".0") ? number.substring(0, number.length() - 2) : number;
        return word(name).word(shown + (unit == US ? " us" : unit == MS ? " ms" : " s"));
    }

    Line bytes(String name, byte[] bytes) {
        return word(name).bytes(MemorySegment.ofArray(bytes), 0, bytes.length);
    }

    /** Adds the first bytes of so many. */
    Line bytes(MemorySegment segment, long at, long length) {
        StringBuilder hex = new StringBuilder();
        for (long i = 0; i < Math.min(length, HEX_BYTES); i++) {
            HexFormat.of().toHexDigits(hex, (byte) Bytes.u8(segment, at + i));
        }
        return word(hex.append(length > HEX_BYTES ? "..." : "").toString());
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
