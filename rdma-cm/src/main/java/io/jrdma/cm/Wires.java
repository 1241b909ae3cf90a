package io.jrdma.cm;

import io.jrdma.cm.iwarp.IwarpConnection;
import io.jrdma.cm.iwarp.IwarpListener;
import io.jrdma.cm.transport.CmConnection;
import io.jrdma.cm.transport.CmConnectionEvents;
import io.jrdma.cm.transport.CmListener;
import io.jrdma.cm.transport.CmRequests;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;

/** Which connection manager serves which wire. */
final class Wires {
    private Wires() {}

    /**
     * An active connection that has not begun.
     *
     * @throws VerbsException EOPNOTSUPP for a wire without connection management
     */
    static CmConnection connection(Transport transport, CmConnectionEvents events) {
        return switch (transport) {
            case IWARP -> new IwarpConnection(events);
            case ROCE_V2 -> throw unsupported(transport);
        };
    }

    /** A listener that is not open yet. */
    static CmListener listener(Transport transport, int backlog, CmRequests requests) {
        return switch (transport) {
            case IWARP -> new IwarpListener(backlog, requests);
            case ROCE_V2 -> throw unsupported(transport);
        };
    }

    private static VerbsException unsupported(Transport transport) {
        return new VerbsException(
                Errno.EOPNOTSUPP,
                "connection management over " + transport.id() + "; there is " + Transport.IWARP.id());
    }
}
