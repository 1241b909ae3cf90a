package io.jrdma.perf;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Streamed RDMA Writes over RoCE on the loopback interface: Writes a second, and with the gc profiler bytes allocated for each. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(value = 1, jvmArgs = "--enable-native-access=ALL-UNNAMED")
public class RoceWriteBenchmark {
    private static final int WRITES = 512;

    /** Bytes of a Write. */
    @Param({"64", "65536", "1048576"})
    public int messageBytes;

    private @Nullable ByteStream stream;

    /** Connects. */
    @Setup
    public void connect() throws InterruptedException {
        stream = RdmaWriteStream.roce("RoCE");
    }

    /** One operation is one Write. */
    @Benchmark
    @OperationsPerInvocation(WRITES)
    public void write() throws InterruptedException {
        if (stream != null) {
            stream.move(messageBytes, (long) WRITES * messageBytes);
        }
    }

    /** Disconnects. */
    @TearDown
    public void close() {
        if (stream != null) {
            stream.close();
        }
    }
}
