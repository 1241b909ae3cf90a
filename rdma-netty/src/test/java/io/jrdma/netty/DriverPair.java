package io.jrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.DeviceOptions.Progress;
import io.jrdma.verbs.spi.DeviceDriver;
import io.netty.buffer.ByteBufUtil;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Two drivers that make progress in one of the ways in which programs have it, and waiting for what happens between them. */
final class DriverPair implements AutoCloseable {
    static final long PATIENCE_NS = 20_000_000_000L;
    private static final List<String> LEAKS = new CopyOnWriteArrayList<>();

    static {
        ByteBufUtil.setLeakListener((type, records) -> LEAKS.add(type + records));
    }

    /** Who makes progress. */
    enum Driving {
        AUTOMATIC,
        /** Both drivers on the thread of the test. */
        MANUAL,
        /** The right driver on a thread of its own that polls. */
        MANUAL_TWO_THREADS;

        Progress progress() {
            return this == AUTOMATIC ? Progress.AUTOMATIC : Progress.MANUAL;
        }
    }

    private final Driving driving;
    private final DeviceDriver left;
    private final DeviceDriver right;
    private final Thread poller = new Thread(this::pollRight, "polls the right driver");
    private volatile boolean done;

    DriverPair(Driving driving, DeviceDriver left, DeviceDriver right) {
        this.driving = driving;
        this.left = left;
        this.right = right;
        if (driving == Driving.MANUAL_TWO_THREADS) {
            poller.start();
        }
    }

    private void pollRight() {
        while (!done) {
            right.progress(1_000_000);
        }
    }

    /** Waits for it, making progress, but not longer than that. */
    boolean within(long timeoutNs, BooleanSupplier condition) {
        long end = System.nanoTime() + timeoutNs;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
            switch (driving) {
                case AUTOMATIC -> LockSupport.parkNanos(100_000);
                case MANUAL -> {
                    if (!left.progress(0) && !right.progress(0)) {
                        right.progress(100_000);
                    }
                }
                case MANUAL_TWO_THREADS -> left.progress(100_000);
            }
        }
        return true;
    }

    /** Closes both; no buffer may have been lost. */
    @Override
    public void close() throws InterruptedException {
        left.close();
        right.close();
        done = true;
        poller.join(10_000);
        assertThat(poller.isAlive()).isFalse();
        assertThat(LEAKS).isEmpty();
    }
}
