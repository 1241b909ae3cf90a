package io.jrdma.iwarp.rdmap;

import io.jrdma.iwarp.ddp.DdpSegmenter;
import io.jrdma.verbs.Access;
import io.jrdma.verbs.CompletionSemantics;
import io.jrdma.verbs.MpaOptions.ReadyToReceive;
import io.jrdma.verbs.SendFlags;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WrOpcode;
import io.jrdma.verbs.memory.AccessFault;
import io.jrdma.verbs.memory.MemoryTable;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.queue.RequestMemory;
import io.jrdma.verbs.queue.SendQueue;
import io.jrdma.verbs.spi.TransmitSink;
import io.jrdma.wire.Serial32;
import io.jrdma.wire.iwarp.DdpHeader;
import io.jrdma.wire.iwarp.RdmapHeader;
import io.jrdma.wire.iwarp.RdmapOpcode;
import io.jrdma.wire.iwarp.ReadRequestHeader;
import io.jrdma.wire.iwarp.TerminateCode;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of RDMAP: turns work requests, the peer's Reads and the engine's own short messages into DDP messages, one after the
 * other (RFC 5040 sections 5 and 6).
 *
 * <p>Work requests go out in the order of posting. A Read waits for room within ORD, a fenced request for all Reads before it, and what is
 * behind waits with them. Responses to the peer's Reads go out between work requests, so that neither side starves the other.
 */
public final class RdmapSender {
    /** Key of the engine's own messages without payload: nobody checks it, but some cards dislike 0. */
    static final int ANY_STAG = 1;

    private static final int MAX_RESPONSES_IN_A_ROW = 3;

    private enum Kind {
        NONE,
        SEND_OR_WRITE,
        READ,
        FLUSH,
        RESPONSE,
        READY_TO_RECEIVE_READ,
        READY_TO_RECEIVE,
        NUDGE
    }

    private final BoundQueuePair queuePair;
    private final SendQueue queue;
    private final MemoryTable memory;
    private final int protectionDomain;
    private final DdpSegmenter segmenter;
    private final RequestMemory gather;
    private final OutboundReads reads;
    private final InboundReads peerReads;
    private final Terminator terminator;
    private final boolean remoteAcknowledged;
    private final int flushThreshold;
    private final SentRequests sentRequests;

    private Kind kind = Kind.NONE;
    private long current;
    private long next;
    private long limit = Long.MAX_VALUE;
    private long peerReadLimit = Long.MAX_VALUE;
    private boolean suspended;
    private boolean drainWanted;
    private int sendMsn = DdpHeader.FIRST_MSN;
    private int readMsn = DdpHeader.FIRST_MSN;
    private int responsesInARow;
    private boolean noLastAnswers;
    private @Nullable ReadyToReceive readyToReceive;
    private boolean nudge;

    // remote acknowledgement only: requests before `acknowledged` have arrived at the peer
    private long acknowledged;
    private int unproven;

    /** A sender without messages, for the queue pair's oldest request. */
    public RdmapSender(
            BoundQueuePair queuePair,
            DdpSegmenter segmenter,
            OutboundReads reads,
            InboundReads peerReads,
            Terminator terminator) {
        QueuePairCore core = queuePair.core();
        this.queuePair = queuePair;
        this.queue = core.sendQueue();
        this.memory = core.device().memory();
        this.protectionDomain = core.protectionDomain();
        this.segmenter = segmenter;
        this.gather = new RequestMemory(queue, memory, protectionDomain);
        this.reads = reads;
        this.peerReads = peerReads;
        this.terminator = terminator;
        this.remoteAcknowledged = core.options().completion() == CompletionSemantics.REMOTE_ACKNOWLEDGED;
        this.flushThreshold = Math.max(1, queue.capacity() / 4);
        this.sentRequests = new SentRequests(queue, reads);
        this.next = queue.head();
        this.acknowledged = next;
    }

    /** For a peer that complains of one of them. */
    SentRequests sentRequests() {
        return sentRequests;
    }

    /** The stream is to be opened by that message, before all others. */
    public void openWith(ReadyToReceive message) {
        readyToReceive = message;
    }

    /** Sends a Write without payload at the next gap between messages: it changes nothing, but wakes the peer up. */
    public void nudge() {
        nudge = true;
    }

    /**
     * Begins no work request from here on, or does so again.
     *
     * @param notify whether {@link #hasDrained} is to tell, once, that the last one that was begun is through
     */
    public void suspend(boolean on, boolean notify) {
        suspended = on;
        drainWanted = notify;
    }

    /** Whether the queue has just come to rest after a {@link #suspend} that asked for it. */
    public boolean hasDrained() {
        boolean drained = drainWanted && isQuiet();
        drainWanted &= !drained;
        return drained;
    }

