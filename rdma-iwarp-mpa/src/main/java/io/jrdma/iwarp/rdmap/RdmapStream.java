package io.jrdma.iwarp.rdmap;

import io.jrdma.iwarp.ddp.DdpSegmenter;
import io.jrdma.iwarp.mpa.MpaReceiver;
import io.jrdma.iwarp.mpa.MpaSender;
import io.jrdma.verbs.AsyncEvent;
import io.jrdma.verbs.MpaNegotiated;
import io.jrdma.verbs.spi.TransmitSink;
import io.jrdma.wire.crc.Crc32c;
import io.jrdma.wire.iwarp.TerminateCode;

/** The three layers of one stream, put together for what was agreed in its start-up. */
public final class RdmapStream {
    private final BoundQueuePair queuePair;
    private final Terminator terminator;
    private final RdmapSender sender;
    private final RdmapReceiver receiver;
    private final MpaReceiver mpaReceiver;

    /**
     * Puts them together.
     *
     * @param maxUlpdu largest ULPDU that is sent
     * @param crc may be used from reset to value, in one go
     * @param terminator gets its way out here
     * @param responder whether this side is the responder
     * @param ulpdus takes the ULPDUs; it is to hand them to {@link #receiver}
     */
    public RdmapStream(
            BoundQueuePair queuePair,
            MpaNegotiated negotiated,
            int maxUlpdu,
            Crc32c crc,
            Terminator terminator,
            boolean responder,
            MpaReceiver.Ulpdus ulpdus) {
        MpaSender mpaSender = new MpaSender(negotiated.crc(), negotiated.markersSent(), crc);
        this.terminator = terminator;
        terminator.sendThrough(mpaSender);
        this.queuePair = queuePair;
        OutboundReads reads = new OutboundReads(negotiated.ord());
        InboundReads peerReads = new InboundReads(negotiated.ird());
        sender = new RdmapSender(queuePair, new DdpSegmenter(mpaSender, maxUlpdu), reads, peerReads, terminator);
        receiver = new RdmapReceiver(queuePair, sender, reads, peerReads, terminator, responder);
        // markers make this CRC last from one call to the next
        mpaReceiver = new MpaReceiver(negotiated.crc(), negotiated.markersReceived(), Crc32c.sharing(crc), ulpdus);
    }

    /**
     * After a fault: sends what is still due, the last of it the Terminate.
     *
     * @return stream bytes, 0 if the sink has no room now
     */
    public int transmitLast(TransmitSink sink) {
        if (sender.hasLastAnswers()) {
            int bytes = sender.transmitLastAnswer(sink);
            if (bytes > 0 || sender.hasLastAnswers()) {
                return bytes;
            }
        }
        return terminator.transmit(sink);
    }

    /** After a fault: nothing but the Terminate is to go out; returns whether there was more. */
    public boolean giveUpAnswers() {
        return sender.dropLastAnswers();
    }

    /** The sending half. */
    public RdmapSender sender() {
        return sender;
    }

    /** The receiving half, from segments on. */
    public RdmapReceiver receiver() {
        return receiver;
    }

    /** The peer sends no more: a fault if that is in the middle of an FPDU or a message. */
    public void onEndOfStream() {
        if (!mpaReceiver.isBetweenFpdus() || receiver.isInsideMessage()) {
            queuePair.report(
                    AsyncEvent.Type.QP_FATAL,
                    TerminateCode.MPA_CONNECTION_LOST,
                    "the peer closed the stream in the middle of a message");
        }
    }

    /** The receiving half, from bytes on. */
    public MpaReceiver mpaReceiver() {
        return mpaReceiver;
    }
}
