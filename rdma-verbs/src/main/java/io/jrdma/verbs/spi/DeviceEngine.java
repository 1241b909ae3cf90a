package io.jrdma.verbs.spi;

import io.jrdma.verbs.AddressVector;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.queue.QueuePairCore;

/** A transport's engine for one device. Loop thread only. */
public interface DeviceEngine {
    /**
     * The transport's half of a new queue pair, in RESET.
     *
     * @throws io.jrdma.verbs.VerbsException ENOMEM or EINVAL if there are too many, or the options ask for what the transport lacks
     */
    QueuePairEngine createQueuePair(QueuePairCore core);

    /**
     * Keeps the path to a destination ready, for an address handle.
     *
     * @return its number, until {@link #closePath}
     * @throws VerbsException EOPNOTSUPP if the transport has no datagrams, EINVAL or ENETUNREACH as the port says
     */
    default int openPath(AddressVector destination) {
        throw new VerbsException(Errno.EOPNOTSUPP, "this device's transport has no datagrams");
    }

    /** Takes back one {@link #openPath}. */
    default void closePath(int pathId) {}
}
