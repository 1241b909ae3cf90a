package io.jrdma.tools.pingpong;

import io.jrdma.tools.Addresses;
import io.jrdma.tools.Destination;
import io.jrdma.tools.ToolException;
import io.jrdma.verbs.Errno;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * The TCP connection over which both sides of a ping-pong tell each other where they receive: first the client its line, then the server its
 * own, then the client says {@code done}. What the queue pairs carry goes elsewhere. One thread.
 */
final class PingpongExchange implements AutoCloseable {
    private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);

    private final Socket socket;
    private final String peer;

    private PingpongExchange(Socket socket, Duration patience) throws IOException {
        this.socket = socket;
        this.peer = Addresses.text((InetSocketAddress) socket.getRemoteSocketAddress());
        socket.setSoTimeout((int) patience.toMillis());
        socket.setTcpNoDelay(true);
    }

    /** The client's end. */
    static PingpongExchange connect(Destination server) {
        Socket socket = new Socket();
        try {
            socket.connect(server.address(), (int) server.limit().toMillis());
            return new PingpongExchange(socket, server.limit());
        } catch (SocketTimeoutException silent) {
            throw server.silent();
        } catch (ConnectException refused) {
            throw server.refused(Errno.ECONNREFUSED);
        } catch (IOException failure) {
            throw ToolException.noConnection(Addresses.text(server.address()) + ": " + failure.getMessage(), failure);
        }
    }

    /** The server's end: waits for a client. */
    static PingpongExchange accept(ServerSocket listener, Duration patience) {
        try {
            return new PingpongExchange(listener.accept(), patience);
        } catch (IOException failure) {
            throw ToolException.noConnection("waiting for a client: " + failure.getMessage(), failure);
        }
    }

    /** The own end of the TCP connection: the address by which the peer knows this host. */
    InetAddress localAddress() {
        return socket.getLocalAddress();
    }

    /** Sends the own line. */
    void send(PingpongAddress own) {
        write(own.line());
    }

    /** Waits for the peer's line. */
    PingpongAddress receive() {
        return PingpongAddress.parse(read(PingpongAddress.LENGTH));
    }

    /** Client: everything is ready. */
    void sendDone() {
        write(DONE);
    }

    /** Server: waits for {@link #sendDone}. */
    void awaitDone() {
        read(DONE.length);
    }

    private void write(byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException failure) {
            throw broken(failure);
        }
    }

    private byte[] read(int length) {
        byte[] bytes = new byte[length];
        try {
            new DataInputStream(socket.getInputStream()).readFully(bytes);
            return bytes;
        } catch (SocketTimeoutException failure) {
            throw ToolException.noConnection(peer + ": the peer has not told its address in time", failure);
        } catch (IOException failure) {
            throw broken(failure);
        }
    }

    private ToolException broken(IOException failure) {
        String why = failure.getMessage() == null ? "the peer closed the connection" : failure.getMessage();
        return ToolException.noConnection(peer + ": exchange of addresses: " + why, failure);
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException failure) {
            throw ToolException.failed(peer + ": closing the exchange of addresses: " + failure.getMessage(), failure);
        }
    }
}
