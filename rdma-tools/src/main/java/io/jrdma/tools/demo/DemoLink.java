package io.jrdma.tools.demo;

import io.jrdma.cm.RdmaCmEvent;
import io.jrdma.cm.RdmaCmId;
import io.jrdma.cm.RdmaEventChannel;
import io.jrdma.tools.Completions;
import io.jrdma.tools.ToolException;
import io.jrdma.verbs.Access;
import io.jrdma.verbs.MemoryRegion;
import io.jrdma.verbs.ProtectionDomain;
import io.jrdma.verbs.QueuePair;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/** One side of a connection of the demo: an id with its queue pair, its completions and one registered region. One thread. */
final class DemoLink implements AutoCloseable {
    /** How long anything may take. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    /** Bytes of the region. */
    static final int REGION = 1 << 20;

    /** What a peer may do in a region that stays. */
    private static final Set<Access> ALL = EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE);

    /** The same, and the peer may take the region's key away. */
    private static final Set<Access> ALL_AND_INVALIDATE =
            EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE, Access.REMOTE_INVALIDATE);

    private static final int DEPTH = 64;

    private final RdmaEventChannel channel;
    private final RdmaCmId id;
    private final Arena arena = Arena.ofShared();
    private final ProtectionDomain domain;
    private final Completions completions;
    private final QueuePair queuePair;
    private final MemoryRegion region;

    /** For an id that knows its device and is not connected yet. */
    DemoLink(RdmaEventChannel channel, RdmaCmId id) {
        this.channel = channel;
        this.id = id;
        RdmaDevice device = Objects.requireNonNull(id.device());
        domain = device.allocateProtectionDomain();
        completions = new Completions(device, 2 * DEPTH, PATIENCE);
        queuePair = id.createQueuePair(
                domain, QueuePairOptions.rc(completions.queue()).withDepths(DEPTH, DEPTH));
        region = register(REGION);
    }

    RdmaCmId id() {
        return id;
    }

    QueuePair queuePair() {
        return queuePair;
    }

    Completions completions() {
        return completions;
    }

    MemoryRegion region() {
        return region;
    }

    /** One more region. */
    MemoryRegion register(int bytes) {
        return domain.register(arena, bytes, ALL);
    }

    /** A region that the peer may invalidate. */
    MemoryRegion registerForInvalidation(int bytes) {
        return domain.register(arena, bytes, ALL_AND_INVALIDATE);
    }

    /** Posts a receive into the first bytes of the region, in so many pieces. */
    void postReceive(int bytes, int pieces) {
        RecvWr receive = new RecvWr();
        for (int i = 0; i < pieces; i++) {
            int from = (int) ((long) bytes * i / pieces);
            int to = (int) ((long) bytes * (i + 1) / pieces);
            receive.addSge(region, from, to - from);
        }
        queuePair.postReceive(receive);
    }

    /** Takes the channel's next event, which has to be of that kind. */
    <E extends RdmaCmEvent> E await(Class<E> wanted) throws InterruptedException {
        return await(channel, wanted);
    }

    /** Takes the channel's next event, which has to be of that kind. */
    static <E extends RdmaCmEvent> E await(RdmaEventChannel channel, Class<E> wanted) throws InterruptedException {
        RdmaCmEvent event = channel.poll(PATIENCE);
        if (event == null) {
            throw ToolException.failed(
                    "no event in " + PATIENCE.toSeconds() + " s; " + wanted.getSimpleName() + " was due");
        }
        if (!wanted.isInstance(event)) {
            throw ToolException.failed(event + " came; " + wanted.getSimpleName() + " was due");
        }
        return wanted.cast(event);
    }

    /** Waits until the connection is over, and checks that every receive that was left has been flushed. */
    void awaitEnd(int receivesLeft) throws InterruptedException {
        await(RdmaCmEvent.Disconnected.class);
        for (int i = 0; i < receivesLeft; i++) {
            WorkCompletion completion = completions.next();
            if (completion.status() != WcStatus.WR_FLUSH_ERR) {
                throw ToolException.failed("a receive that was left ended with " + completion);
            }
        }
    }

    @Override
    public void close() {
        domain.close();
        completions.close();
        id.close();
        arena.close();
    }
}
