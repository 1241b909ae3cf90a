package io.jrdma.wire.ib;

/**
 * Path MTUs, in bytes of payload: 256, 512, 1024, 2048, 4096, coded 1 to 5 ({@code enum ibv_mtu}).
 *
 * <p>Bytes and codes are plain numbers; a code outside 1..5 never reaches an engine: {@link #isCode} first.
 */
public final class PathMtu {
    /** Bytes of the smallest path MTU. */
    public static final int MIN_BYTES = 256;
    /** Bytes of the largest path MTU. */
    public static final int MAX_BYTES = 4096;
    /** The smallest code. */
    public static final int MIN_CODE = 1;
    /** The largest code. */
    public static final int MAX_CODE = 5;

    private PathMtu() {}

    /** Whether the code stands for an MTU. */
    public static boolean isCode(int code) {
        return code >= MIN_CODE && code <= MAX_CODE;
    }

    /** Whether so many bytes are an MTU. */
    public static boolean isMtu(int bytes) {
        return bytes >= MIN_BYTES && bytes <= MAX_BYTES && Integer.bitCount(bytes) == 1;
    }

    /** The bytes of a code, 1..5. */
    public static int bytes(int code) {
        assert isCode(code) : code;
        return 128 << code;
    }

    /** The code of an MTU in bytes. */
    public static int code(int bytes) {
        assert isMtu(bytes) : bytes;
        return Integer.numberOfTrailingZeros(bytes) - 7;
    }

    /** The largest MTU of at most so many bytes; 0 if even the smallest is larger. */
    public static int atMost(int bytes) {
        return bytes < MIN_BYTES ? 0 : Math.min(MAX_BYTES, Integer.highestOneBit(bytes));
    }
}
