package io.jrdma.perf;

import io.jrdma.verbs.MpaOptions;
import java.util.Arrays;
import java.util.Locale;

/**
 * Streams the same bytes over several ways in turn, round by round, and prints what each reached beside the first, the yardstick. A ratio
 * is taken within a round, so that a machine that changes speed between rounds changes both.
 *
 * <p>Run it with {@code perf/side-by-side}; arguments: rounds, then MiB a measurement.
 */
public final class SideBySide {
    /** What is compiled first is compiled again when more is known of it; on two busy cores that takes some seconds. */
    private static final long WARM_UP_NS = 5_000_000_000L;

    private static final int[] MESSAGE_BYTES = {64 << 10, 1 << 20};

    /** Makes a way ready to move bytes. */
    private interface Opening {
        ByteStream open() throws InterruptedException;
    }

    private final int rounds;
    private final long bytes;
    private final long warmUpNs;

    SideBySide(int rounds, long bytes, long warmUpNs) {
        this.rounds = rounds;
        this.bytes = bytes;
        this.warmUpNs = warmUpNs;
    }

    /** The run. */
    public static void main(String[] arguments) throws InterruptedException {
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 7;
        long mebibytes = arguments.length > 1 ? Long.parseLong(arguments[1]) : 1024;
        SideBySide run = new SideBySide(rounds, mebibytes << 20, WARM_UP_NS);
        for (int size : MESSAGE_BYTES) {
            System.out.println(run.iwarp(size));
        }
        if (LibcSockets.isAvailable()) {
            for (int size : MESSAGE_BYTES) {
                System.out.println(run.roce(size));
            }
        }
        System.out.println(Libfabric.pingpong());
    }

    /**
     * What a run of one message size reached.
     *
     * @param messageBytes bytes of a message
     * @param names of the ways, the yardstick first
     * @param gigabytesPerSecond median of each way
     * @param ratios to the yardstick, median of the rounds
     * @param bestRatios to the yardstick, best round
     */
    @SuppressWarnings("ArrayRecordComponent") // handed from the run to the printer
    record Result(int messageBytes, String[] names, double[] gigabytesPerSecond, double[] ratios, double[] bestRatios) {
        @Override
        public String toString() {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < names.length; i++) {
                text.append(String.format(
                        Locale.ROOT,
                        "%8d B  %-26s %6.2f GB/s  ratio %.2f (best round %.2f)%n",
                        messageBytes,
                        names[i],
                        gigabytesPerSecond[i],
                        ratios[i],
                        bestRatios[i]));
            }
            return text.toString().stripTrailing();
        }
    }

    /** RDMA Writes of that size over iWARP beside plain TCP. */
    Result iwarp(int messageBytes) throws InterruptedException {
        return measure(
                messageBytes,
                NettyTcpStream::new,
                () -> RdmaWriteStream.iwarp(MpaOptions.RECOMMENDED, "jrdma iWARP Write"),
                () -> RdmaWriteStream.iwarp(MpaOptions.builder().crc(false).build(), "jrdma iWARP Write, no CRC"));
    }

    /** RDMA Writes of that size over RoCE beside plain UDP; Linux. */
    Result roce(int messageBytes) throws InterruptedException {
        return measure(messageBytes, PlainUdpStream::new, () -> RdmaWriteStream.roce("jrdma RoCE Write, MTU 4096"));
    }

    private Result measure(int messageBytes, Opening... openings) throws InterruptedException {
        ByteStream[] ways = new ByteStream[openings.length];
        try {
            for (int i = 0; i < ways.length; i++) {
                ways[i] = openings[i].open();
            }
            return measure(messageBytes, ways);
        } finally {
            for (ByteStream way : ways) {
                if (way != null) {
                    way.close();
                }
            }
        }
    }

    private Result measure(int messageBytes, ByteStream[] ways) throws InterruptedException {
        double[][] speeds = new double[ways.length][rounds];
        double[][] ratios = new double[ways.length][rounds];
        for (ByteStream way : ways) {
            long begin = System.nanoTime();
            do {
                way.move(messageBytes, bytes);
            } while (System.nanoTime() - begin < warmUpNs);
        }
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < ways.length; i++) {
                long begin = System.nanoTime();
                ways[i].move(messageBytes, bytes);
                speeds[i][round] = (double) bytes / (System.nanoTime() - begin);
                ratios[i][round] = speeds[i][round] / speeds[0][round];
            }
        }
        return new Result(
                messageBytes,
                Arrays.stream(ways).map(ByteStream::name).toArray(String[]::new),
                Arrays.stream(speeds).mapToDouble(SideBySide::median).toArray(),
                Arrays.stream(ratios).mapToDouble(SideBySide::median).toArray(),
                Arrays.stream(ratios)
                        .mapToDouble(ratio -> Arrays.stream(ratio).max().orElse(0))
                        .toArray());
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
