package io.jrdma.testkit.toy;

import io.jrdma.verbs.CompletionSemantics;
import io.jrdma.verbs.DeviceAttributes;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.QpType;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.WrOpcode;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.DeviceContext;
import io.jrdma.verbs.spi.DeviceEngine;
import io.jrdma.verbs.spi.PassiveStreamEngine;
import io.jrdma.verbs.spi.QueuePairEngine;
import io.jrdma.verbs.spi.StreamEngine;
import io.jrdma.verbs.spi.StreamListener;
import io.jrdma.verbs.spi.StreamParameters;
import io.jrdma.verbs.spi.StreamTransport;
import io.jrdma.verbs.spi.TransportProvider;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A transport that is just enough to try the simulator on, with faults that can be planted. */
public final class ToyTransport implements TransportProvider {
    /** Faults. */
    public enum Bug {
        NONE,
        /** Writes one byte behind every RDMA Write. */
        WRITES_TOO_MUCH,
        /** Forgets the completion of every fifth send. */
        FORGETS_A_COMPLETION,
        /** Loses every fifth message, and still completes it. */
        LOSES_A_MESSAGE,
        THROWS_ON_INPUT,
        SENDS_AFTER_NOTHING,
        CONSUMES_TOO_LITTLE,
        LIES_ABOUT_LENGTH,
        LEAVES_A_CLAIM_OPEN,
        SPINS_ON_A_DEADLINE,
        KEEPS_BORROWED_INPUT,
        USES_THE_CLOCK
    }

    /** The fault of all engines made from now on. */
    public static Bug bug = Bug.NONE;

    /** For the service loader. */
    public ToyTransport() {}

    @Override
    public Transport transport() {
        return Transport.IWARP;
    }

    @Override
    public DeviceAttributes attributes() {
        return new DeviceAttributes(
                Transport.IWARP,
                CompletionSemantics.LOCAL_BUFFER_REUSABLE,
                EnumSet.of(WrOpcode.SEND, WrOpcode.RDMA_WRITE),
                Set.of(QpType.RC),
                100,
                1000,
                4,
                1,
                64,
                100,
                10_000,
                100,
                1 << 20,
                10,
                1 << 16,
                0,
                0);
    }

    @Override
    public DeviceEngine open(DeviceContext context) {
        return new ToyDevice(context);
    }

    private record ToyDevice(DeviceContext context) implements StreamTransport {
        @Override
        public QueuePairEngine createQueuePair(QueuePairCore core) {
            return new ToyQueuePair();
        }

        @Override
        public StreamEngine initiator(QueuePairCore queuePair, StreamParameters parameters, StreamListener listener) {
            return new ToyStream(context, bug, listener, queuePair);
        }

        @Override
        public PassiveStreamEngine responder(MpaOptions options, StreamListener listener) {
            return new ToyStream(context, bug, listener, null);
        }
    }

    /** A queue pair's tie to its stream. */
    static final class ToyQueuePair implements QueuePairEngine {
        @Nullable
        ToyStream stream;

        @Override
        public void onDoorbell(long nowNs) {
            if (stream != null) {
                stream.onDoorbell();
            }
        }

        @Override
        public void onModify(QpState from, QpState to, QpAttributes attributes, long nowNs) {}

        @Override
        public void onDestroy(long nowNs) {
            if (stream != null) {
                stream.onQueuePairGone();
            }
        }
    }
}
