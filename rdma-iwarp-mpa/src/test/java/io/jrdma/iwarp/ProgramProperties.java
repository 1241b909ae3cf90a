package io.jrdma.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.Satisfies;
import io.jrdma.verbs.CompletionSemantics;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.MpaOptions.ReadyToReceive;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WrOpcode;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/**
 * Random programs of work requests between two engines, under all combinations of options and cuts of the stream: memory ends as the
 * program says, and every request completes once, in order.
 */
class ProgramProperties {
    private static final int MEMORY = 1 << 20;

    /** One work request: who posts it, what, how long, and how. */
    record Op(
            boolean left,
            WrOpcode opcode,
            int length,
            int elements,
            boolean inline,
            boolean fenced,
            boolean signaled) {}

    /** How the two are set up. */
    record Setup(
            int revision,
            boolean leftCrc,
            boolean rightCrc,
            boolean leftMarkers,
            boolean rightMarkers,
            Set<ReadyToReceive> opening,
            int leftUlpdu,
            int rightUlpdu,
            int ord,
            boolean acknowledged) {}

    @Provide
    Arbitrary<List<Op>> programs() {
        Arbitrary<Integer> lengths = Arbitraries.oneOf(
                Arbitraries.of(0, 1, 2, 3, 4, 104, 105, 112, 113),
                Arbitraries.integers().between(0, 600),
                Arbitraries.integers().between(0, 40_000));
        Arbitrary<WrOpcode> opcodes = Arbitraries.of(
                WrOpcode.SEND,
                WrOpcode.SEND,
                WrOpcode.RDMA_WRITE,
                WrOpcode.RDMA_WRITE,
                WrOpcode.RDMA_READ,
                WrOpcode.SEND_WITH_INV,
                WrOpcode.LOCAL_INV);
        Arbitrary<Boolean> yes = Arbitraries.of(true, false);
        return Combinators.combine(yes, opcodes, lengths, Arbitraries.integers().between(1, 4), yes, yes, yes)
                .as(Op::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(20);
    }

    @Provide
    Arbitrary<Setup> setups() {
        Arbitrary<Boolean> yes = Arbitraries.of(true, false);
        Arbitrary<Integer> ulpdus = Arbitraries.of(128, 135, 512, 1442, 16_384, 64_768);
        Arbitrary<Set<ReadyToReceive>> opening =
                Arbitraries.of(ReadyToReceive.values()).set().ofMaxSize(3);
        return Combinators.combine(
                        Combinators.combine(
                                        Arbitraries.integers().between(0, 2), opening, Arbitraries.of(1, 2, 16), yes)
                                .as(Tuple::of),
                        yes,
                        yes,
                        yes,
                        yes,
                        ulpdus,
                        ulpdus)
                .as((t, lc, rc, lm, rm, lu, ru) ->
                        new Setup(t.get1(), lc, rc, lm, rm, t.get2(), lu, ru, t.get3(), t.get4()));
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    @Satisfies({"RFC5040-5.5-4", "RFC5041-5.3-1", "RFC5044-4.3-3", "RFC5044-7.1.1-4"})
    void anyProgramEndsInTheMemoryThatItSays(
            @ForAll("programs") List<Op> program, @ForAll("setups") Setup setup, @ForAll long seed) {
        new Run(program, setup, seed).check();
    }

    private static final class Run {
        private final List<Op> program;
        private final Setup setup;
        private final Random random;
        private final IwarpPair pair;
        private final List<Runnable> checks = new ArrayList<>();
        private final List<String> leftSends = new ArrayList<>();
        private final List<String> rightSends = new ArrayList<>();
        private final List<String> leftReceives = new ArrayList<>();
        private final List<String> rightReceives = new ArrayList<>();
        private int leftNext;
        private int rightNext;

        Run(List<Op> program, Setup setup, long seed) {
            this.program = program;
            this.setup = setup;
            random = new Random(seed);
            QueuePairOptions options = TestNode.options()
                    .withSges(4, 4)
                    .withInlineData(700)
                    .withCompletion(setup.acknowledged() ? CompletionSemantics.REMOTE_ACKNOWLEDGED : null);
            pair = new IwarpPair(options, options, MEMORY);
            int longest = 1 + random.nextInt(random.nextBoolean() ? 40 : 30_000);
            pair.cut = available -> 1 + random.nextInt(Math.min(available, longest));
        }

        void check() {
            boolean peerToPeer = setup.revision() == 2 && !setup.opening().isEmpty();
            MpaOptions.Builder left = MpaOptions.builder()
                    .revision(setup.revision())
                    .crc(setup.leftCrc())
                    .markersWanted(setup.leftMarkers())
                    .maxUlpdu(setup.leftUlpdu())
                    .peerToPeer(peerToPeer);
            if (peerToPeer) {
                left.readyToReceive(setup.opening());
            }
            MpaOptions right = MpaOptions.builder()
                    .crc(setup.rightCrc())
                    .markersWanted(setup.rightMarkers())
                    .maxUlpdu(setup.rightUlpdu())
                    .build();
            pair.open(
                    RawPeer.parameters(left.build(), setup.ord(), setup.ord()),
                    right,
                    RawPeer.parameters(right, setup.ord(), setup.ord()));
            pair.run();
            assertThat(pair.leftLog.negotiated.crc()).isEqualTo(setup.leftCrc() || setup.rightCrc());
            assertThat(pair.leftLog.negotiated.markersSent()).isEqualTo(setup.rightMarkers());
            assertThat(pair.leftLog.negotiated.markersReceived()).isEqualTo(setup.leftMarkers());
            assertThat(pair.rightLog.negotiated.peerToPeer()).isEqualTo(peerToPeer);
            // room for the largest FPDU, and not much more
            int room = 70_000 + random.nextInt(60_000);
            pair.leftEnd.out.limit(room);
            pair.rightEnd.out.limit(room);
            // the connecting side has to speak first
            post(new Op(true, WrOpcode.RDMA_WRITE, 1, 1, false, false, true), 1000);
            int id = 0;
            for (Op op : program) {
                post(op, id++);
                if (random.nextInt(3) == 0) {
                    pair.step();
                }
            }
            pair.run();
            checks.forEach(Runnable::run);
            assertThat(pair.left.sendCompletions()).isEqualTo(leftSends);
            assertThat(pair.right.sendCompletions()).isEqualTo(rightSends);
            assertThat(pair.left.receiveCompletions()).isEqualTo(leftReceives);
            assertThat(pair.right.receiveCompletions()).isEqualTo(rightReceives);
            assertThat(pair.left.events).isEmpty();
            assertThat(pair.right.events).isEmpty();
            if (random.nextBoolean()) {
                pair.disconnectLeft();
            } else {
                pair.disconnectRight();
            }
            assertThat(pair.leftLog.log).containsOnlyOnce("disconnected").endsWith("disconnected");
            assertThat(pair.rightLog.log).containsOnlyOnce("disconnected").endsWith("disconnected");
        }

        private int take(boolean left, int length) {
            // odd places, and a byte between two areas that nobody may touch
            int at = left ? leftNext : rightNext;
            int next = at + length + 1 + random.nextInt(4);
            assertThat(next).isLessThan(MEMORY);
            if (left) {
                leftNext = next;
            } else {
                rightNext = next;
            }
            return at;
        }

        private void post(Op op, int id) {
            TestNode self = op.left() ? pair.left : pair.right;
            TestNode other = op.left() ? pair.right : pair.left;
            byte[] data = Frames.pattern(op.length(), id * 31 + 1);
            boolean send = op.opcode() == WrOpcode.SEND || op.opcode() == WrOpcode.SEND_WITH_INV;
            boolean read = op.opcode() == WrOpcode.RDMA_READ;
            boolean local = op.opcode() == WrOpcode.LOCAL_INV;
            int here = take(op.left(), op.length());
            int there = take(!op.left(), op.length());
            SendWr wr =
                    new SendWr().id(id).opcode(op.opcode()).fenced(op.fenced()).signaled(op.signaled());
            if (read) {
                other.fill(there, data);
                wr.remote(other.address(there), other.key);
                if (op.length() > 0 || op.inline()) {
                    wr.addSge(self.address(here), op.length(), self.key);
                }
            } else if (!local) {
                self.fill(here, data);
                int element = op.length() / op.elements();
                for (int i = 0; i < op.elements(); i++) {
                    int from = i * element;
                    int bytes = i == op.elements() - 1 ? op.length() - from : element;
                    wr.addSge(self.address(here + from), bytes, self.key);
                }
                wr.inline(op.inline() && op.length() <= 700).remote(other.address(there), other.key);
            }
            if (op.opcode() == WrOpcode.SEND_WITH_INV || local) {
                TestNode owner = local ? self : other;
                wr.invalidate(owner.table.register(TestNode.PD, owner.memory, TestNode.ALL_AND_INVALIDATE));
            }
            if (send) {
                int half = op.length() / 2;
                other.qp.postReceive(new RecvWr()
                        .id(id)
                        .addSge(other.address(there), half, other.key)
                        .addSge(other.address(there + half), op.length() - half, other.key));
                (op.left() ? rightReceives : leftReceives).add(id + " SUCCESS RECV " + op.length());
            }
            if (op.signaled()) {
                (op.left() ? leftSends : rightSends)
                        .add(id + " SUCCESS " + op.opcode().completion() + " " + (local ? 0 : op.length()));
            }
            self.qp.postSend(wr);
            if (!local) {
                TestNode sink = read ? self : other;
                int at = read ? here : there;
                checks.add(() -> {
                    assertThat(sink.bytes(at, op.length()))
                            .as("%s id %d", op, id)
                            .isEqualTo(data);
                    assertThat(sink.bytes(at + op.length(), 1)).containsExactly(0);
                });
            }
        }
    }
}