    /** Begins no work request but those that are there now, and is done when these are through and the Reads that are here now answered. */
    public void finish() {
        limit = queue.posted();
        peerReadLimit = peerReads.requested();
    }

    /** Whether all that was begun is through. */
    public boolean isQuiet() {
        return segmenter.isIdle() && reads.isEmpty() && unproven == 0;
    }

    /** After {@link #finish}: whether all that was there then is through. */
    public boolean isFinished() {
        return isOwnWorkDone() && peerReads.answered() >= peerReadLimit;
    }

    private boolean isOwnWorkDone() {
        return isQuiet() && (suspended || next >= limit);
    }

    /**
     * Sends one segment, if there is one.
     *
     * @return stream bytes; 0 if there is nothing to send, the sink has no room, or {@link Terminator} knows of a fault now
     */
    public int transmit(TransmitSink sink) {
        while (segmenter.isIdle()) {
            if (!beginNext() || terminator.isRaised()) {
                return 0;
            }
        }
        return sendSegment(sink);
    }

    /**
     * Whether the peer is to get answers to Reads before the Terminate: to those that came in good order before the fault, so that it
     * does not depend on how the stream was cut. An own message that was begun is given up, and then nothing but the Terminate follows.
     */
    boolean hasLastAnswers() {
        if (!segmenter.isIdle() && kind != Kind.RESPONSE) {
            noLastAnswers |= segmenter.sent() > 0;
            segmenter.drop();
        }
        return !noLastAnswers && !peerReads.isEmpty();
    }

    /** Gives those answers up; returns whether there were any. */
    boolean dropLastAnswers() {
        boolean dropped = hasLastAnswers();
        noLastAnswers = true;
        return dropped;
    }

    /** Sends a segment of the next of those answers; returns stream bytes, 0 if the sink has no room or the answer failed. */
    int transmitLastAnswer(TransmitSink sink) {
        if (segmenter.isIdle()) {
            beginResponse();
        }
        return sendSegment(sink);
    }

    /** Begins the next message, or does a request that needs none. */
    private boolean beginNext() {
        // [RFC6581-9.2-3] nothing goes before the ready-to-receive message
        if (readyToReceive != null) {
            beginReadyToReceive(readyToReceive);
            return true;
        }
        if (nudge) {
            kind = Kind.NUDGE;
            segmenter.beginTagged(RdmapHeader.control(RdmapOpcode.RDMA_WRITE), ANY_STAG, 0, 0);
            return true;
        }
        boolean response = isResponseDue();
        boolean work = canBeginWork();
        boolean flush = unproven > 0 && reads.hasRoom() && (!work || unproven >= flushThreshold);
        if (response && ((!work && !flush) || responsesInARow < MAX_RESPONSES_IN_A_ROW)) {
            responsesInARow++;
            beginResponse();
            return true;
        }
        responsesInARow = 0;
        if (flush) {
            beginReadRequest(Kind.FLUSH);
            return true;
        }
        if (work) {
            beginWork();
        }
        return work;
    }

    private boolean isResponseDue() {
        if (peerReads.isEmpty()) {
            return false;
        }
        // Reads that came behind a finish do not hold it up. But as long as it waits they are answered: the peer may be
        // finishing too, and then each side would wait for the other's answers
        return peerReads.answered() < peerReadLimit || !isOwnWorkDone();
    }

    private void beginResponse() {
        kind = Kind.RESPONSE;
        // [RFC5040-5.2-4] the oldest first; [RFC5040-5.2-1] it goes where the request said, unseen
        segmenter.beginTagged(
                RdmapHeader.control(RdmapOpcode.RDMA_READ_RESPONSE),
                peerReads.sinkStag(),
                peerReads.sinkOffset(),
                peerReads.bytes());
    }

    private boolean canBeginWork() {
        if (suspended || !queuePair.isBound() || next >= Math.min(limit, queue.posted())) {
            return false;
        }
        // [RFC5040-5.5-1] a fenced request waits for the Reads before it
        if ((queue.flags(next) & SendFlags.FENCE) != 0 && !reads.isEmpty()) {
            return false;
        }
        // [RFC5040-6.1-1] a Read beyond ORD waits, and everything behind it; with ORD 0 it would wait for ever
        return queue.opcode(next) != WrOpcode.RDMA_READ || reads.hasRoom() || reads.capacity() == 0;
    }

