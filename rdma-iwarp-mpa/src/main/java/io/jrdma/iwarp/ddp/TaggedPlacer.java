package io.jrdma.iwarp.ddp;

import io.jrdma.verbs.Access;
import io.jrdma.verbs.memory.AccessFault;
import io.jrdma.verbs.memory.MemoryTable;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.wire.iwarp.DdpHeader;
import io.jrdma.wire.iwarp.TerminateCode;
import java.lang.foreign.MemorySegment;

/** Places segments of the tagged model that a peer addressed itself: RDMA Writes (RFC 5041 sections 4.2 and 7.1). */
public final class TaggedPlacer {
    private final QueuePairCore core;
    private final MemoryTable memory;
    private boolean open;
    private int stag;
    private long nextOffset;

    /** A placer between two messages. */
    public TaggedPlacer(QueuePairCore core) {
        this.core = core;
        this.memory = core.device().memory();
    }

    /** Whether a message began that has not ended. */
    public boolean isOpen() {
        return open;
    }

    /**
     * Places one segment.
     *
     * @param at the segment's first byte
     * @return what is wrong with it, {@link TerminateCode#NONE} if nothing
     */
    public int place(MemorySegment segment, long at, int length) {
        int payload = length - DdpHeader.TAGGED_LENGTH;
        int segmentStag = DdpHeader.stag(segment, at);
        long offset = DdpHeader.taggedOffset(segment, at);
        // [RFC5041-5.2-1] the segments of a message follow on in one buffer
        if (open && segmentStag != stag) {
            return TerminateCode.DDP_INVALID_STAG;
        }
        if (open && offset != nextOffset) {
            return TerminateCode.DDP_BASE_OR_BOUNDS;
        }
        // [RFC5041-7.1-4] neither key nor place of a segment without payload is looked at
        if (payload > 0) {
            // [RFC5041-7.1-5] key, domain, rights and bounds before the first byte is placed
            AccessFault fault = core.allows(Access.REMOTE_WRITE)
                    ? memory.write(
                            segmentStag,
                            core.protectionDomain(),
                            Access.REMOTE_WRITE.bit(),
                            offset,
                            segment,
                            at + DdpHeader.TAGGED_LENGTH,
                            payload)
                    : AccessFault.NO_RIGHTS;
            if (fault != AccessFault.NONE) {
                return terminateCode(fault);
            }
        }
        open = !DdpHeader.isLast(segment, at);
        stag = segmentStag;
        nextOffset = offset + payload;
        return TerminateCode.NONE;
    }

    /** DDP's code for a fault of a tagged buffer. */
    public static int terminateCode(AccessFault fault) {
        return switch (fault) {
            case NONE -> TerminateCode.NONE;
            // DDP has no code for missing rights; a region that may not be written is none for this purpose
            case INVALID_KEY, NO_RIGHTS -> TerminateCode.DDP_INVALID_STAG;
            case WRONG_PROTECTION_DOMAIN -> TerminateCode.DDP_STAG_NOT_ASSOCIATED;
            case ADDRESS_WRAP -> TerminateCode.DDP_TO_WRAP;
            case OUT_OF_BOUNDS -> TerminateCode.DDP_BASE_OR_BOUNDS;
            case MEMORY_GONE -> TerminateCode.DDP_LOCAL_CATASTROPHIC;
        };
    }
}
