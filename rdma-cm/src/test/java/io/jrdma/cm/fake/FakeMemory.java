package io.jrdma.cm.fake;

import io.jrdma.verbs.Access;
import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.memory.AccessFault;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.queue.ReceiveQueue;
import io.jrdma.verbs.queue.ReceiveScatter;
import io.jrdma.verbs.queue.RequestMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The memory that a fake queue pair's requests and receives name, and that its peer's requests name. Loop only. */
final class FakeMemory {
    private final QueuePairCore core;
    private final RequestMemory requests;
    private final ReceiveScatter receives;

    FakeMemory(QueuePairCore core) {
        this.core = core;
        requests = new RequestMemory(core.sendQueue(), core.device().memory(), core.protectionDomain());
        receives = new ReceiveScatter(core.receiveQueue(), core.device().memory(), core.protectionDomain());
    }

    /** A message without content. */
    static MemorySegment message(long length) {
        return Arena.ofAuto().allocate(Math.max(1, length)).asSlice(0, length);
    }

    /** Whether a message was filled with what a request sends. */
    boolean gather(long sequence, MemorySegment message) {
        requests.seek(sequence, 0);
        return requests.read(message, 0, (int) message.byteSize()) == AccessFault.NONE;
    }

    /** Puts what a Read brought where the request wants it. */
    void scatter(long sequence, MemorySegment message) {
        requests.seek(sequence, 0);
        requests.write(message, 0, (int) message.byteSize());
    }

    /** Completes the oldest receive with a message; RNR_RETRY_EXC_ERR if there is none, LOC_LEN_ERR if it is too short. */
    WcStatus receive(MemorySegment message) {
        ReceiveQueue queue = core.receiveQueue();
        long length = message.byteSize();
        if (queue.head() == queue.posted()) {
            return WcStatus.RNR_RETRY_EXC_ERR;
        }
        if (length > queue.length(queue.head())) {
            core.completeReceive(WcStatus.LOC_LEN_ERR, WcOpcode.RECV, 0, 0, 0, 0, false);
            return WcStatus.LOC_LEN_ERR;
        }
        receives.begin();
        receives.placeNext(message, 0, (int) length);
        core.completeReceive(WcStatus.SUCCESS, WcOpcode.RECV, length, 0, 0, 0, false);
        return WcStatus.SUCCESS;
    }

    /** Whether a peer's Write was placed. */
    boolean write(MemorySegment message, long address, int key) {
        return core.device()
                        .memory()
                        .write(
                                key,
                                core.protectionDomain(),
                                Access.REMOTE_WRITE.bit(),
                                address,
                                message,
                                0,
                                message.byteSize())
                == AccessFault.NONE;
    }

    /** Whether a message was filled for a peer's Read. */
    boolean read(MemorySegment message, long address, int key) {
        return core.device()
                        .memory()
                        .read(
                                key,
                                core.protectionDomain(),
                                Access.REMOTE_READ.bit(),
                                address,
                                message,
                                0,
                                message.byteSize())
                == AccessFault.NONE;
    }
}
