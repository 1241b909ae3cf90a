package io.jrdma.cm;

import io.jrdma.verbs.Access;
import io.jrdma.verbs.CompletionChannel;
import io.jrdma.verbs.CompletionQueue;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.ProtectionDomain;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.QueuePair;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.VerbsException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/** The queue pair of an id, and the completion queues that were made for it. */
record IdQueuePair(QueuePair queuePair, List<CompletionQueue> made) {
    /** What a peer may do at most, as Linux's connection manager sets it; the regions decide on each byte. */
    private static final EnumSet<Access> PEER_RIGHTS =
            EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ, Access.REMOTE_ATOMIC);

    /** A queue pair of the application's. */
    static IdQueuePair of(QueuePair queuePair) {
        return new IdQueuePair(queuePair, List.of());
    }

    /** A new queue pair in INIT; missing completion queues are made, each with a channel of its own. */
    static IdQueuePair create(ProtectionDomain domain, QueuePairOptions options) {
        List<CompletionQueue> made = new ArrayList<>();
        QueuePair queuePair = null;
        try {
            CompletionQueue sends = options.sendQueue();
            if (sends == null) {
                sends = make(domain, options.maxSendWr(), made);
            }
            CompletionQueue receives = options.receiveQueue();
            if (receives == null) {
                receives = make(domain, options.maxRecvWr(), made);
            }
            queuePair = domain.createQueuePair(options.withQueues(sends, receives));
            queuePair.modify(QpAttributes.builder()
                    .state(QpState.INIT)
                    .pKeyIndex(0)
                    .port(1)
                    .access(PEER_RIGHTS)
                    .build());
            return new IdQueuePair(queuePair, made);
        } catch (RuntimeException | Error refused) {
            if (queuePair != null) {
                queuePair.close();
            }
            made.forEach(IdQueuePair::close);
            throw refused;
        }
    }

    private static CompletionQueue make(ProtectionDomain domain, int depth, List<CompletionQueue> made) {
        CompletionChannel channel = domain.device().createCompletionChannel();
        CompletionQueue queue = domain.device().createCompletionQueue(Math.max(1, depth), channel);
        made.add(queue);
        return queue;
    }

    /** Closes the queue pair and the completion queues that were made for it, unless another queue pair uses them. */
    void close() {
        queuePair.close();
        made.forEach(IdQueuePair::close);
    }

    private static void close(CompletionQueue queue) {
        try {
            queue.close();
        } catch (VerbsException inUse) {
            if (inUse.errno() != Errno.EBUSY) {
                throw inUse;
            }
            return;
        }
        CompletionChannel channel = queue.channel();
        if (channel != null) {
            channel.close();
        }
    }
}
