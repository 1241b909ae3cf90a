package io.jrdma.netty;

import io.jrdma.verbs.AddressVector;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.DatagramPort;
import io.jrdma.verbs.spi.DatagramSink;
import io.jrdma.verbs.spi.DatagramTransport;
import io.jrdma.verbs.spi.Engine;
import io.jrdma.verbs.spi.ManagementPort;
import io.jrdma.verbs.spi.QueuePairEngine;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A toy engine on datagrams: sends numbered packets whose bytes follow from the number, checks those that come in any order, and tells the
 * sender how many have come, so that the sender never has more than a window on the way.
 *
 * <pre>
 * data:  'D' 0 0 0 | 0 0 0 0 | number 4 | pattern, from a place that the number says | ICRC 4
 * ack:   'A' 0 0 0 | 0 0 0 0 | packets received 4 | ICRC 4
 * </pre>
 */
final class DatagramEngine implements DatagramTransport {
    static final int ACK_BYTES = 16;
    private static final int HEAD_BYTES = 12;
    private static final int ICRC_BYTES = 4;
    private static final int PERIOD = 8191;
    private static final MemorySegment PATTERN = pattern();

    final List<String> inputs = new CopyOnWriteArrayList<>();
    /** Traffic classes that data packets came with. */
    final BitSet trafficClasses = new BitSet();
    /** Numbers of the packets that came. */
    final BitSet seen = new BitSet();

    volatile DatagramPort port;
    volatile long received;
    volatile long receivedBytes;
    volatile long acknowledged;
    volatile long sent;
    volatile long wrong;
    /** Packets of strangers that happen to have a right ICRC. */
    volatile long unknown;

    volatile long timeouts;
    volatile long refusals;
    volatile long ackedPackets;
    volatile String throwsIn = "";

    /** Where received data is copied to, as an engine would; or null. */
    MemorySegment target;
    /** Whether numbers are kept in {@link #seen}. */
    boolean remembers = true;
    /** Whether data is looked at. */
    boolean checks = true;

    private int peer = -1;
    private long toSend;
    private int packetBytes;
    private int lastBytes;
    private int perTrain;
    private long window = 64;
    private long deadlineNs = Engine.NO_DEADLINE;
    private int ackTo = -1;
    private boolean ackDue;
    private long targetAt;

    private static MemorySegment pattern() {
        byte[] bytes = new byte[2 * PERIOD];
        for (int i = 0; i < bytes.length; i++) {
            int at = i % PERIOD;
            bytes[i] = (byte) (at * 31 + (at >>> 8) * 7 + 1);
        }
        MemorySegment segment = java.lang.foreign.Arena.global().allocate(bytes.length, 64);
        MemorySegment.copy(bytes, 0, segment, ValueLayout.JAVA_BYTE, 0, bytes.length);
        return segment;
    }

    /** What the test asks for; loop only. Packets of one size, in trains, the last of each train perhaps shorter. */
    void send(InetAddress to, long packets, int bytes, int lastOfTrainBytes, int packetsPerTrain) {
        if (peer < 0) {
            peer = port.pin(AddressVector.to(to));
        }
        toSend = packets;
        packetBytes = bytes;
        lastBytes = lastOfTrainBytes;
        perTrain = packetsPerTrain;
        port.requestTransmit();
    }

    void window(long packets) {
        window = packets;
    }

    void deadline(long atNs) {
        deadlineNs = atNs;
        port.requestTransmit();
    }

    int peer() {
        return peer;
    }

    private void input(String what) {
        inputs.add(what);
        mayThrow(what);
    }

    private void mayThrow(String what) {
        if (throwsIn.equals(what)) {
            throw new IllegalStateException("planted in " + what);
        }
    }

    @Override
    public QueuePairEngine createQueuePair(QueuePairCore core) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void onOpen(DatagramPort newPort, long nowNs) {
        port = newPort;
        input("onOpen");
    }

