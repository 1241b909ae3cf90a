package io.jrdma.iwarp;

import io.jrdma.testkit.engine.TestClock;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.spi.Engine;
import io.jrdma.verbs.spi.PassiveStreamEngine;
import io.jrdma.verbs.spi.StreamParameters;
import java.util.function.IntUnaryOperator;

/**
 * Two engines with a stream between them that is cut as a test likes. The active side is {@code left}, the passive one {@code right}, which
 * accepts at once unless told otherwise.
 */
final class IwarpPair {
    final TestClock clock = new TestClock();
    final TestNode left;
    final TestNode right;
    final TestListener leftLog = new TestListener();
    final TestListener rightLog;
    TestEnd leftEnd;
    TestEnd rightEnd;
    PassiveStreamEngine passive;
    IntUnaryOperator cut = available -> available;
    /** Bytes from left to right, and from right to left, after which the stream breaks. */
    long leftBreaksAfter = Long.MAX_VALUE;

    long rightBreaksAfter = Long.MAX_VALUE;
    /** Whether it breaks with FIN, in both directions, or with RST. */
    boolean breaksWithFin;

    private StreamParameters acceptWith;

    IwarpPair() {
        this(TestNode.options(), TestNode.options(), 1 << 16);
    }

    IwarpPair(QueuePairOptions leftOptions, QueuePairOptions rightOptions, int bytes) {
        left = new TestNode(clock, leftOptions, 11, bytes);
        right = new TestNode(clock, rightOptions, 22, bytes);
        rightLog = new TestListener() {
            @Override
            public void onRequest(byte[] data, int newPeerIrd, int newPeerOrd) {
                super.onRequest(data, newPeerIrd, newPeerOrd);
                boolean ready = right.qp.engine() != null && right.qp.state() == QpState.INIT;
                if (acceptWith != null && ready) {
                    passive.accept(right.qp, acceptWith, clock.nowNs());
                } else if (acceptWith != null) {
                    passive.reject(new byte[0], clock.nowNs());
                }
            }
        };
    }

    static StreamParameters parameters(MpaOptions options) {
        return new StreamParameters(options, 16, 16, new byte[0]);
    }

    /** Opens the stream; nothing has run yet. */
    IwarpPair open(StreamParameters connect, MpaOptions listen, StreamParameters accept) {
        acceptWith = accept;
        leftEnd = new TestEnd(left.device.initiator(left.qp, connect, leftLog), left);
        passive = right.device.responder(listen, rightLog);
        rightEnd = new TestEnd(passive, right);
        leftEnd.engine.onOpen(leftEnd, clock.nowNs());
        rightEnd.engine.onOpen(rightEnd, clock.nowNs());
        return this;
    }

    IwarpPair connect(MpaOptions leftOptions, MpaOptions rightOptions) {
        open(parameters(leftOptions), rightOptions, parameters(rightOptions));
        run();
        return this;
    }

    IwarpPair connect() {
        return connect(MpaOptions.RECOMMENDED, MpaOptions.RECOMMENDED);
    }

    /** Runs until nothing happens without the clock. */
    void run() {
        while (step()) {
            // again
        }
    }

    /** One round over both sides; whether anything happened. */
    boolean step() {
        boolean any = turn(leftEnd);
        any |= turn(rightEnd);
        any |= carry(leftEnd, rightEnd);
        any |= carry(rightEnd, leftEnd);
        return any;
    }

    private static boolean turn(TestEnd end) {
        boolean tasks = end.node.driver.runTasks();
        return end.poll() | tasks;
    }

    private boolean carry(TestEnd from, TestEnd to) {
        if (from.resetCalled && !from.closed) {
            from.out.takeAll();
            from.gone();
            to.gone();
            return true;
        }
        if (from.carried >= (from == leftEnd ? leftBreaksAfter : rightBreaksAfter) && !from.closed && !to.closed) {
            from.out.takeAll();
            if (breaksWithFin) {
                to.endOfStream();
                from.endOfStream();
            }
            to.gone();
            from.gone();
            return true;
        }
        int waiting = from.out.waiting();
        if (waiting > 0 && !to.closed) {
            long whole = Math.min(waiting, (from == leftEnd ? leftBreaksAfter : rightBreaksAfter) - from.carried);
            int bytes = Math.clamp(cut.applyAsInt(waiting), 1, (int) whole);
            from.carried += bytes;
            to.receive(from.out.segment(), from.out.position(), bytes);
            from.out.take(bytes);
            return true;
        }
        if (from.closing && !from.finSent) {
            from.finSent = true;
            to.endOfStream();
            return true;
        }
        // a close is through when both have finished sending
        if (from.closing && from.finSent && !from.closed && (to.finSent || to.closed)) {
            from.gone();
            return true;
        }
        return false;
    }

    /** Lets time pass, with every deadline on the way, and runs what comes of it. */
    void advance(long ns) {
        long end = clock.nowNs() + ns;
        run();
        while (true) {
            long next = Math.min(leftEnd.deadline(), rightEnd.deadline());
            if (next == Engine.NO_DEADLINE || next > end) {
                break;
            }
            clock.advanceTo(next);
            if (!leftEnd.closed) {
                leftEnd.engine.onTimeout(clock.nowNs());
            }
            if (!rightEnd.closed) {
                rightEnd.engine.onTimeout(clock.nowNs());
            }
            run();
        }
        clock.advanceTo(end);
    }

    /** Lets all time pass that anybody waits for. */
    void exhaust() {
        advance(100_000_000_000L);
    }

    void disconnectLeft() {
        leftEnd.engine.disconnect(clock.nowNs());
        run();
    }

    void disconnectRight() {
        rightEnd.engine.disconnect(clock.nowNs());
        run();
    }
}
