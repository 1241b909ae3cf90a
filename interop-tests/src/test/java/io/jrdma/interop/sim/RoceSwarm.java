package io.jrdma.interop.sim;

import io.jrdma.testkit.check.ExactlyOnceChecker;
import io.jrdma.testkit.check.LivenessChecker;
import io.jrdma.testkit.check.MemoryOracle;
import io.jrdma.testkit.sim.PortOptions;
import io.jrdma.testkit.sim.SimMemory;
import io.jrdma.testkit.sim.Simulator;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.PostException;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.WrOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Two whole RoCE devices on simulated datagrams with a few connections between them, a program of work requests, and all checkers. Every
 * step has its own place in the sender's and the receiver's region, so that the oracle knows what each byte may be; atomics work on one
 * number for each connection and direction, so that one that is executed twice, or in the wrong order, shows.
 */
final class RoceSwarm {
    static final long SECOND = 1_000_000_000L;
    private static final int SPARE = 64;

    /** What the completion of a receive has to tell. */
    private record Arrival(WcOpcode opcode, int bytes, boolean withImmediate, int immediate) {}

    /** What an atomic has to find. */
    private record Found(RoceSide side, int at, long value) {}

    final Simulator simulator;
    final RoceSide[] sides;
    final MemoryOracle memory = new MemoryOracle();
    final ExactlyOnceChecker once = new ExactlyOnceChecker();
    final LivenessChecker liveness = new LivenessChecker(once::waiting, once::describe);
    private final Map<Long, MemoryOracle.Write> doneByReceive = new HashMap<>();
    private final Map<Long, MemoryOracle.Write> doneBySend = new HashMap<>();
    private final Map<Long, Arrival> arrivals = new HashMap<>();
    private final Map<Long, Found> found = new HashMap<>();
    private final WorkCompletion[] holders = {new WorkCompletion()};
    private final Set<RoceSide.End> victims = new LinkedHashSet<>();
    /** Statuses of the requests that failed, in order, once {@link #allowFailures} was called. */
    final List<String> failures = new ArrayList<>();

    private boolean failuresAllowed;
    private long nextId = 1;
    private int lateReceives;

    /**
     * Devices and queue pairs, not connected.
     *
     * @param pool where the regions are taken from, and nobody else's
     * @param program what is going to be run: the regions are as large as it needs
     * @param ports how the ports of either side behave
     * @param depth of the send queues
     * @param version6 whether the hosts have addresses of IPv6
     */
    RoceSwarm(
            Simulator simulator,
            SimMemory pool,
            List<RoceStep> program,
            int connections,
            PortOptions[] ports,
            int depth,
            boolean version6) {
        this.simulator = simulator;
        pool.reset();
        int half = SPARE * connections;
        int atomics = 0;
        for (RoceStep step : program) {
            half += step.isAtomic() ? 0 : step.bytes();
            atomics += step.isAtomic() ? 1 : 0;
        }
        String network = version6 ? "fd00::" : "10.0.0.";
        sides = new RoceSide[] {
            new RoceSide(simulator, "left", network + "1", pool, ports[0], half, connections, atomics, depth),
            new RoceSide(simulator, "right", network + "2", pool, ports[1], half, connections, atomics, depth)
        };
        for (RoceSide side : sides) {
            memory.watch(side.name, side.region.segment());
        }
        simulator.add(ignored -> poll());
        simulator.add(memory);
        simulator.add(liveness);
    }

    /** Connects two queue pairs; parameters as of {@link RoceSide#connect}. */
    void connect(int index, int mtu, int leftPsn, int rightPsn, int timeout, int reads) {
        sides[0].connect(sides[1], index, mtu, leftPsn, rightPsn, timeout, reads);
        sides[1].connect(sides[0], index, mtu, rightPsn, leftPsn, timeout, reads);
    }

    /** From now on requests of that connection may fail, or complete without having been posted; nothing is run on it. */
    void sacrifice(int index) {
        victims.add(sides[0].ends.get(index));
        victims.add(sides[1].ends.get(index));
    }

    /** From now on a request that fails is noted in {@link #failures}. */
    void allowFailures() {
        failuresAllowed = true;
    }

    private boolean isVictim(RoceSide side, int qpNum) {
        for (RoceSide.End end : victims) {
            if (end.side == side && end.queuePair.qpNum() == qpNum) {
                return true;
            }
        }
        return false;
    }

