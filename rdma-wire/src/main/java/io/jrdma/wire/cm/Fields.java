package io.jrdma.wire.cm;

/** Checks of the ranges of fields; a value out of range is the caller's fault. */
final class Fields {
    private Fields() {}

    static int check(String name, int value, int max) {
        if (value < 0 || value > max) {
            throw new IllegalArgumentException(name + " is " + value + ", must be 0.." + max);
        }
        return value;
    }

    static int u8(String name, int value) {
        return check(name, value, 0xFF);
    }

    static int u16(String name, int value) {
        return check(name, value, 0xFFFF);
    }

    static int u24(String name, int value) {
        return check(name, value, 0xFF_FFFF);
    }

    /** A field of five bits. */
    static int timeout(String name, int value) {
        return check(name, value, 0x1F);
    }

    /** A field of three bits. */
    static int three(String name, int value) {
        return check(name, value, 7);
    }

    static void fits(String name, CmBytes bytes, int max) {
        if (bytes.length() > max) {
            throw new IllegalArgumentException(name + " has " + bytes.length() + " bytes, room is for " + max);
        }
    }

    static int bit(boolean value, int shift) {
        return value ? 1 << shift : 0;
    }
}
