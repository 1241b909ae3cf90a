package io.jrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.netty.UdpCounters.Counter;
import io.jrdma.verbs.DeviceOptions.Progress;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.spi.LoopGuard;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The batch driver on a socket that is full, or that refuses what it is given: the loopback interface never does either. Here its system
 * calls answer as planned, and else as the real ones.
 */
class UdpPressureTest {
    private static final InetAddress LEFT = UdpRig.address("127.0.0.2");
    private static final InetAddress RIGHT = UdpRig.address("127.0.0.3");

    /** What the next calls of {@code sendmmsg} answer: a negated errno, or how many messages are really sent; all once it is empty. */
    private final ArrayDeque<Integer> answers = new ArrayDeque<>();
    /** Messages that were asked to be sent, of each call. */
    private final List<Integer> asked = new ArrayList<>();

    private boolean full;
    private UdpRig.Side receiver;
    private DriverLoop loop;
    private UdpPort port;
    private DatagramEngine engine;

    @BeforeEach
    void open() {
        Assumptions.assumeTrue(UdpRig.batchWorks(), "the batch driver does not work here");
        RecordedLog.take();
        int number = UdpRig.freePort(LEFT, RIGHT);
        NettyOptions options = new UdpRig.Way(UdpIo.BATCH, IoBackend.EPOLL, DriverPair.Driving.AUTOMATIC, false)
                .options()
                .rocePort(number)
                .rocePeerPort(number)
                .sendBufferBytes(128 << 10)
                .build();
        receiver = new UdpRig.Side(options, Progress.AUTOMATIC, RIGHT);
        loop = new DriverLoop(NettyOptions.builder().backend(IoBackend.EPOLL).build(), true);
        engine = new DatagramEngine();
        loop.start(
                new LoopGuard() {
                    @Override
                    public void enter() {}

                    @Override
                    public void exit() {}
                },
                "");
        loop.call(() -> {
            port = new UdpPort(loop, options, engine, LEFT, 1, false, this::socket);
            port.open();
        });
    }

    private UdpSocket socket(UdpPort owner, InetSocketAddress local, NettyOptions options) throws IOException {
        return new BatchSocket(owner, local, options, Planned::new);
    }

    @AfterEach
    void close() {
        if (loop != null) {
            loop.call(port::close);
            loop.stop();
            port.free();
            receiver.close();
            assertThat(engine.inputs).containsExactly("onOpen", "onClosed");
            assertThat(receiver.engine.wrong).isZero();
            assertThat(receiver.count(Counter.BAD_ICRC)).isZero();
        }
    }

    /** Real calls, unless something else is planned. */
    private final class Planned extends LinuxUdp {
        Planned(Arena arena) {
            super(arena);
        }

        @Override
        int send(int fd, long vector, int count) {
            asked.add(count);
            if (full) {
                return -EAGAIN;
            }
            Integer answer = answers.poll();
            if (answer == null) {
                return super.send(fd, vector, count);
            }
            return answer < 0 ? answer : super.send(fd, vector, Math.min(answer, count));
        }
    }

    private void send(long packets, int bytes, int perTrain) {
        loop.call(() -> engine.send(RIGHT, packets, bytes, bytes, perTrain));
    }

    private void until(BooleanSupplier condition) {
        long end = System.nanoTime() + 20_000_000_000L;
        while (!condition.getAsBoolean()) {
            if (!loop.progress(0)) {
                LockSupport.parkNanos(10_000);
            }
            assertThat(System.nanoTime() - end)
                    .as("%s; %s", port.counters(), receiver.port().counters())
                    .isNegative();
        }
    }

    private void progress(int turns) {
        for (int i = 0; i < turns; i++) {
            loop.progress(0);
        }
    }

    @Test
    void aFullSocketHoldsTheEngineBackAndLosesNothing() {
        full = true;
        engine.window(1_000);
        send(1_000, 1040, 40);
        progress(100);
        // the queue is full, and the engine was told
        long held = engine.sent;
        assertThat(held).isBetween(100L, 128L);
        assertThat(engine.refusals).isPositive();
        assertThat(port.isDrained()).isFalse();
        assertThat(receiver.engine.received).isZero();
        progress(100);
        assertThat(engine.sent).isEqualTo(held);
        full = false;
        // less than the other socket holds
        engine.window(64);
        until(() -> engine.acknowledged == 1_000);
        assertThat(receiver.engine.seen.cardinality()).isEqualTo(1_000);
        assertThat(port.isDrained()).isTrue();
        assertThat(port.counters().get(Counter.SENT)).isEqualTo(1_000);
    }

    @Test
    void aFullSocketIsNotTriedAgainForEveryPacketThatComesIn() {
        full = true;
        send(10, 64, 10);
        progress(1);
        asked.clear();
        loop.call(() -> {
            for (int i = 0; i < 50; i++) {
                port.requestTransmit();
                port.settle();
            }
        });
        assertThat(asked.size()).isLessThan(3);
        full = false;
        until(() -> engine.acknowledged == 10);
    }

