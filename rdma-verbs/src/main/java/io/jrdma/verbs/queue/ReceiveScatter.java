package io.jrdma.verbs.queue;

import io.jrdma.verbs.Access;
import io.jrdma.verbs.memory.AccessFault;
import io.jrdma.verbs.memory.MemoryTable;
import java.lang.foreign.MemorySegment;

/** Places the payload of one message into the buffers of the oldest receive, from the first byte on. Loop only. */
public final class ReceiveScatter {
    private final ReceiveQueue queue;
    private final MemoryTable memory;
    private final int protectionDomain;
    private int element;
    private long elementOffset;

    /** A walk that starts at the first byte. */
    public ReceiveScatter(ReceiveQueue queue, MemoryTable memory, int protectionDomain) {
        this.queue = queue;
        this.memory = memory;
        this.protectionDomain = protectionDomain;
    }

    /** To the first byte of the oldest receive. */
    public void begin() {
        element = 0;
        elementOffset = 0;
    }

    /** Copies into the next {@code bytes} bytes, which the receive must still have. */
    public AccessFault placeNext(MemorySegment source, long at, int bytes) {
        long sequence = queue.head();
        long from = at;
        int left = bytes;
        while (left > 0) {
            long room = queue.sgeLength(sequence, element) - elementOffset;
            if (room == 0) {
                element++;
                elementOffset = 0;
                continue;
            }
            int chunk = (int) Math.min(left, room);
            AccessFault fault = memory.write(
                    queue.sgeKey(sequence, element),
                    protectionDomain,
                    Access.LOCAL_WRITE.bit(),
                    queue.sgeAddress(sequence, element) + elementOffset,
                    source,
                    from,
                    chunk);
            if (fault != AccessFault.NONE) {
                return fault;
            }
            elementOffset += chunk;
            from += chunk;
            left -= chunk;
        }
        return AccessFault.NONE;
    }
}
