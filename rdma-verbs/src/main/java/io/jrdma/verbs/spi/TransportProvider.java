package io.jrdma.verbs.spi;

import io.jrdma.verbs.DeviceAttributes;
import io.jrdma.verbs.Transport;

/** A transport, found by {@link java.util.ServiceLoader}. */
public interface TransportProvider {
    /** The wire. */
    Transport transport();

    /** The limits of each of its devices. */
    DeviceAttributes attributes();

    /** The engine of a new device. */
    DeviceEngine open(DeviceContext context);
}
