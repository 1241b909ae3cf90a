package io.jrdma.verbs.queue;

import io.jrdma.verbs.Access;
import io.jrdma.verbs.memory.AccessFault;
import io.jrdma.verbs.memory.MemoryTable;
import java.lang.foreign.MemorySegment;

/** Walks the local memory of one send work request at a time: reads what is sent, writes what a Read brings. Loop only. */
public final class RequestMemory {
    private final SendQueue queue;
    private final MemoryTable memory;
    private final int protectionDomain;
    private long sequence = -1;
    private int element;
    private long elementOffset;
    private long position;

    /** A walk without a request. */
    public RequestMemory(SendQueue queue, MemoryTable memory, int protectionDomain) {
        this.queue = queue;
        this.memory = memory;
        this.protectionDomain = protectionDomain;
    }

    /** Forgets where it stands: sequence numbers may come again. */
    public void reset() {
        sequence = -1;
    }

    /** To a byte of a request. */
    public void seek(long newSequence, long newPosition) {
        if (newSequence == sequence && newPosition == position) {
            return;
        }
        sequence = newSequence;
        position = newPosition;
        element = 0;
        elementOffset = newPosition;
        int elements = queue.sgeCount(newSequence);
        while (element < elements && elementOffset >= queue.sgeLength(newSequence, element)) {
            elementOffset -= queue.sgeLength(newSequence, element);
            element++;
        }
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

    /** Copies the next bytes, which the request must have, out of its memory. */
    public AccessFault read(MemorySegment target, long at, int bytes) {
        if (bytes > 0 && queue.sgeCount(sequence) == 0) {
            MemorySegment.copy(queue.inlineMemory(), queue.inlineOffset(sequence) + position, target, at, bytes);
            position += bytes;
            return AccessFault.NONE;
        }
        return move(target, at, bytes, false);
    }

    /** Copies into the next bytes of its memory, which the request must have. */
    public AccessFault write(MemorySegment source, long at, int bytes) {
        return move(source, at, bytes, true);
    }

    private AccessFault move(MemorySegment other, long at, int bytes, boolean write) {
        int left = bytes;
        while (left > 0) {
            long available = queue.sgeLength(sequence, element) - elementOffset;
            if (available == 0) {
                element++;
                elementOffset = 0;
                continue;
            }
            int chunk = (int) Math.min(left, available);
            int key = queue.sgeKey(sequence, element);
            long address = queue.sgeAddress(sequence, element) + elementOffset;
            long otherAt = at + bytes - left;
            AccessFault fault = write
                    ? memory.write(key, protectionDomain, Access.LOCAL_WRITE.bit(), address, other, otherAt, chunk)
                    : memory.read(key, protectionDomain, 0, address, other, otherAt, chunk);
            if (fault != AccessFault.NONE) {
                sequence = -1;
                return fault;
            }
            elementOffset += chunk;
            position += chunk;
            left -= chunk;
        }
        return AccessFault.NONE;
    }
}
