package io.jrdma.ib;

import io.jrdma.verbs.AsyncEvent;
import io.jrdma.verbs.QpAttribute;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.SendFlags;
import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.WrOpcode;
import io.jrdma.verbs.memory.AccessFault;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.queue.ReceiveQueue;
import io.jrdma.verbs.queue.ReceiveScatter;
import io.jrdma.verbs.queue.RequestMemory;
import io.jrdma.verbs.queue.SendQueue;
import io.jrdma.verbs.spi.Engine;
import io.jrdma.verbs.spi.QueuePairEngine;
import io.jrdma.wire.Psn;
import io.jrdma.wire.ib.Bth;
import io.jrdma.wire.ib.Deth;
import io.jrdma.wire.ib.Grh;
import io.jrdma.wire.ib.IbOpcode;
import io.jrdma.wire.ib.ImmDt;
import io.jrdma.wire.ib.RoceV2Head;
import io.jrdma.wire.ib.RoceV2Packet;
import java.lang.foreign.MemorySegment;

/**
 * An unreliable datagram queue pair (IBTA volume 1, 9.8.3): one packet a message, no answer. A datagram that finds no receive, or one that
 * is too small, is gone; the receive stays.
 */
final class UdQueuePair extends IbEndpoint implements QueuePairEngine {
    /** A queue key with this bit set in a request stands for the queue pair's own (IBTA volume 1, 10.2.5). */
    private static final int OWN_Q_KEY = 0x8000_0000;

    private final IbDevice device;
    private final QueuePairCore core;
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final RequestMemory memory;
    private final ReceiveScatter scatter;
    private final RoutingHeader routingHeader;
    private int qKey;
    private int psn;
    private long nextSequence;

    UdQueuePair(IbDevice device, QueuePairCore core) {
        super(core.qpNum());
        this.device = device;
        this.core = core;
        this.sends = core.sendQueue();
        this.receives = core.receiveQueue();
        this.memory = new RequestMemory(sends, core.device().memory(), core.protectionDomain());
        this.scatter = new ReceiveScatter(receives, core.device().memory(), core.protectionDomain());
        this.routingHeader = new RoutingHeader();
    }

    @Override
    void onPacket(int sourceId, MemorySegment segment, long at, int length, int opcode, int trafficClass, long nowNs) {
        IbCounters counters = device.counters();
        if (IbOpcode.transport(opcode) != IbOpcode.UD) {
            counters.count(IbCounters.WRONG_SERVICE);
            return;
        }
        QpState state = core.state();
        if (state == QpState.RESET || state == QpState.INIT || state == QpState.ERROR) {
            counters.count(IbCounters.WRONG_STATE);
            return;
        }
        long deth = at + IbOpcode.dethAt(opcode);
        // [IBTA-9.8.3-1] another queue key than the receiver's
        if (Deth.qKey(segment, deth) != qKey) {
            counters.count(IbCounters.WRONG_Q_KEY);
            return;
        }
        int payload = RoceV2Packet.payloadBytes(segment, at, length);
        // [IBTA-9.8.3-2] a datagram without a receive that holds it is dropped
        if (receives.head() == receives.posted() || receives.length(receives.head()) < Grh.LENGTH + payload) {
            counters.count(IbCounters.NO_RECEIVE);
            return;
        }
        MemorySegment header = routingHeader.of(device.port(), sourceId, trafficClass, length);
        // [IBTA-9.8.3-4] the routing header first
        scatter.begin();
        AccessFault fault = scatter.placeNext(header, 0, Grh.LENGTH);
        if (fault == AccessFault.NONE) {
            fault = scatter.placeNext(segment, at + IbOpcode.headerBytes(opcode), payload);
        }
        if (fault != AccessFault.NONE) {
            core.completeReceive(WcStatus.LOC_PROT_ERR, WcOpcode.RECV, 0, 0, 0, 0, false);
            fail(fault.text());
            return;
        }
        boolean immediate = IbOpcode.hasImmDt(opcode);
        boolean shown = core.completeReceive(
                WcStatus.SUCCESS,
                WcOpcode.RECV,
                Grh.LENGTH + payload,
                0,
                immediate ? ImmDt.immediate(segment, at + IbOpcode.immDtAt(opcode)) : 0,
                Deth.sourceQp(segment, deth),
                WorkCompletion.GRH | (immediate ? WorkCompletion.WITH_IMM : 0),
                Bth.isSolicited(segment, at));
        if (!shown) {
            // [IBTA-9.9.3-1] the completion queue tells of it; the receives that are left must not be lost as well
            counters.count(IbCounters.FAULTS);
            core.endsBecause("the completion queue had no room for a received message");
            core.enterError();
        }
    }

