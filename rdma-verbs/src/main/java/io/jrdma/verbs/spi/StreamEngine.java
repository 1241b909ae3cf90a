package io.jrdma.verbs.spi;

import io.jrdma.verbs.MpaNegotiated;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The protocol machine of one byte stream (iWARP: one TCP connection), in either role. It outlives its stream: the driver drops it after
 * {@link #onClosed}.
 */
public interface StreamEngine extends Engine {
    /** The stream is up; first input. From here on {@code stream} may be used. */
    void onOpen(StreamHandle stream, long nowNs);

    /** The stream could not be set up; last input of an active engine that never opened. */
    void onOpenFailed(ConnectFailure failure, long nowNs);

    /**
     * Bytes arrived. The segment is borrowed for the call. Any split of the same bytes into calls gives the same outputs.
     *
     * @return bytes consumed; fewer than {@code length} only when the engine has closed or reset the stream and wants no more
     */
    int onBytes(MemorySegment segment, long offset, int length, long nowNs);

    /** The peer has finished sending (FIN). */
    void onEndOfStream(long nowNs);

    /** The stream is gone, by a reset, an I/O error or the end of a close: last input of an engine that opened. */
    void onClosed(long nowNs);

    /**
     * Ends the connection in good order: what was posted before is sent, then the stream is closed; when the close is through,
     * all work requests are flushed and the listener is told. Does nothing when it is under way already.
     */
    void disconnect(long nowNs);

    /** What both sides agreed on; null before that. */
    @Nullable
    MpaNegotiated negotiated();
}
