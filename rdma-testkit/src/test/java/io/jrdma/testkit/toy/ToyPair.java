package io.jrdma.testkit.toy;

import io.jrdma.testkit.check.ExactlyOnceChecker;
import io.jrdma.testkit.check.LivenessChecker;
import io.jrdma.testkit.check.MemoryOracle;
import io.jrdma.testkit.sim.SimHost;
import io.jrdma.testkit.sim.SimMemory;
import io.jrdma.testkit.sim.Simulator;
import io.jrdma.verbs.Access;
import io.jrdma.verbs.CompletionQueue;
import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.MemoryRegion;
import io.jrdma.verbs.MpaNegotiated;
import io.jrdma.verbs.MpaOptions;
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
import io.jrdma.verbs.spi.ConnectFailure;
import io.jrdma.verbs.spi.StreamConnection;
import io.jrdma.verbs.spi.StreamListener;
import io.jrdma.verbs.spi.StreamParameters;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Two devices of the toy transport on a simulated network, with one queue pair each, and all checkers. */
public final class ToyPair {
    public static final int PORT = 7174;
    public static final int REGION = 64 * 1024;

    private static final SimMemory POOL = new SimMemory(2 * REGION);

    /** One side. */
    public static final class Side implements StreamListener {
        public final String name;
        public final SimHost host;
        public final RdmaDevice device;
        public final CompletionQueue queue;
        public final QueuePair queuePair;
        public final MemoryRegion region;
        public final List<String> events = new ArrayList<>();
        public final List<String> completions = new ArrayList<>();
        public @Nullable StreamConnection connection;
        boolean accepting;
        boolean rejecting;
        private final WorkCompletion[] holders = {new WorkCompletion()};

        private boolean closed;

        Side(Simulator simulator, String name, String address, MemorySegment memory) {
            this.name = name;
            host = simulator.host(name, address);
            device = RdmaDevice.open(Transport.IWARP, host.address(), DeviceOptions.DEFAULT.withDriver(host));
            ProtectionDomain domain = device.allocateProtectionDomain();
            queue = device.createCompletionQueue(1000);
            queuePair = domain.createQueuePair(QueuePairOptions.rc(queue).withInlineData(64));
            queuePair.modify(QpAttributes.state(QpState.INIT));
            region = domain.register(memory, Set.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ));
        }

        public void close() {
            closed = true;
            device.close();
        }

        @Override
        public void onRequest(byte[] privateData, int peerIrd, int peerOrd) {
            events.add("request");
            if (accepting && connection != null) {
                connection.accept(queuePair.core(), parameters());
            } else if (rejecting && connection != null) {
                connection.reject(new byte[0]);
            }
        }

        @Override
        public void onEstablished(byte[] privateData, MpaNegotiated negotiated) {
            events.add("established");
        }

        @Override
        public void onRejected(byte[] privateData) {
            events.add("rejected");
        }

        @Override
        public void onFailed(ConnectFailure failure) {
            events.add("failed " + failure.kind() + " " + failure.errno());
        }

        @Override
        public void onDisconnected() {
            events.add("disconnected");
        }

        public byte[] bytes(int offset, int length) {
            return region.segment().asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    public final Simulator simulator;
    public final Side left;
    public final Side right;
    public final MemoryOracle memory = new MemoryOracle();
    public final ExactlyOnceChecker once = new ExactlyOnceChecker();
    public final LivenessChecker liveness = new LivenessChecker(once::waiting, once::describe);
    private long nextId = 1;

    public ToyPair(long seed) {
        simulator = new Simulator(seed);
        POOL.reset();
        left = new Side(simulator, "left", "10.0.0.1", POOL.allocate(REGION));
        right = new Side(simulator, "right", "10.0.0.2", POOL.allocate(REGION));
        for (Side side : List.of(left, right)) {
            memory.watch(side.name, side.region.segment());
        }
        simulator.add(memory);
        simulator.add(liveness);
        simulator.add(ignored -> poll());
    }

    static StreamParameters parameters() {
        return new StreamParameters(MpaOptions.RECOMMENDED, 0, 0, new byte[0]);
    }

    public void listen() {
        right.accepting = true;
        listenOnly();
    }

    public void listenOnly() {
        right.device
                .driver()
                .call(() -> right.device
                        .driver()
                        .streams()
                        .listen(
                                new InetSocketAddress(right.host.address(), PORT),
                                1,
                                MpaOptions.RECOMMENDED,
                                connection -> {
                                    right.connection = connection;
                                    return right;
                                }));
    }

    public void listenAndReject() {
        right.rejecting = true;
        listenOnly();
    }

    public void connect() {
        left.device
                .driver()
                .call(() -> left.connection = left.device
                        .driver()
                        .streams()
                        .connect(
                                null,
                                new InetSocketAddress(right.host.address(), PORT),
                                left.queuePair.core(),
                                parameters(),
                                left));
    }

    /** A connection that is up. */
    public static ToyPair connected(long seed) {
        ToyPair pair = new ToyPair(seed);
        pair.start();
        return pair;
    }

    public void start() {
        listen();
        connect();
        if (!simulator.runUntil(
                () -> left.events.contains("established") && right.events.contains("established"), 1_000_000_000L)) {
            throw new AssertionError("no connection: " + left.events + " " + right.events);
        }
    }

    /** A Send from one place to another, and the receive for it. */
    public void send(Side from, int offset, int length) {
        Side to = from == left ? right : left;
        long id = nextId++;
        byte[] payload = payload(id, length);
        put(from, offset, payload);
        to.queuePair.postReceive(new RecvWr().id(id).addSge(to.region, offset + REGION / 2, length));
        once.postedReceive(to.name, to.queuePair.qpNum(), id);
        memory.expect(to.name, offset + REGION / 2, payload);
        once.postedSend(from.name, from.queuePair.qpNum(), id, true);
        from.queuePair.postSend(new SendWr().id(id).addSge(from.region, offset, length));
    }

    public void write(Side from, int offset, int length) {
        Side to = from == left ? right : left;
        long id = nextId++;
        byte[] payload = payload(id, length);
        put(from, offset, payload);
        memory.expect(to.name, offset + REGION / 2, payload);
        once.postedSend(from.name, from.queuePair.qpNum(), id, true);
        from.queuePair.postSend(new SendWr()
                .id(id)
                .opcode(WrOpcode.RDMA_WRITE)
                .remote(to.region.address() + offset + REGION / 2, to.region.remoteKey())
                .addSge(from.region, offset, length));
    }

    private void put(Side side, int offset, byte[] payload) {
        memory.expect(side.name, offset, payload).done();
        MemorySegment.copy(payload, 0, side.region.segment(), ValueLayout.JAVA_BYTE, offset, payload.length);
    }

    public static byte[] payload(long id, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (id * 31 + i * 7 + 1);
        }
        return bytes;
    }

    private void poll() {
        for (Side side : List.of(left, right)) {
            // inside a step progress does nothing, so this only looks
            while (!side.closed && side.queue.poll(side.holders) == 1) {
                WorkCompletion completion = side.holders[0];
                once.completed(side.name, completion);
                side.completions.add(completion.id() + ":" + completion.opcode() + ":" + completion.status());
            }
        }
    }
}
