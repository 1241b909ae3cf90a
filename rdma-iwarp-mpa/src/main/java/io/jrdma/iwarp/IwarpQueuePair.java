package io.jrdma.iwarp;

import io.jrdma.iwarp.rdmap.BoundQueuePair;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.QpAttribute;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.QueuePairEngine;
import org.jspecify.annotations.Nullable;

/** A queue pair's tie to its connection: iWARP has no addresses of queue pairs, a queue pair is what one stream belongs to. */
final class IwarpQueuePair implements QueuePairEngine, BoundQueuePair.Tie {
    private final IwarpDevice device;
    private final QueuePairCore core;
    private @Nullable IwarpConnection connection;
    private boolean wasConnected;

    IwarpQueuePair(IwarpDevice device, QueuePairCore core) {
        this.device = device;
        this.core = core;
    }

    IwarpDevice device() {
        return device;
    }

    QueuePairCore core() {
        return core;
    }

    /** Whether a connection has it, or had it since the last reset and came up. */
    boolean wasConnected() {
        return wasConnected;
    }

    void bind(IwarpConnection to) {
        connection = to;
        wasConnected = true;
    }

    /** The connection is over; one that never came up leaves the queue pair as it was. */
    @Override
    public void onReleased(boolean cameUp) {
        connection = null;
        wasConnected = cameUp;
    }

    @Override
    public void onDoorbell(long nowNs) {
        IwarpConnection current = connection;
        if (current != null) {
            current.requestTransmit();
        }
    }

    @Override
    public void onModify(QpState from, QpState to, QpAttributes attributes, long nowNs) {
        if (attributes.has(QpAttribute.MAX_QP_RD_ATOMIC) || attributes.has(QpAttribute.MAX_DEST_RD_ATOMIC)) {
            throw new VerbsException(
                    Errno.EINVAL, "iWARP read depths are agreed when connecting; give them to the connection");
        }
        IwarpConnection current = connection;
        switch (to) {
            case RTR, RTS -> onModifyToConnected(from, to, current);
            case SQD -> {
                if (current != null && from != QpState.SQD) {
                    current.onSuspend(true, attributes.number(QpAttribute.EN_SQD_ASYNC_NOTIFY, 0) != 0);
                }
            }
            case ERROR -> {
                if (current != null) {
                    current.onQueuePairError(nowNs);
                }
            }
            case RESET -> {
                if (current != null) {
                    current.onQueuePairGone(nowNs);
                }
                onReleased(false);
            }
            default -> {}
        }
    }

    private static void onModifyToConnected(QpState from, QpState to, @Nullable IwarpConnection current) {
        boolean connected = from == QpState.RTS || from == QpState.SQD;
        if (!connected) {
            throw new VerbsException(
                    Errno.EINVAL,
                    "an iWARP queue pair cannot be moved to " + to
                            + " by hand; connecting or accepting a connection brings it to RTS");
        }
        if (from == QpState.SQD && current != null) {
            current.onSuspend(false, false);
        }
    }

    @Override
    public void onDestroy(long nowNs) {
        IwarpConnection current = connection;
        if (current != null) {
            current.onQueuePairGone(nowNs);
            onReleased(true);
        }
        device.onQueuePairDestroyed();
    }
}
