package io.jrdma.ib;

import io.jrdma.verbs.Access;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.SendFlags;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WrOpcode;
import io.jrdma.verbs.memory.AccessFault;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.queue.RequestMemory;
import io.jrdma.verbs.queue.SendQueue;
import io.jrdma.wire.Psn;
import io.jrdma.wire.ib.Bth;
import io.jrdma.wire.ib.IbOpcode;
import io.jrdma.wire.ib.RoceV2Head;
import io.jrdma.wire.ib.RoceV2Packet;
import java.lang.foreign.MemorySegment;

/** Turns send work requests into request packets, for the first time and again (IBTA volume 1, 9.7.3). */
final class RcRequester {
    /** An acknowledgement is asked for at least so often: a peer that counts on it (Linux rxe has a window of 128) never waits. */
    private static final int ACK_EVERY = 32;

    private final RcQueuePair qp;
    private final QueuePairCore core;
    private final SendQueue queue;
    final OutstandingRequests out;
    final RequestMemory memory;
    final RetryTimer timer = new RetryTimer();
    final CongestionWindow window = new CongestionWindow();
    final CreditLimit credits = new CreditLimit();
    ReadRequests reads = new ReadRequests(0);

    private int sinceAckRequest;
    /** Whether the packet at {@link #probePsn} alone is sent again, to learn whether anything was lost at all. */
    private boolean probing;

    private long probePsn;
    private boolean waiting;
    private long waitUntilNs;
    private long faulty;
    private WcStatus fault = WcStatus.SUCCESS;

    RcRequester(RcQueuePair qp, QueuePairCore core) {
        this.qp = qp;
        this.core = core;
        this.queue = core.sendQueue();
        this.out = new OutstandingRequests(queue);
        this.memory = new RequestMemory(queue, core.device().memory(), core.protectionDomain());
    }

    /** The queue pair goes to RTS. */
    void begin(int sqPsn, int maxRdAtomic, int windowPackets) {
        out.begin(sqPsn);
        memory.reset();
        timer.reset();
        window.begin(windowPackets, sqPsn);
        credits.reset();
        reads = new ReadRequests(maxRdAtomic);
        sinceAckRequest = 0;
        stop();
    }

    /** So many Reads and atomics at once from now on; only while none is on the way. */
    void maxRdAtomic(int newMaxRdAtomic) {
        assert reads.isEmpty();
        reads = new ReadRequests(newMaxRdAtomic);
    }

    /** Nothing more is sent. */
    void stop() {
        timer.stop();
        waiting = false;
        probing = false;
        fault = WcStatus.SUCCESS;
    }

    /** The responder has no receive: nothing is sent before that time, and then what it refused first. */
    void waitForReceiver(long untilNs) {
        waiting = true;
        waitUntilNs = untilNs;
        timer.stop();
        probing = false;
        out.goBack();
    }

    /** Whether the responder's time to wait runs. */
    boolean isWaiting() {
        return waiting;
    }

    /** When the wait is over; only while {@link #isWaiting}. */
    long waitUntilNs() {
        return waitUntilNs;
    }

    /** The wait is over, for whatever reason. */
    void endWait(long nowNs) {
        waiting = false;
        if (!out.isEmpty()) {
            timer.restart(nowNs);
        }
    }

    /** Sends again what is not acknowledged, from the first of it on. */
    void goBack(long nowNs) {
        probing = false;
        out.goBack();
        timer.onSendingAgain(nowNs);
    }

    /** The fast timer has expired. */
    void onFastExpiry(long nowNs) {
        if (probing) {
            probing = false;
            window.onLoss(out.unackedPsn, out.sentPsn);
        } else {
            // perhaps the peer, or this side, only had no processor for a while
            probing = true;
            probePsn = out.unackedPsn;
        }
        out.goBack();
        timer.backOff(nowNs);
    }

    /** The queue pair's own time limit is over. */
    void onLimit(long nowNs) {
        probing = false;
        window.onSilence(out.sentPsn);
        out.goBack();
        timer.backOff(nowNs);
    }

    /** A response has told how far everything has arrived. */
    void onAnswer() {
        if (!probing || out.unackedPsn == probePsn) {
            return;
        }
        probing = false;
        if (out.unackedPsn > probePsn + 1 && out.cursorPsn <= out.unackedPsn) {
            // what was not sent again has arrived: it was late, not lost
            out.goForward();
        } else {
            window.onLoss(out.unackedPsn, out.sentPsn);
        }
    }

