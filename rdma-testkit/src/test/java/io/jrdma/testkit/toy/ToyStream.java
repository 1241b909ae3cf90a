package io.jrdma.testkit.toy;

import io.jrdma.testkit.toy.ToyTransport.Bug;
import io.jrdma.testkit.toy.ToyTransport.ToyQueuePair;
import io.jrdma.verbs.Access;
import io.jrdma.verbs.MpaNegotiated;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WrOpcode;
import io.jrdma.verbs.memory.AccessFault;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.queue.SendQueue;
import io.jrdma.verbs.spi.ConnectFailure;
import io.jrdma.verbs.spi.DeviceContext;
import io.jrdma.verbs.spi.PassiveStreamEngine;
import io.jrdma.verbs.spi.StreamHandle;
import io.jrdma.verbs.spi.StreamListener;
import io.jrdma.verbs.spi.StreamParameters;
import io.jrdma.verbs.spi.TransmitSink;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The toy protocol: the initiator says 1, the responder says 2 (accepted) or 3 (rejected); then frames: u32 length of the payload, u64
 * address, u32 key (0 and 0 for a Send), the payload, u32 CRC-32 of all that.
 */
final class ToyStream implements PassiveStreamEngine {
    private static final int HEADER = 16;

    private final DeviceContext device;
    private final Bug bug;
    private final StreamListener listener;
    private final boolean active;
    private @Nullable QueuePairCore core;
    private @Nullable StreamHandle handle;
    private byte[] input = new byte[0];
    private @Nullable MemorySegment kept;
    private int greeting;
    private boolean established;
    private boolean closing;
    private boolean over;
    private long next;
    private int messages;

    ToyStream(DeviceContext device, Bug bug, StreamListener listener, @Nullable QueuePairCore core) {
        this.device = device;
        this.bug = bug;
        this.listener = listener;
        this.active = core != null;
        this.core = core;
        bind();
    }

    private void bind() {
        if (core != null && core.engine() instanceof ToyQueuePair tie) {
            tie.stream = this;
        }
    }

    private StreamHandle handle() {
        return Objects.requireNonNull(handle);
    }

    private QueuePairCore core() {
        return Objects.requireNonNull(core);
    }

    void onDoorbell() {
        if (handle != null && !over) {
            handle().requestTransmit();
        }
    }

    void onQueuePairGone() {
        core = null;
        established = false;
        if (handle != null && !over) {
            handle().reset();
        }
    }

    @Override
    public void onOpen(StreamHandle stream, long nowNs) {
        handle = stream;
        if (active) {
            greeting = 1;
            stream.requestTransmit();
        }
    }

    @Override
    public void onOpenFailed(ConnectFailure failure, long nowNs) {
        over = true;
        listener.onFailed(failure);
    }

    @Override
    public int onBytes(MemorySegment segment, long offset, int length, long nowNs) {
        if (bug == Bug.THROWS_ON_INPUT && established) {
            throw new IllegalStateException("planted");
        }
        byte[] bytes = segment.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
        if (bug == Bug.KEEPS_BORROWED_INPUT && established) {
            // believes that the memory of the last call is still what it was
            if (kept != null) {
                bytes[0] = kept.get(ValueLayout.JAVA_BYTE, 0);
            }
            kept = segment.asSlice(offset, length);
        }
        int at = input.length;
        input = Arrays.copyOf(input, at + length);
        System.arraycopy(bytes, 0, input, at, length);
        parse();
        return bug == Bug.CONSUMES_TOO_LITTLE && established ? length - 1 : length;
    }

    private void parse() {
        int at = 0;
        if (!established && input.length > 0 && !over) {
            int said = input[at++];
            if (!active && said == 1) {
                listener.onRequest(new byte[0], 0, 0);
            } else if (active && said == 2) {
                establish();
            } else if (active && said == 3) {
                over = true;
                listener.onRejected(new byte[0]);
                handle().close();
            } else {
                handle().reset();
            }
        }
        while (established && input.length - at >= HEADER + 4) {
            ByteBuffer frame = ByteBuffer.wrap(input, at, input.length - at);
            int length = frame.getInt();
            long address = frame.getLong();
            int key = frame.getInt();
            if (length < 0 || length > 1 << 16) {
                handle().reset();
                break;
            }
            if (frame.remaining() < length + 4) {
                break;
            }
            CRC32 crc = new CRC32();
            crc.update(input, at, HEADER + length);
            if (frame.getInt(frame.position() + length) != (int) crc.getValue()) {
                handle().reset();
                break;
            }
            place(frame.slice(frame.position(), length), address, key);
            at += HEADER + length + 4;
        }
        input = Arrays.copyOfRange(input, at, input.length);
    }

    private void place(ByteBuffer payload, long address, int key) {
        int length = payload.remaining();
        MemorySegment from = MemorySegment.ofBuffer(payload);
        if (key != 0) {
            int right = Access.REMOTE_WRITE.bit();
            if (device.memory().write(key, core().protectionDomain(), right, address, from, 0, length)
                    != AccessFault.NONE) {
                handle().reset();
            } else if (bug == Bug.WRITES_TOO_MUCH) {
                var _ = device.memory()
                        .write(
                                key,
                                core().protectionDomain(),
                                right,
                                address + length,
                                MemorySegment.ofArray(new byte[] {0x77}),
                                0,
                                1);
            }
            return;
        }
        var receives = core().receiveQueue();
        long head = receives.head();
        if (head == receives.posted() || receives.length(head) < length) {
            handle().reset();
            return;
        }
        int done = 0;
        for (int i = 0; i < receives.sgeCount(head) && done < length; i++) {
            int part = (int) Math.min(length - done, receives.sgeLength(head, i));
            var _ = device.memory()
                    .write(
                            receives.sgeKey(head, i),
                            core().protectionDomain(),
                            Access.LOCAL_WRITE.bit(),
                            receives.sgeAddress(head, i),
                            from,
                            done,
                            part);
            done += part;
        }
        core().completeReceive(WcStatus.SUCCESS, WcOpcode.RECV, length, 0, 0, 0, false);
    }

