package io.jrdma.iwarp;

import io.jrdma.testing.Allocation;
import io.jrdma.verbs.CompletionSemantics;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.WrOpcode;
import io.jrdma.verbs.queue.CompletionPort;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** No operation allocates anything once the code is warm: not in posting, sending, receiving, completing. */
class AllocationTest {
    private static final int ROUNDS = 4_000;
    private static final int OPERATIONS_A_ROUND = 6;
    /** Less than one byte for several operations is only the measurement itself. */
    private static final long ALLOWED = ROUNDS * OPERATIONS_A_ROUND / 8 - 1;

    private final WorkCompletion[] holders =
            Stream.generate(WorkCompletion::new).limit(16).toArray(WorkCompletion[]::new);
    private final SendWr send = new SendWr();
    private final RecvWr receive = new RecvWr();

    @ParameterizedTest
    @CsvSource({
        // crc, markers, remotely acknowledged, cut into pieces of
        "true,false,false,1048576",
        "true,true,false,1048576",
        "false,false,true,1048576",
        "true,false,false,1000"
    })
    void nothingIsAllocatedForAnOperation(boolean crc, boolean markers, boolean acknowledged, int cut) {
        QueuePairOptions options =
                TestNode.options().withCompletion(acknowledged ? CompletionSemantics.REMOTE_ACKNOWLEDGED : null);
        MpaOptions mpa = MpaOptions.builder()
                .crc(crc)
                .markersWanted(markers)
                .maxUlpdu(4096)
                .build();
        IwarpPair pair = new IwarpPair(options, options, 1 << 18);
        pair.cut = available -> Math.min(available, cut);
        pair.connect(mpa, mpa);
        pair.leftEnd.out.leaveClean();
        pair.rightEnd.out.leaveClean();
        Allocation.assertAtMost(ALLOWED, ROUNDS, () -> round(pair));
    }

    private void round(IwarpPair pair) {
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
        right.qp.postSend(send.reset().addSge(right.address(0), 64, right.key));
        pair.run();
        drain(left.sends, 3);
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
