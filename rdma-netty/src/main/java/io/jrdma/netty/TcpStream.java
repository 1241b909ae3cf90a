package io.jrdma.netty;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MpaNegotiated;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.ConnectFailure;
import io.jrdma.verbs.spi.Engine;
import io.jrdma.verbs.spi.PassiveStreamEngine;
import io.jrdma.verbs.spi.StreamConnection;
import io.jrdma.verbs.spi.StreamEngine;
import io.jrdma.verbs.spi.StreamHandle;
import io.jrdma.verbs.spi.StreamParameters;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One TCP connection and the engine that it carries. Loop only.
 *
 * <p><em>Output</em> is {@link TcpOutput}'s: memory for it is one buffer a stream, and the engine's own queues are what its queue pair
 * allows.
 *
 * <p><em>Input</em> is not held back by blocked output. What it makes an engine want to send (Read responses, a Terminate) is bounded by
 * the engine, which keeps at most as many Reads as it offered (IRD) and no payload; all other input ends in registered memory. If the peer
 * sends faster than this side consumes, its own socket fills.
 *
 * <p><em>End.</em> {@link #close} sends what was committed, then FIN, then reads and discards until the peer's FIN or the linger time is
 * over: closing the socket with input unread would make a RST, which can destroy what the peer has not read yet. A failed write does not
 * close the connection either, as the peer's last words may still be unread. {@link #reset} closes with RST.
 *
 * <p>Calls of {@link StreamHandle} come out of the engine and only leave marks; {@link #settle} does the work, so that no engine is called
 * while it is running.
 */
final class TcpStream extends Hosted implements StreamConnection, StreamHandle {
    private static final Logger LOG = LoggerFactory.getLogger(TcpStream.class);

    private final TcpStreams streams;
    private final DriverLoop loop;
    private final @Nullable TcpListening listening;
    private final InetSocketAddress remote;
    private final TcpHandler handler = new TcpHandler(this);
    private final TcpOutput output;
    private @Nullable StreamEngine engine;
    private @Nullable SocketChannel channel;
    private @Nullable InetSocketAddress localEnd;
    private long lingerEndNs = Engine.NO_DEADLINE;
    private boolean opened;
    private boolean inputEnded;
    private boolean outputEnded;
    private boolean closeRequested;
    private boolean resetRequested;
    private boolean channelClosed;
    private boolean broken;
    private boolean ended;

    /**
     * A stream that is not up; {@link #host} comes next.
     *
     * @param listening where it came in, or null on the active side
     */
    TcpStream(TcpStreams streams, @Nullable TcpListening listening, InetSocketAddress remote) {
        this.streams = streams;
        this.loop = streams.loop();
        this.listening = listening;
        this.remote = remote;
        this.output = new TcpOutput(this, streams);
    }

    void host(StreamEngine newEngine) {
        engine = newEngine;
    }

    private StreamEngine engine() {
        return Objects.requireNonNull(engine);
    }

    // ---- set-up ----

    /** Connects in a task of its own: nothing is reported inside the caller's call. */
    void connectSoon(@Nullable InetSocketAddress local) {
        loop.execute(() -> connectNow(local));
    }

    private void connectNow(@Nullable InetSocketAddress local) {
        if (resetRequested) {
            openFailed(new ClosedChannelException());
            return;
        }
        try {
            SocketChannel created = streams.options().backend().socket();
            channel = created;
            streams.configure(created);
            created.pipeline().addLast(handler);
            var _ = loop.io().attach(created);
            ChannelFuture connected;
            if (local == null) {
                connected = created.connect(remote);
            } else {
                streams.configureLocal(created, local);
                connected = created.connect(remote, local);
            }
            connected.addListener(result -> {
                if (!result.isSuccess()) {
                    openFailed(result.cause());
                }
            });
        } catch (RuntimeException failure) {
            openFailed(failure);
        }
    }

    /** The passive side: takes over the channel of a connection that came in. */
    void attach(SocketChannel accepted) {
        channel = accepted;
        streams.configure(accepted);
        accepted.pipeline().addLast(handler);
        loop.io().attach(accepted).addListener(result -> {
            if (!result.isSuccess()) {
                LOG.warn("{}: dropped before it was up", this, result.cause());
                forget();
            }
        });
    }

    private void openFailed(Throwable cause) {
        if (ended || opened) {
            return;
        }
        SocketChannel created = channel;
        if (created != null) {
            var _ = created.close();
        }
        ConnectFailure failure = resetRequested
                ? new ConnectFailure(
                        ConnectFailure.Kind.ERROR,
                        Errno.ECONNRESET,
                        "connecting to " + Addresses.text(remote) + " was given up")
                : SocketErrors.connectFailure(cause, remote);
        tell(hosted -> hosted.onOpenFailed(failure, DriverLoop.nowNs()));
        forget();
    }

    private void forget() {
        ended = true;
        loop.deadline(this, Engine.NO_DEADLINE);
        output.reclaim();
        answered();
        streams.forget(this);
    }

    private void answered() {
        if (listening != null) {
            listening.answered(this);
        }
    }

    // ---- from Netty, through the handler ----

    void onActive() {
        opened = true;
        localEnd = Addresses.plain(Objects.requireNonNull(channel).localAddress());
        tell(hosted -> hosted.onOpen(this, DriverLoop.nowNs()));
    }

    void onBytes(ByteBuf bytes) {
        if (!takesInput()) {
            return;
        }
        ReceiveBuffer shared = streams.receiveBuffer();
        loop.enterBurst();
        try {
            // fewer bytes consumed means that the engine has closed the stream and wants no more
            if (shared != null && shared.buffer().is(bytes)) {
                var _ = engine().onBytes(
                                shared.buffer().segment(),
                                bytes.readerIndex(),
                                bytes.readableBytes(),
                                DriverLoop.nowNs());
            } else {
                var _ = engine().onBytes(SegmentBuffer.borrow(bytes), 0, bytes.readableBytes(), DriverLoop.nowNs());
            }
        } catch (Throwable fault) {
            breakDown(fault);
        } finally {
            loop.exitBurst();
            loop.ready(this);
        }
    }

    void onEndOfStream() {
        if (inputEnded) {
            return;
        }
        boolean wanted = takesInput();
        inputEnded = true;
        if (wanted) {
            tell(hosted -> hosted.onEndOfStream(DriverLoop.nowNs()));
        }
        loop.ready(this);
    }

    private boolean takesInput() {
        return opened && !closeRequested && !resetRequested && !inputEnded;
    }

    /** Nothing more can be sent: the own FIN, or a write failed. */
    void onOutputEnded() {
        outputEnded = true;
        loop.ready(this);
    }

    /** Netty holds nothing back any more. */
    void onWritable() {
        if (output.isWaiting()) {
            loop.ready(this);
        }
    }

    /** A read failed: the connection is gone. */
    void onBroken(Throwable cause) {
        LOG.debug("{}: {}", this, cause.toString());
        inputEnded = true;
        outputEnded = true;
        loop.ready(this);
    }

    void onFault(Throwable fault) {
        breakDown(fault);
        loop.ready(this);
    }

    void onInactive() {
        channelClosed = true;
        loop.ready(this);
    }

    /** Calls the engine, for what happens once or seldom in a stream's life. */
    private void tell(Consumer<StreamEngine> call) {
        loop.enterBurst();
        try {
            call.accept(engine());
        } catch (Throwable fault) {
            breakDown(fault);
        } finally {
            loop.exitBurst();
            loop.ready(this);
        }
    }

    /** A fault of the engine or of this driver ends this one stream. */
    private void breakDown(Throwable fault) {
        if (!broken) {
            broken = true;
            LOG.error("{}: dropped after a fault", this, fault);
        }
        resetRequested = true;
    }

    // ---- settling ----

    @Override
    boolean settle() {
        if (ended) {
            return false;
        }
        boolean more = false;
        if (!channelClosed) {
            output.reclaim();
            SocketChannel open = channel;
            if (open != null) {
                more = opened && !output.isBlocked() && maySend() && output.pump(open);
                endIfDue(open);
            }
        }
        if (channelClosed && opened) {
            tellClosed();
            return false;
        }
        rearm();
        return more;
    }

    @Override
    public String toString() {
        return "stream to " + Addresses.text(remote);
    }

    /** Whether the engine may still be asked for output. */
    boolean maySend() {
        return !outputEnded && !closeRequested && !resetRequested;
    }

    /** Lets the engine write. */
    void poll(TcpSink sink) {
        loop.enterBurst();
        try {
            var _ = engine().pollTransmit(sink, sink.maxClaim(), DriverLoop.nowNs());
        } catch (Throwable fault) {
            breakDown(fault);
        } finally {
            loop.exitBurst();
        }
    }

    private void endIfDue(SocketChannel open) {
        if (resetRequested) {
            resetNow(open);
            return;
        }
        if (closeRequested && !outputEnded && !output.isBlocked()) {
            outputEnded = true;
            lingerEndNs = Engine.NO_DEADLINE;
            ChannelFuture finSent = open.shutdownOutput();
            if (finSent.isDone() && !finSent.isSuccess()) {
                inputEnded = true;
            }
        }
        if (outputEnded && inputEnded) {
            var _ = open.close();
        } else if ((closeRequested || outputEnded) && lingerEndNs == Engine.NO_DEADLINE) {
            lingerEndNs = DriverLoop.nowNs() + streams.options().linger().toNanos();
        }
    }

    private void resetNow(SocketChannel open) {
        if (open.isOpen()) {
            if (opened) {
                try {
                    open.config().setOption(ChannelOption.SO_LINGER, 0);
                } catch (ChannelException gone) {
                    LOG.debug("{}: {}", this, gone.toString());
                }
            }
            var _ = open.close();
        }
    }

    private void tellClosed() {
        tell(hosted -> hosted.onClosed(DriverLoop.nowNs()));
        forget();
    }

    private void rearm() {
        long wakeNs = lingerEndNs;
        if (opened && !broken) {
            long engineNs = nextDeadlineNs();
            if (wakeNs == Engine.NO_DEADLINE || (engineNs != Engine.NO_DEADLINE && engineNs - wakeNs < 0)) {
                wakeNs = engineNs;
            }
        }
        loop.deadline(this, wakeNs);
    }

    private long nextDeadlineNs() {
        try {
            return engine().nextDeadlineNs();
        } catch (Throwable fault) {
            onFault(fault);
            return Engine.NO_DEADLINE;
        }
    }

    @Override
    void onDeadline() {
        if (ended) {
            return;
        }
        long nowNs = DriverLoop.nowNs();
        if (lingerEndNs != Engine.NO_DEADLINE && lingerEndNs - nowNs <= 0) {
            lingerEndNs = Engine.NO_DEADLINE;
            drop();
            return;
        }
        if (opened && !broken) {
            loop.enterBurst();
            try {
                engine().onTimeout(nowNs);
            } catch (Throwable fault) {
                breakDown(fault);
            } finally {
                loop.exitBurst();
            }
        }
    }

    // ---- the end of the device ----

    /** Ends the stream in good order if it is up, at once if not. */
    void end() {
        if (closeRequested || resetRequested || ended) {
            return;
        }
        if (opened && !broken && engine().negotiated() != null) {
            disconnect();
        } else {
            reset();
        }
    }

    /** Ends the stream now; with FIN if that is out already, else with RST. */
    void drop() {
        if (outputEnded && !resetRequested) {
            inputEnded = true;
            loop.ready(this);
        } else {
            reset();
        }
    }

    // ---- StreamHandle ----

    @Override
    public void requestTransmit() {
        loop.ready(this);
    }

    @Override
    public void close() {
        closeRequested = true;
        loop.ready(this);
    }

    @Override
    public void reset() {
        resetRequested = true;
        loop.ready(this);
    }

    // ---- StreamConnection ----

    @Override
    public @Nullable InetSocketAddress localAddress() {
        return localEnd;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public void accept(QueuePairCore queuePair, StreamParameters parameters) {
        answer(passive -> passive.accept(queuePair, parameters, DriverLoop.nowNs()));
    }

    @Override
    public void reject(byte[] privateData) {
        answer(passive -> passive.reject(privateData, DriverLoop.nowNs()));
    }

    /** What the engine throws is the caller's fault and the caller's to hear. */
    private void answer(Consumer<PassiveStreamEngine> call) {
        if (ended || !(engine() instanceof PassiveStreamEngine passive)) {
            throw new VerbsException(Errno.EINVAL, "there is no request of " + Addresses.text(remote) + " to answer");
        }
        loop.enterBurst();
        try {
            call.accept(passive);
        } finally {
            loop.exitBurst();
            loop.ready(this);
        }
        answered();
    }

    @Override
    public void disconnect() {
        if (ended) {
            return;
        }
        tell(hosted -> hosted.disconnect(DriverLoop.nowNs()));
    }

    @Override
    public void abort() {
        reset();
    }

    @Override
    public @Nullable MpaNegotiated negotiated() {
        return engine().negotiated();
    }
}
