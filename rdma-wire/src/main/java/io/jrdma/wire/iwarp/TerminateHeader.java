package io.jrdma.wire.iwarp;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * RDMAP Terminate header, behind the untagged DDP header (RFC 5040 section 4.8; [RFC5040-4.8-1]).
 *
 * <pre>
 *  0  layer F0, error type 0F   1  error code   2  M 80, D 40, R 20, reserved   3  reserved
 *  4  DDP segment length (2), there if M or D is set
 *  6  the terminated DDP header (14 or 18), there if D is set
 *  then the terminated RDMA Read Request header (28), there if R is set
 * </pre>
 *
 * <p>Linux siw on little-endian machines swaps the halves of byte 0 and puts M, D, R at 01, 02, 04 of byte 2. Decoding copes with both
 * forms ({@link #form}); what this class writes is the RFC's. A Terminate is the peer's last word, so what is cut off is treated as
 * absent instead of malformed: with a length of at least {@link #LENGTH} no method here fails.
 *
 * <p>{@code at} is the header's first byte, the segment's first byte plus {@link DdpHeader#UNTAGGED_LENGTH}; {@code length} counts the
 * bytes from there to the end of the ULPDU.
 */
public final class TerminateHeader {
    /** Bytes that are always there. */
    public static final int LENGTH = 4;
    /** Bytes with everything attached. */
    public static final int MAX_LENGTH = 6 + DdpHeader.UNTAGGED_LENGTH + ReadRequestHeader.LENGTH;
    /** Where the terminated DDP header stands. */
    public static final int DDP_HEADER_AT = 6;

    /** Form of RFC 5040. */
    public static final int FORM_RFC = 0;
    /** Form of Linux siw on little-endian machines. */
    public static final int FORM_SIW = 1;
    /** Both forms read the same. */
    public static final int FORM_EITHER = 2;

    /** Flag M: the DDP segment length is valid. */
    public static final int SEGMENT_LENGTH_VALID = 0x80;
    /** Flag D: the terminated DDP header is there. */
    public static final int DDP_HEADER_PRESENT = 0x40;
    /** Flag R: the terminated RDMAP header is there. */
    public static final int RDMAP_HEADER_PRESENT = 0x20;

    private static final int FLAG_MASK = 0xE0;
    private static final int SIW_FLAG_MASK = 0x07;
    private static final int ERROR_CODE = 1;
    private static final int FLAGS = 2;
    private static final int SEGMENT_LENGTH = 4;

    private TerminateHeader() {}

    /**
     * Which of the two forms the header has. Without flags the two overlap, and the codes that each layer has decide.
     *
     * @param startup whether the connection is still in MPA set-up: only then do MPA errors 5, 6 and 7 make sense
     */
    public static int form(MemorySegment segment, long at, boolean startup) {
        int flags = Bytes.u8(segment, at + FLAGS);
        if ((flags & FLAG_MASK) != 0) {
            return FORM_RFC;
        }
        if ((flags & SIW_FLAG_MASK) != 0) {
            return FORM_SIW;
        }
        int layerAndType = Bytes.u8(segment, at);
        if (layerAndType >>> 4 == (layerAndType & 0xF)) {
            return FORM_EITHER;
        }
        int errorCode = Bytes.u8(segment, at + ERROR_CODE);
        return switch (layerAndType) {
            case 0x21 -> FORM_SIW;
            case 0x20 -> isMpaError(errorCode, startup) ? FORM_RFC : siwIf(isOperationError(errorCode));
            case 0x02 -> siwIf(isMpaError(errorCode, startup));
            default -> FORM_RFC;
        };
    }

    private static int siwIf(boolean condition) {
        return condition ? FORM_SIW : FORM_RFC;
    }

    private static boolean isMpaError(int errorCode, boolean startup) {
        return errorCode >= 1 && errorCode <= (startup ? 7 : 4);
    }

    private static boolean isOperationError(int errorCode) {
        return (errorCode >= 5 && errorCode <= 9) || errorCode == 0xFF;
    }

    /** The error, see {@link TerminateCode}. */
    public static int code(MemorySegment segment, long at, int form) {
        int first = Bytes.u8(segment, at);
        int errorCode = Bytes.u8(segment, at + ERROR_CODE);
        return form == FORM_SIW
                ? TerminateCode.of(first & 0xF, first >>> 4, errorCode)
                : TerminateCode.of(first >>> 4, first & 0xF, errorCode);
    }

    /** The flags M, D, R, in the RFC's places whatever the form. */
    public static int flags(MemorySegment segment, long at, int form) {
        int raw = Bytes.u8(segment, at + FLAGS);
        return form == FORM_SIW ? ((raw & 1) << 7) | ((raw & 2) << 5) | ((raw & 4) << 3) : raw & FLAG_MASK;
    }

    /** The length of the terminated DDP segment; siw gives that of its payload. -1 if it is not valid or not there. */
    public static int segmentLength(MemorySegment segment, long at, long length, int form) {
        // [RFC5040-4.8-2] a length that is there without flag M says nothing
        boolean valid = (flags(segment, at, form) & SEGMENT_LENGTH_VALID) != 0;
        return valid && length >= SEGMENT_LENGTH + 2 ? Bytes.u16(segment, at + SEGMENT_LENGTH) : -1;
    }

    /** Bytes of the terminated DDP header, which stands at {@link #DDP_HEADER_AT}: 14, 18, or 0 if it is not there. */
    public static int ddpHeaderBytes(MemorySegment segment, long at, long length, int form) {
        if ((flags(segment, at, form) & DDP_HEADER_PRESENT) == 0 || length <= DDP_HEADER_AT) {
            return 0;
        }
        int bytes = DdpHeader.headerBytes(segment, at + DDP_HEADER_AT);
        return length >= DDP_HEADER_AT + bytes ? bytes : 0;
    }

    /**
     * Where the terminated Read Request header stands, counted from {@code at}; -1 if it is not there. In siw's form the DDP header
     * before it has the read size in the place of the MSN.
     */
    public static int readRequestAt(MemorySegment segment, long at, long length, int form) {
        boolean flagged = (flags(segment, at, form) & RDMAP_HEADER_PRESENT) != 0;
        if (!flagged || ddpHeaderBytes(segment, at, length, form) != DdpHeader.UNTAGGED_LENGTH) {
            return -1;
        }
        return length >= MAX_LENGTH ? DDP_HEADER_AT + DdpHeader.UNTAGGED_LENGTH : -1;
    }

    /**
     * Writes a Terminate header that carries no copied headers.
     *
     * @return the header's length, 4
     */
    public static int put(MemorySegment segment, long at, int code) {
        return putControl(segment, at, code, 0);
    }

    /**
     * Writes a Terminate header with the header of the offending DDP segment and, if told so, its Read Request header.
     *
     * @param code see {@link TerminateCode}
     * @param source holds the offending segment
     * @param sourceAt the offending segment's first byte
     * @param segmentLength the offending segment's length in bytes, 0..65535
     * @param withReadRequest the offending segment is a whole Read Request, whose header is to be copied as well
     * @return the header's length: 20, 24 or 52
     */
    public static int put(
            MemorySegment segment,
            long at,
            int code,
            MemorySegment source,
            long sourceAt,
            int segmentLength,
            boolean withReadRequest) {
        int copied = DdpHeader.headerBytes(source, sourceAt);
        assert !withReadRequest || copied == DdpHeader.UNTAGGED_LENGTH : "a tagged segment is no Read Request";
        if (withReadRequest) {
            copied += ReadRequestHeader.LENGTH;
        }
        putControl(
                segment,
                at,
                code,
                SEGMENT_LENGTH_VALID | DDP_HEADER_PRESENT | (withReadRequest ? RDMAP_HEADER_PRESENT : 0));
        Bytes.putU16(segment, at + SEGMENT_LENGTH, segmentLength);
        MemorySegment.copy(source, sourceAt, segment, at + DDP_HEADER_AT, copied);
        return DDP_HEADER_AT + copied;
    }

    private static int putControl(MemorySegment segment, long at, int code, int flags) {
        assert (code & ~0xFFFF) == 0 : code;
        Bytes.putU16(segment, at, code);
        Bytes.putU16(segment, at + FLAGS, flags << 8);
        return LENGTH;
    }

    /** All that is there, for tests, logs and the control plane. */
    public static View view(MemorySegment segment, long at, long length, boolean startup) {
        int form = form(segment, at, startup);
        int readRequestAt = readRequestAt(segment, at, length, form);
        return new View(
                form,
                code(segment, at, form),
                flags(segment, at, form),
                segmentLength(segment, at, length, form),
                ddpHeaderBytes(segment, at, length, form) == 0 ? null : DdpHeader.view(segment, at + DDP_HEADER_AT),
                readRequestAt < 0 ? null : ReadRequestHeader.view(segment, at + readRequestAt));
    }

    /**
     * The fields.
     *
     * @param form one of the FORM constants
     * @param code see {@link TerminateCode}
     * @param flags M, D, R in the RFC's places
     * @param segmentLength -1 if not valid
     * @param ddpHeader null if not there
     * @param readRequest null if not there
     */
    public record View(
            int form,
            int code,
            int flags,
            int segmentLength,
            DdpHeader.@Nullable View ddpHeader,
            ReadRequestHeader.@Nullable View readRequest) {}
}
