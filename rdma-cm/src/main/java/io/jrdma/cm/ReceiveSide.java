package io.jrdma.cm;

import io.jrdma.verbs.Access;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MemoryRegion;
import io.jrdma.verbs.PostException;
import io.jrdma.verbs.ProtectionDomain;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.QueuePair;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The receiving half of a {@link RdmaConnection}: keeps receives posted, copies what arrives, and hands it out in order. A buffer is posted
 * again as soon as its message is copied, unless too many messages wait for the application.
 */
final class ReceiveSide {
    /** Set in the ids of receives, clear in those of sends. */
    static final long ID_BIT = 1L << 62;

    private final QueuePair queuePair;
    private final MemoryRegion buffers;
    private final int bytesEach;
    private final int queuedMax;
    private final String where;
    private final RecvWr request = new RecvWr();
    private final Mailbox<byte[]> messages = new Mailbox<>();
    private final ArrayDeque<Integer> held = new ArrayDeque<>();
    private @Nullable WorkCompletionException failure;

    ReceiveSide(
            QueuePair queuePair, ProtectionDomain domain, Arena arena, RdmaConnectionOptions options, String where) {
        this.queuePair = queuePair;
        this.bytesEach = options.messageBytes();
        this.queuedMax = options.queuedMessages();
        this.where = where;
        this.buffers =
                domain.register(arena, (long) bytesEach * options.receiveBuffers(), EnumSet.of(Access.LOCAL_WRITE));
        for (int i = 0; i < options.receiveBuffers(); i++) {
            post(i);
        }
    }

    /** What has arrived; {@link #taken} is to be called when something was taken out. */
    Mailbox<byte[]> messages() {
        return messages;
    }

    /** The next message, when there is one. */
    CompletableFuture<byte[]> next() {
        CompletableFuture<byte[]> future = messages.next();
        taken();
        return future;
    }

    /** Posts buffers again that were held back, as far as the application has made room. */
    synchronized void taken() {
        int room = queuedMax - messages.size();
        for (; room > 0 && !held.isEmpty(); room--) {
            post(held.remove());
        }
    }

    /** A receive has completed: its buffer is free again at once, those who wait for the message learn of it in {@link #deliver}. */
    void complete(WorkCompletion completion) {
        if (!completion.isSuccess()) {
            fail(completion.status(), completion.vendorError());
            return;
        }
        int buffer = (int) completion.id();
        byte[] message = new byte[(int) completion.byteLength()];
        MemorySegment.copy(
                buffers.segment(), ValueLayout.JAVA_BYTE, (long) buffer * bytesEach, message, 0, message.length);
        synchronized (this) {
            held.add(buffer);
        }
        messages.put(message);
        taken();
    }

    /** Hands out what has arrived; whatever depends on it runs now. */
    void deliver() {
        messages.settle();
        WorkCompletionException reason;
        synchronized (this) {
            reason = failure;
        }
        if (reason != null) {
            messages.end(reason);
        }
        taken();
    }

    /** Nothing more arrives; messages that wait can still be taken. Only the first reason counts. */
    void end(WcStatus status, int vendorError) {
        fail(status, vendorError);
        deliver();
    }

    private synchronized void fail(WcStatus status, int vendorError) {
        if (failure == null) {
            failure = new WorkCompletionException(
                    status, WcOpcode.RECV, vendorError, where, queuePair.core().endReason());
        }
    }

    private synchronized void post(int buffer) {
        if (failure == null && queuePair.state() != QpState.ERROR) {
            request.reset().id(ID_BIT | buffer).addSge(buffers, (long) buffer * bytesEach, bytesEach);
            try {
                queuePair.postReceive(request);
            } catch (PostException closed) {
                // between the end of the queue pair and that of the connection: nothing more arrives
                if (closed.errno() == Errno.ENOMEM) {
                    throw closed;
                }
            }
        }
    }
}
