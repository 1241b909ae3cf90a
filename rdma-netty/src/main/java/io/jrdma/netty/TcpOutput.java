package io.jrdma.netty;

import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * What a stream sends: fills a send buffer, hands it to the socket, and takes the next while the socket takes all. When the socket is full,
 * the one buffer stays with the stream until it is through, and nothing is asked of the engine. Loop only.
 */
final class TcpOutput {
    /** Of one stream in a turn of the loop; the others wait meanwhile. */
    private static final int BYTES_PER_TURN = 1 << 20;

    private final TcpStream stream;
    private final TcpStreams streams;
    private @Nullable SegmentBuffer unsent;
    private boolean writing;

    TcpOutput(TcpStream stream, TcpStreams streams) {
        this.stream = stream;
        this.streams = streams;
    }

    /** Whether the socket is full. */
    boolean isBlocked() {
        return unsent != null;
    }

    /** Whether Netty's word that nothing is held back any more is news. */
    boolean isWaiting() {
        return unsent != null && !writing;
    }

    /** Takes back the buffer that the socket could not take at once, when it has. */
    void reclaim() {
        SegmentBuffer waiting = unsent;
        if (waiting != null && waiting.isFree()) {
            unsent = null;
            streams.sendBuffers().give(waiting);
        }
    }

    /** Sends what the engine has; returns whether the turn's share is used up. */
    boolean pump(SocketChannel channel) {
        TcpSink sink = streams.sink();
        int left = BYTES_PER_TURN;
        do {
            SegmentBuffer buffer = streams.sendBuffers().take();
            sink.begin(buffer);
            stream.poll(sink);
            int length = sink.end();
            if (length > 0) {
                write(channel, buffer, length);
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
        } while (left > 0 && stream.maySend());
        return stream.maySend();
    }

    private void write(SocketChannel channel, SegmentBuffer buffer, int length) {
        int sent;
        try {
            sent = streams.options().backend().sendNow(channel, buffer.bytes(), length);
        } catch (IOException failure) {
            stream.onOutputEnded();
            return;
        }
        if (sent < length) {
            writing = true;
            var _ = channel.write(buffer.forWriting(sent, length), channel.voidPromise());
            channel.flush();
            writing = false;
        }
    }
}