    private void establish() {
        established = true;
        next = core().sendQueue().head();
        core().setState(QpState.RTS);
        handle().requestTransmit();
        listener.onEstablished(new byte[0], negotiatedNow());
    }

    private static MpaNegotiated negotiatedNow() {
        return new MpaNegotiated(0, false, true, false, false, false, null, 0, 0);
    }

    @Override
    public void accept(QueuePairCore queuePair, StreamParameters parameters, long nowNs) {
        core = queuePair;
        bind();
        greeting = 2;
        establish();
    }

    @Override
    public void reject(byte[] privateData, long nowNs) {
        greeting = 3;
        over = true;
        handle().requestTransmit();
    }

    @Override
    public int pollTransmit(TransmitSink sink, int maxBytes, long nowNs) {
        int sent = 0;
        if (greeting != 0) {
            if (!sink.tryClaim(1)) {
                return 0;
            }
            sink.segment().set(ValueLayout.JAVA_BYTE, sink.offset(), (byte) greeting);
            sink.commit(1);
            sent = 1;
            if (greeting == 3) {
                handle().close();
            }
            greeting = 0;
        }
        if (bug == Bug.SENDS_AFTER_NOTHING && established && next > 0) {
            return sendAfterNothing(sink);
        }
        while (established && sent < maxBytes && next < core().sendQueue().posted()) {
            int bytes = sendOne(sink, nowNs);
            if (bytes == 0) {
                break;
            }
            sent += bytes;
        }
        if (closing && established && next == core().sendQueue().posted()) {
            handle().close();
        }
        return bug == Bug.LIES_ABOUT_LENGTH && established && sent > 0 ? sent + 1 : sent;
    }

    private int toggle;

    private int sendAfterNothing(TransmitSink sink) {
        if (toggle++ % 2 == 0 || !sink.tryClaim(1)) {
            return 0;
        }
        sink.commit(1);
        return 1;
    }

    private int sendOne(TransmitSink sink, long nowNs) {
        SendQueue sends = core().sendQueue();
        int length = (int) sends.length(next);
        if (!sink.tryClaim(HEADER + length + 4)) {
            return 0;
        }
        boolean write = sends.opcode(next) == WrOpcode.RDMA_WRITE;
        ByteBuffer frame = ByteBuffer.allocate(HEADER + length + 4);
        frame.putInt(length).putLong(write ? sends.remoteAddress(next) : 0).putInt(write ? sends.remoteKey(next) : 0);
        MemorySegment payload = MemorySegment.ofBuffer(frame.slice(HEADER, length));
        int done = 0;
        if (sends.sgeCount(next) == 0) {
            MemorySegment.copy(sends.inlineMemory(), sends.inlineOffset(next), payload, 0, length);
        }
        for (int i = 0; i < sends.sgeCount(next); i++) {
            int part = (int) sends.sgeLength(next, i);
            var _ = device.memory()
                    .read(
                            sends.sgeKey(next, i),
                            core().protectionDomain(),
                            0,
                            sends.sgeAddress(next, i),
                            payload,
                            done,
                            part);
            done += part;
        }
        CRC32 crc = new CRC32();
        crc.update(frame.array(), 0, HEADER + length);
        frame.putInt(HEADER + length, (int) crc.getValue());
        MemorySegment.copy(frame.array(), 0, sink.segment(), ValueLayout.JAVA_BYTE, sink.offset(), HEADER + length + 4);
        if (bug == Bug.USES_THE_CLOCK) {
            sink.segment().set(ValueLayout.JAVA_BYTE, sink.offset() + HEADER, (byte) System.nanoTime());
        }
        boolean fifth = ++messages % 5 == 0;
        if (bug == Bug.LEAVES_A_CLAIM_OPEN) {
            return HEADER + length + 4;
        }
        int sent = HEADER + length + 4;
        if (fifth && bug == Bug.LOSES_A_MESSAGE) {
            sink.abort();
            sent = 0;
        } else {
            sink.commit(sent);
        }
        long sequence = next++;
        if (!(fifth && bug == Bug.FORGETS_A_COMPLETION)) {
            core().completeSend(sequence, WcStatus.SUCCESS, length, 0);
        }
        return sent;
    }

    @Override
    public void onEndOfStream(long nowNs) {
        if (handle != null) {
            handle().close();
        }
    }

    @Override
    public void onClosed(long nowNs) {
        boolean was = established;
        over = true;
        established = false;
        if (was) {
            core().enterError();
            listener.onDisconnected();
        }
    }

    @Override
    public void disconnect(long nowNs) {
        closing = true;
        if (handle != null) {
            handle().requestTransmit();
        }
    }

    @Override
    public @Nullable MpaNegotiated negotiated() {
        return established ? negotiatedNow() : null;
    }

    @Override
    public void onTimeout(long nowNs) {}

    @Override
    public long nextDeadlineNs() {
        return bug == Bug.SPINS_ON_A_DEADLINE && established ? 0 : NO_DEADLINE;
    }
}
