package io.jrdma.iwarp.rdmap;

import io.jrdma.verbs.MpaOptions.ReadyToReceive;
import io.jrdma.wire.iwarp.DdpHeader;
import io.jrdma.wire.iwarp.RdmapHeader;
import io.jrdma.wire.iwarp.RdmapOpcode;
import io.jrdma.wire.iwarp.ReadRequestHeader;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The messages without payload that may open a stream of the peer-to-peer model (RFC 6581 section 9.2). */
public final class ReadyToReceiveMessage {
    private ReadyToReceiveMessage() {}

    /**
     * Which of them a stream's first segment is, or null.
     *
     * @param at first byte of the segment, which was checked
     */
    public static @Nullable ReadyToReceive kindOf(MemorySegment segment, long at, int length) {
        return switch (RdmapHeader.opcode(segment, at)) {
            case RdmapOpcode.RDMA_WRITE -> length == DdpHeader.TAGGED_LENGTH ? ReadyToReceive.WRITE : null;
            case RdmapOpcode.SEND -> isEmptyFirstSend(segment, at, length) ? ReadyToReceive.SEND : null;
            case RdmapOpcode.RDMA_READ_REQUEST ->
                ReadRequestHeader.readBytes(segment, at + DdpHeader.UNTAGGED_LENGTH) == 0 ? ReadyToReceive.READ : null;
            default -> null;
        };
    }

    private static boolean isEmptyFirstSend(MemorySegment segment, long at, int length) {
        return length == DdpHeader.UNTAGGED_LENGTH
                && DdpHeader.isLast(segment, at)
                && DdpHeader.ddpMsn(segment, at) == DdpHeader.FIRST_MSN
                && DdpHeader.messageOffset(segment, at) == 0;
    }
}
