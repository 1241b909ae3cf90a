package io.jrdma.ib;

import io.jrdma.verbs.Access;
import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.memory.AccessFault;
import io.jrdma.verbs.memory.MemoryTable;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.queue.ReceiveQueue;
import io.jrdma.verbs.queue.ReceiveScatter;
import io.jrdma.wire.Psn;
import io.jrdma.wire.ib.AethSyndrome;
import io.jrdma.wire.ib.AtomicEth;
import io.jrdma.wire.ib.Bth;
import io.jrdma.wire.ib.IbOpcode;
import io.jrdma.wire.ib.Ieth;
import io.jrdma.wire.ib.ImmDt;
import io.jrdma.wire.ib.NakCode;
import io.jrdma.wire.ib.Reth;
import io.jrdma.wire.ib.RoceV2Packet;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Takes request packets: checks, carries out, and tells {@link RcAnswers} what to say (IBTA volume 1, 9.7.4). */
final class RcResponder {
    private static final int NO_MESSAGE = 0;
    private static final int IN_SEND = 1;
    private static final int IN_WRITE = 2;

    private final RcQueuePair qp;
    private final QueuePairCore core;
    private final MemoryTable memory;
    private final int protectionDomain;
    private final ReceiveQueue receives;
    private final ReceiveScatter scatter;
    private final long[] original = new long[1];
    final RcAnswers answers;

    private int maxDestRdAtomic;
    private int minRnrTimer;
    /** PSNs are 64-bit numbers here that never wrap; their low 24 bits go on the wire. */
    private long expectedPsn;
    /** A NAK was sent for the expected PSN, and nothing is said until it comes. */
    private boolean silent;
    /** The latest PSN that was dropped because another was expected. */
    private long aheadPsn;

    private int message = NO_MESSAGE;
    private long received;
    private long writeAddress;
    private long writeLength;
    private int writeKey;

    RcResponder(RcQueuePair qp, QueuePairCore core) {
        this.qp = qp;
        this.core = core;
        this.memory = core.device().memory();
        this.protectionDomain = core.protectionDomain();
        this.receives = core.receiveQueue();
        this.scatter = new ReceiveScatter(receives, memory, protectionDomain);
        this.answers = new RcAnswers(qp, memory, protectionDomain, receives);
    }

    /** The queue pair goes to RTR. */
    void begin(int rqPsn, int newMaxDestRdAtomic) {
        maxDestRdAtomic = newMaxDestRdAtomic;
        expectedPsn = rqPsn;
        silent = false;
        message = NO_MESSAGE;
        answers.begin(newMaxDestRdAtomic, rqPsn);
    }

    /** So many Reads and atomics at once from now on. */
    void maxDestRdAtomic(int newMaxDestRdAtomic) {
        maxDestRdAtomic = newMaxDestRdAtomic;
        answers.resources = answers.resources.resized(newMaxDestRdAtomic);
    }

    /** The code that an RNR NAK carries, 0 to 31. */
    void minRnrTimer(int code) {
        minRnrTimer = code;
    }

    /** A request packet of the queue pair's peer, in a state that takes it. */
    void onRequest(MemorySegment segment, long at, int length, int opcode) {
        int ahead = Psn.diff(Bth.psn(segment, at), (int) expectedPsn & Psn.MAX);
        if (ahead > 0) {
            onGap(expectedPsn + ahead);
        } else if (ahead < 0) {
            qp.counters().count(IbCounters.DUPLICATE_REQUESTS);
            onDuplicate(segment, at, opcode, expectedPsn + ahead);
        } else {
            silent = false;
            qp.onGoodRequest();
            carryOut(segment, at, length, opcode);
        }
    }

    private void onGap(long psn) {
        qp.counters().count(IbCounters.OUT_OF_SEQUENCE);
        // [IBTA-9.7.4-1] one NAK, with the expected PSN, and nothing more until that has come
        if (!silent) {
            silent = true;
            aheadPsn = psn;
            answers.want(AethSyndrome.nak(NakCode.PSN_SEQUENCE_ERROR), expectedPsn);
        } else if (psn > aheadPsn) {
            aheadPsn = psn;
        }
    }

