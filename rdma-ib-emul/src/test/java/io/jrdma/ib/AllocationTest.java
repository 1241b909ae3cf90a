package io.jrdma.ib;

import io.jrdma.ib.TestNode.Link;
import io.jrdma.testing.Allocation;
import io.jrdma.testkit.engine.TestClock;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.WrOpcode;
import io.jrdma.verbs.queue.CompletionPort;
import io.jrdma.wire.ib.IbOpcode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No operation allocates anything once the code is warm: not in posting, sending, receiving, completing, nor in recovering from loss. */
class AllocationTest {
    private static final int ROUNDS = 2_000;
    private static final int OPERATIONS_A_ROUND = 6;
    /** Less than one byte for several operations is only the measurement itself. */
    private static final long ALLOWED = ROUNDS * OPERATIONS_A_ROUND / 8 - 1;

    private static final int Q_KEY = 7;

    private final WorkCompletion[] holders =
            Stream.generate(WorkCompletion::new).limit(16).toArray(WorkCompletion[]::new);
    private final SendWr send = new SendWr();
    private final RecvWr receive = new RecvWr();

    @ParameterizedTest
    @ValueSource(ints = {0, 30})
    void nothingIsAllocatedForAnOperation(int loss) {
        IbPair pair = new IbPair(1, TestNode.options(), 1 << 18);
        pair.network.faults = new TestNetwork.Faults(loss, loss, loss, loss);
        pair.connect(
                Link.DEFAULT.withMtu(4096).withTimeout(17, 7),
                Link.DEFAULT.withMtu(4096).withTimeout(17, 7));
        Allocation.assertAtMost(ALLOWED, ROUNDS, () -> round(pair));
    }

    /** Datagrams of senders in turns. */
    @Test
    void nothingIsAllocatedForADatagramWhoeverSendsIt() {
        TestNetwork network = new TestNetwork(new TestClock(), 1);
        TestNode node = new TestNode(network, QueuePairOptions.ud(null), 1, 1 << 12);
        UdConformance.ready(node, Q_KEY);
        byte[] datagram = PacketBuilder.packet(IbOpcode.UD_SEND_ONLY, 0, new byte[64])
                .deth(Q_KEY, 5)
                .destQp(node.qp.qpNum())
                .build();
        MemorySegment packet = Arena.ofAuto().allocate(datagram.length).copyFrom(MemorySegment.ofArray(datagram));
        Allocation.assertAtMost(ALLOWED, ROUNDS, () -> {
            for (int path = 1; path <= OPERATIONS_A_ROUND; path++) {
                node.qp.postReceive(receive.reset().addSge(node.address(0), 200, node.key));
                node.device.onPacket(path, packet, 0, datagram.length, 0, 0);
            }
            drain(node.receives, OPERATIONS_A_ROUND);
        });
    }

    private void round(IbPair pair) {
        TestNode left = pair.left;
        TestNode right = pair.right;
        right.qp.postReceive(receive.reset().addSge(right.address(0), 64, right.key));
        left.qp.postReceive(receive.reset().addSge(left.address(0), 64, left.key));
        left.qp.postSend(send.reset().addSge(left.address(0), 64, left.key));
        left.qp.postSend(send.reset()
                .opcode(WrOpcode.RDMA_WRITE)
                .remote(right.address(1 << 16), right.key)
                .addSge(left.address(1 << 16), 10_000, left.key));
        left.qp.postSend(send.reset()
                .opcode(WrOpcode.RDMA_READ)
                .remote(right.address(1 << 16), right.key)
                .addSge(left.address(1 << 17), 10_000, left.key));
        left.qp.postSend(send.reset()
                .opcode(WrOpcode.ATOMIC_FETCH_AND_ADD)
                .remote(right.address(1 << 16), right.key)
                .atomic(1, 0)
                .addSge(left.address(1 << 17), 8, left.key));
        right.qp.postSend(send.reset().addSge(right.address(0), 64, right.key));
        pair.run();
        drain(left.sends, 4);
        drain(right.sends, 1);
        drain(left.receives, 1);
        drain(right.receives, 1);
    }

    private void drain(CompletionPort port, int expected) {
        int n = port.drain(holders, 0, holders.length);
        if (n != expected || !holders[0].isSuccess()) {
            throw new AssertionError(n + " completions, " + expected + " expected: " + holders[0]);
        }
    }
}
