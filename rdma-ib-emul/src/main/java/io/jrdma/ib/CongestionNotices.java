package io.jrdma.ib;

import io.jrdma.wire.ib.Bth;
import io.jrdma.wire.ib.IbOpcode;
import io.jrdma.wire.ib.RoceV2Head;
import io.jrdma.wire.ib.RoceV2Packet;

/** Tells the peer that a switch on its way here was full: with a CNP, not too often (annex A17 of IBTA volume 1). */
final class CongestionNotices {
    private static final long EVERY_NS = 50_000;

    private final RcQueuePair qp;
    private boolean wanted;
    private boolean sent;
    private long sentNs;

    CongestionNotices(RcQueuePair qp) {
        this.qp = qp;
    }

    /** A packet came that a switch had marked. */
    void onMarked(long nowNs) {
        wanted = !sent || nowNs - sentNs >= EVERY_NS;
    }

    /** Nothing is wanted any more. */
    void drop() {
        wanted = false;
    }

    /**
     * Sends what is wanted.
     *
     * @return false if the sink has no room
     */
    boolean transmit(TrainWriter writer, long nowNs) {
        if (!wanted) {
            return true;
        }
        int bytes = RoceV2Packet.length(IbOpcode.CNP, 0);
        if (!writer.reserve(qp.pathId(), bytes, 1)) {
            return false;
        }
        RoceV2Head.putCnp(writer.segment(), writer.at(), Bth.DEFAULT_P_KEY, qp.destQp());
        writer.push(bytes);
        qp.counters().count(IbCounters.CNPS_SENT);
        wanted = false;
        sent = true;
        sentNs = nowNs;
        return true;
    }
}
