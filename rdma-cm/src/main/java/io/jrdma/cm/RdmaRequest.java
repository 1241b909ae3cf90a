package io.jrdma.cm;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.VerbsException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A peer that wants to connect to a {@link RdmaServer}; to be accepted or rejected, once. */
public final class RdmaRequest {
    private final ConnectionGroup group;
    private final RdmaCmEvent.ConnectRequest event;
    private final AtomicBoolean answered = new AtomicBoolean();

    RdmaRequest(ConnectionGroup group, RdmaCmEvent.ConnectRequest event) {
        this.group = group;
        this.event = event;
    }

    /** What the peer's application sent along; empty if nothing. */
    public byte[] privateData() {
        return event.privateData().clone();
    }

    /** The peer's address. */
    public @Nullable InetSocketAddress peerAddress() {
        return event.id().peerAddress();
    }

    /**
     * Accepts with the server's parameters and waits for the connection.
     *
     * @throws RdmaConnectException if it does not come up
     * @throws io.jrdma.verbs.VerbsException EINVAL if the request was answered before, ENOMEM if there is no room for a connection
     */
    public RdmaConnection accept() throws IOException, InterruptedException {
        return accept(group.options().parameters());
    }

    /** Accepts with those parameters, private data included; as {@link #accept()}. */
    public RdmaConnection accept(ConnectionParameters parameters) throws IOException, InterruptedException {
        return handshake(parameters).await();
    }

    private Handshake handshake(ConnectionParameters parameters) {
        answer();
        return Handshake.accept(group, event.id(), parameters, event.privateData());
    }

    private void answer() {
        if (!answered.compareAndSet(false, true)) {
            throw new VerbsException(
                    Errno.EINVAL, "the request of " + AddressText.of(peerAddress()) + " was answered before");
        }
    }

    /** Accepts; the future completes on a thread that events come on and must not be held up. */
    public CompletableFuture<RdmaConnection> acceptAsync(ConnectionParameters parameters) {
        return handshake(parameters).result();
    }

    /**
     * Rejects.
     *
     * @param privateData for the peer's application, up to {@link ConnectionParameters#MAX_REPLY_PRIVATE_DATA} bytes on
     *     iWARP, {@link ConnectionParameters#MAX_IB_REJECT_PRIVATE_DATA} on RoCE
     * @throws io.jrdma.verbs.VerbsException EINVAL if the request was answered before, or the private data is too long
     */
    public void reject(byte[] privateData) {
        CmParameters.checkReject(group.transport(), privateData.length);
        answer();
        event.id().reject(privateData);
        event.id().close();
    }

    /** Nobody will answer any more. */
    void drop() {
        if (answered.compareAndSet(false, true)) {
            event.id().close();
        }
    }
}
