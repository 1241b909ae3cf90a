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

/** The iWARP half of {@link PacketPrinter}; lengths do not pass the segment's end. */
final class IwarpPrinter {
    private IwarpPrinter() {}

    static String mpa(MemorySegment segment, long at, long length) {
        boolean key = length >= 8 && Bytes.u64(segment, at) == 0x4D50_4120_4944_2052L;
        return key ? startup(segment, at, length) : fpdu(segment, at, length);
    }

    static String startup(MemorySegment segment, long at, long length) {
        int result = MpaStartup.check(segment, at, length, MpaStartup.REQUEST);
        if (result == -Malformed.MPA_KEY_UNEXPECTED) {
            result = MpaStartup.check(segment, at, length, MpaStartup.REPLY);
        }
        Line line = new Line();
        if (result < 0) {
            return line.word("MPA start-up " + Malformed.name(-result))
                    .bytes(segment, at, length)
                    .toString();
        }
        if (result == MpaStartup.NEED_MORE) {
            return line.word("MPA start-up incomplete")
                    .bytes(segment, at, length)
                    .toString();
        }
        MpaStartup.View frame = MpaStartup.view(segment, at);
        line.word(frame.kind() == MpaStartup.REQUEST ? "MPA Request" : "MPA Reply");
        line.number("rev", frame.revision());
        flag(line, frame.flags(), MpaStartup.MARKERS, "markers");
        flag(line, frame.flags(), MpaStartup.CRC, "crc");
        flag(line, frame.flags(), MpaStartup.REJECT, "reject");
        flag(line, frame.flags(), MpaStartup.ENHANCED, "enhanced");
        if (frame.enhanced()) {
            line.number("ird", frame.ird()).number("ord", frame.ord());
            flag(line, frame.controlFlags(), MpaStartup.PEER_TO_PEER, "peer-to-peer");
            flag(line, frame.controlFlags(), MpaStartup.RTR_SEND, "rtr-send");
            flag(line, frame.controlFlags(), MpaStartup.RTR_WRITE, "rtr-write");
            flag(line, frame.controlFlags(), MpaStartup.RTR_READ, "rtr-read");
        }
        return line.number("private", MpaStartup.privateDataBytes(segment, at)).toString();
    }

    private static void flag(Line line, int flags, int mask, String text) {
        line.wordIf((flags & mask) != 0, text);
    }

    static String fpdu(MemorySegment segment, long at, long length) {
        Line line = new Line();
        if (MpaFpdu.check(segment, at, length) == MpaFpdu.NEED_MORE) {
            return line.word("FPDU incomplete, " + length + " bytes")
                    .bytes(segment, at, length)
                    .toString();
        }
        MpaFpdu.View fpdu = MpaFpdu.view(segment, at);
        line.word("FPDU").number("len", fpdu.ulpduLength()).number("pad", fpdu.padBytes());
        line.hex("crc", fpdu.crc()).word("|");
        return line.word(segment(segment, at + MpaFpdu.LENGTH, fpdu.ulpduLength()))
                .toString();
    }

    static String segment(MemorySegment segment, long at, long length) {
        int bytes = (int) Math.min(length, MpaFpdu.MAX_ULPDU_BYTES);
        int malformed = DdpSegment.check(segment, at, bytes);
        Line line = new Line();
        if (malformed != Malformed.OK) {
            return line.word(Malformed.name(malformed))
                    .bytes(segment, at, bytes)
                    .toString();
        }
        headers(line, segment, at);
        body(line, segment, at, bytes);
        return line.toString();
    }