    /** Whether the queue pair has nothing under way that was begun. */
    boolean isDrained() {
        return out.oldest == out.started;
    }

    /** Whether the oldest request cannot be carried out for a local reason. */
    boolean isOldestFaulty() {
        return fault != WcStatus.SUCCESS && faulty == out.oldest;
    }

    WcStatus fault() {
        return fault;
    }

    /** As {@link IbEndpoint#transmit}. */
    boolean transmit(TrainWriter writer, long nowNs) {
        QpState state = core.state();
        if (state != QpState.RTS && state != QpState.SQD) {
            return false;
        }
        if (waiting) {
            if (waitUntilNs - nowNs > 0) {
                return false;
            }
            endWait(nowNs);
        }
        while (!writer.isTurnOver()) {
            if (probing && out.cursorPsn > probePsn) {
                return false;
            }
            long sequence = out.cursor;
            if (fault != WcStatus.SUCCESS && sequence == faulty) {
                return false;
            }
            if (sequence == out.started) {
                // [IBTA-10.3.1-2] in SQD nothing new is begun
                if (state != QpState.RTS || sequence >= queue.posted() || !mayStart(sequence)) {
                    return false;
                }
                if (out.started != sequence) {
                    continue; // it was a local one and is done
                }
            }
            WrOpcode opcode = queue.opcode(sequence);
            boolean sent = OutstandingRequests.isRead(opcode)
                    ? sendRead(writer, sequence, opcode, nowNs)
                    : sendPacket(writer, sequence, opcode, nowNs);
            if (!sent) {
                return writer.isBlocked();
            }
        }
        return true;
    }

    /**
     * Sends a request with a PSN that the peer is past: its answer to a duplicate is a sign of life. A Write of no bytes would write
     * nothing even at a queue pair that took it for a new one.
     *
     * @return false if the sink has no room
     */
    boolean askForSignOfLife(TrainWriter writer) {
        int opcode = IbOpcode.RDMA_WRITE_ONLY;
        int bytes = RoceV2Packet.length(opcode, 0);
        if (!writer.reserve(qp.pathId(), bytes, 1)) {
            return false;
        }
        int psn = (int) (out.unackedPsn - 1) & Psn.MAX;
        RoceV2Head.putReth(
                writer.segment(),
                writer.at(),
                opcode,
                Bth.ACK_REQUEST,
                0,
                Bth.DEFAULT_P_KEY,
                qp.destQp(),
                psn,
                0,
                0,
                0);
        writer.push(bytes);
        return true;
    }

    private boolean mayStart(long sequence) {
        boolean fenced = (queue.flags(sequence) & SendFlags.FENCE) != 0;
        // [IBTA-10.8.3-1] a fenced request waits for earlier Reads and atomics, and for nothing else
        if (fenced && !reads.isEmpty()) {
            return false;
        }
        WrOpcode opcode = queue.opcode(sequence);
        if (opcode == WrOpcode.LOCAL_INV) {
            // what was posted before it may still have to be sent again from the region
            return out.oldest == sequence && invalidate(sequence);
        }
        boolean takesReceive = opcode != WrOpcode.RDMA_WRITE && !OutstandingRequests.isRead(opcode);
        // [IBTA-9.7.7-2] without credit one message at a time may still ask
        return !takesReceive || credits.allowsOne() || out.isEmpty();
    }

    private boolean invalidate(long sequence) {
        AccessFault refused =
                core.device().memory().invalidate(queue.immediateOrKey(sequence), core.protectionDomain());
        if (refused != AccessFault.NONE) {
            fail(sequence, WcStatus.LOC_QP_OP_ERR);
            return false;
        }
        out.start(0);
        out.cursor++;
        out.oldest++;
        core.completeSend(sequence, WcStatus.SUCCESS, 0, 0);
        return true;
    }

    /** The request fails for a local reason: in its turn, when all earlier ones are complete. */
    private void fail(long sequence, WcStatus status) {
        faulty = sequence;
        fault = status;
        if (out.oldest == sequence) {
            qp.failSend(status, 0);
        }
    }

