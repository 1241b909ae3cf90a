package io.jrdma.cm;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.ProtectionDomain;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.QueuePair;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.VerbsException;
import org.jspecify.annotations.Nullable;

/** The place for an id's one queue pair, under the id's lock. Thread-safe. */
final class QueuePairSlot {
    private final RdmaCmId id;
    private final Object lock;
    private @Nullable IdQueuePair occupant;

    /**
     * An empty place.
     *
     * @param lock the id's own
     */
    QueuePairSlot(RdmaCmId id, Object lock) {
        this.id = id;
        this.lock = lock;
    }

    /** The queue pair, or null. */
    @Nullable
    QueuePair queuePair() {
        synchronized (lock) {
            return occupant == null ? null : occupant.queuePair();
        }
    }

    /**
     * Makes a queue pair and puts it in.
     *
     * @throws VerbsException EINVAL if there is no place for it, otherwise what making it throws; then nothing is left of it
     */
    QueuePair create(ProtectionDomain domain, QueuePairOptions options) {
        synchronized (lock) {
            check(domain.device());
        }
        IdQueuePair made = IdQueuePair.create(domain, options);
        try {
            put(made);
        } catch (VerbsException refused) {
            made.close();
            throw refused;
        }
        return made.queuePair();
    }

    /**
     * Puts a queue pair in.
     *
     * @throws VerbsException EINVAL if there is no place for it
     */
    void put(IdQueuePair own) {
        synchronized (lock) {
            check(own.queuePair().protectionDomain().device());
            occupant = own;
        }
    }

    private void check(RdmaDevice queuePairDevice) {
        CmTransitions.require(id.state(), CmInput.CREATE_QUEUE_PAIR);
        RdmaDevice idDevice = id.device();
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

    /** Takes the queue pair out and destroys it, if there is one. */
    void destroy() {
        IdQueuePair own;
        synchronized (lock) {
            own = occupant;
            occupant = null;
        }
        if (own != null) {
            own.close();
        }
    }

    /**
     * The queue pair for a connection.
     *
     * @throws VerbsException EINVAL if there is none in INIT
     */
    QueuePair initialized() {
        synchronized (lock) {
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
}
