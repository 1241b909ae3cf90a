package io.jrdma.ib;

import io.jrdma.verbs.Access;
import io.jrdma.verbs.memory.AccessFault;
import io.jrdma.verbs.memory.MemoryTable;
import io.jrdma.verbs.queue.ReceiveQueue;
import io.jrdma.wire.Psn;
import io.jrdma.wire.ib.AethSyndrome;
import io.jrdma.wire.ib.Bth;
import io.jrdma.wire.ib.IbOpcode;
import io.jrdma.wire.ib.NakCode;
import io.jrdma.wire.ib.RoceV2Head;
import io.jrdma.wire.ib.RoceV2Packet;
import java.lang.foreign.MemorySegment;

/**
 * What a responder has to send: answers to Reads and atomics in the order of PSNs, then one ACK for everything else that was asked to be
 * acknowledged, or one NAK (IBTA volume 1, 9.7.5).
 */
final class RcAnswers {
    /** No ACK, no NAK. */
    private static final int NOTHING = -1;

    private final RcQueuePair qp;
    private final MemoryTable memory;
    private final int protectionDomain;
    private final ReceiveQueue receives;
    ResponderResources resources = new ResponderResources(0);

    private boolean ackWanted;
    private long ackPsn;
    private int nakSyndrome = NOTHING;
    private long nakPsn;
    private int aethMsn;

    RcAnswers(RcQueuePair qp, MemoryTable memory, int protectionDomain, ReceiveQueue receives) {
        this.qp = qp;
        this.memory = memory;
        this.protectionDomain = protectionDomain;
        this.receives = receives;
    }

    /** Nothing was received yet. */
    void begin(int maxDestRdAtomic, long expectedPsn) {
        resources = new ResponderResources(maxDestRdAtomic);
        ackWanted = false;
        ackPsn = expectedPsn - 1;
        nakSyndrome = NOTHING;
        aethMsn = 0;
    }

    /** The count of messages that were completed, 0..2^24-1. */
    int aethMsn() {
        return aethMsn;
    }

    /** One more message was completed. */
    void onMessage() {
        // [IBTA-9.7.5-8] what comes again does not come here
        aethMsn = Psn.next(aethMsn);
    }

    /** A packet that an ACK may name was carried out. A Read or atomic is none: an ACK with its PSN would stand for its response. */
    void onExecuted(long psn, boolean ackRequested) {
        // [IBTA-9.7.5-7] one ACK covers everything up to the latest
        ackPsn = psn;
        ackWanted |= ackRequested;
    }

    /** The ACK of the latest such packet is wanted, once more perhaps. */
    void wantAck() {
        ackWanted = true;
    }

    /** A NAK is to be sent, with that PSN, behind all answers; it stands for the ACK as well. */
    void want(int syndrome, long psn) {
        nakSyndrome = syndrome;
        nakPsn = psn;
    }

    /** Whether a NAK waits to be sent. */
    boolean isNakWanted() {
        return nakSyndrome != NOTHING;
    }

    /** Takes back a NAK that was not sent yet. */
    void withdrawNak() {
        nakSyndrome = NOTHING;
    }

    /** Sends nothing more. */
    void drop() {
        ackWanted = false;
        nakSyndrome = NOTHING;
        resources.dropAnswers();
    }

    /** As {@link IbEndpoint#transmit}. */
    boolean transmit(TrainWriter writer) {
        // [IBTA-9.7.5-6] answers first: an ACK must not overtake them
        while (resources.isAnswering()) {
            if (writer.isTurnOver()) {
                return true;
            }
            int slot = resources.firstUnanswered();
            boolean sent = resources.isAtomic(slot) ? sendAtomicAnswer(writer, slot) : sendReadAnswer(writer, slot);
            if (!sent) {
                return writer.isBlocked();
            }
        }
        if (nakSyndrome != NOTHING) {
            if (!sendAeth(writer, nakSyndrome, nakPsn)) {
                return true;
            }
            qp.counters().count(counterOf(nakSyndrome));
            nakSyndrome = NOTHING;
            ackWanted = false;
        } else if (ackWanted) {
            if (!sendAeth(writer, ackSyndrome(), ackPsn)) {
                return true;
            }
            qp.counters().count(IbCounters.ACKS_SENT);
            ackWanted = false;
        }
        return false;
    }

