package io.jrdma.verbs.spi;

import io.jrdma.verbs.MpaOptions;

/**
 * What one side of a stream connection offers.
 *
 * @param options MPA options
 * @param ird Reads of the peer that this side serves at once ({@code responder_resources}), 0 to the device's limit; raised to what the
 *     peer wants as far as that limit allows
 * @param ord Reads that this side wants to keep outstanding ({@code initiator_depth}), 0 to the device's limit; lowered to what the peer
 *     serves
 * @param privateData for the peer's application; in a request 508 bytes at most with revision 2, 512 with less; in a reply 252 bytes at most
 *     to a request with enhanced data, 256 to others, because a longer one crashes a Linux siw initiator
 */
@SuppressWarnings("ArrayRecordComponent") // copied on the way in, read once
public record StreamParameters(MpaOptions options, int ird, int ord, byte[] privateData) {
    public StreamParameters {
        privateData = privateData.clone();
    }
}
