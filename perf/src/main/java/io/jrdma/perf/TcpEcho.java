package io.jrdma.perf;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** The yardstick for iWARP: plain TCP of the JDK. */
final class TcpEcho implements Echo {
    private final SocketChannel client;
    private final SocketChannel server;
    private final ByteBuffer message;
    private final Thread thread;
    private volatile boolean closed;

    TcpEcho(int bytes) throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            client = SocketChannel.open(listener.getLocalAddress());
            server = listener.accept();
        }
        for (SocketChannel side : new SocketChannel[] {client, server}) {
            side.setOption(StandardSocketOptions.TCP_NODELAY, true);
            side.configureBlocking(false);
        }
        message = ByteBuffer.allocateDirect(bytes);
        ByteBuffer echoed = ByteBuffer.allocateDirect(bytes);
        thread = Thread.ofPlatform().daemon().name("tcp-echo").start(() -> {
            try {
                while (!closed) {
                    server.read(echoed);
                    if (!echoed.hasRemaining()) {
                        server.write(echoed.flip());
                        echoed.clear();
                    }
                }
            } catch (IOException ended) {
                throw new UncheckedIOException(ended);
            }
        });
    }

    @Override
    public String name() {
        return "plain TCP";
    }

    @Override
    public void roundTrip() {
        try {
            client.write(message.clear());
            message.clear();
            while (message.hasRemaining()) {
                client.read(message);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            thread.join();
            client.close();
            server.close();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
