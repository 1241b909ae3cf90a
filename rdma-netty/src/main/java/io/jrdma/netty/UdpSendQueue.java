package io.jrdma.netty;

import io.jrdma.netty.UdpCounters.Counter;
import io.jrdma.verbs.spi.DatagramSink;
import io.jrdma.wire.ib.Icrc;
import io.jrdma.wire.ib.IcrcPath;
import io.jrdma.wire.ib.RoceV2Packet;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The trains that wait to be sent: one piece of memory that is filled from its beginning and is free again when all of it is sent, which is
 * mostly at the end of each batch; so it stays in the cache. Loop only.
 *
 * <p>Trains on the same path that follow one another and fit together become one: many small messages of one size cost one system call and
 * one walk through the network stack.
 */
final class UdpSendQueue implements DatagramSink {
    /** The most that older kernels take. */
    static final int MAX_SEGMENTS = 64;
    /** Whatever header comes in front of it, an Ethernet frame with two VLAN tags around it stays shorter than 64 KiB, which is what interfaces take. */
    static final int MAX_TRAIN_BYTES = 65_464;
    /** Entries in the queue, and so in one system call. */
    static final int MAX_ENTRIES = 64;

    private static final int CACHE_LINE = 64;
    private static final int SOCKADDR_STRIDE = 32;
    /** In place of the id of a path that is not pinned. */
    private static final int NO_PATH = -1;

    private final UdpPort port;
    private final SegmentBuffer buffer;
    private final MemorySegment segment;
    private final Icrc icrc = new Icrc();
    private final int capacity;
    private final boolean forNetty;
    /** {@link #NO_PATH} from when the path is let go: its number may be another's then. */
    private final int[] pathIds = new int[MAX_ENTRIES];

    private final int[] offsets = new int[MAX_ENTRIES];
    private final int[] lengths = new int[MAX_ENTRIES];
    private final int[] segmentBytes = new int[MAX_ENTRIES];
    /** Addresses are taken at once: by the time of sending, an id may mean another peer. */
    private final MemorySegment sockaddrs = MemorySegment.ofArray(new long[MAX_ENTRIES * SOCKADDR_STRIDE / Long.BYTES]);

    private final int[] sockaddrBytes = new int[MAX_ENTRIES];
    private final @Nullable InetSocketAddress[] destinations = new InetSocketAddress[MAX_ENTRIES];
    private final int[] trafficClasses = new int[MAX_ENTRIES];
    private final int[] hopLimits = new int[MAX_ENTRIES];
    private final @Nullable IcrcPath[] icrcPaths = new IcrcPath[MAX_ENTRIES];
    private int head;
    private int tail;
    private int end;
    private int headSent;
    private int claimPath;
    private int claimOffset = -1;
    private int claimBytes;
    private int claimSegmentBytes;
    private boolean claimMerges;

    /**
     * An empty queue.
     *
     * @param forNetty whether the socket wants addresses as Netty's objects; else as the system's
     */
    UdpSendQueue(UdpPort port, int bytes, boolean forNetty) {
        this.port = port;
        this.forNetty = forNetty;
        this.buffer = new SegmentBuffer(bytes);
        this.segment = buffer.segment();
        icrc.attach(segment);
        this.capacity = bytes;
    }

    // ---- for the engine ----

    @Override
    public int maxSegments(int bytes) {
        return Math.clamp(MAX_TRAIN_BYTES / bytes, 1, MAX_SEGMENTS);
    }

    @Override
    public boolean tryClaim(int pathId, int bytes, int segments) {
        if (claimOffset >= 0) {
            throw new IllegalStateException("a claim is open");
        }
        if (bytes < RoceV2Packet.MIN_LENGTH
                || bytes > RoceV2Packet.MAX_LENGTH
                || segments <= 0
                || segments > maxSegments(bytes)) {
            throw new IllegalArgumentException(segments + " packets of " + bytes + " bytes in a train");
        }
        int path = port.paths().isPinned(pathId) ? pathId : NO_PATH;
        int total = bytes * segments;
        if (!place(path, bytes, segments, total)
                && !(port.flushUnlessBlocked() && place(path, bytes, segments, total))) {
            return false;
        }
        if (!claimMerges && path != NO_PATH) {
            // now, as the path may be let go before the commit
            pathIds[tail] = path;
            address(tail, path);
        }
        claimPath = path;
        claimBytes = total;
        claimSegmentBytes = bytes;
        return true;
    }

