package io.jrdma.verbs;

import java.util.EnumSet;
import java.util.Set;

/**
 * How one iWARP connection is set up (RFC 5044, RFC 6581). Immutable; {@link #builder()} starts from {@link #RECOMMENDED}.
 *
 * @param revision MPA revision of the request: 2 (enhanced, the default), 1, or 0 (RDMA Consortium); a responder answers in the
 *     request's revision and uses this as the highest that it accepts
 * @param crc whether this side asks for CRC; it is on when either side asks. Default true, RFC 5044's own default
 * @param markersWanted whether this side wants markers in what it receives. Default false; Linux siw refuses true
 * @param peerToPeer whether the initiator asks for the peer-to-peer model, in which a ready-to-receive message opens the stream.
 *     Default false
 * @param readyToReceive kinds of ready-to-receive message that this side can send or receive, used in the peer-to-peer model.
 *     Default: all
 * @param firstMessageGraceNs how long the accepting side holds back what its application posts while no FPDU has arrived, in
 *     nanoseconds; {@code Long.MAX_VALUE} (the default) obeys RFC 5044 section 7.1.2 for ever; a finite value serves programs in which the
 *     accepting side speaks first, against peers known to bear it
 * @param handshakeTimeoutNs limit for the peer's next MPA frame in nanoseconds, more than 0; default 10 s
 * @param maxUlpdu largest ULPDU that this side sends, 128 to 64768 bytes; default 16384
 */
public record MpaOptions(
        int revision,
        boolean crc,
        boolean markersWanted,
        boolean peerToPeer,
        Set<ReadyToReceive> readyToReceive,
        long firstMessageGraceNs,
        long handshakeTimeoutNs,
        int maxUlpdu) {
    /** The defaults. */
    public static final MpaOptions RECOMMENDED = new MpaOptions(
            2, true, false, false, EnumSet.allOf(ReadyToReceive.class), Long.MAX_VALUE, 10_000_000_000L, 16_384);

    /** Kinds of ready-to-receive message (RFC 6581 section 9.2). */
    public enum ReadyToReceive {
        /** Zero-length Send (control flag B). */
        SEND,
        /** Zero-length RDMA Write (control flag C). */
        WRITE,
        /** Zero-length RDMA Read (control flag D). */
        READ
    }

    public MpaOptions {
        if (revision < 0 || revision > 2) {
            throw new IllegalArgumentException("MPA revision " + revision + " is outside 0..2");
        }
        if (peerToPeer && readyToReceive.isEmpty()) {
            throw new IllegalArgumentException(
                    "the peer-to-peer model needs at least one kind of ready-to-receive message");
        }
        if (peerToPeer && revision < 2) {
            throw new IllegalArgumentException("the peer-to-peer model needs MPA revision 2, not " + revision);
        }
        if (firstMessageGraceNs < 0) {
            throw new IllegalArgumentException(
                    "firstMessageGraceNs is " + firstMessageGraceNs + "; it must be 0 or more");
        }
        if (handshakeTimeoutNs <= 0) {
            throw new IllegalArgumentException(
                    "handshakeTimeoutNs is " + handshakeTimeoutNs + "; it must be more than 0");
        }
        // [RFC5044-4.5-2]
        if (maxUlpdu < 128 || maxUlpdu > 64_768) {
            throw new IllegalArgumentException("maxUlpdu " + maxUlpdu + " is outside 128..64768");
        }
        readyToReceive = EnumSets.copy(ReadyToReceive.class, readyToReceive);
    }

    /** A builder that starts from {@link #RECOMMENDED}. */
    public static Builder builder() {
        return new Builder(RECOMMENDED);
    }

    /** A builder that starts from these options. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Collects changes; see {@link MpaOptions} for what each means. */
    public static final class Builder {
        private int revision;
        private boolean crc;
        private boolean markersWanted;
        private boolean peerToPeer;
        private Set<ReadyToReceive> readyToReceive;
        private long firstMessageGraceNs;
        private long handshakeTimeoutNs;
        private int maxUlpdu;

        private Builder(MpaOptions from) {
            revision = from.revision;
            crc = from.crc;
            markersWanted = from.markersWanted;
            peerToPeer = from.peerToPeer;
            readyToReceive = from.readyToReceive;
            firstMessageGraceNs = from.firstMessageGraceNs;
            handshakeTimeoutNs = from.handshakeTimeoutNs;
            maxUlpdu = from.maxUlpdu;
        }

        public Builder revision(int value) {
            revision = value;
            return this;
        }

        public Builder crc(boolean value) {
            crc = value;
            return this;
        }

        public Builder markersWanted(boolean value) {
            markersWanted = value;
            return this;
        }

        public Builder peerToPeer(boolean value) {
            peerToPeer = value;
            return this;
        }

        public Builder readyToReceive(Set<ReadyToReceive> value) {
            readyToReceive = value;
            return this;
        }

        public Builder firstMessageGraceNs(long value) {
            firstMessageGraceNs = value;
            return this;
        }

        public Builder handshakeTimeoutNs(long value) {
            handshakeTimeoutNs = value;
            return this;
        }

        public Builder maxUlpdu(int value) {
            maxUlpdu = value;
            return this;
        }

        /** The options; throws {@link IllegalArgumentException} naming the value that is out of range. */
        public MpaOptions build() {
            return new MpaOptions(
                    revision,
                    crc,
                    markersWanted,
                    peerToPeer,
                    readyToReceive,
                    firstMessageGraceNs,
                    handshakeTimeoutNs,
                    maxUlpdu);
        }
    }
}
