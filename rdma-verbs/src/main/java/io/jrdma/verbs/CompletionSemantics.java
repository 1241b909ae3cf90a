package io.jrdma.verbs;

/** What a successful completion of a Send or an RDMA Write proves to the requester. */
public enum CompletionSemantics {
    /** The responder has acknowledged: the data is in its memory or in one of its receive buffers (InfiniBand, RoCE). */
    REMOTE_ACKNOWLEDGED,
    /**
     * The local buffer may be reused, nothing is known of the peer (RFC 5040 section 5.5). To know that earlier Writes are placed, wait
     * for the completion of a later RDMA Read, which may have zero bytes.
     */
    LOCAL_BUFFER_REUSABLE
}
