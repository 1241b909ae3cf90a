package io.jrdma.interop.sim;

import io.jrdma.testkit.sim.PortOptions;
import io.jrdma.testkit.sim.SimHost;
import io.jrdma.testkit.sim.SimMemory;
import io.jrdma.testkit.sim.Simulator;
import io.jrdma.verbs.Access;
import io.jrdma.verbs.AddressVector;
import io.jrdma.verbs.CompletionQueue;
import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.MemoryRegion;
import io.jrdma.verbs.ProtectionDomain;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.QueuePair;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.Transport;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** One RoCE device of a swarm, with its region, its queue pairs, and the eight-byte numbers that its peer's atomics work on. */
final class RoceSide {
    static final int INLINE = 128;
    private static final Set<Access> RIGHTS =
            EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ, Access.REMOTE_ATOMIC);

    /** One end of a connection. */
    static final class End {
        final RoceSide side;
        final int index;
        final QueuePair queuePair;
        /** Receives that are to be posted, in the order in which the peer sends. */
        final ArrayDeque<RecvWr> receives = new ArrayDeque<>();
        /** What the number is that this end's atomics at the peer find next. */
        long number;

        End(RoceSide side, int index, QueuePair queuePair) {
            this.side = side;
            this.index = index;
            this.queuePair = queuePair;
        }
    }

    final String name;
    final SimHost host;
    final RdmaDevice device;
    final CompletionQueue queue;
    final MemoryRegion region;
    /** The numbers that the peer's atomics work on, and behind them where the own atomics put what they found. */
    final MemoryRegion numbers;

    final List<End> ends = new ArrayList<>();
    boolean closed;
    private int nextSource;
    private int nextTarget;
    private int nextFound;

    /**
     * A device with queue pairs in RESET.
     *
     * @param half bytes that are sent from, and as many that are sent to
     * @param atomics atomics that this side posts at most
     */
    RoceSide(
            Simulator simulator,
            String name,
            String address,
            SimMemory pool,
            PortOptions ports,
            int half,
            int connections,
            int atomics,
            int depth) {
        this.name = name;
        nextTarget = half;
        nextFound = connections;
        host = simulator.host(name, address);
        host.ports(ports);
        device = RdmaDevice.open(Transport.ROCE_V2, host.address(), DeviceOptions.DEFAULT.withDriver(host));
        ProtectionDomain domain = device.allocateProtectionDomain();
        queue = device.createCompletionQueue(4096);
        region = domain.register(pool.allocate(2L * half), RIGHTS);
        numbers = domain.register(pool.allocate(8L * (connections + atomics)), RIGHTS);
        QueuePairOptions options =
                QueuePairOptions.rc(queue).withDepths(depth, 512).withInlineData(INLINE);
        for (int i = 0; i < connections; i++) {
            ends.add(new End(this, i, domain.createQueuePair(options)));
        }
    }

    /**
     * Connects a queue pair to the peer's of the same index.
     *
     * @param mtu path MTU in bytes
     * @param sqPsn the first sequence number that this end sends
     * @param rqPsn the first that the peer sends
     * @param timeout exponent of the ACK time limit
     * @param reads Reads and atomics outstanding in either direction
     */
    void connect(RoceSide peer, int index, int mtu, int sqPsn, int rqPsn, int timeout, int reads) {
        QueuePair queuePair = ends.get(index).queuePair;
        queuePair.modify(QpAttributes.builder()
                .state(QpState.INIT)
                .pKeyIndex(0)
                .port(1)
                .access(RIGHTS)
                .build());
        queuePair.modify(QpAttributes.builder()
                .state(QpState.RTR)
                .addressVector(AddressVector.to(peer.host.address()))
                .pathMtu(mtu)
                .destQpNum(peer.ends.get(index).queuePair.qpNum())
                .rqPsn(rqPsn)
                .maxDestRdAtomic(reads)
                .minRnrTimer(1 + index)
                .build());
        queuePair.modify(QpAttributes.builder()
                .state(QpState.RTS)
                .timeout(timeout)
                .retryCnt(7)
                .rnrRetry(7)
                .sqPsn(sqPsn)
                .maxRdAtomic(reads)
                .build());
    }

    int takeSource(int bytes) {
        nextSource += bytes;
        return nextSource - bytes;
    }

    int takeTarget(int bytes) {
        nextTarget += bytes;
        return nextTarget - bytes;
    }

    /** Where the next atomic puts what it found, in {@link #numbers}. */
    int takeFound() {
        return 8 * nextFound++;
    }

    void close() {
        closed = true;
        device.close();
    }
}
