package io.jrdma.verbs.spi;

import io.jrdma.verbs.queue.QueuePairCore;

/** A transport's engine for one device. Loop thread only. */
public interface DeviceEngine {
    /**
     * The transport's half of a new queue pair, in RESET.
     *
     * @throws io.jrdma.verbs.VerbsException ENOMEM or EINVAL if there are too many, or the options ask for what the transport lacks
     */
    QueuePairEngine createQueuePair(QueuePairCore core);
}
