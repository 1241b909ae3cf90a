package io.jrdma.iwarp.rdmap;

import io.jrdma.iwarp.mpa.MpaSender;
import io.jrdma.verbs.AsyncEvent;
import io.jrdma.verbs.spi.TransmitSink;
import io.jrdma.wire.iwarp.DdpHeader;
import io.jrdma.wire.iwarp.RdmapHeader;
import io.jrdma.wire.iwarp.RdmapOpcode;
import io.jrdma.wire.iwarp.ReadRequestHeader;
import io.jrdma.wire.iwarp.TerminateCode;
import io.jrdma.wire.iwarp.TerminateHeader;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Takes note of the first fault of a stream and makes the one Terminate message that tells the peer (RFC 5040 sections 4.8 and 7). Later
 * faults of the stream are not told. What goes out is the RFC's form; Linux siw, which writes another, does not look at it.
 */
public final class Terminator {
    private final MemorySegment message =
            MemorySegment.ofArray(new byte[DdpHeader.UNTAGGED_LENGTH + TerminateHeader.MAX_LENGTH]);
    private @Nullable MpaSender mpa;
    private int code = TerminateCode.NONE;
    private int messageBytes;
    private boolean sent;
    private String detail = "";

    /** No fault so far. */
    public Terminator() {}

    /** The way out for the Terminate; without one there is none. */
    public void sendThrough(MpaSender sender) {
        mpa = sender;
    }

    /** Whether there was a fault. */
    public boolean isRaised() {
        return code != TerminateCode.NONE;
    }

    /** Whether the Terminate is on its way. */
    public boolean isSent() {
        return sent;
    }

    /** The fault, see {@link TerminateCode}. */
    public int code() {
        return code;
    }

    /** A fault without an offending segment. */
    public void raise(int newCode) {
        if (begin(newCode)) {
            end(TerminateHeader.put(message, DdpHeader.UNTAGGED_LENGTH, newCode));
        }
    }

    /** A fault on this side alone, with words for the application. */
    public void raiseLocal(String newDetail) {
        if (!isRaised()) {
            detail = newDetail;
            raise(TerminateCode.RDMAP_LOCAL_CATASTROPHIC);
        }
    }

    /**
     * A fault of a received segment, whose headers go back to the peer as far as the kind of fault wants it.
     *
     * @param at the segment's first byte
     */
    public void raise(int newCode, MemorySegment segment, long at, int length) {
        // [RFC5040-4.8-3] a header that did not come whole cannot go back
        if (!TerminateCode.carriesDdpHeader(newCode) || length < 1 || length < DdpHeader.headerBytes(segment, at)) {
            raise(newCode);
            return;
        }
        if (begin(newCode)) {
            // [RFC5040-4.8-4] a Read Request that violates protection goes back whole
            boolean withReadRequest = TerminateCode.carriesReadRequest(newCode)
                    && RdmapHeader.opcode(segment, at) == RdmapOpcode.RDMA_READ_REQUEST
                    && length == DdpHeader.UNTAGGED_LENGTH + ReadRequestHeader.LENGTH;
            end(TerminateHeader.put(message, DdpHeader.UNTAGGED_LENGTH, newCode, segment, at, length, withReadRequest));
        }
    }

    /**
     * A fault of the oldest Read of the peer's, which is in work.
     *
     * @param sent bytes of its response that went out
     */
    void raise(int newCode, InboundReads reads, long sent) {
        int length = DdpHeader.UNTAGGED_LENGTH + ReadRequestHeader.LENGTH;
        MemorySegment request = MemorySegment.ofArray(new byte[length]);
        DdpHeader.putUntagged(
                request,
                0,
                true,
                RdmapHeader.control(RdmapOpcode.RDMA_READ_REQUEST),
                0,
                DdpHeader.QN_READ_REQUEST,
                reads.ddpMsn(),
                0);
        // [RFC5040-4.8-6] sink, size and source stand where the response got to
        ReadRequestHeader.put(
                request,
                DdpHeader.UNTAGGED_LENGTH,
                reads.sinkStag(),
                reads.sinkOffset() + sent,
                reads.bytes() - sent,
                reads.sourceStag(),
                reads.sourceOffset() + sent);
        raise(newCode, request, 0, length);
    }

    private boolean begin(int newCode) {
        // [RFC5040-7-1] only the first error is reported
        if (isRaised()) {
            return false;
        }
        code = newCode;
        return true;
    }

    private void end(int headerBytes) {
        messageBytes = DdpHeader.UNTAGGED_LENGTH + headerBytes;
        // [RFC5040-4.8-7] the first and only message of its queue; [RFC5040-4.8-5] in one segment
        DdpHeader.putUntagged(
                message,
                0,
                true,
                RdmapHeader.control(RdmapOpcode.TERMINATE),
                0,
                DdpHeader.QN_TERMINATE,
                DdpHeader.FIRST_MSN,
                0);
    }

    /**
     * Sends the Terminate.
     *
     * @return stream bytes, 0 if the sink has no room now
     */
    public int transmit(TransmitSink sink) {
        MpaSender sender = mpa;
        if (sender == null || !sender.claim(sink, messageBytes)) {
            return 0;
        }
        sent = true;
        MemorySegment.copy(message, 0, sender.segment(), sender.ulpduAt(), messageBytes);
        return sender.commit();
    }

    /** The event that the application of this side gets. */
    public AsyncEvent.Type eventType() {
        return eventType(code);
    }

    /** The words that it gets. */
    public String text() {
        String what = detail.isEmpty() ? TerminateCode.description(code) : detail;
        return "Terminate " + TerminateCode.triple(code) + " sent: " + what;
    }

    static AsyncEvent.Type eventType(int code) {
        int layer = TerminateCode.layer(code);
        int type = TerminateCode.type(code);
        if (layer == TerminateCode.LAYER_RDMAP) {
            return type == TerminateCode.TYPE_REMOTE_PROTECTION || code == TerminateCode.RDMAP_CANNOT_INVALIDATE
                    ? AsyncEvent.Type.QP_ACCESS_ERR
                    : type == TerminateCode.TYPE_REMOTE_OPERATION
                            ? AsyncEvent.Type.QP_REQ_ERR
                            : AsyncEvent.Type.QP_FATAL;
        }
        if (layer == TerminateCode.LAYER_DDP) {
            return type == TerminateCode.TYPE_TAGGED && code != TerminateCode.DDP_TAGGED_INVALID_VERSION
                    ? AsyncEvent.Type.QP_ACCESS_ERR
                    : type == TerminateCode.TYPE_LOCAL_CATASTROPHIC
                            ? AsyncEvent.Type.QP_FATAL
                            : AsyncEvent.Type.QP_REQ_ERR;
        }
        return AsyncEvent.Type.QP_FATAL;
    }
}
