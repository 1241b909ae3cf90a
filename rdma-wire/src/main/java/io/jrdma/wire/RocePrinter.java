package io.jrdma.wire;

import io.jrdma.wire.ib.Aeth;
import io.jrdma.wire.ib.AethSyndrome;
import io.jrdma.wire.ib.AtomicAckEth;
import io.jrdma.wire.ib.AtomicEth;
import io.jrdma.wire.ib.Bth;
import io.jrdma.wire.ib.Deth;
import io.jrdma.wire.ib.Feth;
import io.jrdma.wire.ib.IbMalformed;
import io.jrdma.wire.ib.IbOpcode;
import io.jrdma.wire.ib.Icrc;
import io.jrdma.wire.ib.IcrcPath;
import io.jrdma.wire.ib.Ieth;
import io.jrdma.wire.ib.ImmDt;
import io.jrdma.wire.ib.PathMtu;
import io.jrdma.wire.ib.Rdeth;
import io.jrdma.wire.ib.Reth;
import io.jrdma.wire.ib.RoceV2Packet;
import io.jrdma.wire.ib.Xrceth;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The RoCEv2 half of {@link PacketPrinter}; lengths do not pass the segment's end. */
final class RocePrinter {
    private RocePrinter() {}

    static String packet(@Nullable IcrcPath path, MemorySegment segment, long at, long length) {
        int bytes = (int) Math.min(length, Integer.MAX_VALUE);
        Line line = new Line();
        if (bytes < Bth.LENGTH) {
            line.word("RoCEv2");
        } else {
            bth(line, segment, at);
        }
        int malformed = RoceV2Packet.check(segment, at, bytes);
        if (malformed != IbMalformed.OK) {
            line.word(IbMalformed.name(malformed)).word(bytes + " bytes");
            return line.bytes(segment, at, bytes).toString();
        }
        extendedHeaders(line, segment, at);
        payload(line, segment, at, bytes);
        icrc(line, path, segment, at, bytes);
        if (isManagement(segment, at)) {
            long payload = at + RoceV2Packet.payloadAt(segment, at);
            line.word("|").word(CmPrinter.mad(segment, payload, RoceV2Packet.payloadBytes(segment, at, bytes)));
        }
        return line.toString();
    }

    /** The opcode's name, whom it is for, and what is not as usual. */
    private static void bth(Line line, MemorySegment segment, long at) {
        line.word(IbOpcode.name(Bth.opcode(segment, at)));
        line.queuePair("qp", Bth.destQp(segment, at)).number("psn", Bth.psn(segment, at));
        line.wordIf(Bth.isAckRequest(segment, at), "A");
        line.wordIf(Bth.isSolicited(segment, at), "S");
        line.wordIf(Bth.isMigration(segment, at), "M");
        line.wordIf(Bth.isFecn(segment, at), "FECN");
        line.wordIf(Bth.isBecn(segment, at), "BECN");
        int pKey = Bth.pKey(segment, at);
        if (pKey != Bth.DEFAULT_P_KEY) {
            line.hex("pkey", (short) pKey);
        }
    }

