package io.jrdma.iwarp.mpa;

import io.jrdma.wire.iwarp.MpaStartup;

/**
 * The rules for read depths: IRD is how many Reads of the peer a side serves at once, ORD how many it keeps outstanding (RFC 6581 section
 * 9.1). In the end no side's ORD is above the other's IRD.
 */
public final class MpaDepths {
    /** The largest IRD and ORD of this implementation, the same as that of Linux siw. */
    public static final int MAX = 128;

    private MpaDepths() {}

    /** A depth from the wire, as the application gets to see it; 0x3FFF, "the consumers negotiate themselves", is above any limit. */
    public static int clamp(int wireDepth) {
        return Math.min(wireDepth, MAX);
    }

    /**
     * The responder's ORD.
     *
     * @param wanted what the application asked for
     * @param requestIrd from the Request
     */
    public static int responderOrd(int wanted, int requestIrd) {
        // [RFC6581-9.1-1] never more than the initiator serves
        return requestIrd == MpaStartup.DEPTH_BY_CONSUMER ? wanted : Math.min(wanted, requestIrd);
    }

    /**
     * The responder's IRD.
     *
     * @param wanted what the application asked for
     * @param requestOrd from the Request
     * @param readyToReceiveByRead whether the stream may be opened by a Read
     */
    public static int responderIrd(int wanted, int requestOrd, boolean readyToReceiveByRead) {
        int atLeast = readyToReceiveByRead ? 1 : 0;
        if (requestOrd == MpaStartup.DEPTH_BY_CONSUMER) {
            return Math.max(wanted, atLeast);
        }
        // [RFC6581-9.1-2] what the initiator wants, as far as the limit goes
        return Math.max(Math.max(wanted, clamp(requestOrd)), atLeast);
    }

    /** What the responder answers in the field that stands against one of the Request. */
    public static int answer(int requestDepth, int actual) {
        // [RFC6581-9.1-3] the value that leaves it to the consumers is answered by itself
        return requestDepth == MpaStartup.DEPTH_BY_CONSUMER ? MpaStartup.DEPTH_BY_CONSUMER : actual;
    }

    /** The initiator's ORD, from what it asked for and the Reply's IRD. */
    public static int initiatorOrd(int wanted, int replyIrd) {
        // [RFC6581-9.1-4] 0x3FFF is above everything that can be wanted, so it leaves the value alone
        return Math.min(wanted, replyIrd);
    }

    /** The initiator's IRD, from what it offered and the Reply's ORD; -1 if that is more than it can serve. */
    public static int initiatorIrd(int offered, int replyOrd) {
        if (replyOrd == MpaStartup.DEPTH_BY_CONSUMER || replyOrd <= offered) {
            return offered;
        }
        // [RFC6581-9.1-5] the initiator makes room for what the responder wants, or gives up
        return replyOrd <= MAX ? replyOrd : -1;
    }

    /**
     * How many Reads of a peer are taken at once. Linux siw rounds the depth that it was granted up to a power of two, and so does this
     * side with what it grants.
     */
    public static int tolerated(int ird) {
        return ird <= 1 ? ird : Integer.highestOneBit(ird - 1) << 1;
    }
}
