package io.jrdma.verbs;

/**
 * What both sides of a RoCE connection agreed on in their connection management messages.
 *
 * @param remoteQpNum the peer's queue pair
 * @param pathMtu payload bytes of a packet, 256 to 4096
 * @param sqPsn where this side's packet sequence numbers start
 * @param rqPsn where the peer's packet sequence numbers start
 * @param ackTimeout exponent of the ACK time limit: 4.096 us times 2^value
 * @param retryCount how often this side repeats a request, 0 to 7
 * @param rnrRetryCount how often this side repeats when the peer has no receive posted, 0 to 7, where 7 means for ever
 * @param responderResources Reads and atomics of the peer that this side serves at once
 * @param initiatorDepth Reads and atomics that this side keeps outstanding at most
 */
public record IbCmNegotiated(
        int remoteQpNum,
        int pathMtu,
        int sqPsn,
        int rqPsn,
        int ackTimeout,
        int retryCount,
        int rnrRetryCount,
        int responderResources,
        int initiatorDepth) {}
