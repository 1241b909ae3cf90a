package io.jrdma.ib;

import io.jrdma.testkit.engine.TestClock;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.spi.Engine;

/** Two devices, a network between them, and a clock that moves when nothing else does. */
final class IbPair {
    final TestClock clock = new TestClock();
    final TestNetwork network;
    final TestNode left;
    final TestNode right;

    IbPair() {
        this(1, TestNode.options(), 1 << 20);
    }

    IbPair(long seed, QueuePairOptions options, int bytes) {
        network = new TestNetwork(clock, seed);
        left = new TestNode(network, options, seed, bytes);
        right = new TestNode(network, options, seed + 1, bytes);
    }

    /** Connects both queue pairs. */
    IbPair connect(TestNode.Link leftLink, TestNode.Link rightLink) {
        left.connect(right, leftLink, rightLink);
        right.connect(left, rightLink, leftLink);
        return this;
    }

    IbPair connect() {
        return connect(TestNode.Link.DEFAULT, TestNode.Link.DEFAULT);
    }

    /** Does everything that can be done at the time that it is. */
    private boolean settle() {
        boolean any = false;
        boolean more = true;
        while (more) {
            more = network.deliver() | left.poll() | right.poll();
            any |= more;
        }
        return any;
    }

    /** Runs until nothing is left to do. */
    void run() {
        runUntil(Long.MAX_VALUE);
    }

    /** Runs for so long. */
    void runFor(long ns) {
        long end = clock.nowNs() + ns;
        runUntil(end);
        clock.advanceTo(end);
    }

    private void runUntil(long endNs) {
        for (int steps = 0; ; steps++) {
            if (steps > 5_000_000) {
                throw new AssertionError("no end");
            }
            settle();
            long next = Math.min(
                    network.nextDueNs(), Math.min(left.device.nextDeadlineNs(), right.device.nextDeadlineNs()));
            if (next == Engine.NO_DEADLINE || next > endNs) {
                return;
            }
            clock.advanceTo(next);
            network.deliver();
            timeouts(left);
            timeouts(right);
        }
    }

    private void timeouts(TestNode node) {
        if (node.device.nextDeadlineNs() != Engine.NO_DEADLINE && node.device.nextDeadlineNs() - clock.nowNs() <= 0) {
            node.device.onTimeout(clock.nowNs());
        }
    }
}
