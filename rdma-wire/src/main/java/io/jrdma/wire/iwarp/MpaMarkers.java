package io.jrdma.wire.iwarp;

import io.jrdma.wire.Bytes;
import io.jrdma.wire.Malformed;
import java.lang.foreign.MemorySegment;

/**
 * MPA markers and where they stand (RFC 5044 sections 4.2 and 4.3).
 *
 * <p>A marker is 4 bytes: 16 reserved bits and FPDUPTR, the number of stream bytes (earlier markers included) from the start of the
 * ULPDU_Length of the FPDU it belongs to. Markers start at every stream position that is a multiple of 512; positions count the
 * bytes of one direction, markers included, from 0 at the first byte behind that side's start-up frame. A marker between two FPDUs
 * belongs to the second one.
 */
public final class MpaMarkers {
    /** Bytes of a marker. */
    public static final int LENGTH = 4;
    /** Bytes from the start of one marker to the start of the next. */
    public static final int INTERVAL = 512;
    /** Bytes between two markers. */
    public static final int SPACING = INTERVAL - LENGTH;

    private MpaMarkers() {}

    /**
     * Bytes from a position to the start of the next marker, 0..511; 0 means that a marker starts right there.
     *
     * @param position stream position; must not be inside a marker
     */
    public static int bytesToNext(long position) {
        // [RFC5044-4.3-1] one marker at every 512th byte of the stream
        return (int) -position & (INTERVAL - 1);
    }

    /**
     * How many markers start in {@code [position, position + length)}.
     *
     * @param length bytes of stream, markers included
     */
    public static long countIn(long position, long length) {
        assert position >= 0 && length >= 0 : position + " " + length;
        int first = bytesToNext(position);
        return length <= first ? 0 : 1 + ((length - first - 1) / INTERVAL);
    }

    /**
     * How many markers go with {@code bytes} bytes of FPDU that are sent from a position on: those before and between these bytes;
     * one that is due right behind the last byte is not among them, it belongs to the next FPDU.
     *
     * @param position stream position; must not be inside a marker
     * @param bytes FPDU bytes, markers not counted
     */
    public static long countFor(long position, long bytes) {
        int first = bytesToNext(position);
        return bytes <= first ? 0 : 1 + ((bytes - first - 1) / SPACING);
    }

    /** Stream bytes that {@code bytes} bytes of FPDU take from a position on, markers of {@link #countFor} included. */
    public static long streamBytes(long position, long bytes) {
        return bytes + (LENGTH * countFor(position, bytes));
    }

    /** The FPDUPTR of a marker; its two low bits read as zero whatever they are. */
    public static int fpduPointer(MemorySegment segment, long at) {
        // [RFC5044-4.2-2] receivers treat the low bits as zero
        return Bytes.u16(segment, at + 2) & ~3;
    }

    /**
     * Whether a received marker points where it should.
     *
     * @param expectedPointer what {@link #put} would have written
     * @return {@link Malformed#OK} or {@link Malformed#MPA_MARKER_MISMATCH}
     */
    public static int check(MemorySegment segment, long at, int expectedPointer) {
        // [RFC5044-8-2] marker and ULPDU_Length must tell the same
        return fpduPointer(segment, at) == expectedPointer ? Malformed.OK : Malformed.MPA_MARKER_MISMATCH;
    }

    /**
     * Writes a marker.
     *
     * @param fpduPointer stream bytes from the start of ULPDU_Length to this marker, a multiple of 4, 0..65532; 0 if the marker
     *     stands before the FPDU
     */
    public static void put(MemorySegment segment, long at, int fpduPointer) {
        assert (fpduPointer & ~0xFFFC) == 0 : fpduPointer;
        // [RFC5044-4.2-1] the upper half is reserved
        Bytes.putU32(segment, at, fpduPointer);
    }

    /** The fields of a marker, for tests and logs. */
    public static View view(MemorySegment segment, long at) {
        return new View(fpduPointer(segment, at));
    }

    /**
     * The fields of a marker.
     *
     * @param fpduPointer 0..65532
     */
    public record View(int fpduPointer) {}
}
