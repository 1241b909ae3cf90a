package io.jrdma.perf;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What streamed RDMA Writes reach beside plain Netty TCP in the same run; the printed table is the result. */
final class SideBySideTest {
    private static final int ROUNDS = 5;
    private static final long BYTES = 256L << 20;

    /** Half of a stream that neither frames, checks nor places what it moves; in the best of a few rounds, since the machine is shared. */
    @ParameterizedTest
    @ValueSource(ints = {64 << 10, 1 << 20})
    void iwarpWriteReachesHalfOfPlainTcp(int messageBytes) throws InterruptedException {
        SideBySide.Result result = new SideBySide(ROUNDS, BYTES).measure(messageBytes);
        System.out.println(result);

        assertThat(result.bestRatios()[1]).as(result.toString()).isGreaterThan(0.5);
    }
}
