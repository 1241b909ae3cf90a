package io.jrdma.cm.fake;

import io.jrdma.verbs.CompletionSemantics;
import io.jrdma.verbs.DeviceAttributes;
import io.jrdma.verbs.QpType;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.WrOpcode;
import io.jrdma.verbs.spi.DeviceContext;
import io.jrdma.verbs.spi.DeviceEngine;
import io.jrdma.verbs.spi.TransportProvider;
import java.util.EnumSet;

/** A transport called iWARP whose streams are those of {@link FakeNetwork}. */
public final class FakeTransport implements TransportProvider {
    /** Reads served and kept outstanding at most. */
    public static final int MAX_DEPTH = 16;

    @Override
    public Transport transport() {
        return Transport.IWARP;
    }

    @Override
    public DeviceAttributes attributes() {
        return attributes(Transport.IWARP);
    }

    /** The limits of fake devices of that transport. */
    public static DeviceAttributes attributes(Transport transport) {
        return attributes(transport, MAX_DEPTH);
    }

    /** The same with that many Reads served and kept outstanding. */
    public static DeviceAttributes attributes(Transport transport, int maxDepth) {
        return new DeviceAttributes(
                transport,
                transport == Transport.IWARP
                        ? CompletionSemantics.LOCAL_BUFFER_REUSABLE
                        : CompletionSemantics.REMOTE_ACKNOWLEDGED,
                EnumSet.of(WrOpcode.SEND, WrOpcode.RDMA_WRITE, WrOpcode.RDMA_READ),
                EnumSet.of(QpType.RC),
                1000,
                1000,
                4,
                1,
                256,
                1000,
                10_000,
                10_000,
                1L << 40,
                1000,
                1L << 31,
                maxDepth,
                maxDepth);
    }

    @Override
    public DeviceEngine open(DeviceContext context) {
        return FakeQueuePair::new;
    }
}
