package io.jrdma.iwarp.mpa;

import io.jrdma.verbs.spi.TransmitSink;
import io.jrdma.wire.crc.Crc32c;
import io.jrdma.wire.iwarp.MpaFpdu;
import io.jrdma.wire.iwarp.MpaMarkers;
import java.lang.foreign.MemorySegment;

/**
 * The sending half of MPA: one FPDU a claim. Claim, write the ULPDU, commit; or abort (RFC 5044 section 4).
 *
 * <p>The ULPDU is written in one piece; if the peer wants markers they are put in at the commit, when the rest has to move only to the left.
 */
public final class MpaSender {
    private final boolean crcInUse;
    private final boolean markers;
    private final Crc32c crc;
    private long position;
    private TransmitSink sink = NoSink.INSTANCE;
    private int markerBytes;
    private int fpduBytes;

    /** A sender at the first byte behind the start-up frame. */
    public MpaSender(boolean crcInUse, boolean markers, Crc32c crc) {
        this.crcInUse = crcInUse;
        this.markers = markers;
        this.crc = crc;
    }

    /**
     * Reserves room for an FPDU.
     *
     * @return false if the sink has none now; nothing was changed
     */
    public boolean claim(TransmitSink into, int ulpduLength) {
        int bytes = MpaFpdu.fpduBytes(ulpduLength);
        int extra = markers ? MpaMarkers.LENGTH * (int) MpaMarkers.countFor(position, bytes) : 0;
        if (!into.tryClaim(bytes + extra)) {
            return false;
        }
        sink = into;
        fpduBytes = bytes;
        markerBytes = extra;
        MpaFpdu.put(into.segment(), into.offset() + extra, ulpduLength);
        return true;
    }

    /** Where the ULPDU is to be written. */
    public MemorySegment segment() {
        return sink.segment();
    }

    /** Where in {@link #segment} it begins. */
    public long ulpduAt() {
        return sink.offset() + markerBytes + MpaFpdu.LENGTH;
    }

    /**
     * Finishes the FPDU and hands it over.
     *
     * @return stream bytes that it takes
     */
    public int commit() {
        MemorySegment segment = sink.segment();
        long start = sink.offset();
        MpaFpdu.putPad(segment, start + markerBytes);
        if (markerBytes > 0) {
            insertMarkers(segment, start);
        }
        int bytes = fpduBytes + markerBytes;
        int crcAt = bytes - MpaFpdu.CRC_LENGTH;
        // [RFC5044-4.1-4] the field is there in any case
        MpaFpdu.putCrcField(segment, start + crcAt, crcInUse ? crc.compute(segment, start, crcAt) : 0);
        sink.commit(bytes);
        sink = NoSink.INSTANCE;
        position += bytes;
        return bytes;
    }

    private void insertMarkers(MemorySegment segment, long start) {
        long from = start + markerBytes;
        long to = start;
        long here = position;
        long fpduStart = -1;
        int left = fpduBytes;
        while (left > 0) {
            int toMarker = MpaMarkers.bytesToNext(here);
            if (toMarker == 0) {
                // [RFC5044-4.2-3] [RFC5044-4.3-4] all of them point at the one length field, the one before it at
                // nothing; [RFC5044-7.1.2-7] position 0 has one too
                MpaMarkers.put(segment, to, fpduStart < 0 ? 0 : (int) (here - fpduStart) & 0xFFFC);
                to += MpaMarkers.LENGTH;
                here += MpaMarkers.LENGTH;
                continue;
            }
            if (fpduStart < 0) {
                fpduStart = here;
            }
            int bytes = Math.min(left, toMarker);
            MemorySegment.copy(segment, from, segment, to, bytes);
            from += bytes;
            to += bytes;
            here += bytes;
            left -= bytes;
        }
    }

    /** Gives the room back; nothing was sent. */
    public void abort() {
        sink.abort();
        sink = NoSink.INSTANCE;
    }

    /** Stands for "nothing claimed". */
    private enum NoSink implements TransmitSink {
        INSTANCE;

        @Override
        public boolean tryClaim(int length) {
            return false;
        }

        @Override
        public int maxClaim() {
            return 0;
        }

        @Override
        public MemorySegment segment() {
            return MemorySegment.NULL;
        }

        @Override
        public long offset() {
            return 0;
        }

        @Override
        public void commit(int length) {
            throw new IllegalStateException("nothing is claimed");
        }

        @Override
        public void abort() {
            throw new IllegalStateException("nothing is claimed");
        }
    }
}
