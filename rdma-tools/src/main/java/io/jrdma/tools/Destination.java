package io.jrdma.tools;

import io.jrdma.cm.RdmaCmEvent;
import io.jrdma.cm.RdmaConnectException;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.VerbsException;
import io.jrdma.wire.cm.CmRejReason;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * Where a client connects to, and what it says when no connection comes up: the one place for that, so that all commands say the same.
 *
 * @param address the server's
 * @param wire what a message says of the wire, such as {@code RoCE, UDP port 4791}
 * @param limit how long a client waits for an answer
 */
public record Destination(InetSocketAddress address, String wire, Duration limit) {
    /** Nothing came back in time. */
    public ToolException silent() {
        return ToolException.noConnection(where() + ": nobody answered for " + limit.toSeconds()
                + " s; is a server running there, and does a firewall let its answers through?");
    }

    /** The connection manager gave up. */
    public ToolException refused(RdmaCmEvent event) {
        return refused(event.type().cName(), event.status(), event.text());
    }

    /** The short way gave up. */
    public ToolException refused(RdmaConnectException failure) {
        return refused(failure.reason().name(), failure.status(), String.valueOf(failure.getMessage()));
    }

    /** This side refused: its own address cannot be had, or there is no way. */
    public ToolException refused(VerbsException failure) {
        return ToolException.noConnection(where() + ": " + failure.getMessage(), failure);
    }

    /** The host refused the connection with that system error. */
    public ToolException refused(Errno errno) {
        return refused("", -errno.number(), errno.text());
    }

    private ToolException refused(String what, int status, String text) {
        if (status == -Errno.ETIMEDOUT.number()) {
            return silent();
        }
        if (status == -Errno.ECONNREFUSED.number()) {
            return nobodyListens(Errno.ECONNREFUSED + ", " + Errno.ECONNREFUSED.text());
        }
        if (status == CmRejReason.INVALID_SERVICE_ID) {
            return nobodyListens("REJ with reason " + status + ", " + CmRejReason.name(status));
        }
        return ToolException.noConnection(
                where() + ": event: " + what + ", error: " + status + (text.isEmpty() ? "" : ": " + text));
    }

    private ToolException nobodyListens(String reason) {
        return ToolException.noConnection(
                where() + ": the host answers, but nobody listens at port " + address.getPort() + " (" + reason + ")");
    }

    private String where() {
        return Addresses.text(address) + " (" + wire + ")";
    }
}
