package io.jrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.AsyncEvent;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.WrOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The iWARP engine on the TCP driver, through the verbs API. */
class IwarpOverTcpTest {
    private static final int REGION = 4 << 20;

    static Stream<DriverLoopTest.Kind> kinds() {
        return DriverLoopTest.all();
    }

    private static IwarpPair pair(DriverLoopTest.Kind kind) {
        return pair(kind, MpaOptions.RECOMMENDED);
    }

    private static IwarpPair pair(DriverLoopTest.Kind kind, MpaOptions mpa) {
        NettyOptions options = NettyOptions.builder()
                .backend(kind.backend())
                .closeTimeout(Duration.ofMillis(300))
                .build();
        return new IwarpPair(options, kind.progress(), mpa, REGION);
    }

    private static void fill(MemorySegment memory, long seed) {
        for (long at = 0; at < memory.byteSize(); at += 8) {
            memory.set(ValueLayout.JAVA_LONG, at, seed * 0x9E37_79B9_7F4A_7C15L + at);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void sendsWritesAndReadsMoveTheBytes(DriverLoopTest.Kind kind) {
        try (IwarpPair pair = pair(kind)) {
            IwarpPair.Side left = pair.left;
            IwarpPair.Side right = pair.right;
            fill(left.memory, 1);
            right.queuePair.postReceive(new RecvWr().id(7).addSge(right.region, 0, 100_000));
            left.queuePair.postSend(
                    new SendWr().id(1).opcode(WrOpcode.SEND).signaled(true).addSge(left.region, 8, 70_001));
            WorkCompletion sent = pair.completion(left);
            assertThat(sent.id()).isEqualTo(1);
            assertThat(sent.status()).isEqualTo(WcStatus.SUCCESS);
            WorkCompletion received = pair.completion(right);
            assertThat(received.id()).isEqualTo(7);
            assertThat(received.opcode()).isEqualTo(WcOpcode.RECV);
            assertThat(received.byteLength()).isEqualTo(70_001);
            assertThat(MemorySegment.mismatch(left.memory, 8, 70_009, right.memory, 0, 70_001))
                    .isEqualTo(-1);

            fill(left.memory, 2);
            left.queuePair.postSend(new SendWr()
                    .id(2)
                    .opcode(WrOpcode.RDMA_WRITE)
                    .signaled(true)
                    .addSge(left.region, 0, REGION)
                    .remote(right.region.address(), right.region.remoteKey()));
            // a Read behind it shows that it has arrived
            left.queuePair.postSend(new SendWr()
                    .id(3)
                    .opcode(WrOpcode.RDMA_READ)
                    .signaled(true)
                    .addSge(left.region, 0, 1)
                    .remote(right.region.address(), right.region.remoteKey()));
            assertThat(pair.completion(left).id()).isEqualTo(2);
            assertThat(pair.completion(left).id()).isEqualTo(3);
            assertThat(left.memory.mismatch(right.memory)).isEqualTo(-1);

            fill(left.memory, 3);
            right.queuePair.postSend(new SendWr()
                    .id(4)
                    .opcode(WrOpcode.RDMA_READ)
                    .signaled(true)
                    .addSge(right.region, 0, REGION)
                    .remote(left.region.address(), left.region.remoteKey()));
            WorkCompletion read = pair.completion(right);
            assertThat(read.status()).isEqualTo(WcStatus.SUCCESS);
            assertThat(read.byteLength()).isEqualTo(REGION);
            assertThat(left.memory.mismatch(right.memory)).isEqualTo(-1);
        }
        RecordedLog.assertSilent();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void manyWritesInFlightArriveInOrder(DriverLoopTest.Kind kind) {
        MpaOptions noCrc = MpaOptions.builder().crc(false).build();
        try (IwarpPair pair = pair(kind, noCrc)) {
            IwarpPair.Side left = pair.left;
            IwarpPair.Side right = pair.right;
            fill(left.memory, 4);
            int bytes = 64 << 10;
            int total = 4_000;
            int posted = 0;
            int done = 0;
            SendWr write = new SendWr().opcode(WrOpcode.RDMA_WRITE).signaled(true);
            WorkCompletion[] holders = new WorkCompletion[32];
            for (int i = 0; i < holders.length; i++) {
                holders[i] = new WorkCompletion();
            }
            long end = System.nanoTime() + 20_000_000_000L;
            while (done < total) {
                while (posted < total && posted - done < 64) {
                    long at = (long) (posted % (REGION / bytes)) * bytes;
                    write.id(posted++)
                            .clearSges()
                            .addSge(left.region, at, bytes)
                            .remote(right.region.address() + at, right.region.remoteKey());
                    left.queuePair.postSend(write);
                }
                int count = left.queue.poll(holders);
                for (int i = 0; i < count; i++) {
                    assertThat(holders[i].id()).isEqualTo(done++);
                    assertThat(holders[i].isSuccess()).isTrue();
                }
                right.device.driver().progress(0);
                assertThat(System.nanoTime() - end).isNegative();
            }
            left.queuePair.postSend(new SendWr()
                    .id(-1)
                    .opcode(WrOpcode.RDMA_READ)
                    .signaled(true)
                    .remote(right.region.address(), right.region.remoteKey()));
            assertThat(pair.completion(left).id()).isEqualTo(-1);
            assertThat(left.memory.mismatch(right.memory)).isEqualTo(-1);
        }
        RecordedLog.assertSilent();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aDisconnectFlushesBothSides(DriverLoopTest.Kind kind) {
        try (IwarpPair pair = pair(kind)) {
            pair.right.queuePair.postReceive(new RecvWr().id(9).addSge(pair.right.region, 0, 16));
            pair.left.device.driver().execute(() -> pair.left.connection.disconnect());
            assertThat(pair.completion(pair.right).status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
            pair.until(() -> pair.left.calls.contains("disconnected") && pair.right.calls.contains("disconnected"));
            assertThat(pair.left.queuePair.state()).isEqualTo(QpState.ERROR);
            assertThat(pair.right.queuePair.state()).isEqualTo(QpState.ERROR);
            assertThat(pair.left.calls).containsExactly("established", "disconnected");
        }
        RecordedLog.assertSilent();
    }

    /** The Terminate gets through although the side that caused it goes on sending. */
    @ParameterizedTest
    @MethodSource("kinds")
    void aTerminateReachesAPeerThatGoesOnSending(DriverLoopTest.Kind kind) throws Exception {
        for (int round = 0; round < 10; round++) {
            try (IwarpPair pair = pair(kind)) {
                IwarpPair.Side left = pair.left;
                for (int i = 0; i < 100; i++) {
                    boolean wrong = i == 10;
                    left.queuePair.postSend(new SendWr()
                            .id(i)
                            .opcode(WrOpcode.RDMA_WRITE)
                            .addSge(left.region, 0, 200_000)
                            .remote(pair.right.region.address(), pair.right.region.remoteKey() + (wrong ? 1 : 0)));
                }
                pair.until(() -> left.calls.contains("disconnected") && pair.right.calls.contains("disconnected"));
                AsyncEvent event = left.device.pollAsyncEvent(Duration.ZERO);
                assertThat(event).isNotNull();
                assertThat(event.text()).contains("STag");
            }
        }
        RecordedLog.assertSilent();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void closingADeviceDisconnectsItsPeer(DriverLoopTest.Kind kind) {
        try (IwarpPair pair = pair(kind)) {
            pair.left.device.close();
            pair.until(() -> pair.right.calls.contains("disconnected"));
            assertThat(pair.right.queuePair.state()).isEqualTo(QpState.ERROR);
        }
        RecordedLog.assertSilent();
    }
}
