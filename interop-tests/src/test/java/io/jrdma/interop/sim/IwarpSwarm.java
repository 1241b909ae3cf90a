package io.jrdma.interop.sim;

import io.jrdma.testkit.arb.WorkStep;
import io.jrdma.testkit.check.ExactlyOnceChecker;
import io.jrdma.testkit.check.LivenessChecker;
import io.jrdma.testkit.check.MemoryOracle;
import io.jrdma.testkit.sim.SimMemory;
import io.jrdma.testkit.sim.Simulator;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.PostException;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.WrOpcode;
import io.jrdma.verbs.spi.StreamParameters;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Two whole iWARP devices on the simulated network with a few connections between them, programs of work requests, and all checkers. Every
 * step has its own place in the sender's and the receiver's region, so that the oracle knows what each byte may be.
 */
final class IwarpSwarm {
    static final long SECOND = 1_000_000_000L;
    static final int PORT = 7174;
    /** Bytes of one side's region: the first half is what is sent from, the second half what is sent to. */
    static final int REGION = 1 << 19;

    private static final SimMemory POOL = new SimMemory(2 * REGION);

    final Simulator simulator;
    final SwarmSide[] sides;
    final MemoryOracle memory = new MemoryOracle();
    final ExactlyOnceChecker once = new ExactlyOnceChecker();
    final LivenessChecker liveness = new LivenessChecker(once::waiting, once::describe);
    private final Map<Long, MemoryOracle.Write> doneByReceive = new HashMap<>();
    private final Map<Long, MemoryOracle.Write> doneBySend = new HashMap<>();
    private final List<MemoryOracle.Write> doneAtTheEnd = new ArrayList<>();
    private final WorkCompletion[] holders = {new WorkCompletion()};
    private long nextId = 1;
    private long failures;

    /**
     * Devices and queue pairs, not connected.
     *
     * @param connections how many, 1 or more
     * @param depth of the send queues
     */
    IwarpSwarm(Simulator simulator, int connections, int depth) {
        this.simulator = simulator;
        POOL.reset();
        sides = new SwarmSide[] {
            new SwarmSide(simulator, "left", "10.0.0.1", POOL.allocate(REGION), connections, depth),
            new SwarmSide(simulator, "right", "10.0.0.2", POOL.allocate(REGION), connections, depth)
        };
        for (SwarmSide side : sides) {
            memory.watch(side.name, side.region.segment());
        }
        simulator.add(ignored -> poll());
        simulator.add(memory);
        simulator.add(liveness);
    }

    /** Connects all: the left side is the active one. Returns when each is up or has failed on both sides. */
    void connect(StreamParameters active, StreamParameters passive, MpaOptions listening) {
        SwarmSide right = sides[1];
        right.device
                .driver()
                .call(() -> right.device
                        .driver()
                        .streams()
                        .listen(
                                new InetSocketAddress(right.host.address(), PORT),
                                sides[0].links.size(),
                                listening,
                                connection -> right.accept(connection, passive)));
        SwarmSide left = sides[0];
        left.device.driver().call(() -> {
            for (SwarmLink link : left.links) {
                link.connection = left.device
                        .driver()
                        .streams()
                        .connect(
                                null,
                                new InetSocketAddress(right.host.address(), PORT),
                                link.queuePair.core(),
                                active,
                                link);
            }
        });
        simulator.runUntil(this::settled, 120 * SECOND);
    }

    private boolean settled() {
        SwarmLink.join(sides[0].links, sides[1].links);
        for (SwarmLink link : sides[0].links) {
            if (link.isUndecided() || (link.isUp() && link.peer != null && link.peer.isUndecided())) {
                return false;
            }
        }
        return true;
    }

