package io.jrdma.cm;

import io.jrdma.verbs.Access;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MemoryRegion;
import io.jrdma.verbs.ProtectionDomain;
import io.jrdma.verbs.QueuePair;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.Sge;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.WrOpcode;
import io.jrdma.verbs.memory.AccessFault;
import io.jrdma.verbs.memory.GuardedCopy;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of a {@link RdmaConnection}: posts operations, each with a future, and completes the futures in the order of posting.
 * Payload from unregistered memory goes inline if it is short, else through a registered buffer.
 */
final class SendSide {
    /** An operation that was posted. */
    private static final class Operation extends CompletableFuture<Void> {
        private final WrOpcode opcode;
        private final @Nullable MemoryRegion staging;
        private @Nullable WorkCompletionException failure;

        private Operation(WrOpcode opcode, @Nullable MemoryRegion staging) {
            this.opcode = opcode;
            this.staging = staging;
        }
    }

    private final QueuePair queuePair;
    private final ProtectionDomain domain;
    private final Arena arena;
    private final int maxInline;
    private final int maxStaged;
    private final String where;
    private final Semaphore room;
    private final SendWr request = new SendWr();
    private final ArrayDeque<Operation> posted = new ArrayDeque<>();
    private final ArrayDeque<Operation> finished = new ArrayDeque<>();
    private final ArrayDeque<MemoryRegion> free = new ArrayDeque<>();
    private boolean ended;

    SendSide(QueuePair queuePair, ProtectionDomain domain, Arena arena, RdmaConnectionOptions options, String where) {
        this.queuePair = queuePair;
        this.domain = domain;
        this.arena = arena;
        this.maxInline = queuePair.options().maxInlineData();
        this.maxStaged = options.messageBytes();
        this.where = where;
        this.room = new Semaphore(options.sendDepth());
    }

    /** How many more operations may be posted; one permit each. */
    Semaphore room() {
        return room;
    }

    /** Posts an operation on registered memory; the caller has a permit, which this uses up. */
    CompletableFuture<Void> post(WrOpcode opcode, Sge local, @Nullable RemoteMemory remote) {
        try {
            synchronized (this) {
                request.reset().opcode(opcode).addSge(local);
                if (remote != null) {
                    request.remote(remote.address(), remote.key());
                }
                return postLocked(new Operation(opcode, null));
            }
        } catch (RuntimeException | Error refused) {
            room.release();
            throw refused;
        }
    }

    /** Posts a Send of a copy; the caller has a permit, which this uses up. */
    CompletableFuture<Void> postCopy(MemorySegment payload) {
        try {
            synchronized (this) {
                request.reset();
                return payload.byteSize() <= maxInline ? postInline(payload) : postStaged(payload);
            }
        } catch (RuntimeException | Error refused) {
            room.release();
            throw refused;
        }
    }

    private CompletableFuture<Void> postInline(MemorySegment payload) {
        request.inlineData(payload);
        return postLocked(new Operation(WrOpcode.SEND, null));
    }

    private CompletableFuture<Void> postStaged(MemorySegment payload) {
        long length = payload.byteSize();
        if (length > maxStaged) {
            throw new VerbsException(
                    Errno.EINVAL,
                    "message of " + length + " bytes from unregistered memory; allowed are 0.." + maxStaged);
        }
        if (ended) {
            return postLocked(new Operation(WrOpcode.SEND, null));
        }
        MemoryRegion staging =
                free.isEmpty() ? domain.register(arena, maxStaged, EnumSet.noneOf(Access.class)) : free.remove();
        try {
            AccessFault fault = GuardedCopy.copy(payload, 0, staging.segment(), 0, length);
            if (fault != AccessFault.NONE) {
                throw new VerbsException(Errno.EINVAL, "message payload: " + fault.text());
            }
            request.addSge(staging, 0, length);
            return postLocked(new Operation(WrOpcode.SEND, staging));
        } catch (RuntimeException | Error refused) {
            free.add(staging);
            throw refused;
        }
    }

    private CompletableFuture<Void> postLocked(Operation operation) {
        if (ended) {
            room.release();
            operation.completeExceptionally(failure(operation, WcStatus.WR_FLUSH_ERR, 0));
            return operation;
        }
        queuePair.postSend(request);
        posted.add(operation);
        return operation;
    }

    /** The oldest operation has completed; its future does in {@link #deliver}. */
    synchronized void complete(WorkCompletion completion) {
        Operation operation = posted.poll();
        if (operation != null) {
            if (!completion.isSuccess()) {
                operation.failure = failure(operation, completion.status(), completion.vendorError());
            }
            finished.add(operation);
        }
    }

    /** Completes the futures of what has completed; whatever depends on them runs now. */
    void deliver() {
        while (true) {
            Operation operation;
            synchronized (this) {
                operation = finished.poll();
                if (operation == null) {
                    return;
                }
                if (operation.staging != null) {
                    free.add(operation.staging);
                }
            }
            room.release();
            if (operation.failure == null) {
                operation.complete(null);
            } else {
                operation.completeExceptionally(operation.failure);
            }
        }
    }

    /** Posts nothing more, and copies nothing more into memory that is about to go. */
    synchronized void stop() {
        ended = true;
    }

    /** The queue pair is gone: what has no completion gets none, so its future fails here, and later ones at once. */
    void end() {
        synchronized (this) {
            ended = true;
            for (Operation operation : posted) {
                operation.failure = failure(operation, WcStatus.WR_FLUSH_ERR, 0);
            }
            finished.addAll(posted);
            posted.clear();
        }
        deliver();
    }

    private WorkCompletionException failure(Operation operation, WcStatus status, int vendorError) {
        return new WorkCompletionException(
                status,
                operation.opcode.completion(),
                vendorError,
                where,
                queuePair.core().endReason());
    }
}
