package io.jrdma.ib;

import io.jrdma.verbs.CompletionSemantics;
import io.jrdma.verbs.DeviceAttributes;
import io.jrdma.verbs.QpType;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.WrOpcode;
import io.jrdma.verbs.spi.DeviceContext;
import io.jrdma.verbs.spi.DeviceEngine;
import io.jrdma.verbs.spi.TransportProvider;
import java.util.EnumSet;

/** The RoCEv2 transport, found by {@link java.util.ServiceLoader}. */
public final class IbProvider implements TransportProvider {
    private static final int MAX_OBJECTS = 65_536;

    /** Reads and atomics that one queue pair serves or keeps outstanding; what Linux rxe has. */
    static final int MAX_RD_ATOMIC = 128;
    /** Bytes of one message (IBTA volume 1, 9.7.7: 2^31). */
    static final long MAX_MESSAGE_BYTES = 1L << 31;

    /** The limits of a RoCEv2 device. */
    private static final DeviceAttributes ATTRIBUTES = new DeviceAttributes(
            Transport.ROCE_V2,
            CompletionSemantics.REMOTE_ACKNOWLEDGED,
            EnumSet.of(
                    WrOpcode.SEND,
                    WrOpcode.SEND_WITH_IMM,
                    WrOpcode.SEND_WITH_INV,
                    WrOpcode.RDMA_WRITE,
                    WrOpcode.RDMA_WRITE_WITH_IMM,
                    WrOpcode.RDMA_READ,
                    WrOpcode.ATOMIC_CMP_AND_SWP,
                    WrOpcode.ATOMIC_FETCH_AND_ADD,
                    WrOpcode.LOCAL_INV),
            EnumSet.of(QpType.RC, QpType.UD),
            MAX_OBJECTS,
            32_768,
            16,
            16,
            1024,
            MAX_OBJECTS,
            1 << 22,
            1 << 20,
            Long.MAX_VALUE,
            MAX_OBJECTS,
            // [IBTA-9.7.3-5] so that no longer message can be posted
            MAX_MESSAGE_BYTES,
            MAX_RD_ATOMIC,
            MAX_RD_ATOMIC);

    /** For {@link java.util.ServiceLoader}. */
    public IbProvider() {}

    @Override
    public Transport transport() {
        return Transport.ROCE_V2;
    }

    @Override
    public DeviceAttributes attributes() {
        return ATTRIBUTES;
    }

    @Override
    public DeviceEngine open(DeviceContext context) {
        return new IbDevice(context);
    }
}
