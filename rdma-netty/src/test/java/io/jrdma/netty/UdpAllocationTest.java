package io.jrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The batch driver allocates nothing for a packet in the steady state. */
class UdpAllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int OPERATIONS = 2_000;
    /** Until the compiler is through, on a machine that has other things to do. */
    private static final long PATIENCE_NS = 120_000_000_000L;

    static Stream<UdpRig.Way> ways() {
        return UdpRig.ways()
                .filter(way -> way.io() == UdpIo.BATCH && way.driving() != DriverPair.Driving.MANUAL_TWO_THREADS);
    }

    @BeforeEach
    void batchWorks() {
        Assumptions.assumeTrue(UdpRig.batchWorks(), "the batch driver does not work here");
    }

    private static long threadId(UdpRig.Side side) {
        long[] id = new long[1];
        side.driver.call(() -> id[0] = Thread.currentThread().threadId());
        return id[0];
    }

    /** Small packets to and fro, one at a time. */
    @ParameterizedTest
    @MethodSource("ways")
    void pingPongAllocatesNothing(UdpRig.Way way) throws Exception {
        rounds(way, 1, 64, 64, 1);
    }

    /** Full trains. */
    @ParameterizedTest
    @MethodSource("ways")
    void trainsAllocateNothing(UdpRig.Way way) throws Exception {
        rounds(way, 15, 4112, 2064, 15);
    }

    private static void rounds(UdpRig.Way way, int packets, int bytes, int lastBytes, int perTrain) throws Exception {
        try (UdpRig rig = new UdpRig(way)) {
            rig.right.engine.remembers = false;
            Runnable send = () -> rig.left.engine.send(rig.right.address, packets, bytes, lastBytes, perTrain);
            long leftId = threadId(rig.left);
            long rightId = threadId(rig.right);
            long most = Long.MAX_VALUE;
            // compiled code alone shows what is left for the steady state
            long end = System.nanoTime() + PATIENCE_NS;
            while (most > 0 && System.nanoTime() - end < 0) {
                long beforeLeft = THREADS.getThreadAllocatedBytes(leftId);
                long beforeRight = THREADS.getThreadAllocatedBytes(rightId);
                for (int i = 0; i < OPERATIONS; i++) {
                    long expected = rig.left.engine.acknowledged + packets;
                    rig.left.driver.execute(send);
                    spin(rig, way, expected);
                }
                most = Math.max(
                                THREADS.getThreadAllocatedBytes(leftId) - beforeLeft,
                                THREADS.getThreadAllocatedBytes(rightId) - beforeRight)
                        / OPERATIONS;
            }
            assertThat(most).as("bytes for an operation").isZero();
        }
    }

    private static void spin(UdpRig rig, UdpRig.Way way, long expected) {
        long end = System.nanoTime() + 20_000_000_000L;
        while (rig.left.engine.acknowledged < expected) {
            if (way.driving() == DriverPair.Driving.MANUAL) {
                rig.left.driver.progress(0);
                rig.right.driver.progress(0);
            } else {
                Thread.yield();
            }
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("stuck: " + rig.left.port().counters() + "; "
                        + rig.right.port().counters());
            }
        }
    }
}
