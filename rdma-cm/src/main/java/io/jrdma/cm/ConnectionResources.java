package io.jrdma.cm;

import io.jrdma.verbs.CompletionChannel;
import io.jrdma.verbs.CompletionQueue;
import io.jrdma.verbs.ProtectionDomain;
import io.jrdma.verbs.QueuePair;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.RdmaDevice;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/** The verbs objects of one connection of the short way: made together, closed together. */
final class ConnectionResources implements AutoCloseable {
    private final Arena arena = Arena.ofShared();
    private final ProtectionDomain domain;
    private @Nullable CompletionChannel notifications;
    private @Nullable CompletionQueue completions;

    ConnectionResources(RdmaDevice device) {
        domain = device.allocateProtectionDomain();
    }

    /** Memory that lives as long as the connection. */
    Arena arena() {
        return arena;
    }

    ProtectionDomain domain() {
        return domain;
    }

    /** The queue for both directions, armed through a channel whose events run the task on the loop. */
    CompletionQueue completions(RdmaConnectionOptions options, Runnable onCompletion) {
        CompletionChannel channel = domain.device().createCompletionChannel();
        notifications = channel;
        CompletionQueue queue = domain.device().createCompletionQueue(capacity(options), channel);
        completions = queue;
        channel.onEvent(armed -> onCompletion.run());
        queue.arm(false);
        return queue;
    }

    /** Room for a completion of each request; more than there is, not less than nothing, if the options overflow an int. */
    private static int capacity(RdmaConnectionOptions options) {
        return (int) Math.min(Integer.MAX_VALUE, (long) options.sendDepth() + options.receiveBuffers());
    }

    QueuePair queuePair(RdmaCmId id, CompletionQueue queue, RdmaConnectionOptions options) {
        return id.createQueuePair(
                domain,
                QueuePairOptions.rc(queue)
                        .withDepths(options.sendDepth(), options.receiveBuffers())
                        .withSges(1, 1)
                        .withInlineData(
                                Math.min(128, domain.device().attributes().maxInlineData()))
                        .withSignalAll(true));
    }

    /** Destroys the queue pair, deregisters all memory, frees that of the arena. */
    @Override
    public void close() {
        domain.close();
        CompletionChannel channel = notifications;
        if (channel != null) {
            channel.onEvent(null);
        }
        if (completions != null) {
            completions.close();
        }
        if (channel != null) {
            channel.close();
        }
        arena.close();
    }
}
