package io.jrdma.verbs.fake;

import io.jrdma.verbs.CompletionSemantics;
import io.jrdma.verbs.DeviceAttributes;
import io.jrdma.verbs.QpType;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.WrOpcode;
import io.jrdma.verbs.spi.DeviceContext;
import io.jrdma.verbs.spi.DeviceEngine;
import io.jrdma.verbs.spi.TransportProvider;
import java.util.EnumSet;
import java.util.Set;

/** A transport that carries nothing, with small limits; found by the service loader. */
public final class FakeTransport implements TransportProvider {
    public static final DeviceAttributes ATTRIBUTES = new DeviceAttributes(
            Transport.IWARP,
            CompletionSemantics.LOCAL_BUFFER_REUSABLE,
            EnumSet.of(
                    WrOpcode.SEND, WrOpcode.SEND_WITH_INV, WrOpcode.RDMA_WRITE, WrOpcode.RDMA_READ, WrOpcode.LOCAL_INV),
            Set.of(QpType.RC),
            5,
            1000,
            8,
            1,
            256,
            4,
            1000,
            6,
            1L << 30,
            3,
            1L << 31,
            16,
            16);

    /** For the service loader. */
    public FakeTransport() {}

    @Override
    public Transport transport() {
        return Transport.IWARP;
    }

    @Override
    public DeviceAttributes attributes() {
        return ATTRIBUTES;
    }

    @Override
    public DeviceEngine open(DeviceContext context) {
        return new FakeEngine(context);
    }
}
