package io.jrdma.cm.fake;

import io.jrdma.verbs.Access;
import io.jrdma.verbs.QpAttribute;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.memory.AccessFault;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.queue.ReceiveQueue;
import io.jrdma.verbs.queue.SendQueue;
import io.jrdma.verbs.spi.QueuePairEngine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;

/**
 * Carries out Sends, Writes and Reads as reliable connections do: a request completes when the responder has acknowledged it, waits while
 * there is no receive, and fails when nobody answers. Loop only.
 */
final class FakeRcQueuePair implements QueuePairEngine {
    private static final long RNR_NS = 100_000;
    private static final long RETRIES_NS = 50_000_000;

    private final FakeRoceTransport.Device device;
    private final QueuePairCore core;
    private InetAddress destination;
    private int destinationQpNum;
    private long next;
    private boolean busy;
    private boolean communicating;

    FakeRcQueuePair(FakeRoceTransport.Device device, QueuePairCore core) {
        this.device = device;
        this.core = core;
    }

    private FakeDriver driver() {
        return device.driver;
    }

    @Override
    public void onDoorbell(long nowNs) {
        transmit();
    }

    /** One at a time, so that they stay in order. */
    private void transmit() {
        SendQueue sends = core.sendQueue();
        if (!busy && core.engine() == this && core.state() == QpState.RTS && next < sends.posted()) {
            busy = true;
            carryOut(next);
        }
    }

    private void carryOut(long sequence) {
        SendQueue sends = core.sendQueue();
        MemorySegment payload = gather(sends, sequence);
        long address = sends.remoteAddress(sequence);
        int key = sends.remoteKey(sequence);
        long length = sends.length(sequence);
        var opcode = sends.opcode(sequence);
        // whoever is not there does not answer, and that is found out when the retries are over
        boolean[] answered = new boolean[1];
        driver().network().schedule(driver(), RETRIES_NS, () -> {
            if (!answered[0]) {
                fail(sequence, WcStatus.RETRY_EXC_ERR);
            }
        });
        driver().network().toRoce(destination, peer -> {
            FakeRcQueuePair other = peer.roce().queuePairs.get(destinationQpNum);
            if (other == null || !other.isReceiving(driver().localAddress(), core.qpNum())) {
                return;
            }
            other.establish();
            WcStatus status;
            MemorySegment response = null;
            switch (opcode) {
                case SEND -> status = other.onSend(payload);
                case RDMA_WRITE -> status = other.onWrite(payload, address, key);
                case RDMA_READ -> {
                    response = Arena.ofAuto().allocate(Math.max(1, length)).asSlice(0, length);
                    status = other.onRead(response, address, key);
                }
                default -> status = WcStatus.REM_INV_REQ_ERR;
            }
            MemorySegment read = response;
            driver().later(() -> {
                answered[0] = true;
                onAnswer(sequence, status, read);
            });
        });
    }

    private void onAnswer(long sequence, WcStatus status, MemorySegment response) {
        if (status == WcStatus.RNR_RETRY_EXC_ERR) {
            driver().network().schedule(driver(), RNR_NS, () -> {
                if (core.engine() == this && core.state() == QpState.RTS) {
                    carryOut(sequence);
                }
            });
        } else if (status != WcStatus.SUCCESS) {
            fail(sequence, status);
        } else if (core.engine() == this && core.state() == QpState.RTS) {
            SendQueue sends = core.sendQueue();
            if (response != null) {
                scatter(sends, sequence, response);
            }
            core.completeSend(sequence, status, sends.length(sequence), 0);
            next++;
            busy = false;
            transmit();
        }
    }

    private void fail(long sequence, WcStatus status) {
        if (core.engine() == this && core.state() == QpState.RTS) {
            core.completeSend(sequence, status, 0, 0x101);
            fault();
        }
    }

    private void fault() {
        core.enterError();
        var listener = driver().management().listener();
        if (listener != null) {
            listener.onQueuePairFault(core.qpNum(), driver().nowNs());
        }
    }

    // ---- responder ----

    private boolean isReceiving(InetAddress from, int qpNum) {
        return (core.state() == QpState.RTR || core.state() == QpState.RTS)
                && from.equals(destination)
                && qpNum == destinationQpNum;
    }

    private void establish() {
        var listener = driver().management().listener();
        if (!communicating && listener != null) {
            communicating = true;
            listener.onCommunicationEstablished(core.qpNum(), driver().nowNs());
        }
    }

    private WcStatus onSend(MemorySegment payload) {
        ReceiveQueue receives = core.receiveQueue();
        long sequence = receives.head();
        if (sequence == receives.posted()) {
            return WcStatus.RNR_RETRY_EXC_ERR;
        }
        if (payload.byteSize() > receives.length(sequence)) {
            core.completeReceive(WcStatus.LOC_LEN_ERR, WcOpcode.RECV, 0, 0, 0, 0, false);
            fault();
            return WcStatus.REM_INV_REQ_ERR;
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
        return WcStatus.SUCCESS;
    }

    private WcStatus onWrite(MemorySegment payload, long address, int key) {
        AccessFault found = payload.byteSize() == 0
                ? AccessFault.NONE
                : core.device()
                        .memory()
                        .write(
                                key,
                                core.protectionDomain(),
                                Access.REMOTE_WRITE.bit(),
                                address,
                                payload,
                                0,
                                payload.byteSize());
        return refuseOrNot(found);
    }

    private WcStatus onRead(MemorySegment into, long address, int key) {
        return refuseOrNot(core.device()
                .memory()
                .read(key, core.protectionDomain(), Access.REMOTE_READ.bit(), address, into, 0, into.byteSize()));
    }

    private WcStatus refuseOrNot(AccessFault found) {
        if (found == AccessFault.NONE) {
            return WcStatus.SUCCESS;
        }
        fault();
        return WcStatus.REM_ACCESS_ERR;
    }

    // ---- memory ----

    private MemorySegment gather(SendQueue sends, long sequence) {
        long length = sends.length(sequence);
        MemorySegment payload = Arena.ofAuto().allocate(Math.max(1, length)).asSlice(0, length);
        if (sends.sgeCount(sequence) == 0) {
            MemorySegment.copy(sends.inlineMemory(), sends.inlineOffset(sequence), payload, 0, length);
            return payload;
        }
        long at = 0;
        for (int i = 0; i < sends.sgeCount(sequence); i++) {
            core.device()
                    .memory()
                    .read(
                            sends.sgeKey(sequence, i),
                            core.protectionDomain(),
                            0,
                            sends.sgeAddress(sequence, i),
                            payload,
                            at,
                            sends.sgeLength(sequence, i));
            at += sends.sgeLength(sequence, i);
        }
        return payload;
    }

    private void scatter(SendQueue sends, long sequence, MemorySegment payload) {
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
    }

    @Override
    public void onModify(QpState from, QpState to, QpAttributes attributes, long nowNs) {
        if (to == QpState.RTR) {
            destination = attributes.addressVector().destination();
            destinationQpNum = attributes.number(QpAttribute.DEST_QPN, 0);
        }
    }

    @Override
    public void onDestroy(long nowNs) {
        device.queuePairs.remove(core.qpNum(), this);
    }
}
