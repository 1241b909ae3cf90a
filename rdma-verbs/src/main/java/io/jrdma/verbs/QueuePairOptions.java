package io.jrdma.verbs;

import org.jspecify.annotations.Nullable;

/**
 * What a queue pair is created with ({@code ibv_qp_init_attr}). Immutable; the {@code with...} methods give changed copies.
 *
 * @param type service type
 * @param sendQueue where completions of sends go; null only in options that {@code RdmaCmId} or {@code RdmaConnection} completes
 * @param receiveQueue where completions of receives go; may be the same queue
 * @param maxSendWr send work requests outstanding at once, 0 or more; default 128
 * @param maxRecvWr receives posted at once, 0 or more; default 128
 * @param maxSendSge scatter/gather elements of a send, 0 or more; default 4
 * @param maxRecvSge scatter/gather elements of a receive, 0 or more; default 4
 * @param maxInlineData bytes of inline payload, 0 or more; default 128
 * @param signalAll every send makes a completion, whatever its flags say ({@code sq_sig_all}); default false
 * @param completion a stronger rule for the completion of sends than the transport's own, or null for the transport's own; iWARP can be
 *     asked for {@link CompletionSemantics#REMOTE_ACKNOWLEDGED} and then adds a zero-byte Read behind the Writes and Sends
 */
public record QueuePairOptions(
        QpType type,
        @Nullable CompletionQueue sendQueue,
        @Nullable CompletionQueue receiveQueue,
        int maxSendWr,
        int maxRecvWr,
        int maxSendSge,
        int maxRecvSge,
        int maxInlineData,
        boolean signalAll,
        @Nullable CompletionSemantics completion) {
    public QueuePairOptions {
        require("maxSendWr", maxSendWr);
        require("maxRecvWr", maxRecvWr);
        require("maxSendSge", maxSendSge);
        require("maxRecvSge", maxRecvSge);
        require("maxInlineData", maxInlineData);
    }

    /** A reliable connected queue pair with the default sizes, for {@code RdmaCmId}, which makes the completion queues. */
    public static QueuePairOptions rc() {
        return rc(null, null);
    }

    /** A reliable connected queue pair, completions of both directions in one queue, the default sizes. */
    public static QueuePairOptions rc(CompletionQueue queue) {
        return rc(queue, queue);
    }

    /** A reliable connected queue pair with the default sizes; null queues as for {@link QueuePairOptions}. */
    public static QueuePairOptions rc(@Nullable CompletionQueue sendQueue, @Nullable CompletionQueue receiveQueue) {
        return new QueuePairOptions(QpType.RC, sendQueue, receiveQueue, 128, 128, 4, 4, 128, false, null);
    }

    /** An unreliable datagram queue pair, completions of both directions in one queue, the default sizes. */
    public static QueuePairOptions ud(@Nullable CompletionQueue queue) {
        return new QueuePairOptions(QpType.UD, queue, queue, 128, 128, 4, 4, 128, false, null);
    }

    /** The same with those completion queues. */
    public QueuePairOptions withQueues(
            @Nullable CompletionQueue newSendQueue, @Nullable CompletionQueue newReceiveQueue) {
        return new QueuePairOptions(
                type,
                newSendQueue,
                newReceiveQueue,
                maxSendWr,
                maxRecvWr,
                maxSendSge,
                maxRecvSge,
                maxInlineData,
                signalAll,
                completion);
    }

    /** The same with other queue depths. */
    public QueuePairOptions withDepths(int newMaxSendWr, int newMaxRecvWr) {
        return new QueuePairOptions(
                type,
                sendQueue,
                receiveQueue,
                newMaxSendWr,
                newMaxRecvWr,
                maxSendSge,
                maxRecvSge,
                maxInlineData,
                signalAll,
                completion);
    }

    /** The same with other lengths of scatter/gather lists. */
    public QueuePairOptions withSges(int newMaxSendSge, int newMaxRecvSge) {
        return new QueuePairOptions(
                type,
                sendQueue,
                receiveQueue,
                maxSendWr,
                maxRecvWr,
                newMaxSendSge,
                newMaxRecvSge,
                maxInlineData,
                signalAll,
                completion);
    }

    /** The same with room for so many inline bytes. */
    public QueuePairOptions withInlineData(int newMaxInlineData) {
        return new QueuePairOptions(
                type,
                sendQueue,
                receiveQueue,
                maxSendWr,
                maxRecvWr,
                maxSendSge,
                maxRecvSge,
                newMaxInlineData,
                signalAll,
                completion);
    }

    /** The same with or without a completion for every send. */
    public QueuePairOptions withSignalAll(boolean newSignalAll) {
        return new QueuePairOptions(
                type,
                sendQueue,
                receiveQueue,
                maxSendWr,
                maxRecvWr,
                maxSendSge,
                maxRecvSge,
                maxInlineData,
                newSignalAll,
                completion);
    }

    /** The same with that rule for the completion of sends. */
    public QueuePairOptions withCompletion(@Nullable CompletionSemantics newCompletion) {
        return new QueuePairOptions(
                type,
                sendQueue,
                receiveQueue,
                maxSendWr,
                maxRecvWr,
                maxSendSge,
                maxRecvSge,
                maxInlineData,
                signalAll,
                newCompletion);
    }

    private static void require(String name, int value) {
        if (value < 0) {
            throw new VerbsException(Errno.EINVAL, name + " is " + value + "; it must be 0 or more");
        }
    }
}