    @Override
    public void onPacket(int sourceId, MemorySegment segment, long offset, int length, int trafficClass, long nowNs) {
        mayThrow("onPacket");
        byte kind = segment.get(ValueLayout.JAVA_BYTE, offset);
        int number = segment.get(ValueLayout.JAVA_INT_UNALIGNED, offset + 8);
        if (kind == 'A') {
            acknowledged = Math.max(acknowledged, number);
            ackedPackets++;
            return;
        }
        if (kind != 'D') {
            unknown++;
            return;
        }
        take(segment, offset, length, number);
        trafficClasses.set(trafficClass);
        if (ackTo < 0) {
            ackTo = port.pin(AddressVector.to(port.address(sourceId)));
        }
        wrong += port.source(ackTo) == sourceId ? 0 : 1;
        ackDue = true;
        receivedBytes += length;
        received++;
    }

    private void take(MemorySegment segment, long offset, int length, int number) {
        int dataBytes = length - HEAD_BYTES - ICRC_BYTES;
        int phase = number % PERIOD;
        if (target != null) {
            MemorySegment.copy(segment, offset + HEAD_BYTES, target, targetAt, dataBytes);
            targetAt += dataBytes;
            if (targetAt + 8192 > target.byteSize()) {
                targetAt = 0;
            }
        }
        if (checks
                && MemorySegment.mismatch(
                                segment,
                                offset + HEAD_BYTES,
                                offset + HEAD_BYTES + dataBytes,
                                PATTERN,
                                phase,
                                phase + dataBytes)
                        >= 0) {
            wrong++;
        }
        if (remembers) {
            wrong += seen.get(number) ? 1 : 0;
            seen.set(number);
        }
    }

    @Override
    public void onTimeout(long nowNs) {
        if (deadlineNs == Engine.NO_DEADLINE || deadlineNs - nowNs > 0) {
            return;
        }
        deadlineNs = Engine.NO_DEADLINE;
        timeouts++;
        input("onTimeout");
    }

    @Override
    public long nextDeadlineNs() {
        return deadlineNs;
    }

    @Override
    public int pollTransmit(DatagramSink sink, int maxBytes, long nowNs) {
        mayThrow("pollTransmit");
        int total = 0;
        if (ackDue) {
            if (!sink.tryClaim(ackTo, ACK_BYTES, 1)) {
                refusals++;
                return 0;
            }
            head(sink.segment(), sink.offset(), 'A', (int) received);
            sink.commit(ACK_BYTES);
            ackDue = false;
            total += ACK_BYTES;
        }
        while (toSend > 0 && total < maxBytes) {
            long room = window - (sent - acknowledged);
            int packets = (int) Math.min(Math.min(room, toSend), Math.min(perTrain, sink.maxSegments(packetBytes)));
            if (packets <= 0) {
                return total;
            }
            if (!sink.tryClaim(peer, packetBytes, packets)) {
                refusals++;
                return total;
            }
            int length = fill(sink.segment(), sink.offset(), packets);
            sink.commit(length);
            sent += packets;
            toSend -= packets;
            total += length;
        }
        return total;
    }

    private int fill(MemorySegment segment, long offset, int packets) {
        long at = offset;
        for (int i = 0; i < packets; i++) {
            int bytes = i == packets - 1 ? Math.min(lastBytes, packetBytes) : packetBytes;
            fillOne(segment, at, bytes, (int) sent + i);
            at += bytes;
        }
        return (int) (at - offset);
    }

    static void fillOne(MemorySegment segment, long at, int bytes, int number) {
        head(segment, at, 'D', number);
        MemorySegment.copy(PATTERN, number % PERIOD, segment, at + HEAD_BYTES, bytes - HEAD_BYTES - ICRC_BYTES);
    }

    private static void head(MemorySegment segment, long at, int kind, int number) {
        segment.set(ValueLayout.JAVA_INT_UNALIGNED, at, kind);
        segment.set(ValueLayout.JAVA_INT_UNALIGNED, at + 4, 0);
        segment.set(ValueLayout.JAVA_INT_UNALIGNED, at + 8, number);
    }

    @Override
    public ManagementPort management() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void onClosed(long nowNs) {
        input("onClosed");
    }
}