    /** Carries out a step. */
    void run(RoceStep step) {
        RoceSide.End from = sides[step.side()].ends.get(step.queuePair());
        RoceSide.End to = sides[1 - step.side()].ends.get(step.queuePair());
        long id = nextId++;
        SendWr request = new SendWr().id(id).signaled(step.signaled()).fenced(step.fenced());
        if (step.isAtomic()) {
            atomic(step, from, to, request);
        } else if (step.kind() == RoceStep.Kind.READ) {
            read(step, from, to, request);
        } else {
            transfer(step, from, to, request);
        }
        until(() -> from.queuePair.postSend(request));
        once.postedSend(from.side.name, from.queuePair.qpNum(), id, step.signaled());
        simulator.runFor(step.pauseNs());
    }

    private void transfer(RoceStep step, RoceSide.End from, RoceSide.End to, SendWr request) {
        long id = request.id();
        byte[] payload = payload(id, step.bytes());
        int target = to.side.takeTarget(payload.length);
        MemoryOracle.Write write = memory.expect(to.side.name, target, payload);
        boolean isWrite = step.kind() == RoceStep.Kind.WRITE || step.kind() == RoceStep.Kind.WRITE_IMM;
        boolean withImmediate = step.kind() == RoceStep.Kind.SEND_IMM || step.kind() == RoceStep.Kind.WRITE_IMM;
        request.opcode(
                isWrite
                        ? withImmediate ? WrOpcode.RDMA_WRITE_WITH_IMM : WrOpcode.RDMA_WRITE
                        : withImmediate ? WrOpcode.SEND_WITH_IMM : WrOpcode.SEND);
        if (withImmediate) {
            request.immediate((int) id * 0x01010101);
        }
        if (isWrite) {
            request.remote(to.side.region.address() + target, to.side.region.remoteKey());
        }
        if (step.takesReceive()) {
            RecvWr receive = new RecvWr().id(id);
            if (!isWrite) {
                split(
                        payload.length,
                        step.elements(),
                        (at, length) -> receive.addSge(to.side.region, target + at, length));
            }
            WcOpcode opcode = isWrite ? WcOpcode.RECV_RDMA_WITH_IMM : WcOpcode.RECV;
            arrivals.put(id, new Arrival(opcode, payload.length, withImmediate, (int) id * 0x01010101));
            doneByReceive.put(id, write);
            postReceive(step, to, receive);
        } else {
            doneBySend.put(id, write);
        }
        int source = put(from.side, payload);
        request.inline(step.inline() && payload.length <= RoceSide.INLINE);
        split(payload.length, step.elements(), (at, length) -> request.addSge(from.side.region, source + at, length));
    }

    private void read(RoceStep step, RoceSide.End from, RoceSide.End to, SendWr request) {
        byte[] payload = payload(request.id(), step.bytes());
        int source = put(to.side, payload);
        int target = from.side.takeTarget(payload.length);
        doneBySend.put(request.id(), memory.expect(from.side.name, target, payload));
        request.opcode(WrOpcode.RDMA_READ).remote(to.side.region.address() + source, to.side.region.remoteKey());
        split(payload.length, step.elements(), (at, length) -> request.addSge(from.side.region, target + at, length));
    }

    private void atomic(RoceStep step, RoceSide.End from, RoceSide.End to, SendWr request) {
        long id = request.id();
        int at = from.side.takeFound();
        found.put(id, new Found(from.side, at, from.number));
        if (step.kind() == RoceStep.Kind.FETCH_ADD) {
            long add = id * 0x9E3779B97F4A7C15L;
            request.opcode(WrOpcode.ATOMIC_FETCH_AND_ADD).atomic(add, 0);
            from.number += add;
        } else {
            boolean swaps = id % 2 == 0;
            request.opcode(WrOpcode.ATOMIC_CMP_AND_SWP).atomic(swaps ? from.number : ~from.number, id);
            from.number = swaps ? id : from.number;
        }
        request.remote(to.side.numbers.address() + 8L * to.index, to.side.numbers.remoteKey())
                .addSge(from.side.numbers, at, 8);
    }

    /** Posts the receive of a step, or one that waits for its turn, now or later. */
    private void postReceive(RoceStep step, RoceSide.End end, RecvWr receive) {
        end.receives.add(receive);
        if (step.receiveLateNs() > 0) {
            lateReceives++;
            simulator.after(step.receiveLateNs(), () -> {
                lateReceives--;
                postNext(end);
            });
        } else {
            until(() -> postNext(end));
        }
    }

