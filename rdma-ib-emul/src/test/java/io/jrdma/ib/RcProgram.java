package io.jrdma.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.ib.TestNode.Link;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.WrOpcode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A random program of both sides, run over a bad network, against what must come of it: every request completes, once, in order, and every
 * byte is where it belongs. One seed decides everything.
 */
final class RcProgram {
    private static final int AREA = 1 << 18;
    private static final int SOURCE = 0;
    private static final int WRITTEN = AREA;
    private static final int READ = 2 * AREA;
    private static final int RECEIVED = 3 * AREA;
    private static final int COUNTER = 4 * AREA;
    private static final int MEMORY = 4 * AREA + 4096;
    private static final int LARGEST = 20_000;

    private final SplittableRandom random;
    private final IbPair pair;
    private final Side[] sides = new Side[2];

    /** What happened, for the caller's statistics. */
    int operations;

    RcProgram(long seed) {
        random = new SplittableRandom(seed);
        pair = new IbPair(seed, TestNode.options().withDepths(64, 64), MEMORY);
    }

    private static final class Side {
        final TestNode node;
        final List<SendWr> wanted = new ArrayList<>();
        final List<Integer> expectedReceives = new ArrayList<>();
        final byte[] written = new byte[AREA];
        final byte[] read = new byte[AREA];
        int writtenBytes;
        int readBytes;
        int posted;
        int completed;
        int receivesPosted;
        int received;
        long added;
        final List<SendWr> sendsToPeer = new ArrayList<>();

        Side(TestNode node) {
            this.node = node;
        }
    }

    /** Runs it with at most so much loss, in shares of 1000. */
    void run(int maxLoss) {
        int mtu = 256 << random.nextInt(5);
        Link leftLink = link(mtu);
        Link rightLink = link(mtu);
        int depth = Math.min(leftLink.maxDestRdAtomic(), rightLink.maxDestRdAtomic());
        leftLink = leftLink.withDepths(depth, leftLink.maxDestRdAtomic());
        rightLink = rightLink.withDepths(depth, rightLink.maxDestRdAtomic());
        pair.network.faults = new TestNetwork.Faults(
                random.nextInt(maxLoss + 1),
                random.nextBoolean() ? random.nextInt(100) : 0,
                random.nextBoolean() ? random.nextInt(200) : 0,
                random.nextBoolean() ? random.nextInt(100) : 0);
        pair.network.delayNs = 1 + random.nextInt(100_000);
        pair.network.jitterNs = random.nextBoolean() ? random.nextInt(50_000) : 0;
        pair.network.maxSegments = 1 + random.nextInt(64);
        pair.network.roomBytes = random.nextBoolean() ? 1 << 22 : 10_000 + random.nextInt(100_000);
        sides[0] = new Side(pair.left);
        sides[1] = new Side(pair.right);
        for (Side side : sides) {
            byte[] pattern = new byte[AREA];
            for (int i = 0; i < AREA; i++) {
                pattern[i] = (byte) random.nextInt();
            }
            side.node.fill(SOURCE, pattern);
        }
        pair.connect(leftLink, rightLink);
        for (int i = 0; i < 2; i++) {
            int count = random.nextInt(60);
            for (int k = 0; k < count; k++) {
                add(sides[i], sides[1 - i], k);
            }
        }
        for (int step = 0; !isDone(); step++) {
            if (step > 200_000) {
                throw new AssertionError("no end: " + Arrays.toString(sides));
            }
            for (int i = 0; i < 2; i++) {
                post(sides[i], sides[1 - i]);
            }
            pair.runFor(1 + random.nextInt(300_000));
            for (int i = 0; i < 2; i++) {
                drain(sides[i], sides[1 - i]);
            }
        }
        check();
    }

    private Link link(int mtu) {
        int psn = random.nextBoolean() ? random.nextInt(1 << 24) : 0xFF_FFFF - random.nextInt(64);
        int depth = 1 + random.nextInt(8);
        return new Link(mtu, psn, 17, 7, 7, 1 + random.nextInt(12), depth, depth);
    }

    private boolean isDone() {
        for (Side side : sides) {
            if (side.completed < side.wanted.size() || side.received < side.expectedReceives.size()) {
                return false;
            }
        }
        return true;
    }

    private int length() {
        return switch (random.nextInt(4)) {
            case 0 -> random.nextInt(8);
            case 1 -> random.nextInt(512);
            case 2 -> 256 * random.nextInt(16) + random.nextInt(3);
            default -> random.nextInt(LARGEST);
        };
    }

