package io.jrdma.netty;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.StreamAcceptor;
import io.jrdma.verbs.spi.StreamConnection;
import io.jrdma.verbs.spi.StreamConnector;
import io.jrdma.verbs.spi.StreamListener;
import io.jrdma.verbs.spi.StreamListening;
import io.jrdma.verbs.spi.StreamParameters;
import io.jrdma.verbs.spi.StreamTransport;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The TCP connections and listening sockets of one device, and what they share. Loop only, where nothing else is said. */
final class TcpStreams implements StreamConnector {
    /** Questions for a sign of life. */
    private static final int PROBES = 5;

    private final DriverLoop loop;
    private final NettyOptions options;
    private final StreamTransport transport;
    private final InetAddress localAddress;
    private final int peerSeconds;
    private final SendBuffers sendBuffers;
    private final TcpSink sink;
    private final @Nullable ReceiveBuffer receiveBuffer;
    private final Set<TcpStream> streams = new LinkedHashSet<>();
    private final Set<TcpListening> listenings = new LinkedHashSet<>();
    private volatile boolean empty = true;
    private boolean closing;

    /**
     * No streams yet.
     *
     * @param peerTimeout see {@link io.jrdma.verbs.DeviceOptions#peerTimeout}
     */
    TcpStreams(
            DriverLoop loop,
            NettyOptions options,
            StreamTransport transport,
            InetAddress localAddress,
            Duration peerTimeout) {
        this.loop = loop;
        this.options = options;
        this.transport = transport;
        this.localAddress = localAddress;
        this.peerSeconds = Math.toIntExact(peerTimeout.toSeconds());
        this.sendBuffers = new SendBuffers(options.sendBufferBytes());
        this.sink = new TcpSink(options.sendBufferBytes());
        this.receiveBuffer =
                options.backend() == IoBackend.IO_URING ? null : new ReceiveBuffer(options.receiveBufferBytes());
    }

    @Override
    public StreamConnection connect(
            @Nullable InetSocketAddress local,
            InetSocketAddress remote,
            QueuePairCore queuePair,
            StreamParameters parameters,
            StreamListener listener) {
        TcpStream stream = new TcpStream(this, null, remote);
        stream.host(transport.initiator(queuePair, parameters, listener));
        add(stream);
        InetSocketAddress from = local;
        if (from == null && !localAddress.isAnyLocalAddress()) {
            from = new InetSocketAddress(localAddress, 0);
        }
        stream.connectSoon(from);
        return stream;
    }

    @Override
    public StreamListening listen(
            InetSocketAddress local, int backlog, MpaOptions mpaOptions, StreamAcceptor acceptor) {
        if (closing) {
            throw new VerbsException(Errno.ENODEV, "the device is being closed");
        }
        TcpListening listening = new TcpListening(this, transport, backlog, mpaOptions, acceptor);
        listening.bind(local);
        listenings.add(listening);
        return listening;
    }

    DriverLoop loop() {
        return loop;
    }

    NettyOptions options() {
        return options;
    }

    SendBuffers sendBuffers() {
        return sendBuffers;
    }

    TcpSink sink() {
        return sink;
    }

    @Nullable
    ReceiveBuffer receiveBuffer() {
        return receiveBuffer;
    }

    /** Sets what every connection needs. */
    @SuppressWarnings("deprecation") // AUTO_CLOSE and RCVBUF_ALLOCATOR have no other name yet
    void configure(SocketChannel channel) {
        ChannelConfig config = channel.config();
        config.setOption(ChannelOption.TCP_NODELAY, true);
        config.setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        // after a failed write there may still be something to read that explains it
        config.setOption(ChannelOption.AUTO_CLOSE, false);
        // writable means that Netty holds nothing back: see TcpStream
        config.setOption(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(1, 1));
        config.setOption(
                ChannelOption.CONNECT_TIMEOUT_MILLIS,
                Math.toIntExact(options.connectTimeout().toMillis()));
        if (peerSeconds > 0) {
            int probeSeconds = Math.max(1, peerSeconds / (3 * PROBES));
            int idleSeconds = Math.max(1, peerSeconds - PROBES * probeSeconds);
            options.backend().keepAlive(config, idleSeconds, probeSeconds, PROBES);
        }
        if (receiveBuffer != null) {
            config.setOption(ChannelOption.RCVBUF_ALLOCATOR, receiveBuffer);
        }
    }

    /** Sets what a connection needs before it is bound to a local end. */
    void configureLocal(SocketChannel channel, InetSocketAddress local) {
        if (local.getPort() != 0) {
            channel.config().setOption(ChannelOption.SO_REUSEADDR, true);
        } else {
            options.backend().chooseLocalPortLate(channel);
        }
    }

    void add(TcpStream stream) {
        streams.add(stream);
        empty = false;
        if (closing) {
            stream.end();
        }
    }

    void forget(TcpStream stream) {
        streams.remove(stream);
        if (streams.isEmpty()) {
            empty = true;
            loop.changed();
        }
    }

    void forget(TcpListening listening) {
        listenings.remove(listening);
    }

    /** Any thread: whether every stream has ended. */
    boolean isEmpty() {
        return empty;
    }

    /** How many streams have not ended. */
    int size() {
        return streams.size();
    }

    /** Ends listening, and all streams in good order. */
    void beginClose() {
        closing = true;
        new ArrayList<>(listenings).forEach(TcpListening::close);
        new ArrayList<>(streams).forEach(TcpStream::end);
    }

    /** Drops what has not ended. */
    void drop() {
        new ArrayList<>(streams).forEach(TcpStream::drop);
    }

    /** Frees the buffers; after the loop has ended. */
    void free() {
        sendBuffers.close();
        if (receiveBuffer != null) {
            receiveBuffer.buffer().close();
        }
    }
}
