package io.jrdma.iwarp.rdmap;

import io.jrdma.verbs.AsyncEvent;
import io.jrdma.verbs.WcStatus;
import io.jrdma.wire.iwarp.DdpHeader;
import io.jrdma.wire.iwarp.RdmapHeader;
import io.jrdma.wire.iwarp.RdmapOpcode;
import io.jrdma.wire.iwarp.ReadRequestHeader;
import io.jrdma.wire.iwarp.TerminateCode;
import io.jrdma.wire.iwarp.TerminateHeader;
import java.lang.foreign.MemorySegment;

/**
 * A Terminate that the peer sent: what it says, and which outstanding work request it is about, if that can be told from the headers in
 * it. Understands the RFC's form and that of Linux siw.
 */
public final class PeerTerminate {
    /** No outstanding work request fits. */
    public static final long NO_MATCH = SentRequests.NO_MATCH;

    private final int code;
    private final long sequence;

    private PeerTerminate(int code, long sequence) {
        this.code = code;
        this.sequence = sequence;
    }

    /**
     * Reads it.
     *
     * @param at first byte of its DDP segment, which was checked
     * @param startup whether the stream is still being set up
     */
    static PeerTerminate read(MemorySegment segment, long at, int length, boolean startup, SentRequests sent) {
        long header = at + DdpHeader.UNTAGGED_LENGTH;
        int bytes = length - DdpHeader.UNTAGGED_LENGTH;
        int form = TerminateHeader.form(segment, header, startup);
        int code = TerminateHeader.code(segment, header, form);
        if (TerminateHeader.ddpHeaderBytes(segment, header, bytes, form) == 0) {
            return new PeerTerminate(code, NO_MATCH);
        }
        long ddp = header + TerminateHeader.DDP_HEADER_AT;
        int readAt = TerminateHeader.readRequestAt(segment, header, bytes, form);
        return new PeerTerminate(code, match(segment, ddp, readAt < 0 ? -1 : header + readAt, sent));
    }

    private static long match(MemorySegment segment, long ddp, long read, SentRequests sent) {
        int opcode = RdmapHeader.opcode(segment, ddp);
        boolean tagged = DdpHeader.isTagged(segment, ddp);
        if (tagged) {
            return opcode == RdmapOpcode.RDMA_WRITE
                    ? sent.write(DdpHeader.stag(segment, ddp), DdpHeader.taggedOffset(segment, ddp))
                    : NO_MATCH;
        }
        if (opcode == RdmapOpcode.RDMA_READ_REQUEST) {
            // siw has the size where the number belongs, so the request's own header is the better witness
            return read >= 0
                    ? sent.read(
                            DdpHeader.ddpMsn(segment, ddp),
                            ReadRequestHeader.sourceStag(segment, read),
                            ReadRequestHeader.sourceTaggedOffset(segment, read),
                            ReadRequestHeader.readBytes(segment, read))
                    : sent.read(DdpHeader.ddpMsn(segment, ddp));
        }
        return RdmapOpcode.isSend(opcode) ? sent.send(DdpHeader.ddpMsn(segment, ddp)) : NO_MATCH;
    }

    /** The error, see {@link TerminateCode}. */
    public int code() {
        return code;
    }

    /** The send work request that it is about, or {@link #NO_MATCH}. */
    public long sequence() {
        return sequence;
    }

    /** The words that the application gets. */
    public String text() {
        return "Terminate " + TerminateCode.triple(code) + " received: " + TerminateCode.description(code);
    }

    /** The status of the work request that brought it about. */
    public WcStatus status() {
        return status(code);
    }

    /** Completes the work request that it is about, if there is one, and reports it. */
    public void tell(BoundQueuePair queuePair) {
        if (sequence != NO_MATCH) {
            queuePair.completeSend(sequence, status(), 0, code);
        }
        queuePair.report(AsyncEvent.Type.QP_FATAL, code, text());
    }

    static WcStatus status(int code) {
        int layer = TerminateCode.layer(code);
        int type = TerminateCode.type(code);
        boolean cannotInvalidate = code == TerminateCode.RDMAP_CANNOT_INVALIDATE;
        if (layer == TerminateCode.LAYER_RDMAP && (type == TerminateCode.TYPE_REMOTE_PROTECTION || cannotInvalidate)) {
            return WcStatus.REM_ACCESS_ERR;
        }
        return switch (code) {
            case TerminateCode.RDMAP_INVALID_VERSION,
                    TerminateCode.RDMAP_UNEXPECTED_OPCODE,
                    TerminateCode.DDP_TAGGED_INVALID_VERSION,
                    TerminateCode.DDP_INVALID_QN,
                    TerminateCode.DDP_MSN_RANGE,
                    TerminateCode.DDP_INVALID_MO,
                    TerminateCode.DDP_MESSAGE_TOO_LONG,
                    TerminateCode.DDP_UNTAGGED_INVALID_VERSION -> WcStatus.REM_INV_REQ_ERR;
            case TerminateCode.DDP_INVALID_STAG,
                    TerminateCode.DDP_BASE_OR_BOUNDS,
                    TerminateCode.DDP_STAG_NOT_ASSOCIATED,
                    TerminateCode.DDP_TO_WRAP -> WcStatus.REM_ACCESS_ERR;
            default -> WcStatus.REM_OP_ERR;
        };
    }
}
