package io.jrdma.cm.fake;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.queue.SendQueue;
import io.jrdma.verbs.spi.QueuePairEngine;
import java.lang.foreign.MemorySegment;

/** Carries out Sends, Writes and Reads between the ends of a {@link FakeStream} by copying; a fault ends the stream. Loop only. */
final class FakeQueuePair implements QueuePairEngine {
    private final QueuePairCore core;
    private final FakeMemory memory;
    private FakeStream stream;
    private long next;

    FakeQueuePair(QueuePairCore core) {
        this.core = core;
        memory = new FakeMemory(core);
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
        MemorySegment payload = FakeMemory.message(sends.length(sequence));
        if (!memory.gather(sequence, payload)) {
            core.completeSend(sequence, WcStatus.LOC_PROT_ERR, 0, 0);
            stream.abort();
        }
        return payload;
    }

    private void onSend(MemorySegment payload) {
        if (stream.isUp() && core.engine() == this && memory.receive(payload) != WcStatus.SUCCESS) {
            stream.abort();
        }
    }

    private void onWrite(MemorySegment payload, long address, int key) {
        if (stream.isUp() && !memory.write(payload, address, key)) {
            stream.abort();
        }
    }

    private void onRead(FakeQueuePair reader, long sequence, long address, int key, long length) {
        if (!stream.isUp()) {
            return;
        }
        MemorySegment payload = FakeMemory.message(length);
        if (memory.read(payload, address, key)) {
            reader.stream.driver().later(() -> reader.onReadResponse(sequence, payload));
        } else {
            reader.stream.driver().later(() -> reader.onReadFailed(sequence));
        }
    }

    private void onReadFailed(long sequence) {
        if (core.engine() == this && core.state() == QpState.RTS) {
            core.completeSend(sequence, WcStatus.REM_ACCESS_ERR, 0, 0x101);
            stream.abort();
        }
    }

    private void onReadResponse(long sequence, MemorySegment payload) {
        if (core.engine() == this && core.state() == QpState.RTS) {
            memory.scatter(sequence, payload);
            core.completeSend(sequence, WcStatus.SUCCESS, payload.byteSize(), 0);
        }
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
