package io.jrdma.perf;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The yardstick for RoCE: plain UDP, one thread a side, whole trains of datagrams of RoCE's size handed to the system in one call and taken
 * in one call (segmentation and receive offload). No headers, no checksum, no copy, nothing is repeated; a window in shared memory keeps
 * the receiver's buffer from running over.
 */
final class PlainUdpStream implements ByteStream {
    /** Payload, BTH and ICRC at a path MTU of 4096 bytes. */
    private static final int SEGMENT_BYTES = 4096 + 12 + 4;

    private static final int TRAIN_BYTES = 15 * SEGMENT_BYTES;
    private static final int BUFFER_BYTES = 4 << 20;
    private static final int WINDOW_BYTES = 1 << 20;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment sent = arena.allocate(TRAIN_BYTES, 64);
    private final MemorySegment received = arena.allocate(1 << 16, 64);
    private final int receiver = LibcSockets.receiver(BUFFER_BYTES);
    private final int sender = LibcSockets.sender(LibcSockets.port(receiver), SEGMENT_BYTES);
    private final AtomicLong arrived = new AtomicLong();
    private final Thread thread =
            Thread.ofPlatform().daemon().name("plain-udp-receiver").start(this::receive);
    private volatile boolean closed;
    private long begun;

    @Override
    public String name() {
        return "plain UDP, GSO and GRO";
    }

    @Override
    public void move(int messageBytes, long totalBytes) {
        long end = begun + totalBytes;
        while (begun < end) {
            while (begun - arrived.get() > WINDOW_BYTES) {
                Thread.onSpinWait();
            }
            long length = Math.min(TRAIN_BYTES, end - begun);
            if (LibcSockets.send(sender, sent, length) != length) {
                throw new IllegalStateException("a train was not sent whole");
            }
            begun += length;
        }
        while (arrived.get() < end) {
            Thread.onSpinWait();
        }
    }

    private void receive() {
        while (!closed) {
            long length = LibcSockets.receive(receiver, received, received.byteSize());
            if (length < 0) {
                return;
            }
            arrived.lazySet(arrived.get() + length);
        }
    }

    @Override
    public void close() {
        closed = true;
        // wakes the receiver
        LibcSockets.send(sender, sent, 1);
        try {
            thread.join();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
        LibcSockets.close(sender);
        LibcSockets.close(receiver);
        arena.close();
    }
}
