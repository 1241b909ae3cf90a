package io.jrdma.perf;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What streamed RDMA Writes reach beside plain TCP and UDP in the same run; the printed tables are the result. */
final class SideBySideTest {
    private static final int ROUNDS = 5;
    private static final long BYTES = 256L << 20;
    private static final long WARM_UP_NS = 3_000_000_000L;

    /** Half of a stream that neither frames, checks nor places what it moves; in the best of a few rounds, since the machine is shared. */
    @ParameterizedTest
    @ValueSource(ints = {64 << 10, 1 << 20})
    void iwarpWriteReachesHalfOfPlainTcp(int messageBytes) throws InterruptedException {
        SideBySide.Result result = new SideBySide(ROUNDS, BYTES, WARM_UP_NS).iwarp(messageBytes);
        System.out.println(result);

        assertThat(result.bestRatios()[1]).as(result.toString()).isGreaterThan(0.5);
    }

    /** A fifth of plain UDP in whole trains, which neither checks nor places what it moves; the best of a few rounds, as above. */
    @ParameterizedTest
    @EnabledOnOs(OS.LINUX)
    @ValueSource(ints = {64 << 10, 1 << 20})
    void roceWriteReachesAFifthOfPlainUdpInTrains(int messageBytes) throws InterruptedException {
        SideBySide.Result result = new SideBySide(ROUNDS, BYTES, WARM_UP_NS).roce(messageBytes);
        System.out.println(result);

        assertThat(result.bestRatios()[1]).as(result.toString()).isGreaterThan(0.2);
    }
}
