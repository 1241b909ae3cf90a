package io.jrdma.wire.ib;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/**
 * Writers for the headers of whole packets: BTH and the extended headers that the opcode has, each at its place.
 *
 * <p>One method for each set of headers; all take the BTH's fields as {@link Bth#put} does, and return the bytes written from
 * {@code at} on: where the payload goes. With an XRC opcode the four bytes of the XRCETH are the only ones left out; the caller writes
 * them with {@link Xrceth#put} at {@link IbOpcode#xrcethAt}. An opcode that does not fit the method is the caller's fault (asserted).
 */
public final class RoceV2Head {
    private RoceV2Head() {}

    /** Sends, and middle and last packets of Writes and Read responses, that have no header but the BTH. */
    public static int put(
            MemorySegment segment, long at, int opcode, int flags, int padBytes, int pKey, int destQp, int psn) {
        int length = IbOpcode.headerBytes(opcode);
        assert length == Bth.LENGTH + (IbOpcode.xrcethAt(opcode) != 0 ? Xrceth.LENGTH : 0) : IbOpcode.name(opcode);
        Bth.put(segment, at, opcode, flags, padBytes, pKey, destQp, psn);
        return length;
    }

    /** Sends, and last packets of Writes, that end with immediate data or a key to invalidate; {@code word} is either. */
    public static int putWithWord(
            MemorySegment segment,
            long at,
            int opcode,
            int flags,
            int padBytes,
            int pKey,
            int destQp,
            int psn,
            int word) {
        assert IbOpcode.hasImmDt(opcode) || IbOpcode.hasIeth(opcode) : IbOpcode.name(opcode);
        assert !IbOpcode.hasReth(opcode) && IbOpcode.dethAt(opcode) == 0 : IbOpcode.name(opcode);
        int length = IbOpcode.headerBytes(opcode);
        Bth.put(segment, at, opcode, flags, padBytes, pKey, destQp, psn);
        Bytes.putU32(segment, at + length - ImmDt.LENGTH, word);
        return length;
    }

    /** First and only packets of Writes, Read requests and Atomic Writes. */
    public static int putReth(
            MemorySegment segment,
            long at,
            int opcode,
            int flags,
            int padBytes,
            int pKey,
            int destQp,
            int psn,
            long virtualAddress,
            int rkey,
            long dmaLength) {
        assert IbOpcode.hasReth(opcode) && !IbOpcode.hasImmDt(opcode) && IbOpcode.fethAt(opcode) == 0
                : IbOpcode.name(opcode);
        Bth.put(segment, at, opcode, flags, padBytes, pKey, destQp, psn);
        Reth.put(segment, at + IbOpcode.rethAt(opcode), virtualAddress, rkey, dmaLength);
        return IbOpcode.headerBytes(opcode);
    }

    /** A Write in one packet with immediate data. */
    public static int putRethImmDt(
            MemorySegment segment,
            long at,
            int opcode,
            int flags,
            int padBytes,
            int pKey,
            int destQp,
            int psn,
            long virtualAddress,
            int rkey,
            long dmaLength,
            int immediate) {
        assert IbOpcode.hasReth(opcode) && IbOpcode.hasImmDt(opcode) : IbOpcode.name(opcode);
        Bth.put(segment, at, opcode, flags, padBytes, pKey, destQp, psn);
        Reth.put(segment, at + IbOpcode.rethAt(opcode), virtualAddress, rkey, dmaLength);
        ImmDt.put(segment, at + IbOpcode.immDtAt(opcode), immediate);
        return IbOpcode.headerBytes(opcode);
    }

    /** Compare and Swap, and Fetch and Add with {@code compare} 0. */
    public static int putAtomic(
            MemorySegment segment,
            long at,
            int opcode,
            int flags,
            int pKey,
            int destQp,
            int psn,
            long virtualAddress,
            int rkey,
            long swapOrAdd,
            long compare) {
        assert IbOpcode.isAtomic(opcode) : IbOpcode.name(opcode);
        Bth.put(segment, at, opcode, flags, 0, pKey, destQp, psn);
        AtomicEth.put(segment, at + IbOpcode.atomicEthAt(opcode), virtualAddress, rkey, swapOrAdd, compare);
        return IbOpcode.headerBytes(opcode);
    }

    /** ACKs and NAKs, and the packets of a Read response that have an AETH. */
    public static int putAeth(
            MemorySegment segment,
            long at,
            int opcode,
            int flags,
            int padBytes,
            int pKey,
            int destQp,
            int psn,
            int syndrome,
            int aethMsn) {
        assert IbOpcode.hasAeth(opcode) && IbOpcode.atomicAckEthAt(opcode) == 0 : IbOpcode.name(opcode);
        Bth.put(segment, at, opcode, flags, padBytes, pKey, destQp, psn);
        Aeth.put(segment, at + IbOpcode.aethAt(opcode), syndrome, aethMsn);
        return IbOpcode.headerBytes(opcode);
    }

    /** The answer to Compare and Swap and Fetch and Add. */
    public static int putAtomicAck(
            MemorySegment segment,
            long at,
            int opcode,
            int flags,
            int pKey,
            int destQp,
            int psn,
            int syndrome,
            int aethMsn,
            long originalValue) {
        assert IbOpcode.atomicAckEthAt(opcode) != 0 : IbOpcode.name(opcode);
        Bth.put(segment, at, opcode, flags, 0, pKey, destQp, psn);
        Aeth.put(segment, at + IbOpcode.aethAt(opcode), syndrome, aethMsn);
        AtomicAckEth.put(segment, at + IbOpcode.atomicAckEthAt(opcode), originalValue);
        return IbOpcode.headerBytes(opcode);
    }

    /** A datagram ({@link IbOpcode#UD_SEND_ONLY}). */
    public static int putDatagram(
            MemorySegment segment,
            long at,
            int flags,
            int padBytes,
            int pKey,
            int destQp,
            int psn,
            int qKey,
            int sourceQp) {
        Bth.put(segment, at, IbOpcode.UD_SEND_ONLY, flags, padBytes, pKey, destQp, psn);
        Deth.put(segment, at + Bth.LENGTH, qKey, sourceQp);
        return Bth.LENGTH + Deth.LENGTH;
    }

    /** A datagram with immediate data ({@link IbOpcode#UD_SEND_ONLY_WITH_IMM}). */
    public static int putDatagramImmDt(
            MemorySegment segment,
            long at,
            int flags,
            int padBytes,
            int pKey,
            int destQp,
            int psn,
            int qKey,
            int sourceQp,
            int immediate) {
        Bth.put(segment, at, IbOpcode.UD_SEND_ONLY_WITH_IMM, flags, padBytes, pKey, destQp, psn);
        Deth.put(segment, at + Bth.LENGTH, qKey, sourceQp);
        ImmDt.put(segment, at + Bth.LENGTH + Deth.LENGTH, immediate);
        return Bth.LENGTH + Deth.LENGTH + ImmDt.LENGTH;
    }

    /** A congestion notification ({@link IbOpcode#CNP}) with its reserved bytes; no payload follows. */
    public static int putCnp(MemorySegment segment, long at, int pKey, int destQp) {
        Bth.put(segment, at, IbOpcode.CNP, Bth.BECN, 0, pKey, destQp, 0);
        // [IBTA-A17-3] 16 reserved bytes
        Bytes.putU64(segment, at + Bth.LENGTH, 0);
        Bytes.putU64(segment, at + Bth.LENGTH + Long.BYTES, 0);
        return Bth.LENGTH + IbOpcode.CNP_RESERVED_LENGTH;
    }
}
