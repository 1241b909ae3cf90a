package io.jrdma.cm;

import io.jrdma.cm.ib.IbCm;
import io.jrdma.cm.ib.IbConnection;
import io.jrdma.cm.ib.IbListener;
import io.jrdma.cm.iwarp.IwarpConnection;
import io.jrdma.cm.iwarp.IwarpListener;
import io.jrdma.cm.transport.CmConnection;
import io.jrdma.cm.transport.CmConnectionEvents;
import io.jrdma.cm.transport.CmListener;
import io.jrdma.cm.transport.CmRequests;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.spi.DeviceDriver;

/** Which connection manager serves which wire. */
final class Wires {
    private Wires() {}

    /** An active connection that has not begun. */
    static CmConnection connection(Transport transport, CmConnectionEvents events) {
        return switch (transport) {
            case IWARP -> new IwarpConnection(events);
            case ROCE_V2 -> new IbConnection(events);
        };
    }

    /** A listener that is not open yet. */
    static CmListener listener(Transport transport, int backlog, CmRequests requests) {
        return switch (transport) {
            case IWARP -> new IwarpListener(backlog, requests);
            case ROCE_V2 -> new IbListener(backlog, requests);
        };
    }

    /** Has the peers of closed ids told, as far as they are not yet: the device is about to be closed. */
    static void hurry(RdmaDevice device) {
        if (device.transport() == Transport.ROCE_V2) {
            DeviceDriver driver = device.driver();
            try {
                driver.call(() -> IbCm.of(driver.management()).hurry(driver.nowNs()));
            } catch (VerbsException closed) {
                if (closed.errno() != Errno.ENODEV) {
                    throw closed;
                }
            }
        }
    }
}
