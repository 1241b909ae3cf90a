package io.jrdma.testing;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;

/** Generators for header fields, with the values at which code breaks set by hand. */
public final class WireArbitraries {
    private WireArbitraries() {}

    /** 0..255. */
    public static Arbitrary<Integer> u8() {
        return Arbitraries.integers().between(0, 0xFF).edgeCases(c -> c.add(0, 1, 0x7F, 0x80, 0xFF));
    }

    /** 0..65535. */
    public static Arbitrary<Integer> u16() {
        return Arbitraries.integers()
                .between(0, 0xFFFF)
                .edgeCases(c -> c.add(0, 1, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF));
    }

    /** 0..2^24-1. */
    public static Arbitrary<Integer> u24() {
        return Arbitraries.integers()
                .between(0, 0xFF_FFFF)
                .edgeCases(c -> c.add(0, 1, 0x7F_FFFF, 0x80_0000, 0xFF_FFFF));
    }

    /** Any 32 bits: keys, sequence numbers. */
    public static Arbitrary<Integer> u32() {
        return Arbitraries.integers().edgeCases(c -> c.add(0, 1, -1, Integer.MAX_VALUE, Integer.MIN_VALUE));
    }

    /** 0..2^32-1: sizes and message offsets. */
    public static Arbitrary<Long> u32AsLong() {
        return Arbitraries.longs()
                .between(0, 0xFFFF_FFFFL)
                .edgeCases(c -> c.add(0L, 1L, 0x7FFF_FFFFL, 0x8000_0000L, 0xFFFF_FFFFL));
    }

    /** 0..2^48-1. */
    public static Arbitrary<Long> u48() {
        return Arbitraries.longs()
                .between(0, 0xFFFF_FFFF_FFFFL)
                .edgeCases(c -> c.add(0L, 1L, 0xFFFF_FFFFL, 0x1_0000_0000L, 0xFFFF_FFFF_FFFFL));
    }

    /** Any 64 bits: tagged offsets, virtual addresses, atomic operands. */
    public static Arbitrary<Long> u64() {
        return Arbitraries.longs().edgeCases(c -> c.add(0L, 1L, -1L, Long.MAX_VALUE, Long.MIN_VALUE));
    }

    /** 0..15: opcodes, error types, layers. */
    public static Arbitrary<Integer> nibbles() {
        return Arbitraries.integers().between(0, 0xF);
    }

    /** IRD and ORD on the wire: 0..0x3FFF. */
    public static Arbitrary<Integer> readDepths() {
        return Arbitraries.integers().between(0, 0x3FFF).edgeCases(c -> c.add(0, 1, 128, 300, 0x3FFE, 0x3FFF));
    }

    /** Lengths of MPA private data, 0..512. */
    public static Arbitrary<Integer> privateDataLengths() {
        return Arbitraries.integers()
                .between(0, 512)
                .edgeCases(c -> c.add(0, 1, 3, 4, 5, 127, 128, 255, 256, 508, 509, 511, 512));
    }

    /** Lengths of a ULPDU, 0..65535. */
    public static Arbitrary<Integer> ulpduLengths() {
        return Arbitraries.integers()
                .between(0, 0xFFFF)
                .edgeCases(c -> c.add(0, 1, 2, 13, 14, 17, 18, 22, 26, 46, 505, 506, 507, 1442, 64_768, 0xFFFF));
    }

    /** Positions in a stream with markers: any but those inside a marker, up to 2^40. */
    public static Arbitrary<Long> streamPositions() {
        return Arbitraries.longs()
                .between(0, 1L << 40)
                .edgeCases(c -> c.add(0L, 4L, 508L, 511L, 512L, 516L, 1023L, 1024L, 1L << 32))
                .map(position -> position % 512 < 4 ? position - (position % 512) : position);
    }

    /** Any bytes, up to a length. */
    public static Arbitrary<byte[]> bytes(int maxLength) {
        return Arbitraries.bytes().array(byte[].class).ofMinSize(0).ofMaxSize(maxLength);
    }

    /** Exactly so many bytes. */
    public static Arbitrary<byte[]> bytesOf(int length) {
        return Arbitraries.bytes().array(byte[].class).ofSize(length);
    }
}
