package io.jrdma.cm.transport;

import io.jrdma.verbs.IbCmOptions;
import io.jrdma.verbs.MpaOptions;

/**
 * What one side brings to a connection, checked against the device and the wire.
 *
 * @param privateData for the peer's application
 * @param responderResources Reads and atomics of the peer that this side serves at once
 * @param initiatorDepth Reads and atomics that this side wants to keep outstanding
 * @param retryCount how often both sides repeat, 0 to 7; not on iWARP
 * @param rnrRetryCount how often the peer repeats when this side has no receive posted, 0 to 7; not on iWARP
 * @param flowControl end-to-end flow control; not on iWARP
 * @param mpa of a connection over iWARP
 * @param ib of a connection over RoCE
 */
@SuppressWarnings("ArrayRecordComponent") // given away with the offer, never written
public record ConnectionOffer(
        byte[] privateData,
        int responderResources,
        int initiatorDepth,
        int retryCount,
        int rnrRetryCount,
        boolean flowControl,
        MpaOptions mpa,
        IbCmOptions ib) {}
