package io.jrdma.testkit.toy;

import io.jrdma.testkit.toy.ToyDatagramTransport.Bug;
import io.jrdma.verbs.Access;
import io.jrdma.verbs.AddressVector;
import io.jrdma.verbs.QpAttribute;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WrOpcode;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.queue.SendQueue;
import io.jrdma.verbs.spi.DatagramSink;
import io.jrdma.verbs.spi.Engine;
import io.jrdma.verbs.spi.QueuePairEngine;
import io.jrdma.wire.Bytes;
import io.jrdma.wire.Psn;
import io.jrdma.wire.ib.Bth;
import io.jrdma.wire.ib.IbOpcode;
import io.jrdma.wire.ib.Reth;
import io.jrdma.wire.ib.RoceV2Head;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair of the toy transport: packets that look like those of an InfiniBand reliable connection, acknowledged in order, all sent
 * again when nothing has come for a while, for ever.
 */
final class ToyRc implements QueuePairEngine {
    static final int MTU = 256;

    private static final int WINDOW = 64;
    private static final long REPEAT_NS = 1_000_000;

    /** A packet from the BTH on, without the ICRC. */
    @SuppressWarnings("ArrayRecordComponent") // handed on once
    private record Sent(int psn, long sequence, boolean last, byte[] bytes) {}

    private final ToyDatagrams device;
    private final QueuePairCore core;
    private final List<Sent> outstanding = new ArrayList<>();
    private int path = -1;
    private int destQp;
    private int nextPsn;
    private int expectedPsn;
    private long nextSequence;
    private int unsent;
    private long repeatNs = Engine.NO_DEADLINE;
    private boolean ackDue;
    private int received;
    private long writeAt;
    private int writeKey;
    private @Nullable MemorySegment kept;
    /** Packets that came with the ECN mark. */
    int congested;

    ToyRc(ToyDatagrams device, QueuePairCore core) {
        this.device = device;
        this.core = core;
    }

    @Override
    public void onDoorbell(long nowNs) {
        device.port().requestTransmit();
    }

    @Override
    public void onModify(QpState from, QpState to, QpAttributes attributes, long nowNs) {
        AddressVector vector = attributes.addressVector();
        if (vector != null) {
            path = device.port().pin(vector);
            destQp = attributes.number(QpAttribute.DEST_QPN, 0);
            expectedPsn = attributes.number(QpAttribute.RQ_PSN, 0);
        }
        nextPsn = attributes.number(QpAttribute.SQ_PSN, nextPsn);
        device.port().requestTransmit();
    }

    @Override
    public void onDestroy(long nowNs) {
        if (path >= 0) {
            device.port().unpin(path);
            if (device.bug == Bug.UNPINS_TWICE) {
                device.port().unpin(path);
            }
        }
        device.forget(core);
    }

    long deadlineNs() {
        return repeatNs;
    }

    void onTimeout(long nowNs) {
        if (repeatNs <= nowNs) {
            unsent = device.bug == Bug.NEVER_REPEATS ? outstanding.size() : 0;
            repeatNs = unsent == outstanding.size() ? Engine.NO_DEADLINE : nowNs + REPEAT_NS;
        }
    }

    // ---- sending ----

    int send(DatagramSink sink, int maxBytes, long nowNs) {
        if (core.state() != QpState.RTS) {
            return 0;
        }
        int sent = ackDue ? acknowledge(sink) : 0;
        while (nextSequence < core.sendQueue().posted() && outstanding.size() < WINDOW) {
            cut(nextSequence++);
        }
        while (unsent < outstanding.size() && sent < Math.max(1, maxBytes)) {
            int bytes = train(sink);
            if (bytes == 0) {
                break;
            }
            sent += bytes;
            repeatNs = nowNs + REPEAT_NS;
        }
        return sent;
    }