    /** Message name and DDP header, which must be there in full. */
    private static void headers(Line line, MemorySegment segment, long at) {
        int opcode = RdmapHeader.opcode(segment, at);
        line.word(RdmapOpcode.name(opcode)).word(DdpHeader.isLast(segment, at) ? "last" : "more");
        if (DdpHeader.isTagged(segment, at)) {
            line.hex("stag", DdpHeader.stag(segment, at)).hex("to", DdpHeader.taggedOffset(segment, at));
            return;
        }
        line.number("qn", Integer.toUnsignedLong(DdpHeader.queueNumber(segment, at)));
        line.number("msn", Integer.toUnsignedLong(DdpHeader.ddpMsn(segment, at)));
        line.number("mo", DdpHeader.messageOffset(segment, at));
        if (RdmapOpcode.invalidates(opcode)) {
            line.hex("invalidate", RdmapHeader.invalidateStag(segment, at));
        }
    }

    private static void body(Line line, MemorySegment segment, long at, int length) {
        long body = at + DdpSegment.bodyAt(segment, at);
        int bodyBytes = DdpSegment.bodyBytes(segment, at, length);
        switch (RdmapHeader.opcode(segment, at)) {
            case RdmapOpcode.RDMA_READ_REQUEST -> readRequest(line, segment, body);
            case RdmapOpcode.TERMINATE -> terminate(line, segment, body, bodyBytes);
            case RdmapOpcode.IMMEDIATE, RdmapOpcode.IMMEDIATE_SOLICITED ->
                line.hex("data", ImmediateData.data(segment, body));
            case RdmapOpcode.ATOMIC_REQUEST -> atomicRequest(line, segment, body);
            case RdmapOpcode.ATOMIC_RESPONSE ->
                line.hex("id", AtomicHeaders.Response.requestId(segment, body))
                        .hex("value", AtomicHeaders.Response.originalValue(segment, body));
            default -> line.number("payload", bodyBytes);
        }
    }

    private static void readRequest(Line line, MemorySegment segment, long at) {
        line.number("size", ReadRequestHeader.readBytes(segment, at));
        line.hexPair("sink", ReadRequestHeader.sinkStag(segment, at), ReadRequestHeader.sinkTaggedOffset(segment, at));
        line.hexPair(
                "source", ReadRequestHeader.sourceStag(segment, at), ReadRequestHeader.sourceTaggedOffset(segment, at));
    }

    private static void atomicRequest(Line line, MemorySegment segment, long at) {
        int operation = AtomicHeaders.Request.operation(segment, at);
        line.word(
                switch (operation) {
                    case AtomicHeaders.FETCH_ADD -> "fetch-add";
                    case AtomicHeaders.COMPARE_SWAP -> "compare-swap";
                    default -> "operation " + operation;
                });
        line.hex("id", AtomicHeaders.Request.requestId(segment, at));
        line.hexPair(
                "at",
                AtomicHeaders.Request.remoteStag(segment, at),
                AtomicHeaders.Request.remoteTaggedOffset(segment, at));
        line.hexPair("data", AtomicHeaders.Request.data(segment, at), AtomicHeaders.Request.mask(segment, at));
        line.hexPair(
                "compare",
                AtomicHeaders.Request.compareData(segment, at),
                AtomicHeaders.Request.compareMask(segment, at));
    }

    private static void terminate(Line line, MemorySegment segment, long at, int length) {
        int form = TerminateHeader.form(segment, at, false);
        int code = TerminateHeader.code(segment, at, form);
        line.word(TerminateCode.triple(code)).word(TerminateCode.name(code));
        line.wordIf(form == TerminateHeader.FORM_SIW, "(siw form)");
        int segmentLength = TerminateHeader.segmentLength(segment, at, length, form);
        line.wordIf(segmentLength >= 0, "of " + segmentLength + " bytes");
        if (TerminateHeader.ddpHeaderBytes(segment, at, length, form) > 0) {
            Line terminated = new Line();
            headers(terminated, segment, at + TerminateHeader.DDP_HEADER_AT);
            int readRequestAt = TerminateHeader.readRequestAt(segment, at, length, form);
            if (readRequestAt >= 0) {
                readRequest(terminated, segment, at + readRequestAt);
            }
            line.word("[" + terminated + "]");
        }
    }
}
