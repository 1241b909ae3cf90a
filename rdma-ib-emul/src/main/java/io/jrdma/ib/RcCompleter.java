package io.jrdma.ib;

import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WrOpcode;
import io.jrdma.verbs.memory.AccessFault;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.queue.SendQueue;
import io.jrdma.wire.ib.Aeth;
import io.jrdma.wire.ib.AethSyndrome;
import io.jrdma.wire.ib.AtomicAckEth;
import io.jrdma.wire.ib.Bth;
import io.jrdma.wire.ib.IbOpcode;
import io.jrdma.wire.ib.NakCode;
import io.jrdma.wire.ib.RnrTimer;
import io.jrdma.wire.ib.RoceV2Packet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Takes responses: completes requests, places what Reads bring, decides what is sent again (IBTA volume 1, 9.7.6). */
final class RcCompleter {
    private static final int RNR_RETRY_FOR_EVER = 7;
    private static final long NONE = -1;

    private final RcQueuePair qp;
    private final QueuePairCore core;
    private final SendQueue queue;
    private final RcRequester requester;
    private final OutstandingRequests out;
    private final MemorySegment word = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);

    private int rnrRetry;
    private int rnrRetriesLeft;
    // for what was sent again at a response's word, not at a timer's; once, until there is progress or the timer
    // expires
    private long recoveredPsn = NONE;
    // a NAK that ends the connection, but came before a Read's response that is still missing
    private long fatalPsn = NONE;
    private int fatalSyndrome;

    RcCompleter(RcQueuePair qp, QueuePairCore core, RcRequester requester) {
        this.qp = qp;
        this.core = core;
        this.queue = core.sendQueue();
        this.requester = requester;
        this.out = requester.out;
    }

    /** The attribute rnr_retry: 0 to 6, or 7 for ever. */
    void configure(int newRnrRetry) {
        rnrRetry = newRnrRetry;
        rnrRetriesLeft = newRnrRetry;
    }

    /** Nothing was sent yet. */
    void begin() {
        rnrRetriesLeft = rnrRetry;
        recoveredPsn = NONE;
        fatalPsn = NONE;
    }

    /** A response packet of the queue pair's peer, in a state that takes it. */
    void onResponse(MemorySegment segment, long at, int length, int opcode, long nowNs) {
        long psn = out.unwrap(Bth.psn(segment, at));
        // [IBTA-9.7.6-2] what was never sent cannot be acknowledged, and what is complete is not again
        if (psn >= out.sentPsn || psn < out.unackedPsn) {
            if (psn == out.unackedPsn - 1 && opcode == IbOpcode.ACKNOWLEDGE) {
                onCredits(segment, at);
            }
            qp.counters().count(IbCounters.STRAY_RESPONSE);
            return;
        }
        if (opcode == IbOpcode.ACKNOWLEDGE) {
            onAcknowledge(segment, at, psn, nowNs);
            return;
        }
        // [IBTA-9.7.6-3] such a response acknowledges all Sends and Writes before it
        if (!advance(psn, nowNs)) {
            recoverFrom(nowNs, IbCounters.LOST_RESPONSES);
        } else if (qp.isSending()) {
            if (opcode == IbOpcode.ATOMIC_ACKNOWLEDGE) {
                onAtomicAcknowledge(segment, at, psn, nowNs);
            } else {
                onReadResponse(segment, at, length, opcode, psn, nowNs);
            }
        }
        requester.onAnswer();
        qp.onProgress();
    }

    /** An ACK for what is acknowledged already may still bring new credits. */
    private void onCredits(MemorySegment segment, long at) {
        long aeth = at + IbOpcode.aethAt(IbOpcode.ACKNOWLEDGE);
        int syndrome = Aeth.syndrome(segment, aeth);
        if (AethSyndrome.isAck(syndrome)) {
            requester.credits.onAcknowledged(syndrome, Aeth.aethMsn(segment, aeth));
            qp.mayTransmit();
        }
    }

    private void onAcknowledge(MemorySegment segment, long at, long psn, long nowNs) {
        long aeth = at + IbOpcode.aethAt(IbOpcode.ACKNOWLEDGE);
        int syndrome = Aeth.syndrome(segment, aeth);
        switch (AethSyndrome.kind(syndrome)) {
            case AethSyndrome.KIND_ACK -> {
                requester.credits.onAcknowledged(syndrome, Aeth.aethMsn(segment, aeth));
                // [IBTA-9.7.6-4] but a Read or an atomic is complete with its own response only
                if (!advance(psn + 1, nowNs)) {
                    recoverFrom(nowNs, IbCounters.LOST_RESPONSES);
                }
            }
            case AethSyndrome.KIND_RNR_NAK -> onRnrNak(syndrome, psn, nowNs);
            case AethSyndrome.KIND_NAK -> onNak(syndrome, psn, nowNs);
            default -> {
                qp.counters().count(IbCounters.STRAY_RESPONSE);
                return;
            }
        }
        requester.onAnswer();
        qp.onProgress();
    }

    private void onRnrNak(int syndrome, long psn, long nowNs) {
        qp.counters().count(IbCounters.RNR_NAKS_RECEIVED);
        if (!advance(psn, nowNs)) {
            recoverFrom(nowNs, IbCounters.LOST_RESPONSES);
            return;
        }
        if (!qp.isSending() || requester.isWaiting()) {
            return;
        }
        // [IBTA-9.7.6-8] 7 stands for any number of retries
        if (rnrRetry != RNR_RETRY_FOR_EVER) {
            if (rnrRetriesLeft == 0) {
                qp.failSend(WcStatus.RNR_RETRY_EXC_ERR, syndrome);
                return;
            }
            rnrRetriesLeft--;
        }
        // the packet that was sent again has arrived; a NAK for its PSN after the wait tells of a new loss
        recoveredPsn = NONE;
        // [IBTA-9.7.6-7] not before the time that the responder asks for
        requester.waitForReceiver(nowNs + RnrTimer.toNanos(AethSyndrome.value(syndrome)));
    }

    private void onNak(int syndrome, long psn, long nowNs) {
        int code = AethSyndrome.value(syndrome);
        if (code == NakCode.PSN_SEQUENCE_ERROR) {
            // [IBTA-9.7.6-5] what was before the expected PSN has arrived
            advance(psn, nowNs);
            // Linux rxe sends such a NAK behind an RNR NAK, for what was on the way
            if (!requester.isWaiting()) {
                recoverFrom(nowNs, IbCounters.SEQUENCE_NAKS_RECEIVED);
            }
            return;
        }
        qp.counters().count(IbCounters.FATAL_NAKS_RECEIVED);
        // [IBTA-9.7.6-11] in its turn: what was sent before it may still succeed
        fatalPsn = psn;
        fatalSyndrome = syndrome;
        if (!advance(psn, nowNs)) {
            recoverFrom(nowNs, IbCounters.LOST_RESPONSES);
        } else if (qp.isSending()) {
            failIfFatal();
        }
    }

    private void failIfFatal() {
        if (fatalPsn == out.unackedPsn) {
            fatalPsn = NONE;
            qp.failSend(
                    switch (AethSyndrome.value(fatalSyndrome)) {
                        case NakCode.INVALID_REQUEST -> WcStatus.REM_INV_REQ_ERR;
                        case NakCode.REMOTE_ACCESS_ERROR -> WcStatus.REM_ACCESS_ERR;
                        default -> WcStatus.REM_OP_ERR;
                    },
                    fatalSyndrome);
        }
    }

    private void onReadResponse(MemorySegment segment, long at, int length, int opcode, long psn, long nowNs) {
        long sequence = out.oldest;
        long position = (psn - out.firstPsn(sequence)) << qp.mtuShift();
        int expected = (int) Math.min(qp.pathMtu(), queue.length(sequence) - position);
        boolean read = queue.opcode(sequence) == WrOpcode.RDMA_READ;
        if (!read
                || RoceV2Packet.payloadBytes(segment, at, length) != expected
                || (IbOpcode.hasAeth(opcode)
                        && !AethSyndrome.isAck(Aeth.syndrome(segment, at + IbOpcode.aethAt(opcode))))) {
            qp.failSend(WcStatus.BAD_RESP_ERR, opcode);
            return;
        }
        requester.memory.seek(sequence, position);
        AccessFault fault = requester.memory.write(segment, at + IbOpcode.headerBytes(opcode), expected);
        if (fault != AccessFault.NONE) {
            qp.failSend(WcStatus.LOC_PROT_ERR, 0);
            return;
        }
        progress(psn + 1, nowNs);
    }

    private void onAtomicAcknowledge(MemorySegment segment, long at, long psn, long nowNs) {
        int opcode = IbOpcode.ATOMIC_ACKNOWLEDGE;
        long sequence = out.oldest;
        if (!OutstandingRequests.isAtomic(queue.opcode(sequence))
                || !AethSyndrome.isAck(Aeth.syndrome(segment, at + IbOpcode.aethAt(opcode)))) {
            qp.failSend(WcStatus.BAD_RESP_ERR, opcode);
            return;
        }
        // the value is a number of the host's here, as it is in the responder's memory
        word.set(ValueLayout.JAVA_LONG, 0, AtomicAckEth.originalValue(segment, at + IbOpcode.atomicAckEthAt(opcode)));
        requester.memory.seek(sequence, 0);
        AccessFault fault = requester.memory.write(word, 0, Long.BYTES);
        if (fault != AccessFault.NONE) {
            qp.failSend(WcStatus.LOC_PROT_ERR, 0);
            return;
        }
        progress(psn + 1, nowNs);
    }

    /**
     * Everything before that PSN has arrived.
     *
     * @return false if a response is missing on the way there; then everything before it is acknowledged
     */
    private boolean advance(long psn, long nowNs) {
        while (out.unackedPsn < psn) {
            if (out.isRead(out.oldest)) {
                return false;
            }
            progress(Math.min(psn, out.endPsn(out.oldest)), nowNs);
            if (!qp.isSending()) {
                return true;
            }
        }
        return true;
    }

    /** The oldest request is acknowledged up to that PSN, exclusive. */
    private void progress(long psn, long nowNs) {
        long onTheWay = out.sentPsn - out.unackedPsn;
        long acknowledged = psn - out.unackedPsn;
        out.acknowledge(psn);
        requester.reads.answered(psn);
        rnrRetriesLeft = rnrRetry;
        requester.window.onAcknowledged(acknowledged, onTheWay);
        if (requester.isWaiting()) {
            requester.endWait(nowNs);
        }
        requester.timer.onProgress(psn, !out.isEmpty(), nowNs);
        long sequence = out.oldest;
        // [IBTA-9.7.6-12] none but the oldest
        if (psn == out.endPsn(sequence)) {
            out.oldest++;
            core.completeSend(sequence, WcStatus.SUCCESS, queue.length(sequence), 0);
            if (requester.isOldestFaulty()) {
                qp.failSend(requester.fault(), 0);
                return;
            }
        }
        if (fatalPsn != NONE) {
            failIfFatal();
        }
    }

    /** A response tells that the oldest unacknowledged packet, or its answer, was lost. */
    private void recoverFrom(long nowNs, int counter) {
        qp.counters().count(counter);
        // [IBTA-9.7.6-6] once: what is on the way already cannot be called back, and it provokes the same answer
        if (!qp.isSending() || recoveredPsn == out.unackedPsn) {
            return;
        }
        recoveredPsn = out.unackedPsn;
        requester.window.onLoss(out.unackedPsn, out.sentPsn);
        requester.goBack(nowNs);
    }

    /** The timer has expired. */
    void onExpired(long nowNs) {
        recoveredPsn = NONE;
        RetryTimer timer = requester.timer;
        if (out.isEmpty()) {
            timer.stop();
            return;
        }
        if (timer.isLimitOver(nowNs)) {
            qp.counters().count(IbCounters.ACK_TIMEOUTS);
            // [IBTA-9.7.6-9] after retry_cnt retries the request fails
            if (!timer.useRetry(nowNs)) {
                qp.failSend(WcStatus.RETRY_EXC_ERR, 0);
                return;
            }
            requester.onLimit(nowNs);
        } else {
            qp.counters().count(IbCounters.FAST_TIMEOUTS);
            requester.onFastExpiry(nowNs);
        }
    }
}