    @Test
    void whatTheSocketTookOfABatchIsNotSentAgain() {
        answers.addAll(List.of(1, -LinuxUdp.EAGAIN, 2, -LinuxUdp.EINTR, 1));
        // each train is full, so that none takes in the next
        send(64, 512, 8);
        loop.call(() -> {});
        until(() -> engine.acknowledged == 64);
        assertThat(receiver.count(Counter.RECEIVED)).isEqualTo(64);
        assertThat(receiver.engine.seen.cardinality()).isEqualTo(64);
    }

    @Test
    void anErrorOfAnEarlierPacketIsCountedAndNothingIsLost() {
        answers.addAll(List.of(-LinuxUdp.ECONNREFUSED, -LinuxUdp.ECONNREFUSED));
        send(20, 64, 20);
        until(() -> engine.acknowledged == 20);
        assertThat(port.counters().get(Counter.SOCKET_ERRORS)).isEqualTo(2);
        assertThat(port.counters().get(Counter.SENT)).isEqualTo(20);
    }

    @Test
    void packetsThatAreTooLongOrFindNoMemoryAreCountedAndTheRestIsSent() {
        answers.addAll(List.of(-LinuxUdp.EMSGSIZE, -LinuxUdp.ENOBUFS, -LinuxUdp.ENOMEM));
        loop.call(() -> {
            int path = port.paths().pin(RIGHT, 0, 64);
            for (int bytes : new int[] {512, 516, 520}) {
                assertThat(port.queue().tryClaim(path, bytes, 3)).isTrue();
                port.queue().commit(3 * bytes);
            }
            engine.send(RIGHT, 5, 64, 64, 5);
        });
        until(() -> engine.acknowledged == 5);
        assertThat(port.counters().get(Counter.SEND_TOO_LONG)).isEqualTo(3);
        assertThat(port.counters().get(Counter.SEND_NO_BUFFERS)).isEqualTo(6);
        assertThat(port.counters().get(Counter.SENT)).isEqualTo(5);
    }

    @Test
    void trainsThatTheSystemDoesNotCutUpGoAsSinglePackets() {
        answers.addAll(List.of(-LinuxUdp.EIO, 1, 3, -LinuxUdp.EAGAIN, 2));
        engine.window(40);
        send(200, 512, 8);
        until(() -> engine.acknowledged == 200);
        assertThat(port.sendsTrains()).isFalse();
        assertThat(receiver.engine.seen.cardinality()).isEqualTo(200);
        assertThat(port.counters().get(Counter.SENT_TRAINS)).isEqualTo(200);
        assertThat(port.counters().get(Counter.SENT)).isEqualTo(200);
    }

    @Test
    void singlePacketsOfATrainWhosePathIsAnothersByNowStayRight() {
        full = true;
        loop.call(() -> {
            int path = port.paths().pin(RIGHT, 0, 64);
            int other = port.paths().pin(RIGHT, 0x20, 64);
            commit(path, 512, 3);
            commit(other, 512, 3);
            port.flush();
            port.unpin(other);
            assertThat(port.paths().pin(LEFT, 0, 64)).isEqualTo(other);
            full = false;
            answers.add(-LinuxUdp.EIO);
            port.flush();
        });
        until(() -> receiver.engine.received + receiver.count(Counter.BAD_ICRC) == 6);
        assertThat(receiver.engine.received).isEqualTo(6);
    }

    private int numbers;

    /** A train of packets with a pattern. */
    private void commit(int path, int bytes, int packets) {
        UdpSendQueue queue = port.queue();
        assertThat(queue.tryClaim(path, bytes, packets)).isTrue();
        for (int i = 0; i < packets; i++) {
            DatagramEngine.fillOne(queue.segment(), queue.offset() + (long) i * bytes, bytes, numbers++);
        }
        queue.commit(bytes * packets);
    }

    @Test
    void aTrainOfTooLongPacketsDoesNotEndTrains() {
        // older systems say EINVAL of the train, and EMSGSIZE of its packets
        answers.addAll(List.of(-LinuxUdp.EINVAL, -LinuxUdp.EMSGSIZE));
        loop.call(() -> {
            int path = port.paths().pin(RIGHT, 0, 64);
            assertThat(port.queue().tryClaim(path, 4112, 3)).isTrue();
            port.queue().commit(3 * 4112);
            engine.send(RIGHT, 5, 64, 64, 5);
        });
        until(() -> engine.acknowledged == 5);
        assertThat(port.sendsTrains()).isTrue();
        assertThat(port.counters().get(Counter.SEND_TOO_LONG)).isEqualTo(3);
    }

    @Test
    void packetsOfOneSizeToOnePeerShareATrain() {
        send(48, 64, 1);
        until(() -> engine.acknowledged == 48);
        assertThat(port.counters().get(Counter.SENT_TRAINS)).isEqualTo(1);
        assertThat(receiver.engine.seen.cardinality()).isEqualTo(48);
    }