    private void postNext(RoceSide.End end) {
        RecvWr receive = end.receives.element();
        end.queuePair.postReceive(receive);
        end.receives.remove();
        once.postedReceive(end.side.name, end.queuePair.qpNum(), receive.id());
    }

    private int put(RoceSide side, byte[] payload) {
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
        for (RoceSide side : sides) {
            while (!side.closed && side.queue.poll(holders) == 1) {
                WorkCompletion completion = holders[0];
                if (isVictim(side, completion.qpNum())) {
                    continue;
                }
                simulator
                        .trace()
                        .add(
                                simulator.nowNs(),
                                "completion " + completion.status(),
                                side.name,
                                completion.id(),
                                completion.byteLength());
                once.completed(side.name, completion);
                check(completion);
            }
        }
    }

    private void check(WorkCompletion completion) {
        long id = completion.id();
        if (completion.status() != WcStatus.SUCCESS) {
            if (!failuresAllowed) {
                throw new AssertionError("request failed: " + completion);
            }
            failures.add(id + ":" + completion.status());
            return;
        }
        if (completion.opcode().isReceive()) {
            Arrival arrival = new Arrival(
                    completion.opcode(),
                    (int) completion.byteLength(),
                    (completion.flags() & WorkCompletion.WITH_IMM) != 0,
                    completion.immediate());
            Arrival expected = arrivals.get(id);
            boolean sameImmediate = !arrival.withImmediate || arrival.immediate == expected.immediate;
            if (!sameImmediate
                    || arrival.opcode != expected.opcode
                    || arrival.bytes != expected.bytes
                    || arrival.withImmediate != expected.withImmediate) {
                throw new AssertionError(completion + "; expected " + expected);
            }
            done(doneByReceive, id);
        } else {
            done(doneBySend, id);
            Found expected = found.remove(id);
            if (expected != null) {
                check(expected);
            }
        }
    }

    private static void done(Map<Long, MemoryOracle.Write> writes, long id) {
        MemoryOracle.Write write = writes.remove(id);
        if (write != null) {
            write.done();
        }
    }

    private static void check(Found expected) {
        long value = expected.side.numbers.segment().get(ValueLayout.JAVA_LONG, expected.at);
        if (value != expected.value) {
            throw new AssertionError(
                    "%s: atomic found 0x%x; expected 0x%x".formatted(expected.side.name, value, expected.value));
        }
    }

    /** Ends the faults, waits for all work, looks at everything. */
    void finish() {
        simulator.runUntil(() -> lateReceives == 0, SECOND);
        simulator.network().calm();
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < sides[0].ends.size(); i++) {
                if (!victims.contains(sides[side].ends.get(i))) {
                    run(RoceStep.last(side, i));
                }
            }
        }
        liveness.faultsStopped(simulator, 600 * SECOND);
        if (!simulator.runUntil(() -> once.waiting() == 0, 601 * SECOND)) {
            throw simulator.failure("without completion: " + once.describe(), new AssertionError("liveness"));
        }
        checkAll();
        // nothing comes behind: no late duplicate, no repetition that changes a byte
        simulator.runFor(SECOND);
        checkAll();
    }

    /** Closes both devices. */
    void close() {
        for (RoceSide side : sides) {
            side.close();
        }
    }

    private void checkAll() {
        try {
            // unsignaled ones are over too: the last Send of each connection has completed
            doneBySend.values().forEach(MemoryOracle.Write::done);
            doneBySend.clear();
            found.values().forEach(RoceSwarm::check);
            found.clear();
            memory.check();
            once.finish();
            for (int side = 0; side < 2; side++) {
                for (RoceSide.End end : sides[side].ends) {
                    long number = sides[1 - side].numbers.segment().get(ValueLayout.JAVA_LONG, 8L * end.index);
                    if (number != end.number) {
                        throw new AssertionError("%s: number %d is 0x%x; expected 0x%x"
                                .formatted(sides[1 - side].name, end.index, number, end.number));
                    }
                }
            }
        } catch (AssertionError wrong) {
            throw simulator.failure(wrong.getMessage(), wrong);
        }
    }

    /** Completions so far. */
    long completions() {
        return once.completions();
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
