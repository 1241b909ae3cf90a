package io.jrdma.perf;

import io.jrdma.verbs.Transport;
import java.io.IOException;
import java.util.ArrayList;
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
                    "%4d B  %-33s p50 %6.1f us  p99 %6.1f us",
                    MESSAGE_BYTES,
                    name,
                    halfRoundTrips.getValueAtPercentile(50) / 1e3,
                    halfRoundTrips.getValueAtPercentile(99) / 1e3);
        }
    }

    /** Makes a way ready. */
    private interface Opening {
        Echo open() throws IOException, InterruptedException;
    }

    /** Measures all ways; one after the other in each round, because two threads that spin are all that a small machine has. */
    static List<Row> measure(int rounds, int messages) throws IOException, InterruptedException {
        List<Opening> ways = List.of(
                () -> new UdpEcho(MESSAGE_BYTES),
                () -> rdma("jrdma RoCE Send", Transport.ROCE_V2, false),
                () -> rdma("jrdma RoCE Send, with next poll", Transport.ROCE_V2, true),
                () -> new TcpEcho(MESSAGE_BYTES),
                () -> rdma("jrdma iWARP Send", Transport.IWARP, false),
                () -> rdma("jrdma iWARP Send, with next poll", Transport.IWARP, true));
        List<Row> rows = new ArrayList<>();
        for (int round = 0; round <= rounds; round++) {
            for (int i = 0; i < ways.size(); i++) {
                try (Echo echo = ways.get(i).open()) {
                    if (round == 0) {
                        rows.add(row(echo.name()));
                    }
                    // the first one warms up
                    run(echo, messages, rows.get(i), round > 0);
                }
            }
        }
        return rows;
    }

    private static Echo rdma(String name, Transport transport, boolean sendWithNextPoll) throws InterruptedException {
        return new RdmaEcho(name, transport, MESSAGE_BYTES, sendWithNextPoll);
    }

    private static Row row(String name) {
        return new Row(name, new Histogram(LONGEST_NS, DIGITS));
    }

    private static void run(Echo echo, int messages, Row row, boolean counts) {
        for (int i = 0; i < messages; i++) {
            long begin = System.nanoTime();
            echo.roundTrip();
            if (counts) {
                row.halfRoundTrips().recordValue(Math.min((System.nanoTime() - begin) / 2, LONGEST_NS));
            }
        }
    }
}
