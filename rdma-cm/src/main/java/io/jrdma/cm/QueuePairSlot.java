package io.jrdma.cm;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.QueuePair;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.VerbsException;
import org.jspecify.annotations.Nullable;

/** The place for an id's one queue pair. Under the id's lock. */
final class QueuePairSlot {
    private @Nullable IdQueuePair occupant;

    /** The queue pair, or null. */
    @Nullable
    QueuePair queuePair() {
        return occupant == null ? null : occupant.queuePair();
    }

    /**
     * Checks that a queue pair of that device could be put in.
     *
     * @throws VerbsException EINVAL if not
     */
    void check(@Nullable RdmaDevice idDevice, RdmaDevice queuePairDevice) {
        if (idDevice == null) {
            throw new VerbsException(
                    Errno.EINVAL, "createQueuePair before the id has a device; resolve its address first");
        }
        if (queuePairDevice != idDevice) {
            throw new VerbsException(
                    Errno.EINVAL,
                    "the queue pair would be on the " + queuePairDevice + ", the id is on the " + idDevice);
        }
        if (occupant != null) {
            throw new VerbsException(Errno.EINVAL, "the id has a queue pair already: " + occupant.queuePair());
        }
    }

    void put(IdQueuePair own) {
        occupant = own;
    }

    @Nullable
    IdQueuePair remove() {
        IdQueuePair own = occupant;
        occupant = null;
        return own;
    }

    /**
     * The queue pair for a connection.
     *
     * @throws VerbsException EINVAL if there is none in INIT
     */
    QueuePair initialized() {
        IdQueuePair own = occupant;
        if (own == null || own.queuePair().state() != QpState.INIT) {
            throw new VerbsException(
                    Errno.EINVAL,
                    "a connection needs a queue pair in state INIT; the id has "
                            + (own == null ? "none" : own.queuePair()));
        }
        return own.queuePair();
    }
}