    private boolean place(int pathId, int bytes, int segments, int total) {
        claimMerges = fitsLast(pathId, bytes, segments, total);
        int offset = claimMerges ? end : (end + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
        if (offset + total > capacity || (!claimMerges && tail == MAX_ENTRIES)) {
            return false;
        }
        claimOffset = offset;
        return true;
    }

    private boolean fitsLast(int pathId, int bytes, int segments, int total) {
        int last = tail - 1;
        if (last < head || pathId == NO_PATH || pathIds[last] != pathId) {
            return false;
        }
        int size = segmentBytes[last];
        int length = lengths[last];
        return (bytes == size || (bytes < size && segments == 1))
                && length % size == 0
                && length / size + segments <= MAX_SEGMENTS
                && length + total <= MAX_TRAIN_BYTES;
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public long offset() {
        return claimOffset;
    }

    @Override
    public void commit(int length) {
        if (claimOffset < 0 || length <= 0 || length > claimBytes || length % 4 != 0) {
            throw new IllegalArgumentException(length + " bytes of a claim of " + (claimOffset < 0 ? 0 : claimBytes));
        }
        if (claimPath == NO_PATH) {
            port.counters().add(Counter.SEND_NO_PATH, (length + claimSegmentBytes - 1) / claimSegmentBytes);
            claimOffset = -1;
            return;
        }
        int entry;
        int from;
        if (claimMerges) {
            entry = tail - 1;
            from = lengths[entry];
            lengths[entry] = from + length;
        } else {
            entry = tail++;
            from = 0;
            offsets[entry] = claimOffset;
            lengths[entry] = length;
            segmentBytes[entry] = Math.min(claimSegmentBytes, length);
        }
        end = claimOffset + length;
        claimOffset = -1;
        seal(entry, from, port.sendsTrains());
    }

    private void address(int entry, int pathId) {
        PathTable paths = port.paths();
        icrcPaths[entry] = paths.outgoing(pathId);
        if (forNetty) {
            destinations[entry] = paths.destination(pathId);
        } else {
            sockaddrBytes[entry] = paths.putSockaddr(pathId, sockaddrs, (long) entry * SOCKADDR_STRIDE);
            trafficClasses[entry] = paths.trafficClass(pathId);
            hopLimits[entry] = paths.hopLimit(pathId);
        }
    }

    @Override
    public void abort() {
        claimOffset = -1;
    }

    // ---- for the port and its socket ----

    /** First entry that is not sent. */
    int head() {
        return head;
    }

    /** Behind the last entry. */
    int tail() {
        return tail;
    }

    /** Bytes of the first entry that are sent. */
    int headSent() {
        return headSent;
    }

    /** Where an entry goes, for Netty. */
    InetSocketAddress destination(int entry) {
        return Objects.requireNonNull(destinations[entry]);
    }

    /**
     * Writes where an entry goes, for the system.
     *
     * @return bytes written
     */
    int copySockaddr(int entry, MemorySegment to, long at) {
        MemorySegment.copy(sockaddrs, (long) entry * SOCKADDR_STRIDE, to, at, SOCKADDR_STRIDE);
        return sockaddrBytes[entry];
    }

    int trafficClass(int entry) {
        return trafficClasses[entry];
    }

    int hopLimit(int entry) {
        return hopLimits[entry];
    }

    /** Where the entry begins in {@link #segment}. */
    int offset(int entry) {
        return offsets[entry];
    }

    int length(int entry) {
        return lengths[entry];
    }

    /** Bytes of each packet of the entry but the last. */
    int segmentBytes(int entry) {
        return segmentBytes[entry];
    }

    /** Packets of the entry. */
    int segments(int entry) {
        return (lengths[entry] + segmentBytes[entry] - 1) / segmentBytes[entry];
    }

    SegmentBuffer buffer() {
        return buffer;
    }

    /** So many entries are sent, or dropped. */
    void advance(int entries) {
        head += entries;
        headSent = 0;
    }

    /** So many bytes more of the first entry are sent, packet by packet. */
    void advanceBytes(int bytes) {
        headSent += bytes;
        if (headSent >= lengths[head]) {
            advance(1);
        }
    }

    /** Packets that are not sent. */
    int unsent() {
        int packets = 0;
        for (int entry = head; entry < tail; entry++) {
            packets += segments(entry);
        }
        return head < tail ? packets - headSent / segmentBytes[head] : 0;
    }

    boolean isEmpty() {
        return head == tail;
    }

    /** All is sent, and nobody reads the memory any more. */
    void clear() {
        head = 0;
        tail = 0;
        headSent = 0;
        end = 0;
    }

    /** A path is let go: what was claimed on it is sent, but nothing joins it. */
    void forget(int pathId) {
        for (int entry = 0; entry < MAX_ENTRIES; entry++) {
            if (pathIds[entry] == pathId) {
                pathIds[entry] = NO_PATH;
            }
        }
    }

    /**
     * Fills in the ICRC of an entry's packets.
     *
     * @param from where to begin, in bytes from the entry's beginning
     * @param numbered whether packet {@code i} carries identification {@code i}; else all carry 0
     */
    void seal(int entry, int from, boolean numbered) {
        int size = segmentBytes[entry];
        int at = offsets[entry];
        IcrcPath path = Objects.requireNonNull(icrcPaths[entry]);
        for (int place = from; place < lengths[entry]; place += size) {
            icrc.seal(path, segment, at + place, Math.min(size, lengths[entry] - place), numbered ? place / size : 0);
        }
    }

    void close() {
        buffer.close();
    }
}
