package io.jrdma.cm.fake;

import io.jrdma.verbs.Access;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.memory.AccessFault;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.queue.ReceiveQueue;
import io.jrdma.verbs.queue.SendQueue;
import io.jrdma.verbs.spi.QueuePairEngine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Carries out Sends, Writes and Reads between the ends of a {@link FakeStream} by copying; a fault ends the stream. Loop only. */
final class FakeQueuePair implements QueuePairEngine {
    private final QueuePairCore core;
    private FakeStream stream;
    private long next;

    FakeQueuePair(QueuePairCore core) {
        this.core = core;
    }

    static FakeQueuePair free(QueuePairCore core) {
        if (!(core.engine() instanceof FakeQueuePair own) || core.state() != QpState.INIT || own.stream != null) {
            throw new VerbsException(Errno.EINVAL, "the queue pair is destroyed, connected, or in " + core.state());
        }
        return own;
    }

    QueuePairCore core() {
        return core;
    }

    void bind(FakeStream to) {
        stream = to;
    }

    void flush() {
        if (core.engine() == this) {
            core.enterError();
        }
    }

    @Override
    public void onDoorbell(long nowNs) {
        SendQueue sends = core.sendQueue();
        while (next < sends.posted() && core.state() == QpState.RTS && stream != null && stream.isUp()) {
            carryOut(sends, next++);
        }
    }

    private void carryOut(SendQueue sends, long sequence) {
        FakeStream peer = stream.peer();
        switch (sends.opcode(sequence)) {
            case SEND -> {
                MemorySegment payload = gather(sends, sequence);
                core.completeSend(sequence, WcStatus.SUCCESS, payload.byteSize(), 0);
                peer.driver().later(() -> peer.queuePair().onSend(payload));
            }
            case RDMA_WRITE -> {
                MemorySegment payload = gather(sends, sequence);
                long address = sends.remoteAddress(sequence);
                int key = sends.remoteKey(sequence);
                core.completeSend(sequence, WcStatus.SUCCESS, payload.byteSize(), 0);
                peer.driver().later(() -> peer.queuePair().onWrite(payload, address, key));
            }
            case RDMA_READ -> {
                long address = sends.remoteAddress(sequence);
                int key = sends.remoteKey(sequence);
                long length = sends.length(sequence);
                peer.driver().later(() -> peer.queuePair().onRead(this, sequence, address, key, length));
            }
            default -> core.completeSend(sequence, WcStatus.LOC_QP_OP_ERR, 0, 0);
        }
    }

    private MemorySegment gather(SendQueue sends, long sequence) {
        long length = sends.length(sequence);
        MemorySegment payload = Arena.ofAuto().allocate(Math.max(1, length)).asSlice(0, length);
        if (sends.sgeCount(sequence) == 0) {
            MemorySegment.copy(sends.inlineMemory(), sends.inlineOffset(sequence), payload, 0, length);
            return payload;
        }
        long at = 0;
        for (int i = 0; i < sends.sgeCount(sequence); i++) {
            AccessFault fault = core.device()
                    .memory()
                    .read(
                            sends.sgeKey(sequence, i),
                            core.protectionDomain(),
                            0,
                            sends.sgeAddress(sequence, i),
                            payload,
                            at,
                            sends.sgeLength(sequence, i));
            if (fault != AccessFault.NONE) {
                core.completeSend(sequence, WcStatus.LOC_PROT_ERR, 0, 0);
                stream.abort();
                return payload;
            }
            at += sends.sgeLength(sequence, i);
        }
        return payload;
    }

    private void onSend(MemorySegment payload) {
        if (!stream.isUp() || core.engine() != this) {
            return;
        }
        ReceiveQueue receives = core.receiveQueue();
        long sequence = receives.head();
        if (sequence == receives.posted()) {
            stream.abort();
            return;
        }
        if (payload.byteSize() > receives.length(sequence)) {
            core.completeReceive(WcStatus.LOC_LEN_ERR, WcOpcode.RECV, 0, 0, 0, 0, false);
            stream.abort();
            return;
        }
        long at = 0;
        for (int i = 0; i < receives.sgeCount(sequence); i++) {
            long length = Math.min(receives.sgeLength(sequence, i), payload.byteSize() - at);
            core.device()
                    .memory()
                    .write(
                            receives.sgeKey(sequence, i),
                            core.protectionDomain(),
                            Access.LOCAL_WRITE.bit(),
                            receives.sgeAddress(sequence, i),
                            payload,
                            at,
                            length);
            at += length;
        }
        core.completeReceive(WcStatus.SUCCESS, WcOpcode.RECV, payload.byteSize(), 0, 0, 0, false);
    }

    private void onWrite(MemorySegment payload, long address, int key) {
        if (stream.isUp()) {
            AccessFault fault = core.device()
                    .memory()
                    .write(
                            key,
                            core.protectionDomain(),
                            Access.REMOTE_WRITE.bit(),
                            address,
                            payload,
                            0,
                            payload.byteSize());
            if (fault != AccessFault.NONE) {
                stream.abort();
            }
        }
    }

    private void onRead(FakeQueuePair reader, long sequence, long address, int key, long length) {
        if (!stream.isUp()) {
            return;
        }
        MemorySegment payload = Arena.ofAuto().allocate(Math.max(1, length)).asSlice(0, length);
        AccessFault fault = core.device()
                .memory()
                .read(key, core.protectionDomain(), Access.REMOTE_READ.bit(), address, payload, 0, length);
        if (fault != AccessFault.NONE) {
            reader.stream.driver().later(() -> reader.onReadFailed(sequence));
            return;
        }
        reader.stream.driver().later(() -> reader.onReadResponse(sequence, payload));
    }

    private void onReadFailed(long sequence) {
        if (core.engine() == this && core.state() == QpState.RTS) {
            core.completeSend(sequence, WcStatus.REM_ACCESS_ERR, 0, 0x101);
            stream.abort();
        }
    }

    private void onReadResponse(long sequence, MemorySegment payload) {
        if (core.engine() != this || core.state() != QpState.RTS) {
            return;
        }
        SendQueue sends = core.sendQueue();
        long at = 0;
        for (int i = 0; i < sends.sgeCount(sequence); i++) {
            long length = sends.sgeLength(sequence, i);
            core.device()
                    .memory()
                    .write(
                            sends.sgeKey(sequence, i),
                            core.protectionDomain(),
                            Access.LOCAL_WRITE.bit(),
                            sends.sgeAddress(sequence, i),
                            payload,
                            at,
                            length);
            at += length;
        }
        core.completeSend(sequence, WcStatus.SUCCESS, payload.byteSize(), 0);
    }

    @Override
    public void onModify(QpState from, QpState to, QpAttributes attributes, long nowNs) {
        if (to == QpState.ERROR && stream != null) {
            stream.abort();
        }
    }

    @Override
    public void onDestroy(long nowNs) {
        if (stream != null) {
            stream.onQueuePairGone();
        }
    }
}