    private void add(Side side, Side peer, int id) {
        TestNode node = side.node;
        int length = length();
        int from = random.nextInt(AREA - length);
        SendWr wr = node.send(id, 0, 0);
        int kind = random.nextInt(8);
        if ((kind >= 3 && kind <= 4 && peer.writtenBytes + length > AREA)
                || (kind >= 5 && kind <= 6 && side.readBytes + length > AREA)) {
            kind = 0;
            length = 0;
        }
        switch (kind) {
            case 0, 1, 2 -> {
                gather(wr, node, SOURCE + from, length);
                if (kind == 2) {
                    wr.opcode(WrOpcode.SEND_WITH_IMM).immediate(length);
                }
                peer.expectedReceives.add(length);
                side.sendsToPeer.add(wr);
            }
            case 3, 4 -> {
                gather(wr, node, SOURCE + from, length);
                wr.opcode(kind == 3 ? WrOpcode.RDMA_WRITE : WrOpcode.RDMA_WRITE_WITH_IMM)
                        .immediate(length)
                        .remote(peer.node.address(WRITTEN + peer.writtenBytes), peer.node.key);
                System.arraycopy(node.bytes(SOURCE + from, length), 0, peer.written, peer.writtenBytes, length);
                peer.writtenBytes += length;
                if (kind == 4) {
                    peer.expectedReceives.add(length);
                    side.sendsToPeer.add(wr);
                }
            }
            case 5, 6 -> {
                gather(wr, node, READ + side.readBytes, length);
                wr.opcode(WrOpcode.RDMA_READ).remote(peer.node.address(SOURCE + from), peer.node.key);
                System.arraycopy(peer.node.bytes(SOURCE + from, length), 0, side.read, side.readBytes, length);
                side.readBytes += length;
            }
            default -> {
                long add = 1 + random.nextInt(100);
                wr.addSge(node.address(COUNTER + 64), 8, node.key)
                        .opcode(WrOpcode.ATOMIC_FETCH_AND_ADD)
                        .remote(peer.node.address(COUNTER), peer.node.key)
                        .atomic(add, 0);
                side.added += add;
            }
        }
        wr.fenced(random.nextInt(10) == 0).solicited(random.nextBoolean());
        side.wanted.add(wr);
        operations++;
    }

    private void gather(SendWr wr, TestNode node, int offset, int length) {
        int first = length == 0 || random.nextBoolean() ? length : random.nextInt(length);
        if (length > 0) {
            wr.addSge(node.address(offset), first, node.key);
        }
        if (first < length) {
            wr.addSge(node.address(offset + first), length - first, node.key);
        }
    }

    private void post(Side side, Side peer) {
        while (side.posted < side.wanted.size() && random.nextInt(4) != 0 && side.posted - side.completed < 64) {
            side.node.qp.postSend(side.wanted.get(side.posted++));
        }
        while (side.receivesPosted < side.expectedReceives.size()
                && random.nextInt(3) != 0
                && side.receivesPosted - side.received < 12) {
            int slot = RECEIVED + side.receivesPosted % 12 * LARGEST;
            side.node.qp.postReceive(new RecvWr()
                    .id(side.receivesPosted++)
                    .addSge(side.node.address(slot), 100, side.node.key)
                    .addSge(side.node.address(slot + 100), LARGEST - 100, side.node.key));
        }
        assertThat(peer.node.qp.state()).isEqualTo(io.jrdma.verbs.QpState.RTS);
    }

    private void drain(Side side, Side peer) {
        for (WorkCompletion wc : TestNode.take(side.node.sends)) {
            assertThat(wc.status()).as("%s", wc).isEqualTo(WcStatus.SUCCESS);
            assertThat(wc.id()).isEqualTo(side.completed++);
        }
        for (WorkCompletion wc : TestNode.take(side.node.receives)) {
            assertThat(wc.status()).as("%s", wc).isEqualTo(WcStatus.SUCCESS);
            assertThat(wc.id()).isEqualTo(side.received);
            int length = side.expectedReceives.get(side.received);
            SendWr sent = peer.sendsToPeer.get(side.received);
            assertThat(wc.byteLength()).isEqualTo(length);
            if (wc.opcode() == WcOpcode.RECV) {
                int slot = RECEIVED + side.received % 12 * LARGEST;
                byte[] expected = new byte[length];
                int at = 0;
                for (int i = 0; i < sent.sgeCount(); i++) {
                    byte[] piece =
                            peer.node.bytes(sent.sgeAddress(i) - peer.node.memory.address(), (int) sent.sgeLength(i));
                    System.arraycopy(piece, 0, expected, at, piece.length);
                    at += piece.length;
                }
                assertThat(Arrays.equals(side.node.bytes(slot, length), expected))
                        .isTrue();
            }
            if ((wc.flags() & WorkCompletion.WITH_IMM) != 0) {
                assertThat(wc.immediate()).isEqualTo(length);
            }
            side.received++;
        }
    }

    private void check() {
        pair.network.faults = TestNetwork.Faults.NONE;
        pair.run();
        for (int i = 0; i < 2; i++) {
            Side side = sides[i];
            assertThat(Arrays.equals(side.node.bytes(WRITTEN, AREA), side.written))
                    .isTrue();
            assertThat(Arrays.equals(side.node.bytes(READ, AREA), side.read)).isTrue();
            long counter = side.node.memory.get(java.lang.foreign.ValueLayout.JAVA_LONG, COUNTER);
            assertThat(counter).isEqualTo(sides[1 - i].added);
            assertThat(side.node.events).isEmpty();
            assertThat(side.node.device.counters().value(IbCounters.FAULTS)).isZero();
            assertThat(side.node.device.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
        }
    }
}