    private int acknowledge(DatagramSink sink) {
        int length = Bth.LENGTH + 4 + 4;
        if (!sink.tryClaim(path, length, 1)) {
            return 0;
        }
        MemorySegment packet = sink.segment().asSlice(sink.offset(), length);
        int psn = Psn.previous(expectedPsn);
        RoceV2Head.putAeth(packet, 0, IbOpcode.ACKNOWLEDGE, 0, 0, Bth.DEFAULT_P_KEY, destQp, psn, 0x1F, 0);
        sink.commit(length);
        ackDue = false;
        return length;
    }

    private int train(DatagramSink sink) {
        int size = outstanding.get(unsent).bytes.length + 4;
        int count = 1;
        int most = sink.maxSegments(size);
        while (count < most && unsent + count < outstanding.size()) {
            int next = outstanding.get(unsent + count).bytes.length + 4;
            if (next > size || outstanding.get(unsent + count - 1).bytes.length + 4 < size) {
                break;
            }
            count++;
        }
        claimWrongly(sink, size, most);
        if (!sink.tryClaim(path, size, count)) {
            return 0;
        }
        int length = 0;
        for (int i = 0; i < count; i++) {
            byte[] bytes = outstanding.get(unsent + i).bytes;
            MemorySegment.copy(
                    bytes, 0, sink.segment(), ValueLayout.JAVA_BYTE, sink.offset() + (long) i * size, bytes.length);
            length = i * size + bytes.length + 4;
        }
        if (device.bug == Bug.WRITES_INTO_THE_ICRC) {
            Bytes.putU32(sink.segment(), sink.offset() + length - 4, 0);
        }
        if (device.bug == Bug.SENDS_MALFORMED_PACKETS) {
            Bytes.putU8(sink.segment(), sink.offset() + 1, 1);
        }
        if (device.bug == Bug.LEAVES_A_CLAIM_OPEN) {
            return length;
        }
        sink.commit(device.bug == Bug.COMMITS_TOO_MUCH ? count * size + 4 : length);
        if (device.bug == Bug.ABORTS_WITHOUT_A_CLAIM) {
            sink.abort();
        }
        unsent += count;
        return length;
    }

    private void claimWrongly(DatagramSink sink, int size, int most) {
        switch (device.bug) {
            case CLAIMS_ODD_SEGMENTS -> sink.tryClaim(path, size + 1, 1);
            case CLAIMS_TOO_MANY -> sink.tryClaim(path, size, most + 1);
            case CLAIMS_TWICE -> sink.tryClaim(path, size, 1);
            default -> {}
        }
    }

    private void cut(long sequence) {
        SendQueue sends = core.sendQueue();
        boolean write = sends.opcode(sequence) == WrOpcode.RDMA_WRITE;
        int length = (int) sends.length(sequence);
        byte[] payload = payload(sequence, length);
        int at = 0;
        do {
            int part = Math.min(MTU, length - at);
            boolean first = at == 0;
            boolean last = at + part == length;
            int kind = first && last
                    ? IbOpcode.SEND_ONLY
                    : first ? IbOpcode.SEND_FIRST : last ? IbOpcode.SEND_LAST : IbOpcode.SEND_MIDDLE;
            int header = Bth.LENGTH + (write && first ? Reth.LENGTH : 0);
            int pad = -part & 3;
            byte[] bytes = new byte[header + part + pad];
            MemorySegment packet = MemorySegment.ofArray(bytes);
            int opcode = kind + (write ? IbOpcode.RDMA_WRITE_FIRST : 0);
            Bth.put(packet, 0, opcode, 0, pad, Bth.DEFAULT_P_KEY, destQp, nextPsn);
            if (write && first) {
                Reth.put(packet, Bth.LENGTH, sends.remoteAddress(sequence), sends.remoteKey(sequence), length);
            }
            System.arraycopy(payload, at, bytes, header, part);
            outstanding.add(new Sent(nextPsn, sequence, last, bytes));
            nextPsn = Psn.next(nextPsn);
            at += part;
        } while (at < length);
    }

