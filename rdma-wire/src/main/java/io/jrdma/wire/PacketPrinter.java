package io.jrdma.wire;

import io.jrdma.wire.iwarp.AtomicHeaders;
import io.jrdma.wire.iwarp.DdpHeader;
import io.jrdma.wire.iwarp.DdpSegment;
import io.jrdma.wire.iwarp.ImmediateData;
import io.jrdma.wire.iwarp.MpaFpdu;
import io.jrdma.wire.iwarp.MpaStartup;
import io.jrdma.wire.iwarp.RdmapHeader;
import io.jrdma.wire.iwarp.RdmapOpcode;
import io.jrdma.wire.iwarp.ReadRequestHeader;
import io.jrdma.wire.iwarp.TerminateCode;
import io.jrdma.wire.iwarp.TerminateHeader;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;

/**
 * One line of text for what went over a wire, for traces and {@code jrdma decode}.
 *
 * <p>Total: any bytes give a line, wrong ones with the {@link Malformed} name and a few bytes in hex. A length that passes the segment's
 * end is cut there. Numbers are decimal, addresses and keys hex. Allocates freely: not for the data path.
 */
public final class PacketPrinter {
    private static final int HEX_BYTES = 24;

    private PacketPrinter() {}

    /** Either a start-up frame or an FPDU without markers, whichever the first bytes look like. */
    public static String mpa(MemorySegment segment, long at, long length) {
        long bytes = clip(segment, at, length);
        boolean key = bytes >= 8 && Bytes.u64(segment, at) == 0x4D50_4120_4944_2052L;
        return key ? startup(segment, at, bytes) : fpdu(segment, at, bytes);
    }

    /** An MPA Request or Reply. */
    public static String startup(MemorySegment segment, long at, long length) {
        long bytes = clip(segment, at, length);
        int result = MpaStartup.check(segment, at, bytes, MpaStartup.REQUEST);
        if (result == -Malformed.MPA_KEY_UNEXPECTED) {
            result = MpaStartup.check(segment, at, bytes, MpaStartup.REPLY);
        }
        if (result < 0) {
            return "MPA start-up " + Malformed.name(-result) + " " + hex(segment, at, bytes);
        }
        if (result == MpaStartup.NEED_MORE) {
            return "MPA start-up incomplete " + hex(segment, at, bytes);
        }
        MpaStartup.View frame = MpaStartup.view(segment, at);
        StringBuilder line = new StringBuilder("MPA ")
                .append(frame.kind() == MpaStartup.REQUEST ? "Request" : "Reply")
                .append(" rev ")
                .append(frame.revision());
        flag(line, frame.flags(), MpaStartup.MARKERS, " markers");
        flag(line, frame.flags(), MpaStartup.CRC, " crc");
        flag(line, frame.flags(), MpaStartup.REJECT, " reject");
        flag(line, frame.flags(), MpaStartup.ENHANCED, " enhanced");
        if (frame.enhanced()) {
            line.append(" ird ").append(frame.ird()).append(" ord ").append(frame.ord());
            flag(line, frame.controlFlags(), MpaStartup.PEER_TO_PEER, " peer-to-peer");
            flag(line, frame.controlFlags(), MpaStartup.RTR_SEND, " rtr-send");
            flag(line, frame.controlFlags(), MpaStartup.RTR_WRITE, " rtr-write");
            flag(line, frame.controlFlags(), MpaStartup.RTR_READ, " rtr-read");
        }
        return line.append(" private ")
                .append(MpaStartup.privateDataBytes(segment, at))
                .toString();
    }

    /** An FPDU without markers; the CRC field is shown, not checked. */
    public static String fpdu(MemorySegment segment, long at, long length) {
        long bytes = clip(segment, at, length);
        if (MpaFpdu.check(segment, at, bytes) == MpaFpdu.NEED_MORE) {
            return "FPDU incomplete, " + bytes + " bytes " + hex(segment, at, bytes);
        }
        MpaFpdu.View fpdu = MpaFpdu.view(segment, at);
        return "FPDU len " + fpdu.ulpduLength() + " pad " + fpdu.padBytes() + " crc " + hex(fpdu.crc()) + " | "
                + segment(segment, at + MpaFpdu.LENGTH, fpdu.ulpduLength());
    }

    /** A DDP segment with what RDMAP has in it. */
    public static String segment(MemorySegment segment, long at, long length) {
        int bytes = (int) Math.min(clip(segment, at, length), MpaFpdu.MAX_ULPDU_BYTES);
        int malformed = DdpSegment.check(segment, at, bytes);
        if (malformed != Malformed.OK) {
            return Malformed.name(malformed) + " " + hex(segment, at, bytes);
        }
        int opcode = RdmapHeader.opcode(segment, at);
        StringBuilder line = new StringBuilder();
        headers(line, segment, at);
        body(line, segment, at, bytes, opcode);
        return line.toString();
    }

