package io.jrdma.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Small messages there and back; the printed table is the result. */
final class LatenciesTest {
    private static final int ROUNDS = 3;
    private static final int MESSAGES = 3_000;

    @Test
    void messagesComeBackOnBothWiresAndOnPlainSockets() throws IOException, InterruptedException {
        List<Latencies.Row> rows = Latencies.measure(ROUNDS, MESSAGES);
        rows.forEach(System.out::println);

        assertThat(rows)
                .allSatisfy(
                        row -> assertThat(row.halfRoundTrips().getTotalCount()).isEqualTo(ROUNDS * MESSAGES));
    }
}