    /** In the order in which they stand. */
    private static void extendedHeaders(Line line, MemorySegment segment, long at) {
        int opcode = Bth.opcode(segment, at);
        if (IbOpcode.transport(opcode) == IbOpcode.RD) {
            line.number("eec", Rdeth.eeContext(segment, at + Bth.LENGTH));
        }
        if (IbOpcode.dethAt(opcode) > 0) {
            long deth = at + IbOpcode.dethAt(opcode);
            line.hex("qkey", Deth.qKey(segment, deth)).queuePair("from", Deth.sourceQp(segment, deth));
        }
        if (IbOpcode.xrcethAt(opcode) > 0) {
            line.number("srq", Xrceth.srqNumber(segment, at + IbOpcode.xrcethAt(opcode)));
        }
        if (IbOpcode.fethAt(opcode) > 0) {
            feth(line, segment, at + IbOpcode.fethAt(opcode));
        }
        if (IbOpcode.rethAt(opcode) > 0) {
            long reth = at + IbOpcode.rethAt(opcode);
            line.hex("va", Reth.virtualAddress(segment, reth)).hex("rkey", Reth.rkey(segment, reth));
            line.number("len", Reth.dmaLength(segment, reth));
        }
        if (IbOpcode.aethAt(opcode) > 0) {
            long aeth = at + IbOpcode.aethAt(opcode);
            line.word(AethSyndrome.name(Aeth.syndrome(segment, aeth))).number("msn", Aeth.aethMsn(segment, aeth));
        }
        if (IbOpcode.atomicEthAt(opcode) > 0) {
            atomicEth(line, opcode, segment, at + IbOpcode.atomicEthAt(opcode));
        }
        if (IbOpcode.atomicAckEthAt(opcode) > 0) {
            line.hex("original", AtomicAckEth.originalValue(segment, at + IbOpcode.atomicAckEthAt(opcode)));
        }
        if (IbOpcode.immDtAt(opcode) > 0) {
            line.hex("imm", ImmDt.immediate(segment, at + IbOpcode.immDtAt(opcode)));
        }
        if (IbOpcode.iethAt(opcode) > 0) {
            line.hex("invalidate", Ieth.rkey(segment, at + IbOpcode.iethAt(opcode)));
        }
    }

    private static void feth(Line line, MemorySegment segment, long at) {
        int placement = Feth.placementType(segment, at);
        line.wordIf((placement & Feth.GLOBAL_VISIBILITY) != 0, "global-visibility");
        line.wordIf((placement & Feth.PERSISTENCE) != 0, "persistence");
        int selectivity = Feth.selectivity(segment, at);
        line.word(
                switch (selectivity) {
                    case Feth.RANGE -> "range";
                    case Feth.MEMORY_REGION -> "region";
                    default -> "selectivity " + selectivity;
                });
    }

    private static void atomicEth(Line line, int opcode, MemorySegment segment, long at) {
        line.hex("va", AtomicEth.virtualAddress(segment, at)).hex("rkey", AtomicEth.rkey(segment, at));
        if (IbOpcode.operation(opcode) == IbOpcode.FETCH_ADD) {
            line.hex("add", AtomicEth.swapOrAdd(segment, at));
        } else {
            line.hex("compare", AtomicEth.compare(segment, at)).hex("swap", AtomicEth.swapOrAdd(segment, at));
        }
    }

    private static void payload(Line line, MemorySegment segment, long at, int length) {
        int opcode = Bth.opcode(segment, at);
        int bytes = RoceV2Packet.payloadBytes(segment, at, length);
        if (bytes > 0 || IbOpcode.hasPayload(opcode)) {
            line.number("payload", bytes);
            line.wordIf(!fitsSomePath(opcode, bytes), "(on no path right for the opcode)");
        }
        line.numberIfAny("pad", Bth.padBytes(segment, at));
    }

    private static boolean fitsSomePath(int opcode, int payloadBytes) {
        boolean fits = false;
        for (int mtu = PathMtu.MIN_BYTES; mtu <= PathMtu.MAX_BYTES; mtu <<= 1) {
            fits |= IbOpcode.payloadFits(opcode, payloadBytes, mtu);
        }
        return fits;
    }

    private static void icrc(Line line, @Nullable IcrcPath path, MemorySegment segment, long at, int length) {
        int icrc = RoceV2Packet.icrc(segment, at, length);
        if (path == null) {
            line.hex("icrc", icrc);
            return;
        }
        int identification = new Icrc().verify(path, segment, at, length);
        if (identification == Icrc.MISMATCH) {
            line.hex("icrc", icrc).word(IbMalformed.name(IbMalformed.ICRC_MISMATCH));
        } else {
            line.word("icrc ok").numberIfAny("id", identification);
        }
    }

    private static boolean isManagement(MemorySegment segment, long at) {
        return Bth.opcode(segment, at) == IbOpcode.UD_SEND_ONLY && Bth.destQp(segment, at) == Bth.QP_GSI;
    }
}
