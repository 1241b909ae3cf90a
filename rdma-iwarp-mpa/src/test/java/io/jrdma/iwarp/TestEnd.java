package io.jrdma.iwarp;

import io.jrdma.verbs.spi.Engine;
import io.jrdma.verbs.spi.StreamEngine;
import io.jrdma.verbs.spi.StreamHandle;
import java.lang.foreign.MemorySegment;

/** One end of a stream: does what a driver does for its engine, and checks what an engine promises. */
final class TestEnd implements StreamHandle {
    final StreamEngine engine;
    final TestNode node;
    final TestPipe out = new TestPipe();
    boolean closing;
    boolean finSent;
    boolean resetCalled;
    boolean closed;
    long carried;
    private boolean transmitRequested;

    TestEnd(StreamEngine engine, TestNode node) {
        this.engine = engine;
        this.node = node;
    }

    @Override
    public void requestTransmit() {
        transmitRequested = true;
    }

    @Override
    public void close() {
        closing = true;
    }

    @Override
    public void reset() {
        resetCalled = true;
    }

    long now() {
        return node.driver.nowNs();
    }

    /** Polls until there is nothing more; whether anything came. */
    boolean poll() {
        transmitRequested = false;
        if (closed) {
            return false;
        }
        boolean any = false;
        while (true) {
            long before = out.waiting();
            int bytes = engine.pollTransmit(out, 64 * 1024, now());
            if (out.waiting() - before != bytes) {
                throw new AssertionError("said " + bytes + ", wrote " + (out.waiting() - before));
            }
            if (bytes == 0) {
                break;
            }
            if (closing && finSent) {
                throw new AssertionError("sent behind its close");
            }
            any = true;
        }
        if (engine.pollTransmit(out, 64 * 1024, now()) != 0) {
            throw new AssertionError("more to send without a new input");
        }
        engine.nextDeadlineNs();
        return any;
    }

    void receive(MemorySegment segment, long offset, int length) {
        if (closing || closed || resetCalled) {
            return;
        }
        int taken = engine.onBytes(segment, offset, length, now());
        if (taken != length && !closing && !resetCalled) {
            throw new AssertionError("took " + taken + " of " + length);
        }
    }

    void endOfStream() {
        if (!closing && !closed && !resetCalled) {
            engine.onEndOfStream(now());
        }
    }

    void gone() {
        if (!closed) {
            closed = true;
            engine.onClosed(now());
        }
    }

    boolean wantsToTransmit() {
        return transmitRequested && !closed;
    }

    long deadline() {
        return closed ? Engine.NO_DEADLINE : engine.nextDeadlineNs();
    }
}