    private void beginWork() {
        long sequence = next;
        WrOpcode opcode = queue.opcode(sequence);
        if (opcode == WrOpcode.LOCAL_INV) {
            invalidate(sequence);
            return;
        }
        boolean read = opcode == WrOpcode.RDMA_READ;
        AccessFault fault = gather.check(sequence, read ? Access.LOCAL_WRITE.bit() : 0);
        if (fault != AccessFault.NONE) {
            fail(sequence, WcStatus.LOC_PROT_ERR, opcode, fault.text());
            return;
        }
        next = sequence + 1;
        current = sequence;
        sentRequests.begin(sequence);
        if (read) {
            if (reads.capacity() == 0) {
                fail(sequence, WcStatus.LOC_QP_OP_ERR, opcode, "the connection allows no Reads (ORD 0)");
                return;
            }
            beginReadRequest(Kind.READ);
            return;
        }
        kind = Kind.SEND_OR_WRITE;
        gather.seek(sequence, 0);
        if (opcode == WrOpcode.RDMA_WRITE) {
            segmenter.beginTagged(
                    RdmapHeader.control(RdmapOpcode.RDMA_WRITE),
                    queue.remoteKey(sequence),
                    queue.remoteAddress(sequence),
                    queue.length(sequence));
            return;
        }
        boolean invalidates = opcode == WrOpcode.SEND_WITH_INV;
        boolean solicited = (queue.flags(sequence) & SendFlags.SOLICITED) != 0;
        int message = invalidates
                ? solicited ? RdmapOpcode.SEND_SOLICITED_INVALIDATE : RdmapOpcode.SEND_INVALIDATE
                : solicited ? RdmapOpcode.SEND_SOLICITED : RdmapOpcode.SEND;
        sentRequests.beginSend(sequence, sendMsn);
        segmenter.beginUntagged(
                RdmapHeader.control(message),
                invalidates ? queue.immediateOrKey(sequence) : 0, // [RFC5040-4.1-4]
                DdpHeader.QN_SEND,
                sendMsn,
                queue.length(sequence));
        sendMsn = Serial32.next(sendMsn);
    }

    private void invalidate(long sequence) {
        AccessFault fault = memory.invalidate(queue.immediateOrKey(sequence), protectionDomain);
        if (fault != AccessFault.NONE) {
            fail(sequence, WcStatus.LOC_QP_OP_ERR, WrOpcode.LOCAL_INV, fault.text());
            return;
        }
        next = sequence + 1;
        queuePair.completeSend(sequence, WcStatus.SUCCESS, 0, 0);
    }

    private void beginReadRequest(Kind newKind) {
        kind = newKind;
        segmenter.beginUntagged(
                RdmapHeader.control(RdmapOpcode.RDMA_READ_REQUEST),
                0,
                DdpHeader.QN_READ_REQUEST,
                readMsn,
                ReadRequestHeader.LENGTH);
    }

    private void beginReadyToReceive(ReadyToReceive message) {
        switch (message) {
            case WRITE -> {
                kind = Kind.READY_TO_RECEIVE;
                segmenter.beginTagged(RdmapHeader.control(RdmapOpcode.RDMA_WRITE), ANY_STAG, 0, 0);
            }
            case SEND -> {
                kind = Kind.READY_TO_RECEIVE;
                segmenter.beginUntagged(RdmapHeader.control(RdmapOpcode.SEND), 0, DdpHeader.QN_SEND, sendMsn, 0);
                sendMsn = Serial32.next(sendMsn);
            }
            case READ -> beginReadRequest(Kind.READY_TO_RECEIVE_READ);
        }
    }

    private int sendSegment(TransmitSink sink) {
        if (!segmenter.claim(sink)) {
            return 0;
        }
        AccessFault fault = fill();
        if (fault != AccessFault.NONE) {
            segmenter.abort();
            onFault(fault);
            return 0;
        }
        int bytes = segmenter.commit();
        if (segmenter.isIdle()) {
            onMessageSent();
        }
        return bytes;
    }

    private AccessFault fill() {
        int bytes = segmenter.payloadBytes();
        if (bytes == 0) {
            return AccessFault.NONE;
        }
        return switch (kind) {
            case SEND_OR_WRITE ->
                queuePair.isBound()
                        ? gather.read(segmenter.segment(), segmenter.payloadAt(), bytes)
                        : AccessFault.MEMORY_GONE;
            // [RFC5040-5.2-2] the source is checked each time it is read, so what was revoked meanwhile does not leave
            case RESPONSE ->
                memory.read(
                        peerReads.sourceStag(),
                        protectionDomain,
                        Access.REMOTE_READ.bit(),
                        peerReads.sourceOffset() + segmenter.sent(),
                        segmenter.segment(),
                        segmenter.payloadAt(),
                        bytes);
            default -> {
                putReadRequest();
                yield AccessFault.NONE;
            }
        };
    }

