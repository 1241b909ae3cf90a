package io.jrdma.verbs.spi;

import io.jrdma.verbs.queue.QueuePairCore;

/** The accepting side of a stream: after {@link StreamListener#onRequest} it waits for one of two answers. */
public interface PassiveStreamEngine extends StreamEngine {
    /**
     * Accepts the request: the queue pair goes to RTS, the reply goes out. Options other than {@link io.jrdma.verbs.MpaOptions#RECOMMENDED}
     * replace those that the listener was given, for this connection.
     *
     * @throws io.jrdma.verbs.VerbsException EINVAL if there is no request to answer, the private data is too long, the queue pair is not
     *     in INIT or already connected, or a depth is out of range; nothing was changed
     */
    void accept(QueuePairCore queuePair, StreamParameters parameters, long nowNs);

    /**
     * Rejects the request; the stream is closed behind the reply.
     *
     * @throws io.jrdma.verbs.VerbsException EINVAL if there is no request to answer or the private data is too long
     */
    void reject(byte[] privateData, long nowNs);
}
