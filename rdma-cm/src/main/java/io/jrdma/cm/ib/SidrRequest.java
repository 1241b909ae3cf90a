package io.jrdma.cm.ib;

import io.jrdma.verbs.Errno;
import io.jrdma.wire.cm.CmSidrRep;
import io.jrdma.wire.cm.SidrStatus;
import java.net.InetAddress;

/** Asks a peer for the datagram queue pair of a service (SIDR_REQ sent): repeated until answered. Loop only. */
public final class SidrRequest extends IbTimers.Timed {
    private final SidrCm sidr;
    private final int requestId;
    private final InetAddress peer;
    private final SidrEvents events;
    private final byte[] mad;
    private final long intervalNs;
    private int retriesLeft;

    SidrRequest(
            SidrCm sidr,
            int requestId,
            InetAddress peer,
            SidrEvents events,
            byte[] mad,
            int retries,
            long intervalNs,
            long nowNs) {
        this.sidr = sidr;
        this.requestId = requestId;
        this.peer = peer;
        this.events = events;
        this.mad = mad;
        this.retriesLeft = retries;
        this.intervalNs = intervalNs;
        sidr.cm().timers().set(this, nowNs + intervalNs);
    }

    /** No report follows. Harmless when it is over. */
    public void cancel() {
        sidr.cm().timers().cancel(this);
        sidr.forget(requestId, this);
    }

    void onReply(InetAddress from, CmSidrRep reply) {
        if (!from.equals(peer)) {
            return;
        }
        cancel();
        if (reply.status() == SidrStatus.SUCCESS) {
            events.onResolved(reply.qpn(), reply.qKey(), reply.privateData().toByteArray());
        } else {
            events.onUnreachable(
                    reply.status(),
                    reply.privateData().toByteArray(),
                    "SIDR_REP with status " + SidrStatus.name(reply.status()));
        }
    }

    @Override
    void onTimeout(long nowNs) {
        // [IBTA-CM-12.11-1]
        if (retriesLeft > 0) {
            retriesLeft--;
            sidr.cm().port().send(peer, mad);
            sidr.cm().timers().set(this, nowNs + intervalNs);
        } else {
            cancel();
            events.onUnreachable(-Errno.ETIMEDOUT.number(), new byte[0], "no answer to SIDR_REQ");
        }
    }
}