    private void putReadRequest() {
        boolean work = kind == Kind.READ;
        boolean sink = work && queue.sgeCount(current) > 0;
        ReadRequestHeader.put(
                segmenter.segment(),
                segmenter.payloadAt(),
                sink ? queue.sgeKey(current, 0) : ANY_STAG,
                sink ? queue.sgeAddress(current, 0) : 0,
                sink ? queue.sgeLength(current, 0) : 0,
                work ? queue.remoteKey(current) : ANY_STAG,
                work ? queue.remoteAddress(current) : 0);
    }

    private void onMessageSent() {
        Kind sent = kind;
        kind = Kind.NONE;
        switch (sent) {
            case SEND_OR_WRITE -> {
                // [RFC5040-5.5-2] done here means: the buffer may be used again
                if (remoteAcknowledged) {
                    unproven++;
                } else {
                    queuePair.completeSend(current, WcStatus.SUCCESS, queue.length(current), 0);
                }
            }
            case READ -> onReadSent(current, current);
            case FLUSH -> onReadSent(OutboundReads.FLUSH, next);
            case READY_TO_RECEIVE_READ -> onReadSent(OutboundReads.READY_TO_RECEIVE, next);
            case RESPONSE -> peerReads.pop();
            case NUDGE -> nudge = false;
            default -> {}
        }
        if (sent == Kind.READY_TO_RECEIVE || sent == Kind.READY_TO_RECEIVE_READ) {
            readyToReceive = null;
        }
    }

    private void onReadSent(long workRequest, long provesUpTo) {
        boolean sink = workRequest >= 0 && queue.sgeCount(current) > 0;
        reads.push(
                workRequest,
                provesUpTo,
                readMsn,
                sink ? queue.sgeKey(current, 0) : ANY_STAG,
                sink ? queue.sgeAddress(current, 0) : 0,
                sink ? queue.sgeLength(current, 0) : 0,
                workRequest >= 0 ? queue.remoteKey(current) : ANY_STAG,
                workRequest >= 0 ? queue.remoteAddress(current) : 0);
        readMsn = Serial32.next(readMsn);
        // the response proves that everything before has arrived
        unproven = 0;
    }

    /** The response of the oldest Read is complete. */
    void onReadComplete() {
        long workRequest = reads.sequence();
        long proves = reads.proves();
        long bytes = reads.bytes();
        reads.pop();
        if (remoteAcknowledged) {
            // [RFC5040-5.5-3] all Sends and Writes before a Read are placed when its response comes
            long sequence = Math.max(acknowledged, queue.head());
            while (sequence < proves && queuePair.isBound()) {
                if (!queue.isDone(sequence)) {
                    queuePair.completeSend(sequence, WcStatus.SUCCESS, queue.length(sequence), 0);
                }
                // the ring may have let go of those behind it as well
                sequence = Math.max(sequence + 1, queue.head());
            }
            acknowledged = proves;
        }
        if (workRequest >= 0) {
            queuePair.completeSend(workRequest, WcStatus.SUCCESS, bytes, 0);
        }
    }

    /** The oldest Read fails, if it is the application's. */
    void failRead(WcStatus status, int vendorError) {
        if (reads.sequence() >= 0) {
            queuePair.completeSend(reads.sequence(), status, 0, vendorError);
        }
    }

    private void onFault(AccessFault fault) {
        noLastAnswers = true;
        if (kind == Kind.RESPONSE) {
            terminator.raise(readTerminateCode(fault), peerReads, segmenter.sent());
        } else if (queuePair.isBound()) {
            fail(current, WcStatus.LOC_PROT_ERR, queue.opcode(current), fault.text());
        }
        segmenter.drop();
    }

    private void fail(long sequence, WcStatus status, WrOpcode opcode, String why) {
        noLastAnswers = true;
        String id = Long.toHexString(queue.id(sequence));
        queuePair.completeSend(sequence, status, 0, 0);
        terminator.raiseLocal(opcode + " with id 0x" + id + " failed here: " + why);
    }

    /** RDMAP's code for a fault of a Read's source. */
    static int readTerminateCode(AccessFault fault) {
        return switch (fault) {
            case NONE -> TerminateCode.NONE;
            case INVALID_KEY -> TerminateCode.RDMAP_INVALID_STAG;
            case WRONG_PROTECTION_DOMAIN -> TerminateCode.RDMAP_STAG_NOT_ASSOCIATED;
            case NO_RIGHTS -> TerminateCode.RDMAP_ACCESS_RIGHTS;
            case ADDRESS_WRAP -> TerminateCode.RDMAP_TO_WRAP;
            case OUT_OF_BOUNDS -> TerminateCode.RDMAP_BASE_OR_BOUNDS;
            case MEMORY_GONE -> TerminateCode.RDMAP_LOCAL_CATASTROPHIC;
        };
    }
}
