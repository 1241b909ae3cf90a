package io.jrdma.ib;

import io.jrdma.testkit.engine.TestClock;
import io.jrdma.verbs.AddressVector;
import io.jrdma.verbs.spi.DatagramSink;
import io.jrdma.wire.ib.Bth;
import io.jrdma.wire.ib.IbMalformed;
import io.jrdma.wire.ib.IbOpcode;
import io.jrdma.wire.ib.RoceV2Packet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A network between nodes that loses, repeats, delays and reorders packets as one seed says. Allocates nothing while it runs, unless it records. */
final class TestNetwork {
    /** What the network does to packets; shares of 1000. */
    record Faults(int loss, int duplication, int reordering, int congestion) {
        static final Faults NONE = new Faults(0, 0, 0, 0);
    }

    /** A packet as it was sent. */
    record Sent(int from, AddressVector to, byte[] bytes, long atNs) {
        int opcode() {
            return bytes[0] & 0xFF;
        }

        int psn() {
            return Bth.psn(MemorySegment.ofArray(bytes), 0);
        }

        boolean ackRequest() {
            return Bth.isAckRequest(MemorySegment.ofArray(bytes), 0);
        }

        MemorySegment segment() {
            return MemorySegment.ofArray(bytes);
        }

        @Override
        public String toString() {
            String text = from + ": " + IbOpcode.name(opcode()) + " " + Integer.toHexString(psn());
            if (IbOpcode.hasAeth(opcode())) {
                text += " " + Integer.toHexString(bytes[IbOpcode.aethAt(opcode())] & 0xFF);
            }
            return text + (ackRequest() ? " A" : "");
        }
    }

    /** Decides what becomes of a packet: true if it is lost. */
    interface Rule {
        boolean loses(Sent packet);
    }

    static final Rule NO_RULE = packet -> false;

    private static final int SLOTS = 1 << 12;
    private static final int SLOT_BYTES = RoceV2Packet.MAX_LENGTH + 12;
    private static final int MAX_SEGMENTS = 64;
    private static final byte DIRT = (byte) 0xDB;

    final TestClock clock;
    final List<Sent> sent = new ArrayList<>();
    Faults faults = Faults.NONE;
    long delayNs = 10_000;
    long jitterNs;
    /** Bytes that one call may send before the sink is full. */
    int roomBytes = 1 << 22;

    int maxSegments = MAX_SEGMENTS;
    boolean record;
    Rule rule = NO_RULE;
    SplittableRandom random;

    private final List<TestNode> nodes = new ArrayList<>();
    private final MemorySegment memory = Arena.ofAuto().allocate((long) SLOTS * SLOT_BYTES);
    private final int[] free = new int[SLOTS];
    private int freeCount = SLOTS;
    private final int[] length = new int[SLOTS];
    private final int[] from = new int[SLOTS];
    private final int[] to = new int[SLOTS];
    private final long[] due = new long[SLOTS];
    private final int[] trafficClass = new int[SLOTS];
    /** Slots on the way, in the order of arrival, from {@link #first} on. */
    private final int[] order = new int[SLOTS];

    private int first;
    private int count;

    TestNetwork(TestClock clock, long seed) {
        this.clock = clock;
        this.random = new SplittableRandom(seed);
        for (int i = 0; i < SLOTS; i++) {
            free[i] = i;
        }
    }

    int add(TestNode node) {
        nodes.add(node);
        return nodes.size() - 1;
    }

    TestNode node(int index) {
        return nodes.get(index);
    }

    boolean isEmpty() {
        return count == 0;
    }

    long nextDueNs() {
        return count == 0 ? Long.MAX_VALUE : due[order[first]];
    }

    /** Hands in what has arrived. */
    boolean deliver() {
        boolean any = false;
        while (count > 0 && due[order[first]] - clock.nowNs() <= 0) {
            int slot = order[first];
            first = first + 1 & SLOTS - 1;
            count--;
            TestNode target = nodes.get(to[slot]);
            target.device.onPacket(
                    from[slot], memory, (long) slot * SLOT_BYTES + 5, length[slot], trafficClass[slot], clock.nowNs());
            free[freeCount++] = slot;
            any = true;
        }
        return any;
    }

    private boolean hits(int share) {
        return share > 0 && random.nextInt(1000) < share;
    }

    private void send(int sender, TestNode.Path path, MemorySegment segment, long at, int bytes) {
        if (record || rule != NO_RULE) {
            byte[] copy = segment.asSlice(at, bytes).toArray(ValueLayout.JAVA_BYTE);
            Sent packet = new Sent(sender, path.vector(), copy, clock.nowNs());
            if (record) {
                sent.add(packet);
            }
            if (rule.loses(packet)) {
                return;
            }
        }
        if (hits(faults.loss)) {
            return;
        }
        enqueue(sender, path, segment, at, bytes);
        if (hits(faults.duplication)) {
            enqueue(sender, path, segment, at, bytes);
        }
    }

