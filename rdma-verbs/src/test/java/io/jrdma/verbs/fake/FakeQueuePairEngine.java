package io.jrdma.verbs.fake;

import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.QueuePairEngine;
import org.jspecify.annotations.Nullable;

/** Records what the core asks for; does nothing unless told to. */
public final class FakeQueuePairEngine implements QueuePairEngine {
    public final QueuePairCore core;
    public int doorbells;
    public int destroys;
    public @Nullable QpAttributes modified;
    /** Run in {@link #onDoorbell}; null for nothing. */
    public @Nullable Runnable onDoorbell;
    /** Run in {@link #onModify}; may throw; null for nothing. */
    public @Nullable Runnable onModify;

    FakeQueuePairEngine(QueuePairCore core) {
        this.core = core;
    }

    @Override
    public void onDoorbell(long nowNs) {
        doorbells++;
        if (onDoorbell != null) {
            onDoorbell.run();
        }
    }

    @Override
    public void onModify(QpState from, QpState to, QpAttributes attributes, long nowNs) {
        if (onModify != null) {
            onModify.run();
        }
        modified = attributes;
    }

    @Override
    public void onDestroy(long nowNs) {
        destroys++;
    }
}