    /** Carries out a step; false if its connection is not there any more. */
    boolean run(WorkStep step) {
        SwarmLink link = sides[0].links.get(step.queuePair());
        SwarmLink from = step.side() == 0 ? link : link.peer;
        SwarmLink to = step.side() == 0 ? link.peer : link;
        if (from == null || to == null || !isPostable(from) || !isPostable(to)) {
            return false;
        }
        long id = nextId++;
        byte[] payload = payload(id, step.bytes());
        switch (step.kind()) {
            case SEND, SEND_SOLICITED -> send(step, from, to, id, payload);
            case WRITE -> write(step, from, to, id, payload);
            case READ -> read(step, from, to, id, payload);
        }
        simulator.runFor(step.pauseNs());
        return true;
    }

    private static boolean isPostable(SwarmLink link) {
        QpState state = link.queuePair.state();
        return state == QpState.RTS || state == QpState.ERROR;
    }

    private void send(WorkStep step, SwarmLink from, SwarmLink to, long id, byte[] payload) {
        int target = to.side.takeTarget(payload.length);
        doneByReceive.put(id, memory.expect(to.side.name, target, payload));
        RecvWr receive = new RecvWr().id(id);
        split(payload.length, step.elements(), (at, length) -> receive.addSge(to.side.region, target + at, length));
        until(() -> to.queuePair.postReceive(receive));
        once.postedReceive(to.side.name, to.queuePair.qpNum(), id);
        post(step, from, gather(step, from, id, payload).solicited(step.kind() == WorkStep.Kind.SEND_SOLICITED));
    }

    private void write(WorkStep step, SwarmLink from, SwarmLink to, long id, byte[] payload) {
        int target = to.side.takeTarget(payload.length);
        doneAtTheEnd.add(memory.expect(to.side.name, target, payload));
        post(
                step,
                from,
                gather(step, from, id, payload)
                        .opcode(WrOpcode.RDMA_WRITE)
                        .remote(to.side.region.address() + target, to.side.region.remoteKey()));
    }

    private void read(WorkStep step, SwarmLink from, SwarmLink to, long id, byte[] payload) {
        int source = put(to.side, payload);
        int target = from.side.takeTarget(payload.length);
        doneBySend.put(id, memory.expect(from.side.name, target, payload));
        SendWr request = new SendWr()
                .id(id)
                .opcode(WrOpcode.RDMA_READ)
                .remote(to.side.region.address() + source, to.side.region.remoteKey())
                .signaled(step.signaled())
                .fenced(step.fenced());
        if (payload.length > 0) {
            request.addSge(from.side.region, target, payload.length);
        }
        post(step, from, request);
    }

    private SendWr gather(WorkStep step, SwarmLink from, long id, byte[] payload) {
        int source = put(from.side, payload);
        SendWr request = new SendWr()
                .id(id)
                .signaled(step.signaled())
                .fenced(step.fenced())
                .inline(step.inline() && payload.length <= SwarmSide.INLINE);
        split(payload.length, step.elements(), (at, length) -> request.addSge(from.side.region, source + at, length));
        return request;
    }

    private int put(SwarmSide side, byte[] payload) {
        int source = side.takeSource(payload.length);
        memory.expect(side.name, source, payload).done();
        MemorySegment.copy(payload, 0, side.region.segment(), ValueLayout.JAVA_BYTE, source, payload.length);
        return source;
    }

    private interface Piece {
        void add(int at, int length);
    }

    /** Cuts a payload into pieces of a scatter/gather list, some of them empty. */
    private static void split(int length, int elements, Piece piece) {
        int at = 0;
        for (int i = 1; i <= elements; i++) {
            int end = i == elements ? length : (int) ((long) length * i * i / (elements * elements));
            piece.add(at, end - at);
            at = end;
        }
    }

    private void post(WorkStep step, SwarmLink from, SendWr request) {
        until(() -> from.queuePair.postSend(request));
        once.postedSend(from.side.name, from.queuePair.qpNum(), request.id(), step.signaled());
    }

    /** Posts when there is room. */
    private void until(Runnable post) {
        for (int i = 0; i < 100_000; i++) {
            try {
                post.run();
                return;
            } catch (PostException full) {
                if (full.errno() != Errno.ENOMEM) {
                    throw full;
                }
                simulator.runFor(100_000);
            }
        }
        throw simulator.failure("a queue stays full", new AssertionError(once.describe()));
    }

