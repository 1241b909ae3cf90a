package io.jrdma.wire.cm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The bytes of a field that has room for so many: private data, additional reject information.
 *
 * <p>Immutable. [IBTA-12.6-8] The fields have no length on the wire: who sends fewer bytes sends zeros behind them, and
 * who receives always gets all.
 */
public final class CmBytes {
    /** No bytes. */
    public static final CmBytes EMPTY = new CmBytes(new byte[0]);

    private final byte[] bytes;

    private CmBytes(byte[] bytes) {
        this.bytes = bytes;
    }

    /** A copy of an array. */
    public static CmBytes of(byte... bytes) {
        return new CmBytes(bytes.clone());
    }

    /** A copy of a range of a segment. */
    public static CmBytes of(MemorySegment segment, long at, int length) {
        return new CmBytes(segment.asSlice(at, length).toArray(ValueLayout.JAVA_BYTE));
    }

    /** How many. */
    public int length() {
        return bytes.length;
    }

    /** A copy. */
    public byte[] toByteArray() {
        return bytes.clone();
    }

    /** The bytes, and zeros behind them up to a length; or only so many. */
    public CmBytes resize(int length) {
        return length == bytes.length ? this : new CmBytes(Arrays.copyOf(bytes, length));
    }

    /** The bytes from {@code from} on; none if there are not that many. */
    public CmBytes from(int from) {
        return new CmBytes(Arrays.copyOfRange(bytes, Math.min(from, bytes.length), bytes.length));
    }

    /** These bytes and those of another one. */
    public CmBytes plus(CmBytes other) {
        byte[] all = Arrays.copyOf(bytes, bytes.length + other.bytes.length);
        System.arraycopy(other.bytes, 0, all, bytes.length, other.bytes.length);
        return new CmBytes(all);
    }

    /** Writes the bytes, without zeros behind them. */
    void put(MemorySegment segment, long at) {
        MemorySegment.copy(bytes, 0, segment, ValueLayout.JAVA_BYTE, at, bytes.length);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CmBytes that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return HexFormat.of().formatHex(bytes);
    }
}
