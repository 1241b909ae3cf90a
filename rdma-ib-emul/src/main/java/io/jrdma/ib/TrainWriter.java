package io.jrdma.ib;

import io.jrdma.verbs.spi.DatagramSink;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Makes trains of packets: what follows each other on one path in one size goes into one claim of the sink, whoever it belongs to. A
 * packet is reserved, filled and pushed; a reserved one that is not pushed is as if it had never been.
 */
final class TrainWriter {
    private @Nullable DatagramSink sink;
    private int pathId;
    private int segmentBytes;
    private int claimed;
    private int pushed;
    private int trainBytes;
    private boolean ended;
    private int bytes;
    private int packets;
    private int limit;
    private boolean blocked;

    /** Ready for a call of the driver. */
    void begin(DatagramSink newSink) {
        sink = newSink;
        bytes = 0;
        packets = 0;
        blocked = false;
    }

    /** Hands over what is pending. */
    void end() {
        finishTrain();
        sink = null;
    }

    /** Bytes pushed since {@link #begin}. */
    int bytes() {
        return bytes;
    }

    /** Packets pushed since {@link #begin}. */
    int packets() {
        return packets;
    }

    /** Lets the next endpoint write until {@link #bytes} passes that. */
    void limit(int newLimit) {
        limit = newLimit;
    }

    /** Whether the endpoint whose turn it is has had enough. */
    boolean isTurnOver() {
        return bytes >= limit;
    }

    /** Whether the sink had no room. */
    boolean isBlocked() {
        return blocked;
    }

    /**
     * Reserves room for a packet; not for another one until it was pushed or given up.
     *
     * @param packetBytes ICRC included, a multiple of 4
     * @param wanted how many packets of that size may follow each other, this one included
     * @return false if the sink has no room
     */
    boolean reserve(int newPathId, int packetBytes, long wanted) {
        DatagramSink target = sink();
        if (claimed > 0
                && !ended
                && pushed < claimed
                && newPathId == pathId
                && (packetBytes == segmentBytes || (packetBytes < segmentBytes && pushed > 0))) {
            return true;
        }
        finishTrain();
        int segments = Math.clamp(wanted, 1, target.maxSegments(packetBytes));
        if (!target.tryClaim(newPathId, packetBytes, segments)) {
            blocked = true;
            return false;
        }
        pathId = newPathId;
        segmentBytes = packetBytes;
        claimed = segments;
        return true;
    }

    /** Holds the reserved packet. */
    MemorySegment segment() {
        return sink().segment();
    }

    /** Where the reserved packet begins. */
    long at() {
        return sink().offset() + trainBytes;
    }

    /** The reserved packet is written, but for its ICRC. */
    void push(int packetBytes) {
        pushed++;
        trainBytes += packetBytes;
        bytes += packetBytes;
        packets++;
        ended = packetBytes < segmentBytes;
    }

    private void finishTrain() {
        if (claimed > 0) {
            if (pushed > 0) {
                sink().commit(trainBytes);
            } else {
                sink().abort();
            }
            claimed = 0;
            pushed = 0;
            trainBytes = 0;
            ended = false;
        }
    }

    private DatagramSink sink() {
        DatagramSink current = sink;
        if (current == null) {
            throw new IllegalStateException("nothing is being sent now");
        }
        return current;
    }
}
