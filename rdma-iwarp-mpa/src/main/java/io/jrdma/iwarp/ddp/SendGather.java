package io.jrdma.iwarp.ddp;

import io.jrdma.verbs.memory.AccessFault;
import io.jrdma.verbs.memory.MemoryTable;
import io.jrdma.verbs.queue.SendQueue;
import java.lang.foreign.MemorySegment;

/** Walks the payload of one send work request, from its first byte to its last. */
public final class SendGather {
    private final SendQueue queue;
    private final MemoryTable memory;
    private final int protectionDomain;
    private long sequence;
    private boolean inline;
    private int element;
    private long elementOffset;

    /** A walk without a request. */
    public SendGather(SendQueue queue, MemoryTable memory, int protectionDomain) {
        this.queue = queue;
        this.memory = memory;
        this.protectionDomain = protectionDomain;
    }

    /** To the first byte of that request. */
    public void begin(long newSequence) {
        sequence = newSequence;
        inline = queue.sgeCount(newSequence) == 0;
        element = 0;
        elementOffset = 0;
    }

    /**
     * Whether all elements of a request are accessible.
     *
     * @param rights that the regions must grant; 0 for reading
     */
    public AccessFault check(long checkedSequence, int rights) {
        for (int i = 0; i < queue.sgeCount(checkedSequence); i++) {
            long length = queue.sgeLength(checkedSequence, i);
            if (length > 0) {
                AccessFault fault = memory.check(
                        queue.sgeKey(checkedSequence, i),
                        protectionDomain,
                        rights,
                        queue.sgeAddress(checkedSequence, i),
                        length);
                if (fault != AccessFault.NONE) {
                    return fault;
                }
            }
        }
        return AccessFault.NONE;
    }

    /** Copies the next {@code bytes} bytes, which the request must still have. */
    public AccessFault copyNext(MemorySegment target, long at, int bytes) {
        if (inline) {
            MemorySegment.copy(queue.inlineMemory(), queue.inlineOffset(sequence) + elementOffset, target, at, bytes);
            elementOffset += bytes;
            return AccessFault.NONE;
        }
        long to = at;
        int left = bytes;
        while (left > 0) {
            long available = queue.sgeLength(sequence, element) - elementOffset;
            if (available == 0) {
                element++;
                elementOffset = 0;
                continue;
            }
            int chunk = (int) Math.min(left, available);
            AccessFault fault = memory.read(
                    queue.sgeKey(sequence, element),
                    protectionDomain,
                    0,
                    queue.sgeAddress(sequence, element) + elementOffset,
                    target,
                    to,
                    chunk);
            if (fault != AccessFault.NONE) {
                return fault;
            }
            elementOffset += chunk;
            to += chunk;
            left -= chunk;
        }
        return AccessFault.NONE;
    }
}
