package io.jrdma.tools.ucmatose;

import io.jrdma.cm.RdmaCmId;
import io.jrdma.tools.Completions;
import io.jrdma.verbs.Access;
import io.jrdma.verbs.MemoryRegion;
import io.jrdma.verbs.ProtectionDomain;
import io.jrdma.verbs.QueuePair;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WcOpcode;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One connection of ucmatose: all messages go from and into the same buffer, whose content has no meaning. One thread. */
final class UcmatoseNode implements AutoCloseable {
    private final RdmaCmId id;
    private final int count;
    private final Arena arena = Arena.ofShared();
    private final ProtectionDomain domain;
    private final Completions sends;
    private final Completions receives;
    private final QueuePair queuePair;
    private final @Nullable MemoryRegion buffer;

    /** Makes everything for an id whose device is known, and posts a receive for each message. */
    UcmatoseNode(RdmaCmId id, int count, int size, Duration patience) {
        this.id = id;
        this.count = count;
        RdmaDevice device = Objects.requireNonNull(id.device());
        int depth = Math.max(count, 1);
        domain = device.allocateProtectionDomain();
        sends = new Completions(device, depth, patience);
        receives = new Completions(device, depth, patience);
        queuePair = id.createQueuePair(
                domain,
                QueuePairOptions.rc(sends.queue(), receives.queue())
                        .withDepths(depth, depth)
                        .withSges(1, 1)
                        .withInlineData(0)
                        .withSignalAll(true));
        buffer = count == 0 ? null : domain.register(arena, size, EnumSet.of(Access.LOCAL_WRITE));
        if (buffer != null) {
            RecvWr receive = new RecvWr().addSge(buffer, 0, size);
            for (int i = 0; i < count; i++) {
                queuePair.postReceive(receive);
            }
        }
    }

    RdmaCmId id() {
        return id;
    }

    void postSends() {
        if (buffer != null) {
            SendWr send = new SendWr().addSge(buffer, 0, buffer.length());
            for (int i = 0; i < count; i++) {
                queuePair.postSend(send);
            }
        }
    }

    void awaitSends() throws InterruptedException {
        for (int i = 0; i < count; i++) {
            sends.await(WcOpcode.SEND, WcOpcode.SEND);
        }
    }

    void awaitReceives() throws InterruptedException {
        for (int i = 0; i < count; i++) {
            receives.await(WcOpcode.RECV, WcOpcode.RECV);
        }
    }

    @Override
    public void close() {
        domain.close();
        sends.close();
        receives.close();
        id.close();
        arena.close();
    }
}