    private void fail(String text) {
        device.counters().count(IbCounters.FAULTS);
        core.device().onAsyncEvent(AsyncEvent.ofQueuePair(AsyncEvent.Type.QP_FATAL, qpNum, 0, text));
        core.enterError();
    }

    @Override
    boolean transmit(TrainWriter writer, long nowNs) {
        while (core.state() == QpState.RTS && nextSequence < sends.posted()) {
            if (writer.isTurnOver()) {
                return true;
            }
            if (!send(writer, nextSequence)) {
                return writer.isBlocked();
            }
        }
        return false;
    }

    private boolean send(TrainWriter writer, long sequence) {
        long length = sends.length(sequence);
        // [IBTA-9.8.3-5] one packet a message
        if (length > device.pathMtu()) {
            failSend(sequence, WcStatus.LOC_LEN_ERR);
            return false;
        }
        int payload = (int) length;
        boolean immediate = sends.opcode(sequence) == WrOpcode.SEND_WITH_IMM;
        int opcode = immediate ? IbOpcode.UD_SEND_ONLY_WITH_IMM : IbOpcode.UD_SEND_ONLY;
        int bytes = RoceV2Packet.length(opcode, payload);
        if (!writer.reserve(sends.path(sequence), bytes, sends.posted() - sequence)) {
            return false;
        }
        MemorySegment segment = writer.segment();
        long at = writer.at();
        long payloadAt = at + IbOpcode.headerBytes(opcode);
        if (payload > 0) {
            memory.seek(sequence, 0);
            if (memory.read(segment, payloadAt, payload) != AccessFault.NONE) {
                failSend(sequence, WcStatus.LOC_PROT_ERR);
                return false;
            }
        }
        int pad = RoceV2Packet.padBytes(payload);
        boolean solicited = (sends.flags(sequence) & SendFlags.SOLICITED) != 0;
        int flags = solicited ? Bth.SOLICITED : 0;
        int to = sends.remoteQp(sequence);
        int wanted = sends.remoteQKey(sequence);
        // [IBTA-9.8.3-3] the highest bit stands for the own queue key
        int key = (wanted & OWN_Q_KEY) != 0 ? qKey : wanted;
        if (immediate) {
            int word = sends.immediateOrKey(sequence);
            RoceV2Head.putDatagramImmDt(segment, at, flags, pad, Bth.DEFAULT_P_KEY, to, psn, key, qpNum, word);
        } else {
            RoceV2Head.putDatagram(segment, at, flags, pad, Bth.DEFAULT_P_KEY, to, psn, key, qpNum);
        }
        RoceV2Packet.putPad(segment, payloadAt + payload, pad);
        writer.push(bytes);
        psn = Psn.next(psn);
        nextSequence++;
        core.completeSend(sequence, WcStatus.SUCCESS, length, 0);
        return true;
    }

    private void failSend(long sequence, WcStatus status) {
        device.counters().count(IbCounters.FAULTS);
        core.completeSend(sequence, status, 0, 0);
        core.enterError();
    }

    @Override
    void onTimeout(long nowNs) {}

    @Override
    long nextDeadlineNs() {
        return Engine.NO_DEADLINE;
    }

    @Override
    void onClosed(long nowNs) {
        QpState state = core.state();
        if (state != QpState.RESET && state != QpState.INIT && state != QpState.ERROR) {
            fail("the port is gone");
        }
    }

    @Override
    public void onDoorbell(long nowNs) {
        device.readyNow(this);
    }

    @Override
    public void onModify(QpState from, QpState to, QpAttributes attributes, long nowNs) {
        qKey = attributes.number(QpAttribute.QKEY, qKey);
        if (to == QpState.RTS && from == QpState.RTR) {
            psn = attributes.number(QpAttribute.SQ_PSN, 0);
            nextSequence = sends.head();
            memory.reset();
        }
        if (to == QpState.SQD && from == QpState.RTS && attributes.number(QpAttribute.EN_SQD_ASYNC_NOTIFY, 0) != 0) {
            // what was begun is sent: there is nothing to wait for
            core.device()
                    .onAsyncEvent(AsyncEvent.ofQueuePair(AsyncEvent.Type.SQ_DRAINED, qpNum, 0, "send queue drained"));
        }
        device.readyNow(this);
    }

    @Override
    public void onDestroy(long nowNs) {
        device.remove(this);
    }
}
