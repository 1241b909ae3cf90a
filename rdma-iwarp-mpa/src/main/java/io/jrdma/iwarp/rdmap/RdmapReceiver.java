package io.jrdma.iwarp.rdmap;

import io.jrdma.iwarp.ddp.TaggedPlacer;
import io.jrdma.iwarp.ddp.UntaggedMessages;
import io.jrdma.verbs.Access;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.memory.AccessFault;
import io.jrdma.verbs.memory.MemoryTable;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.queue.ReceiveQueue;
import io.jrdma.verbs.queue.ReceiveScatter;
import io.jrdma.wire.Malformed;
import io.jrdma.wire.iwarp.DdpHeader;
import io.jrdma.wire.iwarp.DdpSegment;
import io.jrdma.wire.iwarp.RdmapHeader;
import io.jrdma.wire.iwarp.RdmapOpcode;
import io.jrdma.wire.iwarp.ReadRequestHeader;
import io.jrdma.wire.iwarp.TerminateCode;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The receiving half of RDMAP: DDP segments in, bytes in registered memory and completions out (RFC 5040 sections 5 and 7, RFC 5041
 * section 7). Segments are worked off strictly in the order of the stream; the first that is wrong raises the {@link Terminator} and is
 * the last.
 */
public final class RdmapReceiver {
    private final BoundQueuePair queuePair;
    private final ReceiveQueue queue;
    private final MemoryTable memory;
    private final int protectionDomain;
    private final RdmapSender sender;
    private final OutboundReads reads;
    private final InboundReads peerReads;
    private final Terminator terminator;
    private final TaggedPlacer writes;
    private final ReceiveScatter scatter;
    private final UntaggedMessages sends = new UntaggedMessages();
    private final UntaggedMessages readRequests = new UntaggedMessages();
    private int openSend;
    private boolean startup;
    private @Nullable PeerTerminate peerTerminate;

    /**
     * A receiver at the start of a stream.
     *
     * @param responder whether the peer is the initiator: then its first message may still be about the start-up
     */
    RdmapReceiver(
            BoundQueuePair queuePair,
            RdmapSender sender,
            OutboundReads reads,
            InboundReads peerReads,
            Terminator terminator,
            boolean responder) {
        QueuePairCore core = queuePair.core();
        this.queuePair = queuePair;
        this.queue = core.receiveQueue();
        this.memory = core.device().memory();
        this.protectionDomain = core.protectionDomain();
        this.sender = sender;
        this.reads = reads;
        this.peerReads = peerReads;
        this.terminator = terminator;
        this.startup = responder;
        this.writes = new TaggedPlacer(core);
        this.scatter = new ReceiveScatter(queue, memory, protectionDomain);
    }

    /** The Terminate that the peer sent, or null. */
    public @Nullable PeerTerminate peerTerminate() {
        return peerTerminate;
    }

    /** Whether some message began that has not ended. */
    boolean isInsideMessage() {
        return sends.isOpen() || writes.isOpen() || reads.isOpen();
    }

    /** [RFC5041-7.2-2] Whether nothing more is to be received on the stream. */
    public boolean isStopped() {
        return terminator.isRaised() || peerTerminate != null;
    }

    /** The Send with message number 1 was the ready-to-receive message: the application does not hear of it. */
    public void skipReadyToReceiveSend() {
        sends.next();
        startup = false;
    }

