package io.jrdma.tools;

import io.jrdma.verbs.CompletionChannel;
import io.jrdma.verbs.CompletionQueue;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WorkCompletion;
import java.time.Duration;

/** A completion queue with its channel, for a thread that waits for one completion after the other. One thread. */
public final class Completions implements AutoCloseable {
    private final CompletionChannel channel;
    private final CompletionQueue queue;
    private final Duration patience;
    private final WorkCompletion[] holders;
    private int next;
    private int filled;

    /**
     * A new queue.
     *
     * @param capacity completions that fit
     * @param patience how long one may take
     */
    public Completions(RdmaDevice device, int capacity, Duration patience) {
        this.patience = patience;
        channel = device.createCompletionChannel();
        queue = device.createCompletionQueue(capacity, channel);
        holders = new WorkCompletion[capacity];
        for (int i = 0; i < capacity; i++) {
            holders[i] = new WorkCompletion();
        }
    }

    public CompletionQueue queue() {
        return queue;
    }

    public CompletionChannel channel() {
        return channel;
    }

    /** Waits for the next completion, good or bad. It is valid until the next call. */
    public WorkCompletion next() throws InterruptedException {
        while (next == filled && !fill()) {
            queue.arm(false);
            if (!fill() && channel.await(patience) == null) {
                throw ToolException.failed("no completion in " + patience.toSeconds() + " s");
            }
        }
        return holders[next++];
    }

    /**
     * Waits for the completion of such an operation.
     *
     * @param passing the operation whose good completions are passed over; may be the same
     * @throws DisconnectedException if it was flushed
     * @throws ToolException if it or another one failed, or another operation's completion comes first
     */
    public WorkCompletion await(WcOpcode wanted, WcOpcode passing) throws InterruptedException {
        while (true) {
            WorkCompletion completion = next();
            if (completion.status() == WcStatus.WR_FLUSH_ERR) {
                throw new DisconnectedException();
            }
            if (!completion.isSuccess()) {
                throw ToolException.failed(describe(completion));
            }
            if (completion.opcode() == wanted) {
                return completion;
            }
            if (completion.opcode() != passing) {
                throw ToolException.failed(completion.opcode() + " completed while " + wanted + " was due");
            }
        }
    }

    /** Whether a completion is there. Arms nothing. */
    public boolean isAnyThere() {
        return next < filled || fill();
    }

    private boolean fill() {
        if (next == filled) {
            next = 0;
            filled = queue.poll(holders);
        }
        return next < filled;
    }

    /** What failed and how. */
    public static String describe(WorkCompletion completion) {
        return completion.opcode() + ": " + completion.status().text() + " (" + completion.status() + ")"
                + (completion.vendorError() == 0 ? "" : ", detail 0x" + Integer.toHexString(completion.vendorError()));
    }

    @Override
    public void close() {
        queue.close();
        channel.close();
    }

    /** The connection is over: what was posted has been flushed. */
    public static final class DisconnectedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        DisconnectedException() {
            super("disconnected");
        }
    }
}
