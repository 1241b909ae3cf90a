package io.jrdma.cm.fake;

import io.jrdma.verbs.QpAttribute;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.queue.SendQueue;
import io.jrdma.verbs.spi.QueuePairEngine;
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
    private final FakeMemory memory;
    private InetAddress destination;
    private int destinationQpNum;
    private long next;
    private boolean busy;
    private boolean communicating;

    FakeRcQueuePair(FakeRoceTransport.Device device, QueuePairCore core) {
        this.device = device;
        this.core = core;
        memory = new FakeMemory(core);
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
        MemorySegment payload = FakeMemory.message(sends.length(sequence));
        memory.gather(sequence, payload);
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
                    response = FakeMemory.message(length);
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
            if (response != null) {
                memory.scatter(sequence, response);
            }
            core.completeSend(sequence, status, core.sendQueue().length(sequence), 0);
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
        WcStatus status = memory.receive(payload);
        if (status == WcStatus.LOC_LEN_ERR) {
            fault();
            return WcStatus.REM_INV_REQ_ERR;
        }
        return status;
    }

    private WcStatus onWrite(MemorySegment payload, long address, int key) {
        return servedOrNot(payload.byteSize() == 0 || memory.write(payload, address, key));
    }

    private WcStatus onRead(MemorySegment into, long address, int key) {
        return servedOrNot(memory.read(into, address, key));
    }

    private WcStatus servedOrNot(boolean served) {
        if (served) {
            return WcStatus.SUCCESS;
        }
        fault();
        return WcStatus.REM_ACCESS_ERR;
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
