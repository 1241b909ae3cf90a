package io.jrdma.testkit.sim;

import io.jrdma.verbs.spi.Seeds;
import io.jrdma.wire.ib.IcrcPath;
import io.jrdma.wire.ib.RoceV2Packet;
import java.net.InetAddress;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;

/** One direction between two addresses: datagrams arrive late, twice, in another order, damaged or never, as {@link DatagramOptions} say. */
public final class DatagramLink {
    private static final long SECOND_NS = 1_000_000_000L;

    private final DatagramNetwork network;
    private final Simulator simulator;
    private final InetAddress from;
    private final InetAddress to;
    private final String name;
    private final IcrcPath icrcPath;
    private final SplittableRandom random;
    private final Map<DatagramFault, Long> counts = new EnumMap<>(DatagramFault.class);
    private DatagramOptions options;
    private long sent;
    private long arrived;
    private long busyUntilNs;
    private long lastArrivalNs;

    DatagramLink(
            DatagramNetwork network, Simulator simulator, InetAddress from, InetAddress to, DatagramOptions options) {
        this.network = network;
        this.simulator = simulator;
        this.from = from;
        this.to = to;
        this.options = options;
        this.name = from.getHostAddress() + ">" + to.getHostAddress();
        this.icrcPath = IcrcPath.of(from.getAddress(), RoceV2Packet.UDP_PORT, to.getAddress(), RoceV2Packet.UDP_PORT);
        this.random = new SplittableRandom(Seeds.child(simulator.seed(), "datagrams " + name));
    }

    /** The sender's address. */
    public InetAddress from() {
        return from;
    }

    /** The receiver's address. */
    public InetAddress to() {
        return to;
    }

    /** Both addresses, for messages. */
    public String name() {
        return name;
    }

    /** The options in force. */
    public DatagramOptions options() {
        return options;
    }

    /** Changes the options for what is sent from now on. */
    public void options(DatagramOptions newOptions) {
        options = newOptions;
    }

    /** Datagrams that were sent. */
    public long sent() {
        return sent;
    }

    /** Datagrams that the receiver's engine was given. */
    public long arrived() {
        return arrived;
    }

    /** How often that happened. */
    public long count(DatagramFault fault) {
        return counts.getOrDefault(fault, 0L);
    }

    IcrcPath icrcPath() {
        return icrcPath;
    }

    void note(DatagramFault fault, Datagram datagram, long detail) {
        counts.merge(fault, 1L, Long::sum);
        simulator.trace().add(simulator.nowNs(), fault.event(), name, datagram.number(), detail, datagram::line);
    }

    void arrived(Datagram datagram) {
        arrived++;
        simulator.trace().add(simulator.nowNs(), "packet", name, datagram.number(), datagram.length(), datagram::line);
        simulator.trace().addBytes(datagram.packet());
    }

    /** The sender's interface is given a packet. */
    void send(byte[] headers, byte[] packet, int interfaceMtu) {
        Datagram datagram = new Datagram(this, sent++, headers, packet);
        DatagramFate fate = network.rule().fate(datagram);
        long nowNs = simulator.nowNs();
        if (datagram.ipBytes() > Math.min(interfaceMtu, options.mtuBytes())) {
            note(DatagramFault.TOO_LONG, datagram, datagram.ipBytes());
        } else if (nowNs >= options.partitionFromNs() && nowNs < options.partitionToNs()) {
            note(DatagramFault.PARTITIONED, datagram, datagram.length());
        } else if (fate.kind() == DatagramFate.Kind.DROP) {
            note(DatagramFault.DROPPED_BY_RULE, datagram, datagram.length());
        } else {
            queue(datagram, fate);
        }
    }

    private void queue(Datagram datagram, DatagramFate fate) {
        long nowNs = simulator.nowNs();
        long departureNs = nowNs;
        Datagram leaving = datagram;
        boolean mark = fate.kind() == DatagramFate.Kind.MARK;
        if (options.bytesPerSecond() > 0) {
            long waitNs = Math.max(0, busyUntilNs - nowNs);
            long waiting = (long) ((double) waitNs * options.bytesPerSecond() / SECOND_NS);
            if (waiting > 0 && waiting + datagram.ipBytes() > options.queueBytes()) {
                note(DatagramFault.QUEUE_FULL, datagram, waiting);
                return;
            }
            mark |= options.markBytes() >= 0 && waiting > options.markBytes();
            departureNs = nowNs + waitNs + datagram.ipBytes() * SECOND_NS / options.bytesPerSecond();
            busyUntilNs = departureNs;
        }
        if (mark) {
            note(DatagramFault.MARKED, datagram, datagram.length());
            leaving = datagram.withMark();
        }
        cross(leaving, fate, departureNs);
    }

    private boolean chance(int perMille) {
        return perMille > 0 && random.nextInt(1000) < perMille;
    }

    private void cross(Datagram datagram, DatagramFate fate, long departureNs) {
        boolean ordinary = fate.kind() == DatagramFate.Kind.ORDINARY || fate.kind() == DatagramFate.Kind.MARK;
        if (ordinary && chance(options.lossPerMille())) {
            note(DatagramFault.LOST, datagram, datagram.length());
            return;
        }
        long latencyNs = random.nextLong(options.minLatencyNs(), options.maxLatencyNs() + 1);
        long arrivalNs = Math.max(lastArrivalNs, departureNs + latencyNs);
        long lateNs = 0;
        if (fate.kind() == DatagramFate.Kind.DELAY) {
            lateNs = fate.number();
        } else if (ordinary && chance(options.reorderPerMille())) {
            lateNs = random.nextLong(options.maxReorderNs() + 1);
        }
        if (lateNs > 0) {
            note(DatagramFault.REORDERED, datagram, lateNs);
        } else {
            lastArrivalNs = arrivalNs;
        }
        deliver(corrupted(datagram, fate, ordinary), arrivalNs + lateNs);
        if (fate.kind() == DatagramFate.Kind.DUPLICATE || (ordinary && chance(options.duplicatePerMille()))) {
            long againNs = arrivalNs + lateNs + random.nextLong(options.maxDuplicateNs() + 1);
            note(DatagramFault.DUPLICATED, datagram, againNs - arrivalNs);
            deliver(corrupted(datagram, DatagramFate.ORDINARY, ordinary), againNs);
        }
    }

    private Datagram corrupted(Datagram datagram, DatagramFate fate, boolean ordinary) {
        int bits = 8 * datagram.length();
        int bit = -1;
        if (fate.kind() == DatagramFate.Kind.FLIP) {
            bit = (int) fate.number();
        } else if (fate.kind() == DatagramFate.Kind.CORRUPT || (ordinary && chance(options.corruptPerMille()))) {
            bit = random.nextInt(Math.max(1, bits));
        }
        if (bit < 0 || bit >= bits) {
            return datagram;
        }
        note(DatagramFault.CORRUPTED, datagram, bit);
        return datagram.withFlippedBit(bit);
    }

    private void deliver(Datagram datagram, long arrivalNs) {
        simulator.at(arrivalNs, () -> network.arrive(datagram));
    }

    @Override
    public String toString() {
        return name;
    }
}
