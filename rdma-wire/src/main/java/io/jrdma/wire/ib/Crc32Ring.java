package io.jrdma.wire.ib;

/**
 * Arithmetic with CRC-32 registers: polynomials over GF(2) modulo x^32 + x^26 + ... + 1, in the reflected form in which
 * {@code java.util.zip.CRC32} has them, so that the topmost bit is 1 and the lowest x^31.
 *
 * <p>To feed a byte of zero is to multiply by x^8; a message byte enters at the low end of the register and is multiplied with it.
 */
final class Crc32Ring {
    /** The polynomial 1. */
    static final int ONE = 0x8000_0000;
    /** x^8: one byte of zero. */
    static final int BYTE = 0x0080_0000;
    /** x^-8: one byte of zero taken back. */
    static final int BYTE_BACK = 0x6567_CB95;

    private static final int MODULUS = 0xEDB8_8320;
    private static final int NIBBLE_VALUES = 16;

    private Crc32Ring() {}

    private static int timesX(int value) {
        return (value >>> 1) ^ (MODULUS & -(value & 1));
    }

    static int multiply(int left, int right) {
        int product = 0;
        int shifted = right;
        for (int bits = left; bits != 0; bits <<= 1) {
            product ^= shifted & (bits >> 31);
            shifted = timesX(shifted);
        }
        return product;
    }

    /** {@code base} to the power of {@code exponent}, 0 or more. */
    static int power(int base, int exponent) {
        int result = ONE;
        int square = base;
        for (int bits = exponent; bits != 0; bits >>>= 1) {
            if ((bits & 1) != 0) {
                result = multiply(result, square);
            }
            square = multiply(square, square);
        }
        return result;
    }

    /** A table for {@link #multiply(int[], int)}: the products of {@code factor} with each value of each of the low nibbles. */
    static int[] table(int factor, int nibbles) {
        int[] table = new int[nibbles * NIBBLE_VALUES];
        for (int nibble = 0; nibble < nibbles; nibble++) {
            for (int value = 0; value < NIBBLE_VALUES; value++) {
                table[nibble * NIBBLE_VALUES + value] = multiply(value << (4 * nibble), factor);
            }
        }
        return table;
    }

    /** {@code value} times the factor of a table of eight nibbles. */
    static int multiply(int[] table, int value) {
        return table[value & 0xF]
                ^ table[16 + ((value >>> 4) & 0xF)]
                ^ table[32 + ((value >>> 8) & 0xF)]
                ^ table[48 + ((value >>> 12) & 0xF)]
                ^ table[64 + ((value >>> 16) & 0xF)]
                ^ table[80 + ((value >>> 20) & 0xF)]
                ^ table[96 + ((value >>> 24) & 0xF)]
                ^ table[112 + (value >>> 28)];
    }

    /** {@code value}, of 16 bits, times the factor of a table of four nibbles. */
    static int multiply16(int[] table, int value) {
        return table[value & 0xF]
                ^ table[16 + ((value >>> 4) & 0xF)]
                ^ table[32 + ((value >>> 8) & 0xF)]
                ^ table[48 + ((value >>> 12) & 0xF)];
    }
}
