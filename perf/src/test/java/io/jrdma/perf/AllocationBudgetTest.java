package io.jrdma.perf;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** An operation allocates nothing in the steady state, neither on the loops nor where it is posted. */
final class AllocationBudgetTest {
    /** Below the smallest Java object; what is left is JMH's own, shared out over the Writes. */
    private static final double BYTES_PER_WRITE = 8;

    /** What an operation allocates shows in every iteration, what the JVM does now and then does not: so the lowest one counts. */
    @Test
    void anRdmaWriteOverIwarpAllocatesNothing() throws RunnerException {
        assertThat(bytesPerWrite(new OptionsBuilder()
                        .include(IwarpWriteBenchmark.class.getName())
                        .param("crc", "true")))
                .as("bytes allocated for each Write")
                .isLessThan(BYTES_PER_WRITE);
    }

    @Test
    void anRdmaWriteOverRoceAllocatesNothing() throws RunnerException {
        assertThat(bytesPerWrite(new OptionsBuilder().include(RoceWriteBenchmark.class.getName())))
                .as("bytes allocated for each Write")
                .isLessThan(BYTES_PER_WRITE);
    }

    private static double bytesPerWrite(ChainedOptionsBuilder benchmark) throws RunnerException {
        var options = benchmark
                .param("messageBytes", "65536")
                .addProfiler(GCProfiler.class)
                .warmupIterations(4)
                .warmupTime(TimeValue.seconds(1))
                .measurementIterations(6)
                .measurementTime(TimeValue.seconds(1))
                .shouldFailOnError(true)
                .build();

        return new Runner(options)
                .run().stream()
                        .flatMap(run -> run.getBenchmarkResults().stream())
                        .flatMap(fork -> fork.getIterationResults().stream())
                        .mapToDouble(iteration -> iteration
                                .getSecondaryResults()
                                .get("gc.alloc.rate.norm")
                                .getScore())
                        .min()
                        .orElseThrow();
    }
}
