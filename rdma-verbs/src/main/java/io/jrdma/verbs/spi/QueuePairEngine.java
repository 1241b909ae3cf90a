package io.jrdma.verbs.spi;

import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;

/** What a transport implements for each queue pair. Loop thread only. */
public interface QueuePairEngine {
    /** Work was posted to the send or the receive queue since the last call. */
    void onDoorbell(long nowNs);

    /**
     * Carries out a transition that the state table allows and whose attributes are complete. The core sets the state after this returns,
     * and flushes when it is {@link QpState#ERROR}.
     *
     * @throws io.jrdma.verbs.VerbsException if the transport cannot do that; the state stays
     */
    void onModify(QpState from, QpState to, QpAttributes attributes, long nowNs);

    /** The queue pair is being destroyed: the last call. The peer sees the connection end; no listener call may use the queue pair afterwards. */
    void onDestroy(long nowNs);
}
