package io.jrdma.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.ib.TestNode.Link;
import io.jrdma.verbs.Access;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.WrOpcode;
import io.jrdma.verbs.memory.AccessFault;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every operation between two devices on a good network, at the edges of packet sizes. */
class RcTrafficTest {
    private static byte[] random(int length, int seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    @ParameterizedTest
    @ValueSource(ints = {256, 512, 1024, 2048, 4096})
    void everySizeAroundThePathMtuArrives(int mtu) {
        IbPair pair = new IbPair().connect(Link.DEFAULT.withMtu(mtu), Link.DEFAULT.withMtu(mtu));
        TestNode left = pair.left;
        TestNode right = pair.right;
        for (int length : new int[] {0, 1, 3, mtu - 1, mtu, mtu + 1, 2 * mtu - 1, 2 * mtu, 2 * mtu + 1, 70 * mtu + 5}) {
            byte[] data = random(length, length);
            left.fill(0, data);
            right.postReceive(1, 0, 80 * mtu);
            left.postSend(1, 0, length);
            left.qp.postSend(left.write(2, 0, length, right, 400_000));
            pair.run();
            assertThat(right.bytes(0, length)).isEqualTo(data);
            assertThat(right.bytes(400_000, length)).isEqualTo(data);
            left.qp.postSend(left.read(3, 400_000, length, right, 400_000));
            pair.run();
            assertThat(left.bytes(400_000, length)).isEqualTo(data);
            assertThat(left.sendCompletions())
                    .containsExactly(
                            "1 SUCCESS SEND " + length,
                            "2 SUCCESS RDMA_WRITE " + length,
                            "3 SUCCESS RDMA_READ " + length);
            assertThat(right.receiveCompletions()).containsExactly("1 SUCCESS RECV " + length);
        }
        assertThat(left.device.counters().value(IbCounters.RETRANSMITTED)).isZero();
    }

    @Test
    void immediateDataAndKeysArrive() {
        IbPair pair = new IbPair().connect();
        TestNode left = pair.left;
        TestNode right = pair.right;
        int gone = right.table.register(TestNode.PD, right.memory, Access.REMOTE_INVALIDATE.bit());
        for (int i = 0; i < 4; i++) {
            right.postReceive(i, 0, 8192);
        }
        left.qp.postSend(left.send(0, 0, 3000).opcode(WrOpcode.SEND_WITH_IMM).immediate(0x11223344));
        left.qp.postSend(left.send(1, 0, 10).opcode(WrOpcode.SEND_WITH_INV).invalidate(gone));
        left.qp.postSend(left.write(2, 0, 5000, right, 100_000)
                .opcode(WrOpcode.RDMA_WRITE_WITH_IMM)
                .immediate(0x55667788));
        left.qp.postSend(left.write(3, 0, 0, right, 0)
                .opcode(WrOpcode.RDMA_WRITE_WITH_IMM)
                .immediate(9));
        pair.run();
        assertThat(left.sendCompletions()).hasSize(4).allMatch(text -> text.contains("SUCCESS"));
        var completions = TestNode.take(right.receives);
        assertThat(completions).extracting(WorkCompletion::immediate).containsExactly(0x11223344, gone, 0x55667788, 9);
        assertThat(completions)
                .extracting(WorkCompletion::flags)
                .containsExactly(
                        WorkCompletion.WITH_IMM,
                        WorkCompletion.WITH_INV,
                        WorkCompletion.WITH_IMM,
                        WorkCompletion.WITH_IMM);
        assertThat(completions).extracting(WorkCompletion::byteLength).containsExactly(3000L, 10L, 5000L, 0L);
        assertThat(right.table.check(gone, TestNode.PD, 0, right.address(0), 1)).isEqualTo(AccessFault.INVALID_KEY);
    }
}
