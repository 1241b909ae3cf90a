package io.jrdma.verbs.spi;

import io.jrdma.verbs.MpaOptions;

/**
 * What one side of a stream connection offers.
 *
 * @param options MPA options
 * @param ird Reads of the peer that this side serves at once ({@code responder_resources}), 0 to the device's limit
 * @param ord Reads that this side wants to keep outstanding ({@code initiator_depth}), 0 to the device's limit
 * @param privateData for the peer's application; 508 bytes at most with revision 2, 512 with less
 */
@SuppressWarnings("ArrayRecordComponent") // copied on the way in, read once
public record StreamParameters(MpaOptions options, int ird, int ord, byte[] privateData) {
    public StreamParameters {
        privateData = privateData.clone();
    }
}