    private static int counterOf(int syndrome) {
        if (AethSyndrome.kind(syndrome) == AethSyndrome.KIND_RNR_NAK) {
            return IbCounters.RNR_NAKS_SENT;
        }
        return NakCode.isRetried(AethSyndrome.value(syndrome))
                ? IbCounters.SEQUENCE_NAKS_SENT
                : IbCounters.FATAL_NAKS_SENT;
    }

    /** The credits count what is posted, the receive that a message under way has taken included: the MSN does not count that one yet. */
    private int ackSyndrome() {
        // [IBTA-9.7.5-9] as a credit code
        long posted = receives.posted() - receives.head();
        return AethSyndrome.ack(AethSyndrome.creditCode((int) Math.min(posted, Short.MAX_VALUE + 1)));
    }

    private boolean sendAeth(TrainWriter writer, int syndrome, long psn) {
        int opcode = IbOpcode.ACKNOWLEDGE;
        int bytes = RoceV2Packet.length(opcode, 0);
        if (!writer.reserve(qp.pathId(), bytes, 1)) {
            return false;
        }
        putAeth(writer.segment(), writer.at(), opcode, 0, psn, syndrome, aethMsn);
        writer.push(bytes);
        return true;
    }

    private boolean sendAtomicAnswer(TrainWriter writer, int slot) {
        int opcode = IbOpcode.ATOMIC_ACKNOWLEDGE;
        int bytes = RoceV2Packet.length(opcode, 0);
        if (!writer.reserve(qp.pathId(), bytes, 1)) {
            return false;
        }
        RoceV2Head.putAtomicAck(
                writer.segment(),
                writer.at(),
                opcode,
                0,
                Bth.DEFAULT_P_KEY,
                qp.destQp(),
                (int) resources.nextPsn(slot) & Psn.MAX,
                ackSyndrome(),
                resources.aethMsn(slot),
                resources.originalValue(slot));
        writer.push(bytes);
        resources.onSent(slot, true);
        return true;
    }

    private boolean sendReadAnswer(TrainWriter writer, int slot) {
        long psn = resources.nextPsn(slot);
        long index = psn - resources.answerFirst(slot);
        long position = index << qp.mtuShift();
        long left = resources.answerLength(slot) - position;
        boolean last = left <= qp.pathMtu();
        int payload = last ? (int) left : qp.pathMtu();
        int opcode = last
                ? index == 0 ? IbOpcode.RDMA_READ_RESPONSE_ONLY : IbOpcode.RDMA_READ_RESPONSE_LAST
                : index == 0 ? IbOpcode.RDMA_READ_RESPONSE_FIRST : IbOpcode.RDMA_READ_RESPONSE_MIDDLE;
        int bytes = RoceV2Packet.length(opcode, payload);
        if (!writer.reserve(qp.pathId(), bytes, qp.packets(left))) {
            return false;
        }
        MemorySegment segment = writer.segment();
        long at = writer.at();
        long payloadAt = at + IbOpcode.headerBytes(opcode);
        if (payload > 0) {
            AccessFault fault = memory.read(
                    resources.key(slot),
                    protectionDomain,
                    Access.REMOTE_READ.bit(),
                    resources.answerAddress(slot) + position,
                    segment,
                    payloadAt,
                    payload);
            if (fault != AccessFault.NONE) {
                // the region went away since the request was checked
                resources.dropAnswers();
                qp.failReceive(NakCode.REMOTE_ACCESS_ERROR, psn, null, fault.text());
                return true; // and the loop comes to the NAK
            }
        }
        int pad = RoceV2Packet.padBytes(payload);
        // [IBTA-9.7.5-10] middle packets have none
        if (IbOpcode.hasAeth(opcode)) {
            putAeth(segment, at, opcode, pad, psn, ackSyndrome(), resources.aethMsn(slot));
        } else {
            RoceV2Head.put(segment, at, opcode, 0, pad, Bth.DEFAULT_P_KEY, qp.destQp(), (int) psn & Psn.MAX);
        }
        RoceV2Packet.putPad(segment, payloadAt + payload, pad);
        writer.push(bytes);
        resources.onSent(slot, last);
        return true;
    }

    private void putAeth(MemorySegment segment, long at, int opcode, int pad, long psn, int syndrome, int msn) {
        int wirePsn = (int) psn & Psn.MAX;
        RoceV2Head.putAeth(segment, at, opcode, 0, pad, Bth.DEFAULT_P_KEY, qp.destQp(), wirePsn, syndrome, msn);
    }
}
