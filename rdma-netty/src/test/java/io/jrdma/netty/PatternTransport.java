package io.jrdma.netty;

import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.QueuePairEngine;
import io.jrdma.verbs.spi.StreamListener;
import io.jrdma.verbs.spi.StreamParameters;
import io.jrdma.verbs.spi.StreamTransport;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Makes {@link PatternEngine}s. */
final class PatternTransport implements StreamTransport {
    final List<PatternEngine> created = new CopyOnWriteArrayList<>();
    final List<PatternEngine> opened = new CopyOnWriteArrayList<>();
    volatile long handshakeTimeoutNs;
    /** Given to the next engines. */
    volatile String throwsIn = "";

    @Override
    public QueuePairEngine createQueuePair(QueuePairCore core) {
        throw new UnsupportedOperationException();
    }

    @Override
    public PatternEngine initiator(QueuePairCore queuePair, StreamParameters parameters, StreamListener listener) {
        return create(true, listener);
    }

    @Override
    public PatternEngine responder(MpaOptions options, StreamListener listener) {
        return create(false, listener);
    }

    private PatternEngine create(boolean active, StreamListener listener) {
        PatternEngine engine = new PatternEngine(this, active, listener);
        engine.throwsIn = throwsIn;
        created.add(engine);
        return engine;
    }
}
