package io.jrdma.iwarp.rdmap;

import io.jrdma.iwarp.ddp.DdpSegmenter;
import io.jrdma.iwarp.mpa.MpaReceiver;
import io.jrdma.iwarp.mpa.MpaSender;
import io.jrdma.verbs.MpaNegotiated;
import io.jrdma.wire.crc.Crc32c;

/** The three layers of one stream, put together for what was agreed in its start-up. */
public final class RdmapStream {
    private final RdmapSender sender;
    private final RdmapReceiver receiver;
    private final MpaReceiver mpaReceiver;

    /**
     * Puts them together.
     *
     * @param mpaSender also used for the Terminate
     * @param maxUlpdu largest ULPDU that is sent
     * @param receiveCrc a CRC of this stream's own
     * @param ulpdus takes the ULPDUs; it is to hand them to {@link #receiver}
     */
    public RdmapStream(
            BoundQueuePair queuePair,
            MpaNegotiated negotiated,
            MpaSender mpaSender,
            int maxUlpdu,
            Crc32c receiveCrc,
            Terminator terminator,
            MpaReceiver.Ulpdus ulpdus) {
        OutboundReads reads = new OutboundReads(negotiated.ord());
        InboundReads peerReads = new InboundReads(negotiated.ird());
        sender = new RdmapSender(queuePair, new DdpSegmenter(mpaSender, maxUlpdu), reads, peerReads, terminator);
        receiver = new RdmapReceiver(queuePair, sender, reads, peerReads, terminator);
        mpaReceiver = new MpaReceiver(negotiated.crc(), negotiated.markersReceived(), receiveCrc, ulpdus);
    }

    /** The sending half. */
    public RdmapSender sender() {
        return sender;
    }

    /** The receiving half, from segments on. */
    public RdmapReceiver receiver() {
        return receiver;
    }

    /** The receiving half, from bytes on. */
    public MpaReceiver mpaReceiver() {
        return mpaReceiver;
    }
}
