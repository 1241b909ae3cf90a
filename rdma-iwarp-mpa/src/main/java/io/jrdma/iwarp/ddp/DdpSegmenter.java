package io.jrdma.iwarp.ddp;

import io.jrdma.iwarp.mpa.MpaSender;
import io.jrdma.verbs.spi.TransmitSink;
import io.jrdma.wire.iwarp.DdpHeader;
import java.lang.foreign.MemorySegment;

/**
 * The sending half of DDP: cuts one message after the other into segments that fit the stream's MULPDU (RFC 5041 sections 5.2 and 5.3).
 * A message is finished before the next one begins, so segments of two messages never mix.
 *
 * <p>Segments that are not the last carry a multiple of eight bytes: they need no pad, and copies stay aligned.
 */
public final class DdpSegmenter {
    private final MpaSender mpa;
    private final int maxTaggedPayload;
    private final int maxUntaggedPayload;
    private boolean active;
    private boolean tagged;
    private int control;
    private int stagOrUlpWord;
    private long taggedOffset;
    private int queueNumber;
    private int ddpMsn;
    private long length;
    private long sent;
    private int payload;

    /**
     * A segmenter without a message.
     *
     * @param maxUlpdu largest ULPDU, 128 to 64768 bytes
     */
    public DdpSegmenter(MpaSender mpa, int maxUlpdu) {
        this.mpa = mpa;
        maxTaggedPayload = (maxUlpdu - DdpHeader.TAGGED_LENGTH) & ~7;
        maxUntaggedPayload = (maxUlpdu - DdpHeader.UNTAGGED_LENGTH) & ~7;
    }

    /** Begins a tagged message. */
    public void beginTagged(int rdmapControl, int stag, long firstTaggedOffset, long messageBytes) {
        begin(true, rdmapControl, messageBytes);
        stagOrUlpWord = stag;
        taggedOffset = firstTaggedOffset;
    }

    /** Begins an untagged message. */
    public void beginUntagged(int rdmapControl, int ulpWord, int qn, int msn, long messageBytes) {
        begin(false, rdmapControl, messageBytes);
        stagOrUlpWord = ulpWord;
        queueNumber = qn;
        ddpMsn = msn;
    }

    private void begin(boolean isTagged, int rdmapControl, long messageBytes) {
        // [RFC5041-5.3-1]
        assert !active : "the message before is not finished";
        // [RFC5041-5.2-3] until a segment has gone out, even one without payload
        active = true;
        tagged = isTagged;
        control = rdmapControl;
        length = messageBytes;
        sent = 0;
    }

    /** Whether there is no message, or the last one is finished. */
    public boolean isIdle() {
        return !active;
    }

    /** Bytes of the message that went out. */
    public long sent() {
        return sent;
    }

    /** Gives the message up; the stream is not usable for others after that unless none of it went out. */
    public void drop() {
        active = false;
    }

    /**
     * Reserves room for the next segment and writes its header.
     *
     * @return false if the sink has no room now; nothing was changed
     */
    public boolean claim(TransmitSink sink) {
        int max = tagged ? maxTaggedPayload : maxUntaggedPayload;
        int bytes = (int) Math.min(max, length - sent);
        int header = tagged ? DdpHeader.TAGGED_LENGTH : DdpHeader.UNTAGGED_LENGTH;
        if (!mpa.claim(sink, header + bytes)) {
            return false;
        }
        payload = bytes;
        // [RFC5041-4.1-3] the L bit stands in the last segment alone
        boolean last = sent + bytes == length;
        if (tagged) {
            // [RFC5041-5.2-1] every segment names the buffer and its own place in it
            DdpHeader.putTagged(mpa.segment(), mpa.ulpduAt(), last, control, stagOrUlpWord, taggedOffset + sent);
        } else {
            // [RFC5041-4.3-3] [RFC5041-5.2-2] the message's one number, and what went before in it
            DdpHeader.putUntagged(
                    mpa.segment(), mpa.ulpduAt(), last, control, stagOrUlpWord, queueNumber, ddpMsn, sent);
        }
        return true;
    }

    /** Holds the claim. */
    public MemorySegment segment() {
        return mpa.segment();
    }

    /** Where in {@link #segment} the payload of the claimed segment is to be written. */
    public long payloadAt() {
        return mpa.ulpduAt() + (tagged ? DdpHeader.TAGGED_LENGTH : DdpHeader.UNTAGGED_LENGTH);
    }

    /** Payload bytes of the claimed segment. */
    public int payloadBytes() {
        return payload;
    }

    /**
     * Hands the segment over.
     *
     * @return stream bytes that it takes
     */
    public int commit() {
        sent += payload;
        active = sent < length;
        return mpa.commit();
    }

    /** Gives the claim back. */
    public void abort() {
        mpa.abort();
    }
}
