package io.jrdma.netty;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.spi.Engine;
import io.jrdma.verbs.spi.StreamAcceptor;
import io.jrdma.verbs.spi.StreamListening;
import io.jrdma.verbs.spi.StreamTransport;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A listening TCP socket. At most {@code backlog} streams whose request the application has not answered, and {@link #HANDSHAKES} more
 * (peers may connect and say nothing until the engine's time limit ends that), are accepted; others wait in the system's queue, which
 * holds {@code backlog}, or {@link #SYSTEM_QUEUE} if that is more. Loop only.
 */
final class TcpListening extends Hosted implements StreamListening {
    private static final Logger LOG = LoggerFactory.getLogger(TcpListening.class);
    /** Streams beyond the backlog that may be in their handshake. */
    static final int HANDSHAKES = 64;
    /**
     * Connections that the system holds at least until the loop accepts them. What finds that queue full is not refused: its SYN is lost and
     * comes again a second later, so a burst on a short queue would take seconds. The system may have a limit of its own.
     */
    static final int SYSTEM_QUEUE = 512;
    /** How long accepting rests after a failure: out of file descriptors, most likely, and trying again at once would spin. */
    private static final long REST_NS = 100_000_000;

    private final TcpStreams streams;
    private final StreamTransport transport;
    private final int backlog;
    private final MpaOptions options;
    private final StreamAcceptor acceptor;
    private final Set<TcpStream> unanswered = new LinkedHashSet<>();
    private @Nullable ServerSocketChannel channel;
    private @Nullable InetSocketAddress bound;
    private boolean resting;
    private boolean closed;

    TcpListening(
            TcpStreams streams, StreamTransport transport, int backlog, MpaOptions options, StreamAcceptor acceptor) {
        if (backlog < 1) {
            throw new VerbsException(Errno.EINVAL, "backlog " + backlog + " is less than 1");
        }
        this.streams = streams;
        this.transport = transport;
        this.backlog = backlog;
        this.options = options;
        this.acceptor = acceptor;
    }

    /**
     * Begins to listen.
     *
     * @throws VerbsException if the system refuses
     */
    void bind(InetSocketAddress local) {
        ServerSocketChannel created;
        try {
            created = streams.options().backend().serverSocket(local.getAddress() instanceof Inet4Address);
        } catch (RuntimeException failure) {
            throw SocketErrors.listenFailure(failure, local);
        }
        channel = created;
        created.config().setOption(ChannelOption.SO_BACKLOG, Math.max(backlog, SYSTEM_QUEUE));
        created.pipeline().addLast(new AcceptHandler());
        Throwable failure = failureOf(streams.loop().io().attach(created));
        if (failure == null) {
            failure = failureOf(created.bind(local));
        }
        if (failure != null) {
            var _ = created.close();
            throw SocketErrors.listenFailure(failure, local);
        }
        // the family as it was asked for: an IPv6 socket tells of 0.0.0.0 as of ::
        bound = new InetSocketAddress(local.getAddress(), created.localAddress().getPort());
    }

    /** Both steps are done when the call returns, as it is made on the loop. */
    private static @Nullable Throwable failureOf(ChannelFuture step) {
        return step.isDone() ? step.cause() : new IllegalStateException("not done at once");
    }

    @Override
    public InetSocketAddress localAddress() {
        return Objects.requireNonNull(bound);
    }

    @Nullable
    ServerSocketChannel channel() {
        return channel;
    }

    /** The stream was accepted or rejected, or has ended. */
    void answered(TcpStream stream) {
        if (unanswered.remove(stream)) {
            updateReading();
        }
    }

    private void onAccepted(SocketChannel accepted) {
        InetSocketAddress remote = Addresses.plain(accepted.remoteAddress());
        if (closed || remote == null || isForeign(remote)) {
            accepted.unsafe().closeForcibly();
            return;
        }
        TcpStream stream = new TcpStream(streams, this, remote);
        try {
            stream.host(transport.responder(options, acceptor.onStream(stream)));
        } catch (Throwable fault) {
            LOG.error("stream from {}: dropped after a fault", Addresses.text(remote), fault);
            accepted.unsafe().closeForcibly();
            return;
        }
        unanswered.add(stream);
        streams.add(stream);
        stream.attach(accepted);
        updateReading();
    }

    /** Whether an IPv6 peer came to an IPv4 address; see {@link IoBackend#serverSocket}. */
    private boolean isForeign(InetSocketAddress remote) {
        return localAddress().getAddress() instanceof Inet4Address && remote.getAddress() instanceof Inet6Address;
    }

    private void onAcceptFailed(Throwable failure) {
        if (!closed) {
            LOG.warn("accepting at {} rests for {} ms", Addresses.text(localAddress()), REST_NS / 1_000_000, failure);
            resting = true;
            updateReading();
            streams.loop().deadline(this, DriverLoop.nowNs() + REST_NS);
        }
    }

    private void updateReading() {
        ServerSocketChannel open = channel;
        if (open != null && !closed) {
            open.config().setAutoRead(!resting && unanswered.size() < backlog + HANDSHAKES);
        }
    }

    @Override
    void onDeadline() {
        resting = false;
        updateReading();
    }

    @Override
    boolean settle() {
        return false;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        streams.loop().deadline(this, Engine.NO_DEADLINE);
        ServerSocketChannel open = channel;
        if (open != null) {
            var _ = open.close();
        }
        new ArrayList<>(unanswered).forEach(TcpStream::abort);
        streams.forget(this);
    }

    private final class AcceptHandler extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            onAccepted((SocketChannel) message);
        }

        @Override
        @SuppressWarnings("deprecation") // inbound, which is what this handler is
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            onAcceptFailed(cause);
        }
    }
}
