package io.jrdma.cm.fake;

import io.jrdma.verbs.DeviceAttributes;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.verbs.spi.DeviceContext;
import io.jrdma.verbs.spi.DeviceEngine;
import io.jrdma.verbs.spi.QueuePairEngine;
import io.jrdma.verbs.spi.TransportProvider;
import java.util.HashMap;
import java.util.Map;

/** A transport called RoCE whose queue pairs copy from memory to memory, on a {@link FakeNetwork}. */
public final class FakeRoceTransport implements TransportProvider {
    /** The engine of one device. */
    static final class Device implements DeviceEngine {
        final DeviceContext context;
        final Map<Integer, FakeRcQueuePair> queuePairs = new HashMap<>();
        FakeDriver driver;

        Device(DeviceContext context) {
            this.context = context;
        }

        @Override
        public QueuePairEngine createQueuePair(QueuePairCore core) {
            FakeRcQueuePair made = new FakeRcQueuePair(this, core);
            queuePairs.put(core.qpNum(), made);
            return made;
        }
    }

    @Override
    public Transport transport() {
        return Transport.ROCE_V2;
    }

    @Override
    public DeviceAttributes attributes() {
        return FakeTransport.attributes(Transport.ROCE_V2);
    }

    @Override
    public DeviceEngine open(DeviceContext context) {
        return new Device(context);
    }
}
