package io.jrdma.iwarp;

import io.jrdma.iwarp.mpa.MpaDepths;
import io.jrdma.iwarp.mpa.MpaNegotiation;
import io.jrdma.verbs.CompletionSemantics;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.QpType;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.DeviceContext;
import io.jrdma.verbs.spi.PassiveStreamEngine;
import io.jrdma.verbs.spi.QueuePairEngine;
import io.jrdma.verbs.spi.StreamEngine;
import io.jrdma.verbs.spi.StreamListener;
import io.jrdma.verbs.spi.StreamParameters;
import io.jrdma.verbs.spi.StreamTransport;
import io.jrdma.wire.crc.Crc32c;

/** The iWARP engine of one device: makes queue pairs and the engines of their streams. Loop thread only. */
public final class IwarpDevice implements StreamTransport {
    private final DeviceContext context;
    private final IwarpCounters counters = new IwarpCounters();
    private final Crc32c crc = new Crc32c();
    private int queuePairs;

    IwarpDevice(DeviceContext context) {
        this.context = context;
    }

    /** What happened on the device so far. */
    public IwarpCounters counters() {
        return counters;
    }

    /** A CRC that every caller on the loop may use from reset to value, in one go. */
    Crc32c crc() {
        return crc;
    }

    @Override
    public QueuePairEngine createQueuePair(QueuePairCore core) {
        if (core.options().type() != QpType.RC) {
            throw new VerbsException(
                    Errno.EOPNOTSUPP, "queue pair type " + core.options().type() + "; iWARP has RC alone");
        }
        if (queuePairs >= context.attributes().maxQp()) {
            throw new VerbsException(Errno.ENOMEM, "the device has " + queuePairs + " queue pairs already");
        }
        queuePairs++;
        return new IwarpQueuePair(this, core);
    }

    void onQueuePairDestroyed() {
        queuePairs--;
    }

    @Override
    public StreamEngine initiator(QueuePairCore core, StreamParameters parameters, StreamListener listener) {
        MpaOptions options = parameters.options();
        IwarpQueuePair queuePair = free(core);
        checkDepths(parameters);
        int maxPrivateData = MpaNegotiation.maxRequestPrivateData(options.revision());
        checkPrivateData(parameters.privateData().length, maxPrivateData);
        checkCompletion(core, parameters.ord());
        if (options.peerToPeer()
                && MpaNegotiation.sendable(options, parameters.ord()).isEmpty()) {
            throw new VerbsException(
                    Errno.EINVAL,
                    "the peer-to-peer model with ready-to-receive message " + options.readyToReceive()
                            + " alone needs an ORD of 1 or more");
        }
        MpaNegotiation mpa = MpaNegotiation.initiator(
                options, parameters.ird(), parameters.ord(), isRemoteAcknowledged(core), parameters.privateData());
        IwarpConnection connection = new IwarpConnection(this, mpa, listener);
        connection.bind(queuePair);
        return connection;
    }

    @Override
    public PassiveStreamEngine responder(MpaOptions options, StreamListener listener) {
        return new IwarpConnection(this, MpaNegotiation.responder(options), listener);
    }

    /** The transport's half of a queue pair that may be connected. */
    IwarpQueuePair free(QueuePairCore core) {
        if (!(core.engine() instanceof IwarpQueuePair queuePair) || queuePair.device() != this) {
            throw new VerbsException(
                    Errno.EINVAL,
                    "queue pair 0x" + Integer.toHexString(core.qpNum()) + " is destroyed or another device's");
        }
        if (queuePair.wasConnected()) {
            throw new VerbsException(
                    Errno.EINVAL,
                    "queue pair 0x" + Integer.toHexString(core.qpNum())
                            + " is connected or was; reset it before it is connected again");
        }
        if (core.state() != QpState.INIT) {
            throw new VerbsException(
                    Errno.EINVAL,
                    "queue pair 0x" + Integer.toHexString(core.qpNum()) + " is in state " + core.state()
                            + "; a connection needs INIT");
        }
        return queuePair;
    }

    static void checkDepths(StreamParameters parameters) {
        checkDepth("ird", parameters.ird());
        checkDepth("ord", parameters.ord());
    }

    private static void checkDepth(String name, int value) {
        if (value < 0 || value > MpaDepths.MAX) {
            throw new VerbsException(Errno.EINVAL, name + " is " + value + "; allowed is 0.." + MpaDepths.MAX);
        }
    }

    static void checkPrivateData(int length, int max) {
        if (length > max) {
            throw new VerbsException(Errno.EINVAL, "private data of " + length + " bytes; " + max + " fit");
        }
    }

    private static boolean isRemoteAcknowledged(QueuePairCore core) {
        return core.options().completion() == CompletionSemantics.REMOTE_ACKNOWLEDGED;
    }

    static void checkCompletion(QueuePairCore core, int ord) {
        if (ord == 0 && isRemoteAcknowledged(core)) {
            throw new VerbsException(
                    Errno.EINVAL,
                    "completion REMOTE_ACKNOWLEDGED adds Reads and so needs an ORD of 1 or more on the connection");
        }
    }
}