    private boolean sendPacket(TrainWriter writer, long sequence, WrOpcode request, long nowNs) {
        long psn = out.cursorPsn;
        long room = out.unackedPsn + window.packets() - psn;
        if (room <= 0) {
            return false;
        }
        long length = queue.length(sequence);
        long packets = qp.packets(length);
        long index = psn - out.firstPsn(sequence);
        boolean last = index == packets - 1;
        long position = index << qp.mtuShift();
        // [IBTA-9.7.3-1] all packets but the last are full
        int payload = last ? (int) (length - position) : qp.pathMtu();
        int opcode = opcode(request, index == 0, last);
        int bytes = RoceV2Packet.length(opcode, payload);
        long wanted = Math.min(room, packets - index + queue.posted() - sequence - 1);
        if (!writer.reserve(qp.pathId(), bytes, wanted)) {
            return false;
        }
        MemorySegment segment = writer.segment();
        long at = writer.at();
        long payloadAt = at + IbOpcode.headerBytes(opcode);
        if (payload > 0) {
            memory.seek(sequence, position);
            if (memory.read(segment, payloadAt, payload) != AccessFault.NONE) {
                fail(sequence, WcStatus.LOC_PROT_ERR);
                return false;
            }
        }
        // [IBTA-9.7.3-3] at the end of each message, and often enough in long ones
        boolean askForAck =
                last || room == 1 || probing || ++sinceAckRequest >= Math.min(ACK_EVERY, window.packets() / 2);
        int pad = RoceV2Packet.padBytes(payload);
        boolean solicited =
                last && (queue.flags(sequence) & SendFlags.SOLICITED) != 0 && request != WrOpcode.RDMA_WRITE;
        int flags = (askForAck ? Bth.ACK_REQUEST : 0) | (solicited ? Bth.SOLICITED : 0);
        putHead(segment, at, opcode, flags, pad, psn, sequence);
        RoceV2Packet.putPad(segment, payloadAt + payload, pad);
        writer.push(bytes);
        if (askForAck) {
            sinceAckRequest = 0;
        }
        if (sequence == out.started) {
            out.start(packets);
            credits.onStarted();
        }
        onSent(psn, 1, askForAck, nowNs);
        return true;
    }

    /** The headers of a packet of a Send or Write. */
    private void putHead(MemorySegment segment, long at, int opcode, int flags, int pad, long psn, long sequence) {
        int key = Bth.DEFAULT_P_KEY;
        int to = qp.destQp();
        int wirePsn = (int) psn & Psn.MAX;
        boolean word = IbOpcode.hasImmDt(opcode) || IbOpcode.hasIeth(opcode);
        if (IbOpcode.hasReth(opcode)) {
            long address = queue.remoteAddress(sequence);
            int remoteKey = queue.remoteKey(sequence);
            long length = queue.length(sequence);
            if (word) {
                int immediate = queue.immediateOrKey(sequence);
                RoceV2Head.putRethImmDt(
                        segment, at, opcode, flags, pad, key, to, wirePsn, address, remoteKey, length, immediate);
            } else {
                RoceV2Head.putReth(segment, at, opcode, flags, pad, key, to, wirePsn, address, remoteKey, length);
            }
        } else if (word) {
            RoceV2Head.putWithWord(segment, at, opcode, flags, pad, key, to, wirePsn, queue.immediateOrKey(sequence));
        } else {
            RoceV2Head.put(segment, at, opcode, flags, pad, key, to, wirePsn);
        }
    }

    private static int opcode(WrOpcode request, boolean first, boolean last) {
        return switch (request) {
            case SEND -> last ? first ? IbOpcode.SEND_ONLY : IbOpcode.SEND_LAST : sendBegin(first);
            case SEND_WITH_IMM ->
                last ? first ? IbOpcode.SEND_ONLY_WITH_IMM : IbOpcode.SEND_LAST_WITH_IMM : sendBegin(first);
            case SEND_WITH_INV ->
                last
                        ? first ? IbOpcode.SEND_ONLY_WITH_INVALIDATE : IbOpcode.SEND_LAST_WITH_INVALIDATE
                        : sendBegin(first);
            case RDMA_WRITE -> last ? first ? IbOpcode.RDMA_WRITE_ONLY : IbOpcode.RDMA_WRITE_LAST : writeBegin(first);
            case RDMA_WRITE_WITH_IMM ->
                last
                        ? first ? IbOpcode.RDMA_WRITE_ONLY_WITH_IMM : IbOpcode.RDMA_WRITE_LAST_WITH_IMM
                        : writeBegin(first);
            default -> throw new IllegalStateException("no packets of payload for " + request);
        };
    }

