package io.jrdma.cm;

import io.jrdma.verbs.Access;
import io.jrdma.verbs.CompletionQueue;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MemoryRegion;
import io.jrdma.verbs.ProtectionDomain;
import io.jrdma.verbs.QueuePair;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.Sge;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WrOpcode;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
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
 * Where it had completed before it failed at the peer, or the peer did what this side refuses, later ones are flushed. Why the connection
 * ended is told by {@link #endReason}, and by the exceptions of all operations after that.
 *
 * <p>Receives are kept posted: {@link RdmaConnectionOptions#receiveBuffers} of them, each posted again as soon as its message is copied
 * out, which needs no call of the application's until {@link RdmaConnectionOptions#queuedMessages} wait. On RoCE a sender waits then; iWARP
 * has no way to make it wait, so a peer that sends a burst of more messages than there are receives, faster than this side copies, ends the
 * connection; agree on a limit if that can happen. A message longer than {@link RdmaConnectionOptions#messageBytes} ends it as well.
 *
 * <p>On iWARP the connecting side has to send first: what the accepting side sends earlier waits until then.
 */
public final class RdmaConnection implements AutoCloseable {
    private static final Set<Access> ALL = EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ);

    private final ConnectionGroup group;
    private final RdmaCmId id;
    private final RdmaDevice device;
    private final ConnectionResources resources;
    private final CompletionQueue completionQueue;
    private final ConnectionCompletions completions;
    private final QueuePair queuePair;
    private final SendSide sends;
    private final ReceiveSide receives;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final CompletableFuture<Void> released = new CompletableFuture<>();
    private final AtomicBoolean closing = new AtomicBoolean();
    private volatile byte[] privateData = {};
    private volatile boolean up;
    private volatile boolean over; // set before anyone learns of a failure
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
        String where = "the connection with " + AddressText.of(id.peerAddress());
        ConnectionResources made = new ConnectionResources(device);
        try {
            completions = new ConnectionCompletions(device, this::onFailure);
            completionQueue = made.completions(options, completions::collect);
            queuePair = made.queuePair(id, completionQueue, options);
            sends = new SendSide(queuePair, made.domain(), made.arena(), options, where);
            receives = new ReceiveSide(queuePair, made.domain(), made.arena(), options, where);
            completions.between(completionQueue, sends, receives);
            queuePair.core().onReceiveCompleted(completions::collect);
        } catch (RuntimeException | Error refused) {
            made.close();
            throw refused;
        }
        resources = made;
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
        return resources.domain();
    }

    /** The queue pair, to look at; requests that are posted to it directly would be taken for the connection's own. */
    public QueuePair queuePair() {
        return queuePair;
    }

    /** The completion queue of both directions, which the connection drains. */
    public CompletionQueue completionQueue() {
        return completionQueue;
    }

    /** The own address. */
    public @Nullable InetSocketAddress localAddress() {
        return id.localAddress();
    }

    /** The peer's address. */
    public @Nullable InetSocketAddress peerAddress() {
        return id.peerAddress();
    }

    /** What the peer's application sent along with its connect or accept; empty if nothing, on RoCE filled up with zeros. */
    public byte[] privateData() {
        return privateData.clone();
    }

    /** Whether it is up: neither closed, nor ended by the peer or by an operation that failed. */
    public boolean isOpen() {
        return !over && !ended.isDone() && !closing.get();
    }

    /**
     * Why the connection ended, in words for people, as the first who noticed put it; null as long as {@link #isOpen}. For example: {@code
     * the peer disconnected}, {@code this side disconnected}, {@code the peer refused a request: remote access error}, {@code no answer from
     * the peer for 17.180 s, after 7 retries}; on iWARP what a Terminate says, and who sent it.
     */
    public @Nullable String endReason() {
        if (isOpen()) {
            return null;
        }
        String why = queuePair.core().endReason();
        return why != null ? why : closing.get() ? "this side disconnected" : "the connection was lost";
    }

    /** Completes when the connection is over, from whichever side, and every operation has its result. */
    public CompletableFuture<Void> ended() {
        return ended.copy();
    }

    /**
     * Allocates zeroed memory that both sides may write and read. It lives until the connection is closed.
     *
     * @param bytes 1 or more
     * @throws VerbsException ENOTCONN if the connection was closed, EINVAL if the size is out of range, ENOMEM if there is not that much
     */
    public MemoryRegion allocate(long bytes) {
        checkOpen();
        return resources.domain().register(resources.arena(), bytes, ALL);
    }

    private void checkOpen() {
        if (closing.get()) {
            throw new VerbsException(Errno.ENOTCONN, this + " is closed");
        }
    }

    /** Registers memory of the caller's, see {@link ProtectionDomain#register(MemorySegment, Set)}; deregistered with the connection. */
    public MemoryRegion register(MemorySegment memory, Set<Access> rights) {
        checkOpen();
        return resources.domain().register(memory, rights);
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
        group.complete(sends.postCopy(message));
    }

    /** Sends a message from registered memory, without a copy, as long as the peer's receives are. */
    public void send(Sge message) throws InterruptedException {
        acquireRoom();
        group.complete(sends.post(WrOpcode.SEND, message, null));
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
            throw ConnectionGroup.unwrap(failed);
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
        group.complete(sends.post(WrOpcode.RDMA_WRITE, local, remote));
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
        group.complete(sends.post(WrOpcode.RDMA_READ, local, remote));
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
        group.channel().progress(timeout);
    }

    /** Ends the connection from this side in good order, and releases all that belongs to it; see {@link #close}. */
    void closeWithoutGroup() {
        if (closing.compareAndSet(false, true)) {
            finish();
        } else {
            group.awaitEnd(released);
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
        if (!device.driver().inLoop() && !group.channel().isDispatching()) {
            finishWithGroup();
        } else {
            finishInBackground();
        }
    }

    /** As {@link #close}, on whatever thread. */
    void closeInBackground() {
        if (closing.compareAndSet(false, true)) {
            finishInBackground();
        }
    }

    private void finishInBackground() {
        if (!group.isManual()) {
            Thread.ofVirtual().name("jrdma-cm-close").start(this::finishWithGroup);
        } else {
            // the thread that would have to wait is the one that makes the progress
            disconnect();
            var _ = ended.thenRun(this::finishWithGroup);
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
            // a peer that does not play along is dropped with the queue pair
            group.awaitEnd(ended);
        }
        queuePair
                .core()
                .endsBecause(
                        up ? "this side disconnected, and the peer did not answer" : "the connection was given up");
        completions.stop();
        try {
            id.close();
            // whoever still sends must not find the memory gone
            sends.stop();
            resources.close();
            onLoop(this::end);
        } finally {
            ended.complete(null);
            group.remove(this);
            released.complete(null);
        }
    }

    /** Begins to end the connection; the event that follows comes to {@link #onEnded}. */
    void disconnect() {
        if (up) {
            try {
                id.disconnect();
            } catch (VerbsException closed) {
                // by another thread that closes the connection
                if (id.state() != RdmaCmState.DESTROYED) {
                    throw closed;
                }
            }
        }
    }

    /** The handshake is over; before anyone else knows of the connection. */
    void established(byte[] peerData) {
        privateData = peerData;
        up = true;
    }

    /** The connection that came up is over, and all completions are there. */
    void onEnded() {
        onLoop(() -> {
            completions.collect();
            end();
        });
        ended.complete(null);
    }

    /** Futures complete on the loop, one after another; here if there is no loop, and thus nothing to collect, any more. */
    private void onLoop(Runnable task) {
        try {
            device.driver().call(task);
        } catch (VerbsException gone) {
            if (gone.errno() != Errno.ENODEV) {
                throw gone;
            }
            end();
        }
    }

    /** Closing the connection closes its group as well. */
    void ownGroup() {
        ownsGroup = true;
    }

    private void end() {
        over = true;
        completions.deliver();
        sends.end();
        receives.end(WcStatus.WR_FLUSH_ERR, 0);
    }

    private void onFailure() {
        over = true;
    }

    private void acquireRoom() throws InterruptedException {
        if (group.isManual()) {
            while (!sends.room().tryAcquire()) {
                group.channel().progressFor(Durations.FOREVER.toNanos());
            }
        } else {
            sends.room().acquire();
        }
    }

    private void requireRoom() {
        if (!sends.room().tryAcquire()) {
            throw new VerbsException(
                    Errno.ENOMEM, group.options().sendDepth() + " operations are under way; wait for one of them");
        }
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
