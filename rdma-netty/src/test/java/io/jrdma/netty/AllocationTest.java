package io.jrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.jrdma.verbs.DeviceOptions.Progress;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.WrOpcode;
import io.jrdma.verbs.spi.DeviceDriver;
import java.lang.management.ManagementFactory;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The loops allocate nothing for an operation in the steady state. */
class AllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int OPERATIONS = 5_000;
    private static final int MAX_ROUNDS = 20;
    /** A full socket costs some small objects of Netty's. */
    private static final long ALLOWED_FOR_A_WRITE = 8;

    static Stream<Rig.Way> ways() {
        return Rig.ways()
                .filter(way ->
                        way.driving() != DriverPair.Driving.MANUAL_TWO_THREADS && way.backend() != IoBackend.IO_URING);
    }

    private static long threadId(Rig rig, DeviceDriver driver) {
        long[] id = new long[1];
        driver.call(() -> id[0] = Thread.currentThread().threadId());
        return id[0];
    }

    /** Small messages to and fro: each is a doorbell, a flush and a read on both sides. */
    @ParameterizedTest
    @MethodSource("ways")
    void pingPongAllocatesNothing(Rig.Way way) throws Exception {
        try (Rig rig = new Rig(way)) {
            rig.connect();
            rig.right.engine(0).echoes = true;
            PatternEngine left = rig.left.engine(0);
            Runnable ping = () -> left.send(64);
            long leftId = threadId(rig, rig.left.driver);
            long rightId = threadId(rig, rig.right.driver);
            long allowed = allowedForAnOperation(way);
            long most = Long.MAX_VALUE;
            // compiled code alone shows what is left for the steady state
            for (int round = 0; round < MAX_ROUNDS && most > allowed; round++) {
                long beforeLeft = THREADS.getThreadAllocatedBytes(leftId);
                long beforeRight = THREADS.getThreadAllocatedBytes(rightId);
                for (int i = 0; i < OPERATIONS; i++) {
                    long expected = left.received + 64;
                    rig.left.driver.execute(ping);
                    spin(rig, way, left, expected);
                }
                most = Math.max(
                                THREADS.getThreadAllocatedBytes(leftId) - beforeLeft,
                                THREADS.getThreadAllocatedBytes(rightId) - beforeRight)
                        / OPERATIONS;
            }
            assertThat(most).as("bytes for an operation").isLessThanOrEqualTo(allowed);
        }
    }

    /** The JDK's selector makes an iterator for each event, and Netty an entry for each write on a thread that is not its own. */
    private static long allowedForAnOperation(Rig.Way way) {
        return way.backend() == IoBackend.NIO ? 320 : 0;
    }

    private static void spin(Rig rig, Rig.Way way, PatternEngine left, long expected) {
        long end = System.nanoTime() + 20_000_000_000L;
        while (left.received < expected) {
            if (way.driving() == DriverPair.Driving.MANUAL) {
                rig.left.driver.progress(0);
                rig.right.driver.progress(0);
            } else {
                Thread.yield();
            }
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("stuck at " + left.received);
            }
        }
    }

    /** The whole of it, verbs and engine and all. */
    @Test
    void streamedWritesAllocateNothing() {
        try (IwarpPair pair =
                new IwarpPair(NettyOptions.RECOMMENDED, Progress.AUTOMATIC, MpaOptions.RECOMMENDED, 4 << 20)) {
            long[] threads = new long[3];
            pair.left
                    .device
                    .driver()
                    .call(() -> threads[0] = Thread.currentThread().threadId());
            pair.right
                    .device
                    .driver()
                    .call(() -> threads[1] = Thread.currentThread().threadId());
            threads[2] = Thread.currentThread().threadId();
            int writes = 5_000;
            SendWr write = new SendWr()
                    .opcode(WrOpcode.RDMA_WRITE)
                    .signaled(true)
                    .addSge(pair.left.region, 0, 16 << 10)
                    .remote(pair.right.region.address(), pair.right.region.remoteKey());
            WorkCompletion[] holders = {new WorkCompletion()};
            long most = Long.MAX_VALUE;
            for (int round = 0; round < MAX_ROUNDS && most > ALLOWED_FOR_A_WRITE * writes; round++) {
                long[] before = new long[3];
                for (int i = 0; i < 3; i++) {
                    before[i] = THREADS.getThreadAllocatedBytes(threads[i]);
                }
                write(pair, write, holders, writes);
                most = 0;
                for (int i = 0; i < 3; i++) {
                    most = Math.max(most, THREADS.getThreadAllocatedBytes(threads[i]) - before[i]);
                }
            }
            assertThat(most).as("bytes for " + writes + " writes").isLessThanOrEqualTo(ALLOWED_FOR_A_WRITE * writes);
        }
    }

    private static void write(IwarpPair pair, SendWr write, WorkCompletion[] holders, int writes) {
        long end = System.nanoTime() + 20_000_000_000L;
        int posted = 0;
        for (int done = 0; done < writes; ) {
            while (posted < writes && posted - done < 64) {
                pair.left.queuePair.postSend(write);
                posted++;
            }
            if (pair.left.queue.poll(holders) == 1) {
                done++;
            } else if (System.nanoTime() - end > 0) {
                throw new AssertionError("stuck at " + done);
            }
        }
    }

    /** A stream that fills the socket again and again: writability events and all. */
    @ParameterizedTest
    @MethodSource("ways")
    void streamingAllocatesNothing(Rig.Way way) throws Exception {
        long bytes = 1L << 28;
        try (Rig rig = new Rig(way)) {
            rig.connect();
            PatternEngine left = rig.left.engine(0);
            PatternEngine right = rig.right.engine(0);
            long leftId = threadId(rig, rig.left.driver);
            long rightId = threadId(rig, rig.right.driver);
            // 1024 buffers full on each side; a full socket costs some small objects of Netty's
            long allowed = 1024 * (16 + allowedForAnOperation(way));
            if (way.driving() == DriverPair.Driving.MANUAL) {
                allowed += 1024 * 72;
            }
            long most = Long.MAX_VALUE;
            for (int round = 1; round <= MAX_ROUNDS && most > allowed; round++) {
                long beforeLeft = THREADS.getThreadAllocatedBytes(leftId);
                long beforeRight = THREADS.getThreadAllocatedBytes(rightId);
                rig.left.send(left, bytes);
                spin(rig, way, right, round * bytes);
                most = Math.max(
                        THREADS.getThreadAllocatedBytes(leftId) - beforeLeft,
                        THREADS.getThreadAllocatedBytes(rightId) - beforeRight);
            }
            assertThat(most).as("bytes for " + bytes + " bytes").isLessThanOrEqualTo(allowed);
        }
    }
}