    /**
     * Takes one DDP segment.
     *
     * @return a {@link Malformed} code if the segment is wrong in itself
     */
    public int onSegment(MemorySegment segment, long at, int length) {
        int malformed = DdpSegment.check(segment, at, length, RdmapOpcode.RFC5040);
        if (malformed != Malformed.OK) {
            terminator.raise(TerminateCode.forMalformed(malformed), segment, at, length);
            return malformed;
        }
        if (!queuePair.isBound()) {
            return Malformed.OK;
        }
        int opcode = RdmapHeader.opcode(segment, at);
        int fault = switch (opcode) {
            case RdmapOpcode.RDMA_WRITE -> writes.place(segment, at, length);
            case RdmapOpcode.RDMA_READ_REQUEST -> onReadRequest(segment, at);
            case RdmapOpcode.RDMA_READ_RESPONSE -> onReadResponse(segment, at, length);
            case RdmapOpcode.TERMINATE -> onTerminate(segment, at, length);
            default -> onSend(segment, at, length, opcode);
        };
        startup = false;
        if (fault != TerminateCode.NONE) {
            terminator.raise(fault, segment, at, length);
        }
        return Malformed.OK;
    }

    private int onSend(MemorySegment segment, long at, int length, int opcode) {
        int payload = length - DdpHeader.UNTAGGED_LENGTH;
        long offset = DdpHeader.messageOffset(segment, at);
        int fault = checkSend(DdpHeader.ddpMsn(segment, at), offset, opcode);
        if (fault != TerminateCode.NONE) {
            return fault;
        }
        // [RFC5041-7.1-6] more than the receive takes
        if (offset + payload > queue.length(queue.head())) {
            return failReceive(WcStatus.LOC_LEN_ERR, TerminateCode.DDP_MESSAGE_TOO_LONG);
        }
        if (!sends.isOpen()) {
            scatter.begin();
            openSend = opcode;
        }
        if (payload > 0 && scatter.placeNext(segment, at + DdpHeader.UNTAGGED_LENGTH, payload) != AccessFault.NONE) {
            return failReceive(WcStatus.LOC_PROT_ERR, TerminateCode.DDP_LOCAL_CATASTROPHIC);
        }
        boolean last = DdpHeader.isLast(segment, at);
        sends.advance(payload, last);
        return last ? deliverSend(opcode, RdmapHeader.invalidateStag(segment, at), offset + payload) : fault;
    }

    private int checkSend(int msn, long offset, int opcode) {
        int fault = sends.checkMsn(msn);
        if (fault != TerminateCode.NONE) {
            return fault;
        }
        // [RFC5041-7.1-7] a message for which no receive is posted; there is no way to make the peer wait
        if (queue.posted() == queue.head()) {
            return TerminateCode.DDP_MSN_NO_BUFFER;
        }
        fault = sends.checkOffset(offset);
        if (fault != TerminateCode.NONE) {
            return fault;
        }
        // all segments of a message carry the same opcode
        return sends.isOpen() && opcode != openSend ? TerminateCode.RDMAP_UNEXPECTED_OPCODE : TerminateCode.NONE;
    }

    private int deliverSend(int opcode, int stag, long bytes) {
        // [RFC5040-4.1-4] other Sends may have anything in the field
        boolean invalidates = RdmapOpcode.invalidates(opcode);
        if (invalidates) {
            // [RFC5040-5.3-1] behind the placement, before the application hears of the message
            AccessFault fault = memory.invalidateForPeer(stag, protectionDomain);
            if (fault != AccessFault.NONE) {
                // [RFC5040-5.3-2] another stream's region, or one that no peer may invalidate
                return failReceive(
                        WcStatus.LOC_ACCESS_ERR,
                        fault == AccessFault.INVALID_KEY
                                ? TerminateCode.RDMAP_CANNOT_INVALIDATE
                                : TerminateCode.RDMAP_PROTECTION_CANNOT_INVALIDATE);
            }
        }
        // [RFC5040-5.1-1] whatever the message's length; [RFC5040-5.1-2] an event if it asks for one
        boolean shown = queuePair.completeReceive(
                WcStatus.SUCCESS,
                bytes,
                0,
                invalidates ? stag : 0,
                invalidates ? WorkCompletion.WITH_INV : 0,
                RdmapOpcode.solicits(opcode));
        if (!shown) {
            // a message that nobody hears of is an error of this side, and nothing behind it may be delivered
            terminator.raiseLocal("the completion queue had no room for a received message");
        }
        return TerminateCode.NONE;
    }

