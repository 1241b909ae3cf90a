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
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One TCP connection and the engine that it carries. Loop only.
 *
 * <p><em>Output.</em> {@link #settle} lets the engine fill a send buffer, writes it, and takes the next while the socket takes all. When
 * the socket is full the stream keeps that one buffer and asks the engine for nothing until it is through: memory for output is one buffer
 * a stream, and the engine's own queues are what its queue pair allows.
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
    /** Output of one stream in a turn of the loop; the others wait meanwhile. */
    private static final int BYTES_PER_TURN = 1 << 20;

    private final TcpStreams streams;
    private final DriverLoop loop;
    private final @Nullable TcpListening listening;
    private final InetSocketAddress remote;
    private final TcpHandler handler = new TcpHandler(this);
    private @Nullable StreamEngine engine;
    private @Nullable SocketChannel channel;
    private @Nullable InetSocketAddress localEnd;
    private @Nullable SegmentBuffer unsent;
    private long lingerEndNs = Engine.NO_DEADLINE;
    private boolean opened;
    private boolean inputEnded;
    private boolean outputEnded;
    private boolean closeRequested;
    private boolean resetRequested;
    private boolean channelClosed;
    private boolean pumping;
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
                LOG.warn("stream from {}: dropped before it was up", remote, result.cause());
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
                        ConnectFailure.Kind.ERROR, Errno.ECONNRESET, "connecting to " + remote + " was given up")
                : SocketErrors.connectFailure(cause, remote);
        loop.enterBurst();
        try {
            engine().onOpenFailed(failure, DriverLoop.nowNs());
        } catch (Throwable fault) {
            breakDown(fault);
        } finally {
            loop.exitBurst();
            forget();
        }
    }

    private void forget() {
        ended = true;
        loop.deadline(this, Engine.NO_DEADLINE);
        reclaim();
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
        loop.enterBurst();
        try {
            engine().onOpen(this, DriverLoop.nowNs());
        } catch (Throwable fault) {
            breakDown(fault);
        } finally {
            loop.exitBurst();
            loop.ready(this);
        }
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
        boolean tell = takesInput();
        inputEnded = true;
        loop.enterBurst();
        try {
            if (tell) {
                engine().onEndOfStream(DriverLoop.nowNs());
            }
        } catch (Throwable fault) {
            breakDown(fault);
        } finally {
            loop.exitBurst();
            loop.ready(this);
        }
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
        if (!pumping && unsent != null) {
            loop.ready(this);
        }
    }

    /** A read failed: the connection is gone. */
    void onBroken(Throwable cause) {
        LOG.debug("stream to {}: {}", remote, cause.toString());
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

    /** A fault of the engine or of this driver ends this one stream. */
    private void breakDown(Throwable fault) {
        if (!broken) {
            broken = true;
            LOG.error("stream to {}: dropped after a fault", remote, fault);
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
            reclaim();
            more = opened && mayPump() && pump();
            endIfDue();
        }
        if (channelClosed && opened) {
            tellClosed();
            return false;
        }
        rearm();
        return more;
    }

    private boolean mayPump() {
        return !outputEnded && !closeRequested && !resetRequested && unsent == null;
    }

    /** Takes back the send buffer that the socket could not take at once, when it has. */
    private void reclaim() {
        SegmentBuffer waiting = unsent;
        if (waiting != null && waiting.isFree()) {
            unsent = null;
            streams.sendBuffers().give(waiting);
        }
    }

    /** Sends what the engine has; returns whether the turn's share is used up. */
    private boolean pump() {
        SocketChannel open = Objects.requireNonNull(channel);
        TcpSink sink = streams.sink();
        int left = BYTES_PER_TURN;
        do {
            SegmentBuffer buffer = streams.sendBuffers().take();
            sink.begin(buffer);
            poll(sink);
            int length = sink.end();
            if (length > 0) {
                write(open, buffer, length);
            }
            if (!buffer.isFree()) {
                unsent = buffer;
                return false;
            }
            streams.sendBuffers().give(buffer);
            if (length == 0) {
                return false;
            }
            left -= length;
        } while (left > 0 && mayPump());
        return mayPump();
    }

    private void write(SocketChannel open, SegmentBuffer buffer, int length) {
        int sent;
        try {
            sent = streams.options().backend().sendNow(open, buffer.bytes(), length);
        } catch (IOException failure) {
            // what the peer said before is still read: see the class comment
            outputEnded = true;
            return;
        }
        if (sent < length) {
            pumping = true;
            var _ = open.write(buffer.forWriting(sent, length), open.voidPromise());
            open.flush();
            pumping = false;
        }
    }

    private void poll(TcpSink sink) {
        loop.enterBurst();
        try {
            var _ = engine().pollTransmit(sink, sink.maxClaim(), DriverLoop.nowNs());
        } catch (Throwable fault) {
            breakDown(fault);
        } finally {
            loop.exitBurst();
        }
    }

    private void endIfDue() {
        SocketChannel open = channel;
        if (open == null) {
            return;
        }
        if (resetRequested) {
            resetNow(open);
            return;
        }
        if (closeRequested && !outputEnded && unsent == null) {
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
                open.config().setOption(ChannelOption.SO_LINGER, 0);
            }
            var _ = open.close();
        }
    }

    private void tellClosed() {
        loop.enterBurst();
        try {
            engine().onClosed(DriverLoop.nowNs());
        } catch (Throwable fault) {
            breakDown(fault);
        } finally {
            loop.exitBurst();
            forget();
        }
    }

    private void rearm() {
        long wakeNs = lingerEndNs;
        if (opened && !broken) {
            long engineNs = engine().nextDeadlineNs();
            if (wakeNs == Engine.NO_DEADLINE || (engineNs != Engine.NO_DEADLINE && engineNs - wakeNs < 0)) {
                wakeNs = engineNs;
            }
        }
        loop.deadline(this, wakeNs);
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
        PassiveStreamEngine passive = passive();
        loop.enterBurst();
        try {
            passive.accept(queuePair, parameters, DriverLoop.nowNs());
        } finally {
            loop.exitBurst();
            loop.ready(this);
        }
        answered();
    }

    @Override
    public void reject(byte[] privateData) {
        PassiveStreamEngine passive = passive();
        loop.enterBurst();
        try {
            passive.reject(privateData, DriverLoop.nowNs());
        } finally {
            loop.exitBurst();
            loop.ready(this);
        }
        answered();
    }

    private PassiveStreamEngine passive() {
        if (engine() instanceof PassiveStreamEngine passive && !ended) {
            return passive;
        }
        throw new VerbsException(Errno.EINVAL, "there is no request of " + remote + " to answer");
    }

    @Override
    public void disconnect() {
        if (ended) {
            return;
        }
        loop.enterBurst();
        try {
            engine().disconnect(DriverLoop.nowNs());
        } catch (Throwable fault) {
            breakDown(fault);
        } finally {
            loop.exitBurst();
            loop.ready(this);
        }
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