    /** Message name and DDP header, which must be there in full. */
    private static void headers(StringBuilder line, MemorySegment segment, long at) {
        int opcode = RdmapHeader.opcode(segment, at);
        line.append(RdmapOpcode.name(opcode)).append(DdpHeader.isLast(segment, at) ? " last" : " more");
        if (DdpHeader.isTagged(segment, at)) {
            line.append(" stag ").append(hex(DdpHeader.stag(segment, at)));
            line.append(" to ").append(hex(DdpHeader.taggedOffset(segment, at)));
            return;
        }
        line.append(" qn ").append(Integer.toUnsignedString(DdpHeader.queueNumber(segment, at)));
        line.append(" msn ").append(Integer.toUnsignedString(DdpHeader.ddpMsn(segment, at)));
        line.append(" mo ").append(DdpHeader.messageOffset(segment, at));
        if (RdmapOpcode.invalidates(opcode)) {
            line.append(" invalidate ").append(hex(RdmapHeader.invalidateStag(segment, at)));
        }
    }

    private static void body(StringBuilder line, MemorySegment segment, long at, int length, int opcode) {
        long body = at + DdpSegment.bodyAt(segment, at);
        int bodyBytes = DdpSegment.bodyBytes(segment, at, length);
        switch (opcode) {
            case RdmapOpcode.RDMA_READ_REQUEST -> readRequest(line, segment, body);
            case RdmapOpcode.TERMINATE -> terminate(line, segment, body, bodyBytes);
            case RdmapOpcode.IMMEDIATE, RdmapOpcode.IMMEDIATE_SOLICITED ->
                line.append(" data ").append(hex(ImmediateData.data(segment, body)));
            case RdmapOpcode.ATOMIC_REQUEST -> atomicRequest(line, segment, body);
            case RdmapOpcode.ATOMIC_RESPONSE ->
                line.append(" id ")
                        .append(hex(AtomicHeaders.Response.requestId(segment, body)))
                        .append(" value ")
                        .append(hex(AtomicHeaders.Response.originalValue(segment, body)));
            default -> line.append(" payload ").append(bodyBytes);
        }
    }

    private static void readRequest(StringBuilder line, MemorySegment segment, long at) {
        line.append(" size ").append(ReadRequestHeader.readBytes(segment, at));
        line.append(" sink ").append(hex(ReadRequestHeader.sinkStag(segment, at)));
        line.append('/').append(hex(ReadRequestHeader.sinkTaggedOffset(segment, at)));
        line.append(" source ").append(hex(ReadRequestHeader.sourceStag(segment, at)));
        line.append('/').append(hex(ReadRequestHeader.sourceTaggedOffset(segment, at)));
    }

    private static void atomicRequest(StringBuilder line, MemorySegment segment, long at) {
        int operation = AtomicHeaders.Request.operation(segment, at);
        line.append(
                switch (operation) {
                    case AtomicHeaders.FETCH_ADD -> " fetch-add";
                    case AtomicHeaders.COMPARE_SWAP -> " compare-swap";
                    default -> " operation " + operation;
                });
        line.append(" id ").append(hex(AtomicHeaders.Request.requestId(segment, at)));
        line.append(" at ").append(hex(AtomicHeaders.Request.remoteStag(segment, at)));
        line.append('/').append(hex(AtomicHeaders.Request.remoteTaggedOffset(segment, at)));
        line.append(" data ").append(hex(AtomicHeaders.Request.data(segment, at)));
        line.append('/').append(hex(AtomicHeaders.Request.mask(segment, at)));
        line.append(" compare ").append(hex(AtomicHeaders.Request.compareData(segment, at)));
        line.append('/').append(hex(AtomicHeaders.Request.compareMask(segment, at)));
    }

    private static void terminate(StringBuilder line, MemorySegment segment, long at, int length) {
        int form = TerminateHeader.form(segment, at, false);
        int code = TerminateHeader.code(segment, at, form);
        line.append(' ').append(TerminateCode.triple(code)).append(' ').append(TerminateCode.name(code));
        if (form == TerminateHeader.FORM_SIW) {
            line.append(" (siw form)");
        }
        int segmentLength = TerminateHeader.segmentLength(segment, at, length, form);
        if (segmentLength >= 0) {
            line.append(" of ").append(segmentLength).append(" bytes");
        }
        if (TerminateHeader.ddpHeaderBytes(segment, at, length, form) > 0) {
            line.append(" [");
            headers(line, segment, at + TerminateHeader.DDP_HEADER_AT);
            int readRequestAt = TerminateHeader.readRequestAt(segment, at, length, form);
            if (readRequestAt >= 0) {
                readRequest(line, segment, at + readRequestAt);
            }
            line.append(']');
        }
    }

    private static void flag(StringBuilder line, int flags, int mask, String text) {
        if ((flags & mask) != 0) {
            line.append(text);
        }
    }

    private static long clip(MemorySegment segment, long at, long length) {
        return Math.clamp(length, 0, Math.max(0, segment.byteSize() - at));
    }

    private static String hex(int value) {
        return HexFormat.of().toHexDigits(value);
    }

    private static String hex(long value) {
        return Long.toHexString(value);
    }

    private static String hex(MemorySegment segment, long at, long length) {
        StringBuilder text = new StringBuilder();
        for (long i = 0; i < Math.min(length, HEX_BYTES); i++) {
            HexFormat.of().toHexDigits(text, (byte) Bytes.u8(segment, at + i));
        }
        return text.append(length > HEX_BYTES ? "..." : "").toString();
    }
}
