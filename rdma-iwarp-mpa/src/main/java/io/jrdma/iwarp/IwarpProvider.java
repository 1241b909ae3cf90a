package io.jrdma.iwarp;

import io.jrdma.iwarp.mpa.MpaDepths;
import io.jrdma.verbs.CompletionSemantics;
import io.jrdma.verbs.DeviceAttributes;
import io.jrdma.verbs.QpType;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.WrOpcode;
import io.jrdma.verbs.spi.DeviceContext;
import io.jrdma.verbs.spi.DeviceEngine;
import io.jrdma.verbs.spi.TransportProvider;
import java.util.EnumSet;

/** The iWARP transport, found by {@link java.util.ServiceLoader}. */
public final class IwarpProvider implements TransportProvider {
    private static final int MAX_OBJECTS = 65_536;

    /** The limits of an iWARP device. */
    private static final DeviceAttributes ATTRIBUTES = new DeviceAttributes(
            Transport.IWARP,
            CompletionSemantics.LOCAL_BUFFER_REUSABLE,
            EnumSet.of(
                    WrOpcode.SEND, WrOpcode.SEND_WITH_INV, WrOpcode.RDMA_WRITE, WrOpcode.RDMA_READ, WrOpcode.LOCAL_INV),
            EnumSet.of(QpType.RC),
            MAX_OBJECTS,
            32_768,
            16,
            // a Read Request names one sink (RFC 5040 section 4.4)
            1,
            1024,
            MAX_OBJECTS,
            1 << 22,
            1 << 20,
            Long.MAX_VALUE,
            MAX_OBJECTS,
            // RFC 5041 goes to 2^32 - 1, but Linux siw counts in 31 bits
            Integer.MAX_VALUE,
            MpaDepths.MAX,
            MpaDepths.MAX);

    /** For {@link java.util.ServiceLoader}. */
    public IwarpProvider() {}

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
        return new IwarpDevice(context);
    }
}
