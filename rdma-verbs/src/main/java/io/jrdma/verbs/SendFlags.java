package io.jrdma.verbs;

/** Flag bits of a send work request; values as in {@code enum ibv_send_flags}. */
public final class SendFlags {
    /** Begin only when all earlier RDMA Reads and atomics of the queue pair have completed. */
    public static final int FENCE = 1;
    /** Write a work completion on success too. */
    public static final int SIGNALED = 2;
    /** Set the solicited-event bit for the receiver's completion. */
    public static final int SOLICITED = 4;
    /** Copy the payload while posting: its keys and bounds are checked at once and its buffers are free when the post returns. */
    public static final int INLINE = 8;

    static final int ALL = FENCE | SIGNALED | SOLICITED | INLINE;

    private SendFlags() {}
}
