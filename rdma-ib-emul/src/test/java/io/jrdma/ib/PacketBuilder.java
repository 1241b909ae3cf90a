package io.jrdma.ib;

import io.jrdma.wire.ib.Aeth;
import io.jrdma.wire.ib.AtomicAckEth;
import io.jrdma.wire.ib.AtomicEth;
import io.jrdma.wire.ib.Bth;
import io.jrdma.wire.ib.Deth;
import io.jrdma.wire.ib.IbOpcode;
import io.jrdma.wire.ib.Ieth;
import io.jrdma.wire.ib.ImmDt;
import io.jrdma.wire.ib.Reth;
import io.jrdma.wire.ib.RoceV2Packet;
import java.lang.foreign.MemorySegment;

/** Builds one packet, right or wrong; all headers are zero unless they are set. */
final class PacketBuilder {
    private final int opcode;
    private final byte[] bytes;
    private final MemorySegment segment;
    private int flags;
    private int pKey = Bth.DEFAULT_P_KEY;
    private int destQp = 0x100;
    private int psn;

    private PacketBuilder(int opcode, byte[] payload) {
        this.opcode = opcode;
        bytes = new byte[RoceV2Packet.length(opcode, payload.length)];
        segment = MemorySegment.ofArray(bytes);
        System.arraycopy(payload, 0, bytes, IbOpcode.headerBytes(opcode), payload.length);
        pad = RoceV2Packet.padBytes(payload.length);
    }

    private int pad;

    static PacketBuilder packet(int opcode, int psn) {
        return packet(opcode, psn, new byte[0]);
    }

    static PacketBuilder packet(int opcode, int psn, byte[] payload) {
        PacketBuilder builder = new PacketBuilder(opcode, payload);
        builder.psn = psn;
        return builder;
    }

    /** The bytes 1, 2, 3 and so on. */
    static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i + 1);
        }
        return bytes;
    }

    /** With that AETH, the answer to a PSN. */
    static PacketBuilder ack(int psn, int syndrome, int msn) {
        return packet(IbOpcode.ACKNOWLEDGE, psn).aeth(syndrome, msn);
    }

    PacketBuilder ackRequest() {
        flags |= Bth.ACK_REQUEST;
        return this;
    }

    PacketBuilder flags(int more) {
        flags |= more;
        return this;
    }

    PacketBuilder pKey(int value) {
        pKey = value;
        return this;
    }

    PacketBuilder destQp(int value) {
        destQp = value;
        return this;
    }

    PacketBuilder pad(int value) {
        pad = value;
        return this;
    }

    PacketBuilder reth(long address, int key, long length) {
        Reth.put(segment, IbOpcode.rethAt(opcode), address, key, length);
        return this;
    }

    PacketBuilder aeth(int syndrome, int msn) {
        Aeth.put(segment, IbOpcode.aethAt(opcode), syndrome, msn);
        return this;
    }

    PacketBuilder atomic(long address, int key, long swapOrAdd, long compare) {
        AtomicEth.put(segment, IbOpcode.atomicEthAt(opcode), address, key, swapOrAdd, compare);
        return this;
    }

    PacketBuilder original(long value) {
        AtomicAckEth.put(segment, IbOpcode.atomicAckEthAt(opcode), value);
        return this;
    }

    PacketBuilder immediate(int value) {
        ImmDt.put(segment, IbOpcode.immDtAt(opcode), value);
        return this;
    }

    PacketBuilder invalidate(int key) {
        Ieth.put(segment, IbOpcode.iethAt(opcode), key);
        return this;
    }

    PacketBuilder deth(int qKey, int sourceQp) {
        Deth.put(segment, IbOpcode.dethAt(opcode), qKey, sourceQp);
        return this;
    }

    byte[] build() {
        Bth.put(segment, 0, opcode, flags, pad, pKey, destQp, psn);
        return bytes;
    }
}