    @Test
    void onlyWhatFitsTogetherSharesATrain() {
        loop.call(() -> {
            UdpSendQueue queue = port.queue();
            int path = port.paths().pin(RIGHT, 0, 64);
            int other = port.paths().pin(LEFT, 0, 64);
            int[][] claims = {
                // path, bytes, packets, committed bytes; entries afterwards
                {path, 64, 1, 64, 1},
                {path, 64, 3, 192, 1},
                {path, 64, 2, 100, 1}, // a shorter last packet ends the train
                {path, 64, 1, 64, 2},
                {path, 32, 1, 32, 2},
                {path, 32, 1, 32, 3},
                {path, 64, 1, 64, 4}, // longer
                {other, 64, 1, 64, 5},
                {path, 64, 1, 64, 6},
                {path, 64, 64, 4096, 7}, // one too many
                {path, 64, 1, 64, 8},
                {path, 16, 2, 32, 9} // two shorter ones
            };
            for (int[] claim : claims) {
                assertThat(queue.tryClaim(claim[0], claim[1], claim[2])).isTrue();
                MemorySegment.copy(
                        MemorySegment.ofArray(new byte[claim[3]]), 0, queue.segment(), queue.offset(), claim[3]);
                queue.commit(claim[3]);
                assertThat(queue.tail() - queue.head())
                        .as("after %d bytes", claim[1])
                        .isEqualTo(claim[4]);
            }
            queue.advance(queue.tail() - queue.head());
            queue.clear();
        });
    }

    /** As when an application closes an address handle too early. */
    @Test
    void whatIsSentOnAPathThatIsNotThereIsCountedAndTheRestIsSent() {
        loop.call(() -> {
            int path = port.paths().pin(RIGHT, 0, 64);
            int gone = port.paths().pin(RIGHT, 0x20, 64);
            commit(path, 64, 2);
            port.unpin(gone);
            for (int none : new int[] {gone, 99, -1, 99}) {
                assertThat(port.queue().tryClaim(none, 64, 4)).isTrue();
                port.queue().commit(200);
            }
            commit(path, 64, 2);
            port.flush();
        });
        until(() -> receiver.engine.received == 4);
        assertThat(port.counters().get(Counter.SEND_NO_PATH)).isEqualTo(16);
        assertThat(port.counters().get(Counter.SENT)).isEqualTo(4);
        assertThat(RecordedLog.take()).isEmpty();
    }

    @Test
    void whatWasClaimedGoesWhereThePathLedAndNothingOfAnotherPathJoinsIt() {
        loop.call(() -> {
            UdpSendQueue queue = port.queue();
            int path = port.paths().pin(RIGHT, 0, 64);
            assertThat(queue.tryClaim(path, 64, 2)).isTrue();
            DatagramEngine.fillOne(queue.segment(), queue.offset(), 64, numbers++);
            port.unpin(path);
            queue.commit(64);
            assertThat(port.paths().pin(LEFT, 0, 64)).isEqualTo(path);
            commit(path, 64, 1);
            assertThat(queue.tail() - queue.head()).isEqualTo(2);
            port.flush();
        });
        until(() -> receiver.engine.received == 1 && engine.received == 1);
    }

    @Test
    void claimsThatMakeNoSenseAreRefused() {
        loop.call(() -> {
            UdpSendQueue queue = port.queue();
            int path = port.paths().pin(RIGHT, 0, 64);
            assertThat(queue.maxSegments(4112)).isEqualTo(15);
            assertThat(queue.maxSegments(16)).isEqualTo(64);
            assertThat(queue.maxSegments(1_000_000)).isEqualTo(1);
            assertThatThrownBy(() -> queue.tryClaim(path, 12, 1)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> queue.tryClaim(path, 8192, 1)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> queue.tryClaim(path, 64, 65)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> queue.tryClaim(path, 64, 0)).isInstanceOf(IllegalArgumentException.class);
            assertThat(queue.tryClaim(path, 64, 2)).isTrue();
            assertThatThrownBy(() -> queue.tryClaim(path, 64, 1)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> queue.commit(132)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> queue.commit(66)).isInstanceOf(IllegalArgumentException.class);
            queue.abort();
            assertThatThrownBy(() -> queue.commit(64)).isInstanceOf(IllegalArgumentException.class);
            assertThat(queue.isEmpty()).isTrue();
        });
    }

    @Test
    void aSocketThatCannotBeMadeKeepsNoMemory() {
        Arena[] memory = new Arena[1];
        assertThatThrownBy(() -> loop.call(() -> new UdpPort(
                        loop,
                        receiver.options,
                        new DatagramEngine(),
                        LEFT,
                        1,
                        false,
                        (owner, local, options) -> new BatchSocket(owner, local, options, arena -> {
                            memory[0] = arena;
                            throw new IllegalStateException("no calls");
                        }))))
                .isInstanceOf(VerbsException.class)
                .hasStackTraceContaining("no calls");
        assertThat(memory[0].scope().isAlive()).isFalse();
    }

    @Test
    void whatASocketDidNotTakeBeforeItWasClosedIsCounted() {
        full = true;
        engine.window(1_000);
        send(30, 64, 30);
        progress(3);
        loop.call(port::close);
        assertThat(port.counters().get(Counter.SEND_UNSENT)).isEqualTo(30);
        assertThat(port.isDrained()).isTrue();
    }
}
