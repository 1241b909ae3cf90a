package io.jrdma.testkit.sim;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MpaNegotiated;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.ConnectFailure;
import io.jrdma.verbs.spi.PassiveStreamEngine;
import io.jrdma.verbs.spi.StreamEngine;
import io.jrdma.verbs.spi.StreamHandle;
import io.jrdma.verbs.spi.StreamParameters;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The engine of one end of a simulated stream: calls it as a driver has to, each call a burst at the simulated time, and fails the run
 * when the engine breaks its contract in the call.
 */
final class CheckedEngine {
    private static final int MAX_TIMEOUTS = 1_000;
    private static final byte POISON = (byte) 0xA5;

    private final String name;
    private final SimDriver driver;
    private final Simulator simulator;
    private final StreamEngine engine;
    private long lastTimeoutNs;
    private int timeouts;

    CheckedEngine(String name, SimDriver driver, StreamEngine engine) {
        this.name = name;
        this.driver = driver;
        this.simulator = driver.simulator();
        this.engine = engine;
    }

    void onOpen(StreamHandle stream) {
        driver.burst(() -> engine.onOpen(stream, simulator.nowNs()));
    }

    void onOpenFailed(ConnectFailure failure) {
        driver.burst(() -> engine.onOpenFailed(failure, simulator.nowNs()));
    }

    /** Lends bytes to the engine, which spoils them afterwards; returns how many it consumed. */
    int onBytes(MemorySegment segment, int at, int length) {
        int[] consumed = new int[1];
        driver.burst(() -> consumed[0] = engine.onBytes(segment, at, length, simulator.nowNs()));
        if (consumed[0] < 0 || consumed[0] > length) {
            throw new AssertionError(name + " consumed " + consumed[0] + " of " + length + " bytes");
        }
        segment.asSlice(at, length).fill(POISON);
        return consumed[0];
    }

    void onEndOfStream() {
        driver.burst(() -> engine.onEndOfStream(simulator.nowNs()));
    }

    void onClosed() {
        driver.burst(() -> engine.onClosed(simulator.nowNs()));
    }

    /** Sends what the engine has now; returns bytes, 0 if it has nothing or the sink refused. */
    int pollTransmit(StreamLink out) {
        SimSink sink = driver.host().network().sink();
        int pollBytes = out.options().pollBytes();
        int[] said = new int[1];
        sink.begin(out);
        driver.burst(() -> said[0] = engine.pollTransmit(sink, pollBytes, simulator.nowNs()));
        byte[] bytes = sink.end();
        if (said[0] != bytes.length) {
            throw new AssertionError(name + " says that it sent " + said[0] + " bytes, but committed " + bytes.length);
        }
        if (bytes.length > (long) pollBytes + SimSink.MAX_CLAIM) {
            throw new AssertionError(name + " sent " + bytes.length + " bytes in one call for " + pollBytes);
        }
        if (bytes.length > 0) {
            simulator.trace().add(simulator.nowNs(), "send", name, out.committed(), bytes.length);
            out.send(bytes);
        }
        return bytes.length;
    }

    long nextDeadlineNs() {
        return engine.nextDeadlineNs();
    }

    void onTimeout() {
        long nowNs = simulator.nowNs();
        timeouts = nowNs == lastTimeoutNs ? timeouts + 1 : 1;
        lastTimeoutNs = nowNs;
        if (timeouts > MAX_TIMEOUTS) {
            throw new AssertionError(name + " wants to be called again and again at " + nowNs + " ns");
        }
        simulator.trace().add(nowNs, "timeout", name, 0, 0);
        driver.burst(() -> engine.onTimeout(nowNs));
    }

    void disconnect() {
        driver.burst(() -> engine.disconnect(simulator.nowNs()));
    }

    /** @throws VerbsException EINVAL if this is not the accepting side, or what the engine says */
    void accept(QueuePairCore queuePair, StreamParameters parameters) {
        driver.burst(() -> passive().accept(queuePair, parameters, simulator.nowNs()));
    }

    /** @throws VerbsException EINVAL if this is not the accepting side, or what the engine says */
    void reject(byte[] privateData) {
        driver.burst(() -> passive().reject(privateData.clone(), simulator.nowNs()));
    }

    private PassiveStreamEngine passive() {
        if (engine instanceof PassiveStreamEngine passive) {
            return passive;
        }
        throw new VerbsException(Errno.EINVAL, name + " is the connecting side; it has no request to answer");
    }

    @Nullable
    MpaNegotiated negotiated() {
        return engine.negotiated();
    }
}
