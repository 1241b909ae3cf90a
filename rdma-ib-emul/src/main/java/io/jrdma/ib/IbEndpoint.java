package io.jrdma.ib;

import io.jrdma.verbs.spi.Engine;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** One addressee of a device: a queue pair of the application's, or the management queue pair. Its links in the device's queues are its own. */
abstract class IbEndpoint {
    /** The bits of a traffic class that switches set. */
    private static final int ECN = 3;

    final int qpNum;

    /** Before this one in the {@link ReadyQueue}. */
    @Nullable
    IbEndpoint previousReady;

    /** Behind this one in the {@link ReadyQueue}. */
    @Nullable
    IbEndpoint nextReady;

    /** Whether it stands in the {@link ReadyQueue}. */
    boolean isReady;

    /** Its place in the {@link DeadlineHeap}, or -1. */
    int heapIndex = -1;

    /** When it wants {@link #onTimeout}; while it stands in the {@link DeadlineHeap}, changed by the heap alone. */
    long deadlineNs = Engine.NO_DEADLINE;

    IbEndpoint(int qpNum) {
        this.qpNum = qpNum;
    }

    /**
     * A packet whose form is good arrived for this number.
     *
     * @param sourceId where it came from
     * @param length bytes, ICRC included
     * @param opcode of the BTH
     * @param trafficClass of the IP header
     */
    abstract void onPacket(
            int sourceId, MemorySegment segment, long at, int length, int opcode, int trafficClass, long nowNs);

    /** Whether a switch on the way marked a packet that came with that traffic class (RFC 3168: congestion experienced). */
    static boolean isCongested(int trafficClass) {
        return (trafficClass & ECN) == ECN;
    }

    /** The deadline has come. */
    abstract void onTimeout(long nowNs);

    /**
     * Sends what it may send now, until the writer's limit is reached.
     *
     * @return whether there may be more to send now; never true if nothing was sent and nothing stood in the way
     */
    abstract boolean transmit(TrainWriter writer, long nowNs);

    /** When to call {@link #onTimeout}, or {@link Engine#NO_DEADLINE}. */
    abstract long nextDeadlineNs();

    /** The connection stands; see {@link io.jrdma.verbs.spi.ManagementPort#watch}. */
    void watch(long nowNs) {}

    /** The port is gone. */
    abstract void onClosed(long nowNs);
}
