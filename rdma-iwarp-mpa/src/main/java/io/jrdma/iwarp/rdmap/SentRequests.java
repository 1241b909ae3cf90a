package io.jrdma.iwarp.rdmap;

import io.jrdma.verbs.WrOpcode;
import io.jrdma.verbs.queue.SendQueue;

/** The work requests that were begun and are not complete: which of them is it that a peer complains of? */
final class SentRequests {
    /** None of them. */
    static final long NO_MATCH = -1;

    private final SendQueue queue;
    private final OutboundReads reads;
    private final int[] ddpMsn;
    private long next;

    SentRequests(SendQueue queue, OutboundReads reads) {
        this.queue = queue;
        this.reads = reads;
        int capacity = Math.max(1, queue.capacity());
        ddpMsn = new int[capacity == 1 ? 1 : Integer.highestOneBit(capacity - 1) << 1];
        next = queue.head();
    }

    /** A request was begun. */
    void begin(long sequence) {
        next = sequence + 1;
    }

    /** The request that was begun last goes as that message of queue 0. */
    void beginSend(long sequence, int msn) {
        ddpMsn[(int) sequence & (ddpMsn.length - 1)] = msn;
    }

    /** The oldest Write that reaches that place. */
    long write(int stag, long taggedOffset) {
        for (long sequence = queue.head(); sequence < next; sequence++) {
            if (!queue.isDone(sequence)
                    && queue.opcode(sequence) == WrOpcode.RDMA_WRITE
                    && queue.remoteKey(sequence) == stag
                    && Long.compareUnsigned(taggedOffset - queue.remoteAddress(sequence), queue.length(sequence)) < 0) {
                return sequence;
            }
        }
        return NO_MATCH;
    }

    /** The Send with that message number. */
    long send(int msn) {
        for (long sequence = queue.head(); sequence < next; sequence++) {
            WrOpcode opcode = queue.opcode(sequence);
            if (!queue.isDone(sequence)
                    && (opcode == WrOpcode.SEND || opcode == WrOpcode.SEND_WITH_INV)
                    && ddpMsn[(int) sequence & (ddpMsn.length - 1)] == msn) {
                return sequence;
            }
        }
        return NO_MATCH;
    }

    /** The Read with that message number. */
    long read(int msn) {
        return Math.max(reads.byMsn(msn), NO_MATCH);
    }

    /** The Read of that source, see {@link OutboundReads#find}. */
    long read(int msn, int sourceStag, long sourceOffset, long bytes) {
        return Math.max(reads.find(msn, sourceStag, sourceOffset, bytes), NO_MATCH);
    }
}
