package io.jrdma.wire.ib;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/**
 * Flush Extended Transport Header, 4 bytes (IBTA annex A19; [IBTA-A19-1]).
 *
 * <pre>
 * bits 31:6 reserved | bits 5:4 selectivity level | bits 3:0 placement type
 * </pre>
 */
public final class Feth {
    /** Bytes. */
    public static final int LENGTH = 4;

    /** Placement type bit: visible to every agent of the host. */
    public static final int GLOBAL_VISIBILITY = 1;
    /** Placement type bit: survives a loss of power. */
    public static final int PERSISTENCE = 2;

    /** Selectivity level: the range that the RETH names. */
    public static final int RANGE = 0;
    /** Selectivity level: the whole memory region. */
    public static final int MEMORY_REGION = 1;

    private Feth() {}

    /** The placement type, 0..15: any of {@link #GLOBAL_VISIBILITY} and {@link #PERSISTENCE}. */
    public static int placementType(MemorySegment segment, long at) {
        return Bytes.u32(segment, at) & 0xF;
    }

    /** The selectivity level, 0..3. */
    public static int selectivity(MemorySegment segment, long at) {
        return (Bytes.u32(segment, at) >>> 4) & 3;
    }

    /**
     * Writes the header.
     *
     * @param placementType 0..15
     * @param selectivity 0..3
     */
    public static void put(MemorySegment segment, long at, int placementType, int selectivity) {
        assert placementType >>> 4 == 0 : placementType;
        assert selectivity >>> 2 == 0 : selectivity;
        Bytes.putU32(segment, at, (selectivity << 4) | placementType);
    }
}
