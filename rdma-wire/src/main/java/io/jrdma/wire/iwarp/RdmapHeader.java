package io.jrdma.wire.iwarp;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/**
 * The RDMAP control byte and the STag to invalidate, which travel inside the DDP header (RFC 5040 section 4.1).
 *
 * <p>Control byte: version C0, reserved 30 [RFC5040-4.1-2], opcode 0F. {@code at} is the DDP segment's first byte; the
 * control byte is its second.
 */
public final class RdmapHeader {
    /** The control byte. */
    public static final int LENGTH = 1;
    /** The only RDMAP version (RDMA Consortium's was 0). */
    public static final int VERSION = 1;

    private static final int CONTROL = 1;
    private static final int INVALIDATE_STAG = 2;
    private static final int OPCODE_MASK = 0x0F;

    private RdmapHeader() {}

    /** The control byte that goes with an opcode 0..15. */
    public static int control(int opcode) {
        assert (opcode & ~OPCODE_MASK) == 0 : opcode;
        return (VERSION << 6) | opcode;
    }

    /** The opcode of a control byte, 0..15. */
    public static int opcodeOf(int control) {
        return control & OPCODE_MASK;
    }

    /** The opcode, 0..15, see {@link RdmapOpcode}. */
    public static int opcode(MemorySegment segment, long at) {
        return opcodeOf(Bytes.u8(segment, at + CONTROL));
    }

    /** RV, 0..3; {@link #VERSION} after a good check. */
    public static int version(MemorySegment segment, long at) {
        return Bytes.u8(segment, at + CONTROL) >>> 6;
    }

    /** [RFC5040-4.1-4] The STag to invalidate; of Send with Invalidate messages alone. */
    public static int invalidateStag(MemorySegment segment, long at) {
        return Bytes.u32(segment, at + INVALIDATE_STAG);
    }

    /** Writes the control byte of an opcode 0..15 into a DDP segment. */
    public static void put(MemorySegment segment, long at, int opcode) {
        Bytes.putU8(segment, at + CONTROL, control(opcode));
    }

    /** The control byte's fields, for tests and logs. */
    public static View view(MemorySegment segment, long at) {
        return new View(version(segment, at), opcode(segment, at));
    }

    /**
     * The fields of the control byte.
     *
     * @param version RV
     * @param opcode 0..15
     */
    public record View(int version, int opcode) {}
}