    private void onDuplicate(MemorySegment segment, long at, int opcode, long psn) {
        if (opcode == IbOpcode.RDMA_READ_REQUEST) {
            long reth = at + IbOpcode.rethAt(opcode);
            long bytes = Reth.dmaLength(segment, reth);
            // [IBTA-9.7.4-2] a Read is carried out again, perhaps in part
            if (!answers.resources.readAgain(
                    psn,
                    qp.packets(bytes),
                    Reth.virtualAddress(segment, reth),
                    bytes,
                    Reth.rkey(segment, reth),
                    answers.aethMsn())) {
                qp.counters().count(IbCounters.UNKNOWN_DUPLICATE);
            }
        } else if (IbOpcode.isAtomic(opcode)) {
            // [IBTA-9.7.4-3] an atomic is not, its answer is repeated
            if (!answers.resources.atomicAgain(psn, answers.aethMsn())) {
                qp.counters().count(IbCounters.UNKNOWN_DUPLICATE);
            }
        } else {
            // [IBTA-9.7.4-4] anything else is acknowledged again
            answers.wantAck();
        }
    }

    private void carryOut(MemorySegment segment, long at, int length, int opcode) {
        int inMessage = IbOpcode.isSend(opcode) ? IN_SEND : IbOpcode.isWrite(opcode) ? IN_WRITE : NO_MESSAGE;
        // [IBTA-9.7.4-5] what begins a message may not come inside one, what goes on with one only inside its kind
        if (message != (IbOpcode.startsMessage(opcode) ? NO_MESSAGE : inMessage)) {
            refuse(NakCode.INVALID_REQUEST, WcStatus.REM_INV_REQ_ERR, "packets of a message out of order");
            return;
        }
        boolean done = switch (inMessage) {
            case IN_SEND -> send(segment, at, length, opcode);
            case IN_WRITE -> write(segment, at, length, opcode);
            default ->
                opcode == IbOpcode.RDMA_READ_REQUEST
                        ? read(segment, at)
                        : IbOpcode.isAtomic(opcode) ? atomic(segment, at, opcode) : unsupported();
        };
        if (done && answers.isNakWanted()) {
            // for what came too early and is still missing; unless that has come in the meantime
            if (silentUntil(expectedPsn)) {
                silent = true;
                answers.want(AethSyndrome.nak(NakCode.PSN_SEQUENCE_ERROR), expectedPsn);
            } else {
                answers.withdrawNak();
            }
        }
    }

    private boolean silentUntil(long psn) {
        return aheadPsn >= psn;
    }

    private boolean unsupported() {
        // [IBTA-9.7.4-6] an operation that the responder does not have is an invalid request
        return refuse(NakCode.INVALID_REQUEST, null, "unsupported operation");
    }

    /** A packet of a Send or Write was carried out. */
    private boolean executed(MemorySegment segment, long at, int inMessage) {
        message = inMessage;
        if (inMessage == NO_MESSAGE) {
            answers.onMessage();
        }
        answers.onExecuted(expectedPsn, Bth.isAckRequest(segment, at));
        expectedPsn++;
        return true;
    }

    private boolean hasReceive() {
        return receives.head() < receives.posted();
    }

    /** The receive that the packet needs is missing: the requester shall wait and send the packet again. */
    private boolean notReady() {
        // [IBTA-9.7.4-14] nothing changes; [IBTA-9.7.5-5] how long to wait is for this side to say
        // what is on the way behind it is dropped without a word
        silent = true;
        aheadPsn = expectedPsn;
        answers.want(AethSyndrome.rnrNak(minRnrTimer), expectedPsn);
        return false;
    }

    /** The message's completion had no room: the peer shall not take it for received. */
    private boolean lost() {
        // [IBTA-9.9.3-1] no answer, and nothing more is taken
        qp.failSilently();
        return false;
    }

    private boolean refuse(int nakCode, @Nullable WcStatus receiveStatus, String text) {
        // [IBTA-9.7.4-16] the queue pair is in ERROR behind the NAK
        boolean holdsReceive = message == IN_SEND;
        qp.failReceive(nakCode, expectedPsn, holdsReceive ? receiveStatus : null, text);
        return false;
    }

    /** As {@link #refuse}, for a packet that takes a receive itself. */
    private boolean refuseReceive(int nakCode, WcStatus receiveStatus, String text) {
        qp.failReceive(nakCode, expectedPsn, receiveStatus, text);
        return false;
    }