    private void enqueue(int sender, TestNode.Path path, MemorySegment segment, long at, int bytes) {
        if (freeCount == 0) {
            return;
        }
        int slot = free[--freeCount];
        MemorySegment.copy(segment, at, memory, (long) slot * SLOT_BYTES + 5, bytes);
        length[slot] = bytes;
        from[slot] = sender;
        to[slot] = path.receiver();
        trafficClass[slot] = path.vector().trafficClass() | (hits(faults.congestion) ? 3 : 0);
        long arrival = clock.nowNs() + delayNs + (jitterNs == 0 ? 0 : random.nextLong(jitterNs));
        boolean reordered = hits(faults.reordering);
        if (reordered) {
            arrival += 1 + random.nextLong(4 * delayNs + 1);
        } else if (count > 0) {
            // without reordering nothing overtakes
            long last = due[order[first + count - 1 & SLOTS - 1]];
            arrival = faults.reordering == 0 ? Math.max(arrival, last) : arrival;
        }
        due[slot] = arrival;
        int place = count++;
        while (place > 0 && due[order[first + place - 1 & SLOTS - 1]] - arrival > 0) {
            order[first + place & SLOTS - 1] = order[first + place - 1 & SLOTS - 1];
            place--;
        }
        order[first + place & SLOTS - 1] = slot;
    }

    /** What one node's engine sends, checked: form, payload and pad, trains of one size, no bytes left unwritten in headers. */
    static final class Sink implements DatagramSink {
        private final TestNetwork network;
        private final int sender;
        private final MemorySegment memory =
                Arena.ofAuto().allocate((long) MAX_SEGMENTS * RoceV2Packet.MAX_LENGTH + 64);
        private int offset;
        private int pathId;
        private int segmentBytes;
        private int claimed;
        private int used;
        /** Packets per commit, to see that trains are made. */
        int commits;

        int packets;
        boolean refused;

        Sink(TestNetwork network, int sender) {
            this.network = network;
            this.sender = sender;
        }

        void begin() {
            used = 0;
            refused = false;
        }

        @Override
        public int maxSegments(int bytes) {
            return network.maxSegments;
        }

        @Override
        public boolean tryClaim(int newPathId, int bytes, int segments) {
            if (claimed != 0
                    || bytes < RoceV2Packet.MIN_LENGTH
                    || (bytes & 3) != 0
                    || segments < 1
                    || segments > network.maxSegments) {
                throw new AssertionError("claim of " + segments + " packets of " + bytes + " bytes, open: " + claimed);
            }
            if (used + bytes > network.roomBytes) {
                refused = true;
                return false;
            }
            pathId = newPathId;
            segmentBytes = bytes;
            claimed = segments;
            offset = (offset + 13) % 61;
            memory.asSlice(offset, (long) bytes * segments).fill(DIRT);
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
        public void commit(int bytes) {
            if (bytes < RoceV2Packet.MIN_LENGTH || (bytes & 3) != 0 || bytes > (long) claimed * segmentBytes) {
                throw new AssertionError("commit of " + bytes + " bytes in a claim of " + claimed + "*" + segmentBytes);
            }
            commits++;
            for (int at = 0; at < bytes; at += segmentBytes) {
                int length = Math.min(segmentBytes, bytes - at);
                check(memory, offset + at, length);
                packets++;
                network.send(sender, network.node(sender).path(pathId), memory, offset + at, length);
            }
            used += bytes;
            claimed = 0;
        }

        private static void check(MemorySegment segment, long at, int length) {
            int wrong = RoceV2Packet.check(segment, at, length);
            if (wrong != IbMalformed.OK) {
                throw new AssertionError("sent " + IbMalformed.name(wrong));
            }
            int opcode = Bth.opcode(segment, at);
            int payload = RoceV2Packet.payloadBytes(segment, at, length);
            int pad = Bth.padBytes(segment, at);
            if (Bth.pKey(segment, at) != Bth.DEFAULT_P_KEY || RoceV2Packet.length(opcode, payload) != length) {
                throw new AssertionError(IbOpcode.name(opcode) + " of " + length + " bytes");
            }
            for (int i = 0; i < pad; i++) {
                if (segment.get(ValueLayout.JAVA_BYTE, at + length - RoceV2Packet.ICRC_LENGTH - 1 - i) != 0) {
                    throw new AssertionError("pad is not zero");
                }
            }
        }

        @Override
        public void abort() {
            if (claimed == 0) {
                throw new AssertionError("abort without a claim");
            }
            claimed = 0;
        }
    }
}
