package io.jrdma.perf;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/** The yardstick for RoCE: plain UDP of the JDK. */
final class UdpEcho implements Echo {
    private final DatagramChannel client;
    private final DatagramChannel server;
    private final ByteBuffer message;
    private final Thread thread;
    private volatile boolean closed;

    UdpEcho(int bytes) throws IOException {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        client = DatagramChannel.open().bind(any);
        server = DatagramChannel.open().bind(any);
        SocketAddress there = server.getLocalAddress();
        SocketAddress here = client.getLocalAddress();
        client.connect(there).configureBlocking(false);
        server.connect(here).configureBlocking(false);
        message = ByteBuffer.allocateDirect(bytes);
        ByteBuffer echoed = ByteBuffer.allocateDirect(bytes);
        thread = Thread.ofPlatform().daemon().name("udp-echo").start(() -> {
            try {
                while (!closed) {
                    echoed.clear();
                    if (server.read(echoed) > 0) {
                        server.write(echoed.flip());
                    }
                }
            } catch (IOException ended) {
                throw new UncheckedIOException(ended);
            }
        });
    }

    @Override
    public String name() {
        return "plain UDP";
    }

    @Override
    public void roundTrip() {
        try {
            client.write(message.clear());
            message.clear();
            while (client.read(message) == 0) {
                Thread.onSpinWait();
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