    private boolean send(MemorySegment segment, long at, int length, int opcode) {
        int payload = RoceV2Packet.payloadBytes(segment, at, length);
        // [IBTA-9.7.4-7] first and middle packets are full, last ones not empty
        if (!IbOpcode.payloadFits(opcode, payload, qp.pathMtu())) {
            return refuse(NakCode.INVALID_REQUEST, WcStatus.REM_INV_REQ_ERR, "payload does not fit the path MTU");
        }
        if (IbOpcode.consumesReceive(opcode)) {
            if (!hasReceive()) {
                return notReady();
            }
            scatter.begin();
            received = 0;
        }
        // [IBTA-9.7.4-9] a message longer than its receive is an invalid request
        // [IBTA-9.7.3-5] and so is one of more than 2^31 bytes, whatever the receive has room for
        long most = Math.min(receives.length(receives.head()), IbProvider.MAX_MESSAGE_BYTES);
        if (received + payload > most) {
            return refuseReceive(NakCode.INVALID_REQUEST, WcStatus.LOC_LEN_ERR, "message longer than its receive");
        }
        AccessFault fault = scatter.placeNext(segment, at + IbOpcode.headerBytes(opcode), payload);
        if (fault != AccessFault.NONE) {
            return refuseReceive(NakCode.REMOTE_OPERATIONAL_ERROR, WcStatus.LOC_PROT_ERR, fault.text());
        }
        received += payload;
        if (!IbOpcode.endsMessage(opcode)) {
            return executed(segment, at, IN_SEND);
        }
        int extra = 0;
        int flags = 0;
        if (IbOpcode.hasIeth(opcode)) {
            extra = Ieth.rkey(segment, at + IbOpcode.iethAt(opcode));
            flags = WorkCompletion.WITH_INV;
            // [IBTA-9.7.4-17] a region that serves other peers as well is not this one's to take away
            AccessFault notInvalidated = memory.invalidateForPeer(extra, protectionDomain);
            if (notInvalidated != AccessFault.NONE) {
                return refuseReceive(NakCode.REMOTE_ACCESS_ERROR, WcStatus.LOC_ACCESS_ERR, notInvalidated.text());
            }
        } else if (IbOpcode.hasImmDt(opcode)) {
            extra = ImmDt.immediate(segment, at + IbOpcode.immDtAt(opcode));
            flags = WorkCompletion.WITH_IMM;
        }
        boolean shown = core.completeReceive(
                WcStatus.SUCCESS, WcOpcode.RECV, received, 0, extra, flags, Bth.isSolicited(segment, at));
        return shown ? executed(segment, at, NO_MESSAGE) : lost();
    }

    private boolean write(MemorySegment segment, long at, int length, int opcode) {
        // [IBTA-9.7.4-10] what the queue pair does not allow is an invalid request
        if (!core.allows(Access.REMOTE_WRITE)) {
            return refuse(NakCode.INVALID_REQUEST, null, "RDMA Write is not enabled");
        }
        boolean immediate = IbOpcode.consumesReceive(opcode);
        if (immediate && !hasReceive()) {
            return notReady();
        }
        int payload = RoceV2Packet.payloadBytes(segment, at, length);
        if (IbOpcode.hasReth(opcode)) {
            long reth = at + IbOpcode.rethAt(opcode);
            writeAddress = Reth.virtualAddress(segment, reth);
            writeKey = Reth.rkey(segment, reth);
            writeLength = Reth.dmaLength(segment, reth);
            received = 0;
            AccessFault fault = checkRange(Access.REMOTE_WRITE, writeKey, writeAddress, writeLength);
            if (fault != AccessFault.NONE) {
                return refuseWrite(immediate, NakCode.REMOTE_ACCESS_ERROR, fault.text());
            }
        }
        long left = writeLength - received;
        boolean ends = IbOpcode.endsMessage(opcode);
        // [IBTA-9.7.4-8] the packets of a Write bring exactly what its RETH says
        // [IBTA-9.7.3-5] and that is at most 2^31 bytes
        if (!IbOpcode.payloadFits(opcode, payload, qp.pathMtu())
                || (ends ? payload != left : payload >= left)
                || writeLength > IbProvider.MAX_MESSAGE_BYTES) {
            return refuseWrite(immediate, NakCode.INVALID_REQUEST, "payload contradicts the length of the RDMA Write");
        }
        if (payload > 0) {
            AccessFault fault = memory.write(
                    writeKey,
                    protectionDomain,
                    Access.REMOTE_WRITE.bit(),
                    writeAddress + received,
                    segment,
                    at + IbOpcode.headerBytes(opcode),
                    payload);
            if (fault != AccessFault.NONE) {
                return refuseWrite(immediate, NakCode.REMOTE_ACCESS_ERROR, fault.text());
            }
        }
        received += payload;
        boolean shown = !immediate
                || core.completeReceive(
                        WcStatus.SUCCESS,
                        WcOpcode.RECV_RDMA_WITH_IMM,
                        writeLength,
                        0,
                        ImmDt.immediate(segment, at + IbOpcode.immDtAt(opcode)),
                        WorkCompletion.WITH_IMM,
                        Bth.isSolicited(segment, at));
        return shown ? executed(segment, at, ends ? NO_MESSAGE : IN_WRITE) : lost();
    }