    private int failReceive(WcStatus status, int code) {
        queuePair.completeReceive(status, 0, code, 0, 0, false);
        return code;
    }

    private int onReadRequest(MemorySegment segment, long at) {
        int fault = readRequests.checkMsn(DdpHeader.ddpMsn(segment, at));
        if (fault != TerminateCode.NONE) {
            return fault;
        }
        // [RFC5040-6.1-2] more Reads at once than were agreed: no buffer of queue 1 is left
        if (peerReads.isFull()) {
            return TerminateCode.DDP_MSN_NO_BUFFER;
        }
        long header = at + DdpHeader.UNTAGGED_LENGTH;
        int stag = ReadRequestHeader.sourceStag(segment, header);
        long offset = ReadRequestHeader.sourceTaggedOffset(segment, header);
        long bytes = ReadRequestHeader.readBytes(segment, header);
        // [RFC5040-5.2-2] without payload nothing is looked at; the rest is looked at again when it leaves
        if (bytes > 0) {
            AccessFault access = queuePair.core().allows(Access.REMOTE_READ)
                    ? memory.check(stag, protectionDomain, Access.REMOTE_READ.bit(), offset, bytes)
                    : AccessFault.NO_RIGHTS;
            if (access != AccessFault.NONE) {
                return RdmapSender.readTerminateCode(access);
            }
        }
        readRequests.next();
        peerReads.push(
                DdpHeader.ddpMsn(segment, at),
                ReadRequestHeader.sinkStag(segment, header),
                ReadRequestHeader.sinkTaggedOffset(segment, header),
                bytes,
                stag,
                offset);
        return TerminateCode.NONE;
    }

    private int onReadResponse(MemorySegment segment, long at, int length) {
        if (reads.isEmpty()) {
            return TerminateCode.RDMAP_UNEXPECTED_OPCODE;
        }
        int payload = length - DdpHeader.TAGGED_LENGTH;
        boolean last = DdpHeader.isLast(segment, at);
        int fault = checkResponse(segment, at, payload, last);
        if (fault != TerminateCode.NONE) {
            sender.failRead(WcStatus.BAD_RESP_ERR, fault);
            return fault;
        }
        if (payload > 0) {
            AccessFault access = memory.write(
                    reads.sinkStag(),
                    protectionDomain,
                    Access.LOCAL_WRITE.bit(),
                    reads.nextSinkOffset(),
                    segment,
                    at + DdpHeader.TAGGED_LENGTH,
                    payload);
            if (access != AccessFault.NONE) {
                fault = TaggedPlacer.terminateCode(access);
                sender.failRead(WcStatus.LOC_PROT_ERR, fault);
                return fault;
            }
        }
        reads.receive(payload);
        // [RFC5040-5.5-5]
        if (last) {
            sender.onReadComplete();
        }
        return TerminateCode.NONE;
    }

    /** [RFC5040-5.2-3] A response is exactly what the oldest request asked for. */
    private int checkResponse(MemorySegment segment, long at, int payload, boolean last) {
        if (payload > 0 && DdpHeader.stag(segment, at) != reads.sinkStag()) {
            return TerminateCode.DDP_INVALID_STAG;
        }
        boolean wrongPlace = payload > 0 && DdpHeader.taggedOffset(segment, at) != reads.nextSinkOffset();
        boolean wrongLength = payload > reads.missing() || (last && payload < reads.missing());
        return wrongPlace || wrongLength ? TerminateCode.DDP_BASE_OR_BOUNDS : TerminateCode.NONE;
    }

    private int onTerminate(MemorySegment segment, long at, int length) {
        peerTerminate = PeerTerminate.read(segment, at, length, startup, sender.sentRequests());
        return TerminateCode.NONE;
    }
}
