package io.jrdma.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.QpState;
import io.jrdma.verbs.WrOpcode;
import org.junit.jupiter.api.Test;

/** Two engines that work together. */
class IwarpConnectionTest {
    @Test
    void sendWriteAndReadMoveBytes() {
        IwarpPair pair = new IwarpPair().connect();
        assertThat(pair.leftLog.log).containsExactly("established ");
        assertThat(pair.rightLog.log).containsExactly("request ", "established ");
        assertThat(pair.left.qp.state()).isEqualTo(QpState.RTS);
        assertThat(pair.right.qp.state()).isEqualTo(QpState.RTS);

        pair.left.fill(0, (byte) 1, (byte) 2, (byte) 3);
        pair.right.postReceive(100, 512, 64);
        pair.left.postSend(1, 0, 3);
        pair.left.postWrite(2, 0, 2, pair.right, 1024);
        pair.right.fill(2048, (byte) 9, (byte) 8);
        pair.left.postRead(3, 64, 2, pair.right, 2048);
        pair.run();

        assertThat(pair.left.sendCompletions())
                .containsExactly("1 SUCCESS SEND 3", "2 SUCCESS RDMA_WRITE 2", "3 SUCCESS RDMA_READ 2");
        assertThat(pair.right.receiveCompletions()).containsExactly("100 SUCCESS RECV 3");
        assertThat(pair.right.bytes(512, 3)).containsExactly(1, 2, 3);
        assertThat(pair.right.bytes(1024, 3)).containsExactly(1, 2, 0);
        assertThat(pair.left.bytes(64, 3)).containsExactly(9, 8, 0);

        pair.left.postReceive(200, 0, 64);
        pair.right.postSend(4, 2048, 2);
        pair.run();
        assertThat(pair.left.receiveCompletions()).containsExactly("200 SUCCESS RECV 2");

        pair.disconnectLeft();
        assertThat(pair.leftLog.log).endsWith("disconnected");
        assertThat(pair.rightLog.log).endsWith("disconnected");
        assertThat(pair.left.qp.state()).isEqualTo(QpState.ERROR);
        assertThat(pair.right.qp.state()).isEqualTo(QpState.ERROR);
        assertThat(pair.right.sendCompletions()).containsExactly("4 SUCCESS SEND 2");
    }

    @Test
    void largeTransfersArriveWhole() {
        IwarpPair pair = new IwarpPair(TestNode.options(), TestNode.options(), 1 << 22).connect();
        int size = 1_500_001;
        byte[] data = new byte[size];
        for (int i = 0; i < size; i++) {
            data[i] = (byte) (i * 31 + (i >>> 8));
        }
        pair.left.fill(0, data);
        pair.right.postReceive(1, 2_000_000, size);
        pair.left.postWrite(1, 0, size, pair.right, 1);
        pair.left.postSend(2, 0, size);
        pair.run();
        assertThat(pair.right.bytes(1, size)).isEqualTo(data);
        assertThat(pair.right.bytes(2_000_000, size)).isEqualTo(data);
        pair.right.postRead(3, 7, size, pair.left, 0);
        pair.run();
        assertThat(pair.right.bytes(7, size)).isEqualTo(data);
        assertThat(pair.right.sendCompletions()).containsExactly("3 SUCCESS RDMA_READ " + size);
    }

    @Test
    void sendWithInvalidateMakesTheKeyUseless() {
        IwarpPair pair = new IwarpPair().connect();
        pair.right.postReceive(100, 0, 64);
        int key = pair.right.table.register(TestNode.PD, pair.right.memory, TestNode.ALL_AND_INVALIDATE);
        pair.left.qp.postSend(
                pair.left.send(1, 0, 5).opcode(WrOpcode.SEND_WITH_INV).invalidate(key));
        pair.run();
        assertThat(TestNode.take(pair.right.receives)).singleElement().satisfies(wc -> {
            assertThat(wc.invalidatedKey()).isEqualTo(key);
        });
        pair.left.qp.postSend(
                pair.left.send(2, 0, 1).opcode(WrOpcode.RDMA_WRITE).remote(pair.right.address(0), key));
        pair.run();
        assertThat(pair.leftLog.log).endsWith("disconnected");
    }
}