    private boolean refuseWrite(boolean takesReceive, int nakCode, String text) {
        qp.failReceive(nakCode, expectedPsn, takesReceive ? WcStatus.LOC_ACCESS_ERR : null, text);
        return false;
    }

    /** Nothing is checked for a range without bytes: neither key nor address means anything there. */
    private AccessFault checkRange(Access right, int key, long address, long bytes) {
        // [IBTA-9.7.4-11] key, protection domain, rights and bounds
        // [IBTA-9.7.4-15] nothing is read or written there
        return bytes == 0 ? AccessFault.NONE : memory.check(key, protectionDomain, right.bit(), address, bytes);
    }

    private boolean read(MemorySegment segment, long at) {
        if (!core.allows(Access.REMOTE_READ) || maxDestRdAtomic == 0) {
            return refuse(NakCode.INVALID_REQUEST, null, "RDMA Read is not enabled");
        }
        // [IBTA-9.7.4-12] more Reads and atomics at once than agreed
        if (!answers.resources.hasRoom()) {
            return refuse(NakCode.INVALID_REQUEST, null, "too many RDMA Reads and atomics at once");
        }
        long reth = at + IbOpcode.rethAt(IbOpcode.RDMA_READ_REQUEST);
        long address = Reth.virtualAddress(segment, reth);
        long bytes = Reth.dmaLength(segment, reth);
        int key = Reth.rkey(segment, reth);
        AccessFault fault = checkRange(Access.REMOTE_READ, key, address, bytes);
        if (fault != AccessFault.NONE) {
            return refuse(NakCode.REMOTE_ACCESS_ERROR, null, fault.text());
        }
        // [IBTA-9.7.3-5] a Read asks for no more than 2^31 bytes
        if (bytes > IbProvider.MAX_MESSAGE_BYTES) {
            return refuse(NakCode.INVALID_REQUEST, null, "RDMA Read of more than 2^31 bytes");
        }
        long packets = qp.packets(bytes);
        answers.onMessage();
        answers.resources.addRead(expectedPsn, packets, address, bytes, key, answers.aethMsn());
        expectedPsn += packets;
        return true;
    }

    private boolean atomic(MemorySegment segment, long at, int opcode) {
        if (!core.allows(Access.REMOTE_ATOMIC) || maxDestRdAtomic == 0) {
            return refuse(NakCode.INVALID_REQUEST, null, "atomics are not enabled");
        }
        if (!answers.resources.hasRoom()) {
            return refuse(NakCode.INVALID_REQUEST, null, "too many RDMA Reads and atomics at once");
        }
        long eth = at + IbOpcode.atomicEthAt(opcode);
        long address = AtomicEth.virtualAddress(segment, eth);
        int key = AtomicEth.rkey(segment, eth);
        AccessFault fault = checkRange(Access.REMOTE_ATOMIC, key, address, Long.BYTES);
        if (fault != AccessFault.NONE) {
            return refuse(NakCode.REMOTE_ACCESS_ERROR, null, fault.text());
        }
        // [IBTA-9.7.4-13] the address of an atomic is a multiple of 8
        if ((address & Long.BYTES - 1) != 0) {
            return refuse(NakCode.INVALID_REQUEST, null, "atomic at an address that is no multiple of 8");
        }
        long operand = AtomicEth.swapOrAdd(segment, eth);
        fault = opcode == IbOpcode.FETCH_ADD
                ? memory.fetchAndAdd(key, protectionDomain, address, operand, original)
                : memory.compareAndSwap(
                        key, protectionDomain, address, AtomicEth.compare(segment, eth), operand, original);
        if (fault != AccessFault.NONE) {
            return refuse(NakCode.REMOTE_ACCESS_ERROR, null, fault.text());
        }
        answers.onMessage();
        answers.resources.addAtomic(expectedPsn, original[0], answers.aethMsn());
        expectedPsn++;
        return true;
    }
}
