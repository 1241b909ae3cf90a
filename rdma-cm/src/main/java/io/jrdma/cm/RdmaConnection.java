package io.jrdma.cm;

import io.jrdma.verbs.Access;
import io.jrdma.verbs.CompletionChannel;
import io.jrdma.verbs.CompletionQueue;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MemoryRegion;
import io.jrdma.verbs.ProtectionDomain;
import io.jrdma.verbs.QueuePair;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.Sge;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.WrOpcode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A connection, the short way: messages, and RDMA on memory that either side names to the other. Made by {@link RdmaClient} and {@link
 * RdmaServer}. Thread-safe, except in manual mode.
 *
 * <p>Each operation has a blocking form and one with a future. A blocking form returns when the operation has completed; what that proves
 * depends on the transport ({@link io.jrdma.verbs.CompletionSemantics}): on iWARP only that the local memory may be used again. Operations
 * take effect in the order of the calls, so a message tells the peer that the Writes before it are placed. Futures complete on the
 * device's loop; what depends on them must not block. An operation that fails ends the connection ({@link WorkCompletionException}).
 *
 * <p>Receives are kept posted: {@link RdmaConnectionOptions#receiveBuffers} of them, each posted again as soon as its message is copied
 * out, which needs no call of the application's until {@link RdmaConnectionOptions#queuedMessages} wait. iWARP has no way to make a sender
 * wait for a receive, so a peer that sends a burst of more messages than there are receives, faster than this side copies, ends the
 * connection; agree on a limit if that can happen. A message longer than {@link RdmaConnectionOptions#messageBytes} ends it as well.
 *
 * <p>On iWARP the connecting side has to send first: what the accepting side sends earlier waits until then.
 */
public final class RdmaConnection implements AutoCloseable {
    private static final Set<Access> ALL = EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ);
    private static final int BATCH = 32;

    private final ConnectionGroup group;
    private final RdmaCmId id;
    private final RdmaDevice device;
    private final Arena arena = Arena.ofShared();
    private final ProtectionDomain domain;
    private final CompletionChannel notifications;
    private final CompletionQueue completions;
    private final QueuePair queuePair;
    private final SendSide sends;
    private final ReceiveSide receives;
    private final WorkCompletion[] batch = new WorkCompletion[BATCH];
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final AtomicBoolean closing = new AtomicBoolean();
    private volatile boolean stopped;
    private volatile byte[] privateData = {};
    private volatile boolean up;
    private volatile boolean ownsGroup;

    /**
     * The objects of a connection that is coming up, with its receives posted.
     *
     * @throws VerbsException if the device has no room for it; nothing is left behind
     */
    RdmaConnection(ConnectionGroup group, RdmaCmId id, RdmaDevice device) {
        this.group = group;
        this.id = id;
        this.device = device;
        RdmaConnectionOptions options = group.options();
        String where = "the connection with " + id.peerAddress();
        for (int i = 0; i < BATCH; i++) {
            batch[i] = new WorkCompletion();
        }
        ProtectionDomain pd = device.allocateProtectionDomain();
        CompletionChannel channel = null;
        CompletionQueue queue = null;
        try {
            channel = device.createCompletionChannel();
            queue = device.createCompletionQueue(options.sendDepth() + options.receiveBuffers(), channel);
            queuePair = id.createQueuePair(
                    pd,
                    QueuePairOptions.rc(queue)
                            .withDepths(options.sendDepth(), options.receiveBuffers())
                            .withSges(1, 1)
                            .withInlineData(Math.min(128, device.attributes().maxInlineData()))
                            .withSignalAll(true));
            sends = new SendSide(queuePair, pd, arena, options, where);
            receives = new ReceiveSide(queuePair, pd, arena, options, where);
        } catch (RuntimeException | Error refused) {
            pd.close();
            if (queue != null) {
                queue.close();
            }
            if (channel != null) {
                channel.close();
            }
            arena.close();
            throw refused;
        }
        domain = pd;
        notifications = channel;
        completions = queue;
        if (!group.isManual()) {
            Runnable onNotified = this::onNotified;
            // later: the engine that made the completion is in the middle of its work
            notifications.onEvent(armed -> device.driver().execute(onNotified));
            completions.arm(false);
        }
        group.add(this);
    }

    /** The id, for its events' facts; it must not be closed or given a context. */
    public RdmaCmId id() {
        return id;
    }

    /** The device. */
    public RdmaDevice device() {
        return device;
    }

    /** The protection domain of this connection alone. */
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    /** The queue pair, to look at; requests that are posted to it directly would be taken for the connection's own. */
    public QueuePair queuePair() {
        return queuePair;
    }

    /** The completion queue of both directions, which the connection drains. */
    public CompletionQueue completionQueue() {
        return completions;
    }

    /** The own address. */
    public @Nullable InetSocketAddress localAddress() {
        return id.localAddress();
    }

    /** The peer's address. */
    public @Nullable InetSocketAddress peerAddress() {
        return id.peerAddress();
    }

    /** What the peer's application sent along with its connect or accept; empty if nothing. */
    public byte[] privateData() {
        return privateData.clone();
    }

    /** Whether it is up. */
    public boolean isOpen() {
        return !ended.isDone() && !closing.get();
    }

    /** Completes when the connection is over, from whichever side, and every operation has its result. */
    public CompletableFuture<Void> ended() {
        return ended.copy();
    }

    /**
     * Allocates zeroed memory that both sides may write and read. It lives until the connection is closed.
     *
     * @param bytes 1 or more
     */
    public MemoryRegion allocate(long bytes) {
        return domain.register(arena, bytes, ALL);
    }

    /** Registers memory of the caller's, see {@link ProtectionDomain#register(MemorySegment, Set)}; deregistered with the connection. */
    public MemoryRegion register(MemorySegment memory, Set<Access> rights) {
        return domain.register(memory, rights);
    }

    /**
     * Sends a message.
     *
     * @param message 0 to {@link RdmaConnectionOptions#messageBytes} bytes, copied before this returns
     */
    public void send(byte[] message) throws InterruptedException {
        send(MemorySegment.ofArray(message));
    }

    /** Sends a message from any memory; as {@link #send(byte[])}. */
    public void send(MemorySegment message) throws InterruptedException {
        acquireRoom();
        await(sends.postCopy(message));
    }

    /** Sends a message from registered memory, without a copy, as long as the peer's receives are. */
    public void send(Sge message) throws InterruptedException {
        acquireRoom();
        await(sends.post(WrOpcode.SEND, message, null));
    }

    /**
     * Sends a message.
     *
     * @param message copied before this returns
     * @throws VerbsException ENOMEM if {@link RdmaConnectionOptions#sendDepth} operations are under way, EINVAL if the message is too long
     */
    public CompletableFuture<Void> sendAsync(byte[] message) {
        return sendAsync(MemorySegment.ofArray(message));
    }

    /** Sends a message from any memory; as {@link #sendAsync(byte[])}. */
    public CompletableFuture<Void> sendAsync(MemorySegment message) {
        requireRoom();
        return sends.postCopy(message);
    }

    /** Sends a message from registered memory, which must not change before the future completes. */
    public CompletableFuture<Void> sendAsync(Sge message) {
        requireRoom();
        return sends.post(WrOpcode.SEND, message, null);
    }

    /**
     * Takes the next message, waiting for it.
     *
     * @throws WorkCompletionException if the connection is over and all messages that came before were taken
     */
    public byte[] receive() throws InterruptedException {
        byte[] message;
        do {
            message = receive(Durations.FOREVER);
        } while (message == null);
        return message;
    }

    /**
     * Takes the next message.
     *
     * @param timeout how long to wait for it; zero only looks
     * @return null if there was none in that time
     * @throws WorkCompletionException as {@link #receive()}
     */
    public byte @Nullable [] receive(Duration timeout) throws InterruptedException {
        try {
            byte[] message = group.take(receives.messages(), timeout);
            receives.taken();
            return message;
        } catch (ExecutionException failed) {
            throw unwrap(failed);
        }
    }

    /** A future of the next message; futures get messages in the order in which they were asked for. */
    public CompletableFuture<byte[]> receiveAsync() {
        return receives.next();
    }

    /**
     * Writes local memory into the peer's (RDMA Write); the peer is not told.
     *
     * @throws VerbsException EINVAL if the local part is longer than the remote one
     */
    public void write(Sge local, RemoteMemory remote) throws InterruptedException {
        checkLength(local, remote);
        acquireRoom();
        await(sends.post(WrOpcode.RDMA_WRITE, local, remote));
    }

    /** Writes a whole region into the peer's memory; as {@link #write(Sge, RemoteMemory)}. */
    public void write(MemoryRegion local, RemoteMemory remote) throws InterruptedException {
        write(whole(local), remote);
    }

    /** Writes local memory, which must not change before the future completes, into the peer's; as {@link #write(Sge, RemoteMemory)}. */
    public CompletableFuture<Void> writeAsync(Sge local, RemoteMemory remote) {
        checkLength(local, remote);
        requireRoom();
        return sends.post(WrOpcode.RDMA_WRITE, local, remote);
    }

    /**
     * Reads the peer's memory into local memory (RDMA Read): as much as the local part is long.
     *
     * @throws VerbsException EINVAL if the local part is longer than the remote one
     */
    public void read(Sge local, RemoteMemory remote) throws InterruptedException {
        checkLength(local, remote);
        acquireRoom();
        await(sends.post(WrOpcode.RDMA_READ, local, remote));
    }

    /** Fills a whole region from the peer's memory; as {@link #read(Sge, RemoteMemory)}. */
    public void read(MemoryRegion local, RemoteMemory remote) throws InterruptedException {
        read(whole(local), remote);
    }

    /** Reads the peer's memory into local memory, which belongs to the Read until the future completes. */
    public CompletableFuture<Void> readAsync(Sge local, RemoteMemory remote) {
        checkLength(local, remote);
        requireRoom();
        return sends.post(WrOpcode.RDMA_READ, local, remote);
    }

    /**
     * Manual mode: makes progress for all connections of the same server or client.
     *
     * @param timeout how long to wait for something to do; zero only looks
     */
    public void progress(Duration timeout) {
        if (group.isManual()) {
            group.progress(Durations.nanos(timeout));
        }
    }

    /** Ends the connection from this side in good order, and releases all that belongs to it; see {@link #close}. */
    void closeWithoutGroup() {
        if (closing.compareAndSet(false, true)) {
            finish();
        }
    }

    /**
     * Ends the connection in good order: operations under way are finished, the peer learns of the end, everything that belongs to the
     * connection is released, its memory included. Waits for that as long as {@link RdmaConnectionOptions#timeout}, then drops it. Harmless
     * when repeated. Called where a future completes, it goes on in the background.
     */
    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        if (!group.isManual() && device.driver().inLoop()) {
            Thread.ofVirtual().name("jrdma-cm-close").start(this::finishWithGroup);
        } else {
            finishWithGroup();
        }
    }

    private void finishWithGroup() {
        finish();
        if (ownsGroup) {
            group.close();
        }
    }

    private void finish() {
        if (up) {
            disconnect();
            awaitEnd();
        }
        stopped = true;
        id.close();
        domain.close();
        notifications.onEvent(null);
        completions.close();
        notifications.close();
        end();
        arena.close();
        group.remove(this);
    }

    private void awaitEnd() {
        try {
            group.await(ended, group.options().timeout());
        } catch (TimeoutException peerIsGone) {
            // the queue pair is destroyed next, which drops the stream
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException impossible) {
            throw new AssertionError("the end of a connection never fails", impossible);
        }
    }

    /** Begins to end the connection; the event that follows comes to {@link #onEnded}. */
    void disconnect() {
        if (up) {
            id.disconnect();
        }
    }

    /** The handshake is over; before anyone else knows of the connection. */
    void established(byte[] peerData) {
        privateData = peerData;
        up = true;
    }

    /** The connection that came up is over, and all completions are there. */
    void onEnded() {
        try {
            drainOnLoop();
        } catch (VerbsException gone) {
            // without a loop nobody else drains
            drain();
        }
        end();
    }

    private void end() {
        sends.end();
        receives.end(WcStatus.WR_FLUSH_ERR, 0);
        ended.complete(null);
    }

    /** Closing the connection closes its group as well. */
    void ownGroup() {
        ownsGroup = true;
    }

    private void drainOnLoop() {
        if (group.isManual()) {
            drain();
        } else {
            device.driver().call(this::drain);
        }
    }

    private void onNotified() {
        drain();
        if (!stopped) {
            completions.arm(false);
            drain();
        }
    }

    /** Takes completions: on the loop; in manual mode on the caller's thread. */
    void drain() {
        int count = BATCH;
        while (count == BATCH && !stopped) {
            count = completions.poll(batch);
            for (int i = 0; i < count; i++) {
                if ((batch[i].id() & ReceiveSide.ID_BIT) != 0) {
                    receives.complete(batch[i]);
                } else {
                    sends.complete(batch[i]);
                }
            }
        }
    }

    private void acquireRoom() throws InterruptedException {
        if (!group.isManual()) {
            sends.room().acquire();
            return;
        }
        drain();
        while (!sends.room().tryAcquire()) {
            group.progress(Durations.FOREVER.toNanos());
        }
    }

    private void requireRoom() {
        if (!sends.room().tryAcquire()) {
            throw new VerbsException(
                    Errno.ENOMEM, group.options().sendDepth() + " operations are under way; wait for one of them");
        }
    }

    private void await(CompletableFuture<Void> operation) throws InterruptedException {
        try {
            group.await(operation, Durations.FOREVER);
        } catch (ExecutionException failed) {
            throw unwrap(failed);
        } catch (TimeoutException impossible) {
            throw new AssertionError("a hundred years have passed", impossible);
        }
    }

    private static RuntimeException unwrap(ExecutionException failed) {
        if (failed.getCause() instanceof WorkCompletionException cause) {
            return cause;
        }
        throw new AssertionError("operations fail with a completion's status", failed);
    }

    private static void checkLength(Sge local, RemoteMemory remote) {
        if (local.length() > remote.length()) {
            throw new VerbsException(
                    Errno.EINVAL, local.length() + " local bytes do not fit the " + remote.length() + " of " + remote);
        }
    }

    private static Sge whole(MemoryRegion region) {
        return Sge.of(region, 0, region.length());
    }

    @Override
    public String toString() {
        return "RdmaConnection[" + id + "]";
    }
}
