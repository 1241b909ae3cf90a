package io.jrdma.verbs.fake;

import io.jrdma.verbs.AddressVector;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.DeviceContext;
import io.jrdma.verbs.spi.DeviceEngine;
import io.jrdma.verbs.spi.QueuePairEngine;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes {@link FakeQueuePairEngine}s; the test completes what is posted. */
public final class FakeEngine implements DeviceEngine {
    public final DeviceContext context;
    /** Those of the queue pairs made so far. */
    public final List<FakeQueuePairEngine> queuePairs = new ArrayList<>();
    /** Thrown by the next creation; null for none. */
    public @Nullable RuntimeException refusal;

    /** Paths of address handles that are open. */
    public final List<AddressVector> paths = new ArrayList<>();

    public FakeEngine(DeviceContext context) {
        this.context = context;
    }

    @Override
    public QueuePairEngine createQueuePair(QueuePairCore core) {
        if (refusal != null) {
            throw refusal;
        }
        FakeQueuePairEngine engine = new FakeQueuePairEngine(core);
        queuePairs.add(engine);
        return engine;
    }

    @Override
    public int openPath(AddressVector destination) {
        paths.add(destination);
        return paths.size() - 1;
    }

    @Override
    public void closePath(int pathId) {
        paths.remove(pathId);
    }
}
