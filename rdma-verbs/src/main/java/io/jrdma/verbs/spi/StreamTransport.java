package io.jrdma.verbs.spi;

import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.queue.QueuePairCore;

/** A device engine whose queue pairs live on streams; the driver asks it for the engine of each stream. Loop thread only. */
public interface StreamTransport extends DeviceEngine {
    /**
     * The engine for a stream that this side is about to open.
     *
     * @throws io.jrdma.verbs.VerbsException EINVAL if the queue pair is not in INIT, is already connected, the private data is too long
     *     or a depth is out of range
     */
    StreamEngine initiator(QueuePairCore queuePair, StreamParameters parameters, StreamListener listener);

    /** The engine for a stream that a peer opened. */
    PassiveStreamEngine responder(MpaOptions options, StreamListener listener);
}
