package io.jrdma.verbs.spi;

import io.jrdma.verbs.AsyncEvent;
import io.jrdma.verbs.DeviceAttributes;
import io.jrdma.verbs.memory.MemoryTable;

/** What a device lends to its transport's engine. */
public interface DeviceContext {
    /** The device's limits. */
    DeviceAttributes attributes();

    /** The registered memory of the device. */
    MemoryTable memory();

    /** The one seed from which the engine derives every number that has to look random. */
    long seed();

    /** {@link io.jrdma.verbs.DeviceOptions#peerTimeout} in nanoseconds; 0 for never. */
    default long peerTimeoutNs() {
        return 0;
    }

    /** Reports something rare; any thread. */
    void onAsyncEvent(AsyncEvent event);
}
