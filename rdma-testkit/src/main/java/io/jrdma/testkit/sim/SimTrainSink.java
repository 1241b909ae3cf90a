package io.jrdma.testkit.sim;

import io.jrdma.verbs.AddressVector;
import io.jrdma.verbs.spi.DatagramSink;
import io.jrdma.wire.PacketPrinter;
import io.jrdma.wire.ib.RoceV2Packet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Takes the trains that an engine sends in one call, and checks that it keeps the rules. A claim is never clean memory. */
final class SimTrainSink implements DatagramSink {
    /** Bytes of one train at most, as UDP segmentation takes them. */
    static final int MAX_TRAIN = 65_000;

    private static final byte DIRT = (byte) 0xDB;
    private static final int DIRTY_WORD = 0xDBDBDBDB;

    /**
     * What was committed.
     *
     * @param destination where it goes
     * @param segmentBytes bytes of each packet but the last
     * @param bytes all packets
     */
    @SuppressWarnings("ArrayRecordComponent") // handed on once
    record Train(AddressVector destination, int segmentBytes, byte[] bytes) {}

    private final MemorySegment memory = Arena.ofAuto().allocate(MAX_TRAIN + 64);
    private final List<Train> trains = new ArrayList<>();
    private @Nullable SimDatagrams port;
    private int committed;
    private int offset;
    private @Nullable AddressVector destination;
    private int segmentBytes;
    private int claimed;
    private boolean inClaim;
    private boolean refused;

    /** Ready for a call of that port's engine. */
    void begin(SimDatagrams newPort) {
        port = newPort;
        trains.clear();
        committed = 0;
        refused = false;
    }

    /** What was committed since {@link #begin}. */
    List<Train> end() {
        if (inClaim) {
            inClaim = false;
            throw new AssertionError("the engine left a claim of " + claimed + " bytes open");
        }
        return trains;
    }

    /** Bytes committed since {@link #begin}. */
    int committed() {
        return committed;
    }

    /** Whether a claim was refused since {@link #begin}. */
    boolean wasRefused() {
        return refused;
    }

    private SimDatagrams port() {
        return Objects.requireNonNull(port);
    }

    @Override
    public int maxSegments(int bytes) {
        checkSegment(bytes);
        return Math.max(1, Math.min(port().options().maxSegments(), MAX_TRAIN / bytes));
    }

    private static void checkSegment(int bytes) {
        if (bytes < RoceV2Packet.MIN_LENGTH || bytes > MAX_TRAIN || (bytes & 3) != 0) {
            throw new AssertionError("segments of " + bytes + " bytes; allowed are multiples of 4 from "
                    + RoceV2Packet.MIN_LENGTH + " to " + MAX_TRAIN);
        }
    }

    @Override
    public boolean tryClaim(int newPathId, int newSegmentBytes, int segments) {
        if (inClaim) {
            throw new AssertionError("a claim of " + claimed + " bytes is open");
        }
        int most = maxSegments(newSegmentBytes);
        if (segments < 1 || segments > most) {
            throw new AssertionError(segments + " segments of " + newSegmentBytes + " bytes; allowed are 1.." + most);
        }
        AddressVector pinned = port().paths().pinned(newPathId);
        if (pinned == null) {
            throw new AssertionError("a claim for path " + newPathId + ", which is not pinned");
        }
        if (refused || !port().hasRoom(committed)) {
            refused = true;
            return false;
        }
        destination = pinned;
        segmentBytes = newSegmentBytes;
        claimed = segments * newSegmentBytes;
        inClaim = true;
        offset = (offset + 13) % 61; // engines must not count on alignment
        memory.asSlice(offset, claimed).fill(DIRT);
        return true;
    }

    @Override
    public MemorySegment segment() {
        return memory;
    }

    @Override
    public long offset() {
        return offset;
    }

    @Override
    public void commit(int length) {
        int last = length % segmentBytes;
        if (!inClaim || length < RoceV2Packet.MIN_LENGTH || length > claimed || (length & 3) != 0) {
            throw new AssertionError("commit of " + length + " bytes of a claim of " + (inClaim ? claimed : 0));
        }
        if (last > 0 && last < RoceV2Packet.MIN_LENGTH) {
            throw new AssertionError("the last packet of a train has " + last + " bytes");
        }
        for (int at = 0; at < length; at += segmentBytes) {
            int end = Math.min(length, at + segmentBytes);
            int icrc = memory.get(ValueLayout.JAVA_INT_UNALIGNED, offset + (long) end - 4);
            if (icrc != DIRTY_WORD) {
                throw new AssertionError("the engine wrote 0x%08x where the driver puts the ICRC: %s"
                        .formatted(icrc, PacketPrinter.roce(memory, offset + (long) at, end - at)));
            }
        }
        inClaim = false;
        committed += length;
        trains.add(new Train(
                Objects.requireNonNull(destination),
                segmentBytes,
                memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE)));
    }

    @Override
    public void abort() {
        if (!inClaim) {
            throw new AssertionError("abort without a claim");
        }
        inClaim = false;
    }
}
