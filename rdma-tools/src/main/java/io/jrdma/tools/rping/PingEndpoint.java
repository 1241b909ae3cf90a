package io.jrdma.tools.rping;

import io.jrdma.cm.RdmaCmId;
import io.jrdma.tools.Completions;
import io.jrdma.tools.ToolException;
import io.jrdma.verbs.Access;
import io.jrdma.verbs.MemoryRegion;
import io.jrdma.verbs.ProtectionDomain;
import io.jrdma.verbs.QueuePair;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.WrOpcode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/**
 * One side of an rping connection: its queue pair, its one receive and its registered buffers. One thread. A receive is posted from the
 * beginning, and again as soon as a message was taken; neither side ever sends two messages in a row.
 */
final class PingEndpoint implements AutoCloseable {
    private static final int SEND_DEPTH = 16;
    private static final Set<Access> ALL = EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE);

    private final Arena arena = Arena.ofShared();
    private final ProtectionDomain domain;
    private final QueuePair queuePair;
    private final MemoryRegion received;
    private final MemoryRegion sent;
    private final MemoryRegion data;
    private final SendWr send = new SendWr();
    private final SendWr transfer = new SendWr();
    private final RecvWr receive = new RecvWr();
    private final Completions completions;

    /**
     * Makes everything and posts the receive; the id is ready to connect or accept afterwards.
     *
     * @param size bytes of the data buffer
     * @param patience how long nothing may happen
     */
    PingEndpoint(RdmaCmId id, int size, Duration patience) {
        RdmaDevice device = Objects.requireNonNull(id.device());
        domain = device.allocateProtectionDomain();
        completions = new Completions(device, 2 * SEND_DEPTH, patience);
        queuePair = id.createQueuePair(
                domain,
                QueuePairOptions.rc(completions.queue())
                        .withDepths(SEND_DEPTH, 2)
                        .withSges(1, 1)
                        .withInlineData(0));
        received = domain.register(arena, PingMessage.LENGTH, EnumSet.of(Access.LOCAL_WRITE));
        sent = domain.register(arena, PingMessage.LENGTH, Set.of());
        data = register(size);
        send.addSge(sent, 0, PingMessage.LENGTH);
        receive.addSge(received, 0, PingMessage.LENGTH);
        queuePair.postReceive(receive);
    }

    /** One more buffer that the peer may read and write. */
    MemoryRegion register(int size) {
        return domain.register(arena, size, ALL);
    }

    /** The buffer for what comes from the peer. */
    MemorySegment data() {
        return data.segment();
    }

    /** The region of {@link #data}. */
    MemoryRegion dataRegion() {
        return data;
    }

    int qpNum() {
        return queuePair.qpNum();
    }

    /** Tells the peer of a buffer. */
    void send(MemoryRegion buffer) {
        PingMessage message = new PingMessage(buffer.address(), buffer.remoteKey(), (int) buffer.length());
        message.write(sent.segment());
        queuePair.postSend(send);
    }

    /** Tells the peer to go on: the bytes have no meaning. */
    void sendGoAhead() {
        queuePair.postSend(send);
    }

    /** Waits for a message of the peer's and makes room for the next one. */
    PingMessage receive() throws InterruptedException {
        WorkCompletion completion = completions.await(WcOpcode.RECV, WcOpcode.SEND);
        if (completion.byteLength() != PingMessage.LENGTH) {
            throw ToolException.failed("the peer sent a message of " + completion.byteLength() + " bytes; rping's have "
                    + PingMessage.LENGTH);
        }
        PingMessage message = PingMessage.read(received.segment());
        queuePair.postReceive(receive);
        return message;
    }

    /** Reads the peer's buffer into {@link #data}. */
    void read(PingMessage from) throws InterruptedException {
        transfer(WrOpcode.RDMA_READ, from, Integer.toUnsignedLong(from.size()));
    }

    /** Writes so many bytes of {@link #data} to the peer's buffer. */
    void write(PingMessage to, long bytes) throws InterruptedException {
        transfer(WrOpcode.RDMA_WRITE, to, bytes);
    }

    private void transfer(WrOpcode opcode, PingMessage remote, long bytes) throws InterruptedException {
        transfer.reset().opcode(opcode).remote(remote.address(), remote.key()).addSge(data, 0, bytes);
        queuePair.postSend(transfer);
        completions.await(opcode.completion(), WcOpcode.SEND);
    }

    /** Destroys all of it. */
    @Override
    public void close() {
        domain.close();
        completions.close();
        arena.close();
    }
}
