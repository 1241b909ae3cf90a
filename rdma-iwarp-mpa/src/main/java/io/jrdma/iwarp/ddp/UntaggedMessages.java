package io.jrdma.iwarp.ddp;

import io.jrdma.wire.Serial32;
import io.jrdma.wire.iwarp.DdpHeader;
import io.jrdma.wire.iwarp.TerminateCode;

/**
 * The receiving side of one DDP queue: which message is due, and how much of it came (RFC 5041 section 4.3). TCP keeps the order, so
 * every segment is either exactly the next one or wrong.
 */
public final class UntaggedMessages {
    private int expectedMsn = DdpHeader.FIRST_MSN;
    private long expectedOffset;
    private boolean open;

    /** A queue that waits for its first message. */
    public UntaggedMessages() {}

    /** Whether a message began that has not ended. */
    public boolean isOpen() {
        return open;
    }

    /** Payload bytes of the open message that came. */
    public long received() {
        return expectedOffset;
    }

    /** What is wrong with a segment's message number, {@link TerminateCode#NONE} if nothing. */
    public int checkMsn(int msn) {
        // [RFC5041-7.1-2] repeated, late and skipped numbers
        return msn == expectedMsn ? TerminateCode.NONE : TerminateCode.DDP_MSN_RANGE;
    }

    /** What is wrong with a segment's offset, {@link TerminateCode#NONE} if nothing. */
    public int checkOffset(long messageOffset) {
        // [RFC5041-5.2-2] [RFC5041-7.1-3] an offset that does not follow on
        return messageOffset == expectedOffset ? TerminateCode.NONE : TerminateCode.DDP_INVALID_MO;
    }

    /** A segment that was in order has been placed. */
    public void advance(int payloadBytes, boolean last) {
        if (last) {
            next();
        } else {
            open = true;
            expectedOffset += payloadBytes;
        }
    }

    /** The message that was due is done with. */
    public void next() {
        // [RFC5041-4.3-2] one number a message, modulo 2^32
        expectedMsn = Serial32.next(expectedMsn);
        expectedOffset = 0;
        open = false;
    }
}
