package io.jrdma.testkit.toy;

import io.jrdma.testkit.check.ExactlyOnceChecker;
import io.jrdma.testkit.check.LivenessChecker;
import io.jrdma.testkit.check.MemoryOracle;
import io.jrdma.testkit.sim.DatagramLink;
import io.jrdma.testkit.sim.DatagramNetwork;
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
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.WrOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Two devices of the toy transport on datagrams, with one connected queue pair each, and all checkers. */
public final class ToyDatagramPair {
    public static final int REGION = 1 << 18;
    private static final SimMemory POOL = new SimMemory(2 * REGION);
    private static final int HALF = REGION / 2;
    private static final int FIRST_PSN = 0xFF_FFF0;

    /** One side. */
    public static final class Side {
        public final String name;
        public final SimHost host;
        public final RdmaDevice device;
        public final CompletionQueue queue;
        public final QueuePair queuePair;
        public final MemoryRegion region;
        public final List<String> completions = new ArrayList<>();
        private final WorkCompletion[] holders = {new WorkCompletion()};
        private int nextSource;
        private int nextTarget = HALF;
        private boolean closed;

        Side(Simulator simulator, String name, String address, MemorySegment memory, PortOptions ports) {
            this.name = name;
            host = simulator.host(name, address);
            host.ports(ports);
            device = RdmaDevice.open(Transport.ROCE_V2, host.address(), DeviceOptions.DEFAULT.withDriver(host));
            ProtectionDomain domain = device.allocateProtectionDomain();
            queue = device.createCompletionQueue(1000);
            queuePair = domain.createQueuePair(
                    QueuePairOptions.rc(queue).withDepths(500, 500).withInlineData(0));
            region = domain.register(memory, Set.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ));
        }

        void connect(Side peer) {
            queuePair.modify(QpAttributes.builder()
                    .state(QpState.INIT)
                    .pKeyIndex(0)
                    .port(1)
                    .access(Set.of(Access.REMOTE_WRITE))
                    .build());
            queuePair.modify(QpAttributes.builder()
                    .state(QpState.RTR)
                    .addressVector(AddressVector.to(peer.host.address()))
                    .pathMtu(256)
                    .destQpNum(peer.queuePair.qpNum())
                    .rqPsn(FIRST_PSN)
                    .maxDestRdAtomic(1)
                    .minRnrTimer(1)
                    .build());
            queuePair.modify(QpAttributes.builder()
                    .state(QpState.RTS)
                    .timeout(14)
                    .retryCnt(7)
                    .rnrRetry(7)
                    .sqPsn(FIRST_PSN)
                    .maxRdAtomic(1)
                    .build());
        }

        public void close() {
            closed = true;
            device.close();
        }

        private int source(int bytes) {
            nextSource += bytes;
            return nextSource - bytes;
        }

        private int target(int bytes) {
            nextTarget += bytes;
            return nextTarget - bytes;
        }
    }

    public final Simulator simulator;
    public final Side left;
    public final Side right;
    public final MemoryOracle memory = new MemoryOracle();
    public final ExactlyOnceChecker once = new ExactlyOnceChecker();
    public final LivenessChecker liveness = new LivenessChecker(once::waiting, once::describe);
    private final List<MemoryOracle.Write> expected = new ArrayList<>();
    private long nextId = 1;

    public ToyDatagramPair(long seed) {
        this(new Simulator(seed), PortOptions.CALM);
    }

    public ToyDatagramPair(Simulator simulator, PortOptions ports) {
        this(simulator, ports, "10.0.0.1", "10.0.0.2");
    }

    public ToyDatagramPair(Simulator simulator, PortOptions ports, String leftAddress, String rightAddress) {
        this.simulator = simulator;
        POOL.reset();
        left = new Side(simulator, "left", leftAddress, POOL.allocate(REGION), ports);
        right = new Side(simulator, "right", rightAddress, POOL.allocate(REGION), ports);
        left.connect(right);
        right.connect(left);
        for (Side side : List.of(left, right)) {
            memory.watch(side.name, side.region.segment());
        }
        simulator.add(memory);
        simulator.add(liveness);
        simulator.add(ignored -> poll());
    }

    public DatagramNetwork datagrams() {
        return simulator.network().datagrams();
    }

    /** The direction from left to right. */
    public DatagramLink there() {
        return datagrams().link(left.host.address(), right.host.address());
    }

    /** The direction from right to left. */
    public DatagramLink back() {
        return datagrams().link(right.host.address(), left.host.address());
    }

    /** A Send, and the receive for it. */
    public void send(Side from, int length) {
        Side to = from == left ? right : left;
        long id = nextId++;
        byte[] payload = ToyPair.payload(id, length);
        int source = put(from, payload);
        int target = to.target(length);
        to.queuePair.postReceive(new RecvWr().id(id).addSge(to.region, target, length));
        once.postedReceive(to.name, to.queuePair.qpNum(), id);
        expected.add(memory.expect(to.name, target, payload));
        once.postedSend(from.name, from.queuePair.qpNum(), id, true);
        from.queuePair.postSend(new SendWr().id(id).addSge(from.region, source, length));
    }

    public void write(Side from, int length) {
        Side to = from == left ? right : left;
        long id = nextId++;
        byte[] payload = ToyPair.payload(id, length);
        int source = put(from, payload);
        int target = to.target(length);
        expected.add(memory.expect(to.name, target, payload));
        once.postedSend(from.name, from.queuePair.qpNum(), id, true);
        from.queuePair.postSend(new SendWr()
                .id(id)
                .opcode(WrOpcode.RDMA_WRITE)
                .remote(to.region.address() + target, to.region.remoteKey())
                .addSge(from.region, source, length));
    }

    /** Ten Sends and ten Writes of all sizes, in both directions. */
    public void work() {
        for (int i = 0; i < 10; i++) {
            send(i % 3 == 0 ? right : left, i * 297);
            write(i % 2 == 0 ? right : left, 1 + i * 290);
        }
    }

    /** Waits until all is done, and looks at everything. */
    public void finish(long withinNs) {
        if (!simulator.runUntil(() -> once.waiting() == 0, withinNs)) {
            throw simulator.failure("without completion: " + once.describe(), new AssertionError("liveness"));
        }
        once.finish();
        expected.forEach(MemoryOracle.Write::done);
        expected.clear();
        memory.check();
    }

    private int put(Side side, byte[] payload) {
        int source = side.source(payload.length);
        memory.expect(side.name, source, payload).done();
        MemorySegment.copy(payload, 0, side.region.segment(), ValueLayout.JAVA_BYTE, source, payload.length);
        return source;
    }

    private void poll() {
        for (Side side : List.of(left, right)) {
            while (!side.closed && side.queue.poll(side.holders) == 1) {
                WorkCompletion completion = side.holders[0];
                once.completed(side.name, completion);
                side.completions.add(completion.id() + ":" + completion.opcode() + ":" + completion.status());
            }
        }
    }
}
