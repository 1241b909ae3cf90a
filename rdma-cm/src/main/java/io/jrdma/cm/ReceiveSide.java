package io.jrdma.cm;

import io.jrdma.verbs.Access;
import io.jrdma.verbs.MemoryRegion;
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
    private boolean ended;

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

    /** A receive has completed. */
    void complete(WorkCompletion completion) {
        if (!completion.isSuccess()) {
            end(completion.status(), completion.vendorError());
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

    /** Nothing more arrives; messages that wait can still be taken. Only the first reason counts. */
    void end(WcStatus status, int vendorError) {
        synchronized (this) {
            ended = true;
        }
        messages.end(new WorkCompletionException(status, WcOpcode.RECV, vendorError, where));
    }

    private synchronized void post(int buffer) {
        if (!ended && queuePair.state() != QpState.ERROR) {
            request.reset().id(ID_BIT | buffer).addSge(buffers, (long) buffer * bytesEach, bytesEach);
            queuePair.postReceive(request);
        }
    }
}
