package io.jrdma.wire.iwarp;

import io.jrdma.wire.Bytes;
import io.jrdma.wire.Malformed;
import io.jrdma.wire.crc.Crc32c;
import java.lang.foreign.MemorySegment;

/**
 * The framed protocol data unit of MPA (RFC 5044 section 4.1), markers not counted.
 *
 * <pre>
 *  0  ULPDU_Length L (2 bytes)      2  ULPDU: one DDP segment, L bytes
 *  2+L  pad, 0..3 bytes, to a multiple of 4      then  CRC32c (4 bytes, least significant byte first)
 * </pre>
 *
 * <p>{@code at} is the first byte of ULPDU_Length everywhere. The methods on segments need the FPDU contiguous, without markers in
 * it; where markers are in use, {@link MpaMarkers} tells where they stand.
 */
public final class MpaFpdu {
    /** Bytes of ULPDU_Length: the ULPDU starts here. */
    public static final int LENGTH = 2;
    /** Bytes of the CRC field, which is there even if CRCs are off. */
    public static final int CRC_LENGTH = 4;
    /** Bytes of an FPDU that are neither ULPDU nor pad. */
    public static final int OVERHEAD = LENGTH + CRC_LENGTH;
    /** The largest value that ULPDU_Length can hold; receivers must cope with it. */
    public static final int MAX_ULPDU_BYTES = 0xFFFF;
    /** The largest FPDU without markers. */
    public static final int MAX_FPDU_BYTES = fpduBytes(MAX_ULPDU_BYTES);
    /** The smallest MULPDU that MPA may report. */
    public static final int MIN_MULPDU = 128;
    /** The largest MULPDU: DDP must not hand down more. */
    public static final int MAX_MULPDU = 64_768;

    /** {@link #check} result: more bytes are needed. */
    public static final int NEED_MORE = 0;

    private MpaFpdu() {}

    /**
     * Whether a whole FPDU is at hand. Any bytes make an FPDU; what its ULPDU is worth, {@link DdpSegment#check} tells.
     *
     * @param available bytes at hand from {@code at} on
     * @return the FPDU's length in bytes, or {@link #NEED_MORE}
     */
    public static int check(MemorySegment segment, long at, long available) {
        if (available < LENGTH) {
            return NEED_MORE;
        }
        int length = fpduBytes(ulpduLength(segment, at));
        return available < length ? NEED_MORE : length;
    }

    /** [RFC5044-4.1-1] ULPDU_Length: bytes of the DDP segment alone, 0..65535. */
    public static int ulpduLength(MemorySegment segment, long at) {
        return Bytes.u16(segment, at);
    }

    /** Pad bytes behind a ULPDU of this length, 0..3. */
    public static int padBytes(int ulpduLength) {
        // [RFC5044-4.1-3] the length field counts in what is filled up
        return -(LENGTH + ulpduLength) & 3;
    }

    /** Bytes from the start of ULPDU_Length to the CRC field: what the CRC covers. */
    public static int crcAt(int ulpduLength) {
        return (LENGTH + ulpduLength + 3) & ~3;
    }

    /** Bytes of the whole FPDU without markers, a multiple of 4. */
    public static int fpduBytes(int ulpduLength) {
        return crcAt(ulpduLength) + CRC_LENGTH;
    }

    /** The CRC field. */
    public static int crc(MemorySegment segment, long at) {
        return Bytes.u32LittleEndian(segment, at + crcAt(ulpduLength(segment, at)));
    }

    /** The CRC that the FPDU should have; {@code crc} is reset and used. */
    public static int computeCrc(MemorySegment segment, long at, Crc32c crc) {
        // [RFC5044-4.4-1] length, ULPDU and pad are covered, the field itself is not
        return crc.compute(segment, at, crcAt(ulpduLength(segment, at)));
    }

    /**
     * Whether a complete FPDU has the CRC that it should have; not to be asked if CRCs are off. {@code crc} is reset and used.
     *
     * @return {@link Malformed#OK} or {@link Malformed#MPA_CRC_MISMATCH}
     */
    public static int checkCrc(MemorySegment segment, long at, Crc32c crc) {
        // [RFC5044-4.4-5] a mismatch is an error
        return computeCrc(segment, at, crc) == crc(segment, at) ? Malformed.OK : Malformed.MPA_CRC_MISMATCH;
    }

    /** Writes ULPDU_Length; {@code ulpduLength} 0..65535. */
    public static void put(MemorySegment segment, long at, int ulpduLength) {
        Bytes.putU16(segment, at, ulpduLength);
    }

    /** Writes the zero pad of an FPDU whose ULPDU_Length is written. */
    public static void putPad(MemorySegment segment, long at) {
        int ulpduLength = ulpduLength(segment, at);
        int end = crcAt(ulpduLength);
        // [RFC5044-4.1-2] the sender's pad is zero
        for (int i = LENGTH + ulpduLength; i < end; i++) {
            Bytes.putU8(segment, at + i, 0);
        }
    }

    /** Writes the CRC field of an FPDU whose ULPDU_Length is written; 0 if CRCs are off. */
    public static void putCrc(MemorySegment segment, long at, int crc) {
        putCrcField(segment, at + crcAt(ulpduLength(segment, at)), crc);
    }

    /** Writes a CRC field that starts at {@code at}, as it goes on the wire. */
    public static void putCrcField(MemorySegment segment, long at, int crc) {
        // [RFC5044-4.4-2] least significant byte first, unlike every other field
        Bytes.putU32LittleEndian(segment, at, crc);
    }

    /** Reads a CRC field that starts at {@code at}. */
    public static int crcField(MemorySegment segment, long at) {
        return Bytes.u32LittleEndian(segment, at);
    }

    /**
     * The largest ULPDU whose FPDU fits into one TCP segment (RFC 5044 section 4.5), kept within 128..64768.
     *
     * @param emssBytes effective maximum segment size of the stream
     * @param markers whether markers go into what is sent
     */
    public static int mulpdu(int emssBytes, boolean markers) {
        assert emssBytes >= 0 : emssBytes;
        // [RFC5044-4.5-1] pad and as many markers as the segment can take have room beside it
        int markerBytes =
                markers ? MpaMarkers.LENGTH * ((emssBytes + MpaMarkers.INTERVAL - 1) / MpaMarkers.INTERVAL) : 0;
        int fits = emssBytes - (OVERHEAD + markerBytes + (emssBytes & 3));
        // [RFC5044-4.5-2]
        return Math.clamp(fits, MIN_MULPDU, MAX_MULPDU);
    }

    /** All fields of a complete FPDU but the ULPDU's bytes; for tests and logs. */
    public static View view(MemorySegment segment, long at) {
        int ulpduLength = ulpduLength(segment, at);
        return new View(ulpduLength, padBytes(ulpduLength), crc(segment, at));
    }

    /**
     * The fields of an FPDU.
     *
     * @param ulpduLength 0..65535
     * @param padBytes 0..3
     * @param crc the CRC field
     */
    public record View(int ulpduLength, int padBytes, int crc) {}
}