    private byte[] payload(long sequence, int length) {
        SendQueue sends = core.sendQueue();
        byte[] payload = new byte[length];
        int done = 0;
        for (int i = 0; i < sends.sgeCount(sequence); i++) {
            int part = (int) sends.sgeLength(sequence, i);
            var _ = device.device()
                    .memory()
                    .read(
                            sends.sgeKey(sequence, i),
                            core.protectionDomain(),
                            0,
                            sends.sgeAddress(sequence, i),
                            MemorySegment.ofArray(payload),
                            done,
                            part);
            done += part;
        }
        return payload;
    }

    // ---- receiving ----

    void onPacket(MemorySegment packet, boolean marked, long nowNs) {
        congested += marked ? 1 : 0;
        int opcode = Bth.opcode(packet, 0);
        int psn = Bth.psn(packet, 0);
        if (opcode == IbOpcode.ACKNOWLEDGE) {
            onAck(psn, nowNs);
            return;
        }
        int ahead = Psn.diff(psn, expectedPsn);
        boolean duplicate = ahead < 0 && device.bug != Bug.TAKES_DUPLICATES;
        boolean early = ahead > 0 && device.bug != Bug.TRUSTS_THE_ORDER;
        if (!early) {
            ackDue = true;
        }
        if (!duplicate && !early) {
            place(opcode, packet);
            expectedPsn = Psn.next(psn);
        }
    }

    private void onAck(int psn, long nowNs) {
        while (!outstanding.isEmpty() && Psn.diff(psn, outstanding.get(0).psn) >= 0) {
            Sent done = outstanding.remove(0);
            unsent = Math.max(0, unsent - 1);
            if (done.last) {
                core.completeSend(
                        done.sequence, WcStatus.SUCCESS, core.sendQueue().length(done.sequence), 0);
            }
            repeatNs = outstanding.isEmpty() ? Engine.NO_DEADLINE : nowNs + REPEAT_NS;
        }
    }

    private void place(int opcode, MemorySegment packet) {
        boolean write = opcode >= IbOpcode.RDMA_WRITE_FIRST;
        int kind = write ? opcode - IbOpcode.RDMA_WRITE_FIRST : opcode;
        boolean first = kind == IbOpcode.SEND_FIRST || kind == IbOpcode.SEND_ONLY;
        boolean last = kind == IbOpcode.SEND_LAST || kind == IbOpcode.SEND_ONLY;
        int header = Bth.LENGTH + (write && first ? Reth.LENGTH : 0);
        if (write && first) {
            writeAt = Reth.virtualAddress(packet, Bth.LENGTH);
            writeKey = Reth.rkey(packet, Bth.LENGTH);
        }
        if (first) {
            received = 0;
        }
        int length = (int) packet.byteSize() - header - 4 - Bth.padBytes(packet, 0);
        MemorySegment payload = packet.asSlice(header, length);
        if (device.bug == Bug.KEEPS_BORROWED_INPUT && length > 0) {
            MemorySegment before = kept == null ? payload : kept;
            kept = payload;
            payload = before.byteSize() >= length ? before : payload;
        }
        if (write) {
            var _ = device.device()
                    .memory()
                    .write(
                            writeKey,
                            core.protectionDomain(),
                            Access.REMOTE_WRITE.bit(),
                            writeAt + received,
                            payload,
                            0,
                            length);
        } else {
            scatter(payload, length);
        }
        received += length;
        if (last && !write) {
            core.completeReceive(WcStatus.SUCCESS, WcOpcode.RECV, received, 0, 0, 0, false);
        }
    }

    private void scatter(MemorySegment payload, int length) {
        var receives = core.receiveQueue();
        long head = receives.head();
        int skip = received;
        int done = 0;
        for (int i = 0; i < receives.sgeCount(head) && done < length; i++) {
            int size = (int) receives.sgeLength(head, i);
            if (skip >= size) {
                skip -= size;
                continue;
            }
            int part = Math.min(length - done, size - skip);
            var _ = device.device()
                    .memory()
                    .write(
                            receives.sgeKey(head, i),
                            core.protectionDomain(),
                            Access.LOCAL_WRITE.bit(),
                            receives.sgeAddress(head, i) + skip,
                            payload,
                            done,
                            part);
            done += part;
            skip = 0;
        }
    }
}
