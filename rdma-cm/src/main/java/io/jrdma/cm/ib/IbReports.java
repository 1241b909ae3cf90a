package io.jrdma.cm.ib;

import io.jrdma.cm.transport.CmConnectionEvents;
import io.jrdma.cm.transport.ConnectionTerms;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.IbCmNegotiated;
import io.jrdma.verbs.VerbsException;
import io.jrdma.wire.cm.CmRej;
import io.jrdma.wire.cm.CmRejReason;
import org.jspecify.annotations.Nullable;

/** What the application hears of a connection: that it went down once for each time that it came up, and nothing once it has no more interest. */
final class IbReports {
    private @Nullable CmConnectionEvents events;
    private boolean up;
    private boolean wasUp;

    IbReports(@Nullable CmConnectionEvents events) {
        this.events = events;
    }

    /** Who hears it; null for nobody. */
    void to(@Nullable CmConnectionEvents newEvents) {
        events = newEvents;
    }

    void established(byte[] privateData, IbCmNegotiated terms) {
        up = true;
        wasUp = true;
        CmConnectionEvents receiver = events;
        if (receiver != null) {
            receiver.onEstablished(privateData, ConnectionTerms.of(terms));
        }
    }

    /** Says that it is down, if it was up. */
    void disconnected(int status) {
        CmConnectionEvents receiver = events;
        if (up && receiver != null) {
            receiver.onDisconnected(status);
        }
        up = false;
    }

    /** Says that the time wait is over, if it was ever up. */
    void timewaitExit() {
        CmConnectionEvents receiver = events;
        if (wasUp && receiver != null) {
            receiver.onTimewaitExit();
        }
    }

    /** Says that it was rejected, unless it was up before: then it has gone down. */
    void rejected(CmRej rej) {
        CmConnectionEvents receiver = events;
        if (receiver != null && !wasUp) {
            receiver.onRejected(rej.reason(), rej.privateData().toByteArray(), text(rej));
        }
    }

    /** What a rejection is in words. */
    static String text(CmRej rej) {
        return "REJ with reason " + rej.reason() + " (" + CmRejReason.name(rej.reason()) + ")";
    }

    void unreachable(String text) {
        CmConnectionEvents receiver = events;
        if (receiver != null) {
            receiver.onUnreachable(-Errno.ETIMEDOUT.number(), text);
        }
    }

    void connectError(Errno errno, String text) {
        CmConnectionEvents receiver = events;
        if (receiver != null) {
            receiver.onConnectError(-errno.number(), text);
        }
    }

    void connectError(VerbsException why) {
        connectError(why.errno(), String.valueOf(why.getMessage()));
    }

    void requestGone() {
        CmConnectionEvents receiver = events;
        if (receiver != null) {
            receiver.onRequestGone();
        }
    }
}