    /** Whatever has completed; inside a step, so that nothing goes on meanwhile. */
    private void poll() {
        for (SwarmSide side : sides) {
            while (!side.closed && side.queue.poll(holders) == 1) {
                WorkCompletion completion = holders[0];
                simulator
                        .trace()
                        .add(
                                simulator.nowNs(),
                                "completion " + completion.status(),
                                side.name,
                                completion.id(),
                                completion.byteLength());
                once.completed(side.name, completion);
                if (completion.isSuccess()) {
                    Map<Long, MemoryOracle.Write> done = completion.opcode().isReceive() ? doneByReceive : doneBySend;
                    MemoryOracle.Write write = done.remove(completion.id());
                    if (write != null) {
                        write.done();
                    }
                } else {
                    failures++;
                }
            }
        }
    }

    /**
     * Ends the faults, waits for all work, disconnects, looks at everything.
     *
     * @param healthy whether every request must have succeeded
     */
    void finish(boolean healthy) {
        simulator.network().calm();
        for (int side = 0; healthy && side < 2; side++) {
            for (int i = 0; i < sides[0].links.size(); i++) {
                // its completion proves that the Writes before it are placed
                run(new WorkStep(WorkStep.Kind.READ, side, i, 0, 1, true, false, false, 0));
            }
        }
        if (healthy) {
            liveness.faultsStopped(simulator, 120 * SECOND);
            complete();
            if (failures > 0) {
                throw simulator.failure(failures + " requests failed", new AssertionError("failures"));
            }
            doneAtTheEnd.forEach(MemoryOracle.Write::done);
            doneBySend.values().forEach(MemoryOracle.Write::done); // unsignaled Reads
            check();
        } else {
            // a length that was corrupted lets a receiver wait for more than there is, until the connection ends
            simulator.runUntil(() -> once.waiting() == 0, 30 * SECOND);
        }
        sides[0].device.driver().call(() -> {
            for (SwarmLink link : sides[0].links) {
                if (link.connection != null) {
                    link.connection.disconnect();
                }
            }
        });
        liveness.faultsStopped(simulator, 60 * SECOND);
        complete();
        if (!simulator.runUntil(this::over, 60 * SECOND)) {
            throw simulator.failure("connections do not end: " + events(), new AssertionError("teardown"));
        }
        simulator.runFor(SECOND);
        check();
        for (SwarmSide side : sides) {
            side.close();
        }
        if (!simulator.network().streams().isEmpty()) {
            throw simulator.failure("streams are left: " + simulator.network().streams(), new AssertionError("leak"));
        }
    }

    private void complete() {
        if (!simulator.runUntil(() -> once.waiting() == 0, 121 * SECOND)) {
            throw simulator.failure("without completion: " + once.describe(), new AssertionError("liveness"));
        }
    }

    private void check() {
        try {
            memory.check();
            once.finish();
        } catch (AssertionError wrong) {
            throw simulator.failure(wrong.getMessage(), wrong);
        }
    }

    private boolean over() {
        for (SwarmSide side : sides) {
            for (SwarmLink link : side.links) {
                if (link.isUp()) {
                    return false;
                }
            }
        }
        return simulator.network().streams().isEmpty();
    }

    /** What the connections were told, for messages. */
    String events() {
        StringBuilder text = new StringBuilder();
        for (SwarmSide side : sides) {
            for (SwarmLink link : side.links) {
                text.append(side.name).append(link.events).append(' ');
            }
        }
        return text.toString();
    }

    /** Requests that failed. */
    long failures() {
        return failures;
    }

    private static byte[] payload(long id, int length) {
        byte[] bytes = new byte[length];
        long state = id * 0x9E3779B97F4A7C15L;
        for (int i = 0; i < length; i++) {
            state = state * 6364136223846793005L + 1442695040888963407L;
            // never zero, so that a byte that was not written shows
            bytes[i] = (byte) (1 + Math.floorMod(state >>> 40, 255));
        }
        return bytes;
    }
}
