package io.jrdma.perf;

import io.jrdma.verbs.Transport;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * Half a round trip of a 64-byte message, both wires with manual progress beside plain UDP and TCP, all of them spinning, round by round in
 * one process. Run it with {@code perf/latencies}; arguments: rounds, then messages a round.
 */
public final class Latencies {
    private static final int MESSAGE_BYTES = 64;
    private static final long LONGEST_NS = 10_000_000_000L;
    private static final int DIGITS = 3;

    private Latencies() {}

    /** The run. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 5;
        int messages = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 50_000;
        for (Row row : measure(rounds, messages)) {
            System.out.println(row);
        }
    }

    /**
     * What one way took.
     *
     * @param halfRoundTrips nanoseconds
     */
    record Row(String name, Histogram halfRoundTrips) {
        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%4d B  %-30s p50 %6.1f us  p99 %6.1f us",
                    MESSAGE_BYTES,
                    name,
                    halfRoundTrips.getValueAtPercentile(50) / 1e3,
                    halfRoundTrips.getValueAtPercentile(99) / 1e3);
        }
    }

    /** Measures all ways; one after the other in each round, because two threads that spin are all that a small machine has. */
    static List<Row> measure(int rounds, int messages) throws IOException, InterruptedException {
        List<Row> rows = List.of(row("plain UDP"), row("jrdma RoCE Send"), row("plain TCP"), row("jrdma iWARP Send"));
        for (int round = 0; round <= rounds; round++) {
            // the first one warms up
            boolean counts = round > 0;
            run(new UdpEcho(MESSAGE_BYTES), messages, rows.get(0), counts);
            run(new RdmaEcho("jrdma RoCE Send", Transport.ROCE_V2, MESSAGE_BYTES), messages, rows.get(1), counts);
            run(new TcpEcho(MESSAGE_BYTES), messages, rows.get(2), counts);
            run(new RdmaEcho("jrdma iWARP Send", Transport.IWARP, MESSAGE_BYTES), messages, rows.get(3), counts);
        }
        return rows;
    }

    private static Row row(String name) {
        return new Row(name, new Histogram(LONGEST_NS, DIGITS));
    }

    private static void run(Echo echo, int messages, Row row, boolean counts) {
        try (echo) {
            for (int i = 0; i < messages; i++) {
                long begin = System.nanoTime();
                echo.roundTrip();
                if (counts) {
                    row.halfRoundTrips().recordValue(Math.min((System.nanoTime() - begin) / 2, LONGEST_NS));
                }
            }
        }
    }
}
