package io.jrdma.iwarp.mpa;

import io.jrdma.wire.Bytes;
import io.jrdma.wire.Malformed;
import io.jrdma.wire.crc.Crc32c;
import io.jrdma.wire.iwarp.MpaFpdu;
import io.jrdma.wire.iwarp.MpaMarkers;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The receiving half of MPA: bytes in, ULPDUs out, whatever way the stream is cut (RFC 5044 section 4). Markers are checked and taken
 * out; the CRC is checked before anybody looks at the ULPDU.
 *
 * <p>A whole FPDU without markers is handed on where it lies. Everything else goes through a staging buffer of the connection's own, which
 * grows with the FPDUs that need it, up to the largest there is.
 */
public final class MpaReceiver {
    /** Takes what comes out. */
    public interface Ulpdus {
        /**
         * A ULPDU of an FPDU that is in order; the segment is borrowed for the call.
         *
         * @return false to hear of no more of this stream
         */
        boolean onUlpdu(MemorySegment segment, long at, int length);

        /** The stream is broken, see {@link Malformed}; nothing comes after it. */
        void onMpaError(int malformed);
    }

    private static final int FIRST_STAGING_BYTES = 4096;
    private static final int MAX_STAGING_BYTES = MpaFpdu.MAX_FPDU_BYTES;

    private final boolean crcInUse;
    private final boolean markers;
    private final Crc32c crc;
    private final Ulpdus ulpdus;
    private MemorySegment staging = MemorySegment.NULL;
    private int staged;
    private boolean stopped;

    // with markers only
    private final MemorySegment marker = MemorySegment.ofArray(new byte[MpaMarkers.LENGTH]);
    private int markerBytes;
    private long position;
    private long fpduStart;

    /**
     * A receiver at the first byte behind the start-up frame.
     *
     * @param crc a CRC of this receiver's own
     */
    public MpaReceiver(boolean crcInUse, boolean markers, Crc32c crc, Ulpdus ulpdus) {
        this.crcInUse = crcInUse;
        this.markers = markers;
        this.crc = crc;
        this.ulpdus = ulpdus;
    }

    /** Whether the stream is at the end of an FPDU. */
    public boolean isBetweenFpdus() {
        return staged == 0 && markerBytes == 0;
    }

    /** Takes bytes, all of them. */
    public void onBytes(MemorySegment segment, long offset, int length) {
        if (markers) {
            onBytesWithMarkers(segment, offset, length);
        } else {
            onPlainBytes(segment, offset, length);
        }
    }

    private void onPlainBytes(MemorySegment segment, long offset, int length) {
        long end = offset + length;
        long at = offset;
        while (at < end && !stopped) {
            if (staged == 0) {
                int fpduBytes = MpaFpdu.check(segment, at, end - at);
                if (fpduBytes != MpaFpdu.NEED_MORE) {
                    deliver(segment, at, crcInUse ? MpaFpdu.computeCrc(segment, at, crc) : 0);
                    at += fpduBytes;
                    continue;
                }
            }
            at += stage(segment, at, (int) Math.min(end - at, missing()));
            if (missing() == 0) {
                staged = 0;
                deliver(staging, 0, crcInUse ? MpaFpdu.computeCrc(staging, 0, crc) : 0);
            }
        }
    }

    private void onBytesWithMarkers(MemorySegment segment, long offset, int length) {
        long end = offset + length;
        long at = offset;
        while (at < end && !stopped) {
            int toMarker = MpaMarkers.bytesToNext(position);
            if (toMarker == 0 || markerBytes > 0) {
                at += takeMarker(segment, at, end);
                continue;
            }
            if (staged == 0) {
                fpduStart = position;
            }
            int bytes = (int) Math.min(end - at, Math.min(toMarker, missing()));
            addToCrc(segment, at, bytes);
            stage(segment, at, bytes);
            at += bytes;
            position += bytes;
            if (missing() == 0) {
                staged = 0;
                int computed = crc.value();
                crc.reset();
                deliver(staging, 0, computed);
            }
        }
    }

    /** [RFC5044-4.4-1] Everything before the CRC field counts; where that is is known as soon as the length is. */
    private void addToCrc(MemorySegment segment, long at, int bytes) {
        int crcAt = staged < MpaFpdu.LENGTH ? MpaFpdu.LENGTH : MpaFpdu.crcAt(MpaFpdu.ulpduLength(staging, 0));
        int covered = Math.min(bytes, crcAt - staged);
        if (crcInUse && covered > 0) {
            crc.update(segment, at, covered);
        }
    }

    private long takeMarker(MemorySegment segment, long at, long end) {
        int bytes = (int) Math.min(end - at, MpaMarkers.LENGTH - markerBytes);
        MemorySegment.copy(segment, at, marker, markerBytes, bytes);
        markerBytes += bytes;
        position += bytes;
        if (markerBytes == MpaMarkers.LENGTH) {
            markerBytes = 0;
            // [RFC5044-4.3-2] between two FPDUs it belongs to the second
            long expected = staged == 0 ? 0 : position - MpaMarkers.LENGTH - fpduStart;
            // [RFC5044-8-2] a marker that points elsewhere contradicts the length that was taken for one
            if (MpaMarkers.fpduPointer(marker, 0) != ((int) expected & 0xFFFC)) {
                fail(Malformed.MPA_MARKER_MISMATCH);
            } else if (crcInUse) {
                // [RFC5044-4.4-3] markers count in the CRC of their FPDU
                crc.update(marker, 0, MpaMarkers.LENGTH);
            }
        }
        return bytes;
    }

    /** Bytes that are missing to the length field, or behind it to the whole FPDU. */
    private int missing() {
        return staged < MpaFpdu.LENGTH
                ? MpaFpdu.LENGTH - staged
                : MpaFpdu.fpduBytes(MpaFpdu.ulpduLength(staging, 0)) - staged;
    }

    private int stage(MemorySegment segment, long at, int bytes) {
        if (staged + bytes > staging.byteSize()) {
            grow(staged + bytes);
        }
        MemorySegment.copy(segment, at, staging, staged, bytes);
        staged += bytes;
        return bytes;
    }

    private void grow(int needed) {
        int larger = Math.max(FIRST_STAGING_BYTES, Integer.highestOneBit(needed - 1) << 1);
        MemorySegment old = staging;
        staging = Arena.ofAuto().allocate(Math.min(larger, MAX_STAGING_BYTES), Long.BYTES);
        MemorySegment.copy(old, 0, staging, 0, staged);
    }

    private void deliver(MemorySegment segment, long at, int computed) {
        // [RFC5044-4.4-5] the CRC before anything of the FPDU is trusted
        // [RFC5044-4.4-4] the field is not looked at when CRCs are off
        if (crcInUse && computed != MpaFpdu.crc(segment, at)) {
            fail(Malformed.MPA_CRC_MISMATCH);
            return;
        }
        stopped |= !ulpdus.onUlpdu(segment, at + MpaFpdu.LENGTH, Bytes.u16(segment, at));
    }

    private void fail(int malformed) {
        // [RFC5044-8-1] nothing is delivered behind an error
        stopped = true;
        ulpdus.onMpaError(malformed);
    }
}