    private static int sendBegin(boolean first) {
        return first ? IbOpcode.SEND_FIRST : IbOpcode.SEND_MIDDLE;
    }

    private static int writeBegin(boolean first) {
        return first ? IbOpcode.RDMA_WRITE_FIRST : IbOpcode.RDMA_WRITE_MIDDLE;
    }

    private void onSent(long psn, long packets, boolean answered, long nowNs) {
        if (psn < out.sentPsn) {
            qp.counters().count(IbCounters.RETRANSMITTED);
        } else if (answered) {
            timer.measure(psn, nowNs);
        }
        out.advanceCursor(packets);
        timer.onSent(nowNs);
    }

    private boolean sendRead(TrainWriter writer, long sequence, WrOpcode request, long nowNs) {
        boolean atomic = OutstandingRequests.isAtomic(request);
        long length = queue.length(sequence);
        long packets = atomic ? 1 : qp.packets(length);
        long psn = out.cursorPsn;
        long first = out.firstPsn(sequence);
        if (sequence == out.started && !isReadPossible(sequence, atomic)) {
            return false;
        }
        // what was asked for before is asked for again up to the same end: that is what the responder remembers
        long end = psn < out.sentPsn ? reads.endOf(psn) : -1;
        boolean again = end >= 0;
        if (!again) {
            long room = out.unackedPsn + window.packets() - psn;
            long left = first + packets - psn;
            // [IBTA-9.7.3-4] no more at once than the responder takes
            // a Read is asked for in pieces that the window holds; small ones only when nothing better can be expected
            if (!reads.hasRoom() || (room < left && room < window.packets() / 2)) {
                return false;
            }
            end = psn + Math.min(left, Math.max(1, room));
        }
        int opcode = atomic
                ? request == WrOpcode.ATOMIC_CMP_AND_SWP ? IbOpcode.COMPARE_SWAP : IbOpcode.FETCH_ADD
                : IbOpcode.RDMA_READ_REQUEST;
        int bytes = RoceV2Packet.length(opcode, 0);
        if (!writer.reserve(qp.pathId(), bytes, queue.posted() - sequence)) {
            return false;
        }
        MemorySegment segment = writer.segment();
        long at = writer.at();
        int wirePsn = (int) psn & Psn.MAX;
        long address = queue.remoteAddress(sequence);
        int key = queue.remoteKey(sequence);
        if (atomic) {
            boolean swap = request == WrOpcode.ATOMIC_CMP_AND_SWP;
            long operand = swap ? queue.swap(sequence) : queue.compareAdd(sequence);
            long compare = swap ? queue.compareAdd(sequence) : 0;
            RoceV2Head.putAtomic(
                    segment, at, opcode, 0, Bth.DEFAULT_P_KEY, qp.destQp(), wirePsn, address, key, operand, compare);
        } else {
            // [IBTA-9.7.6-10] from the first missing packet on
            long position = (psn - first) << qp.mtuShift();
            long wanted = Math.min(length - position, (end - psn) << qp.mtuShift());
            RoceV2Head.putReth(
                    segment,
                    at,
                    opcode,
                    0,
                    0,
                    Bth.DEFAULT_P_KEY,
                    qp.destQp(),
                    wirePsn,
                    address + position,
                    key,
                    wanted);
        }
        writer.push(bytes);
        if (sequence == out.started) {
            out.start(packets);
        }
        if (!again) {
            reads.add(end);
            credits.onStarted();
        }
        onSent(psn, end - psn, true, nowNs);
        return true;
    }

    private boolean isReadPossible(long sequence, boolean atomic) {
        if (reads.capacity() == 0) {
            fail(sequence, WcStatus.LOC_QP_OP_ERR);
            return false;
        }
        if (atomic && queue.length(sequence) != Long.BYTES) {
            fail(sequence, WcStatus.LOC_LEN_ERR);
            return false;
        }
        if (memory.check(sequence, Access.LOCAL_WRITE.bit()) != AccessFault.NONE) {
            fail(sequence, WcStatus.LOC_PROT_ERR);
            return false;
        }
        return true;
    }
}
