package io.jrdma.wire.ib;

import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;

/**
 * A whole RoCEv2 packet, the payload of one UDP datagram: its check, and where its parts stand (IBTA volume 1, 9.2 to 9.4; annex A17).
 *
 * <pre>
 *  BTH (12) | extended headers of the opcode | payload | pad (0 to 3) | ICRC (4)
 * </pre>
 *
 * <p>The check looks at what the bytes alone can tell; P_Key, destination, PSN, payload for the path's MTU
 * ({@link IbOpcode#payloadFits}) and ICRC ({@link Icrc}) are not among that. {@code at} is the first byte of the BTH, {@code length} the
 * datagram's payload, ICRC included.
 */
public final class RoceV2Packet {
    /** [IBTA-A17-1] The UDP port that packets are sent to, whatever port they came from. */
    public static final int UDP_PORT = 4791;
    /** Bytes of the ICRC. */
    public static final int ICRC_LENGTH = 4;
    /** Bytes of the shortest packet: BTH and ICRC. */
    public static final int MIN_LENGTH = Bth.LENGTH + ICRC_LENGTH;
    /** Bytes of the longest headers that any opcode has. */
    public static final int MAX_HEADER_BYTES = 52;
    /** Bytes of the longest packet. */
    public static final int MAX_LENGTH = MAX_HEADER_BYTES + PathMtu.MAX_BYTES + ICRC_LENGTH;

    private RoceV2Packet() {}

    /**
     * Checks a packet. After {@link IbMalformed#OK} no accessor of the packet's headers can fail.
     *
     * @param length bytes of the datagram's payload, all inside {@code segment}; any number
     * @return {@link IbMalformed#OK} or the first thing that is wrong, in the order length, transport version, opcode, headers
     */
    public static int check(MemorySegment segment, long at, int length) {
        // [IBTA-9.2-1] a BTH begins every packet
        if (length < MIN_LENGTH) {
            return IbMalformed.PACKET_TOO_SHORT;
        }
        // [IBTA-9.4-2] payload is never more than the largest MTU
        if (length > MAX_LENGTH) {
            return IbMalformed.PACKET_TOO_LONG;
        }
        // [IBTA-9.4-1] pad fills up to a multiple of four
        if ((length & 3) != 0) {
            return IbMalformed.LENGTH_NOT_PADDED;
        }
        // [IBTA-9.2-4] the only transport version is 0
        if (Bth.version(segment, at) != Bth.VERSION) {
            return IbMalformed.TRANSPORT_VERSION;
        }
        int opcode = Bth.opcode(segment, at);
        // [IBTA-9.2-2] reserved opcodes are dropped
        if (!IbOpcode.isKnown(opcode)) {
            return IbMalformed.OPCODE_UNKNOWN;
        }
        // [IBTA-9.2-3] the opcode decides which headers there are
        if (length < IbOpcode.headerBytes(opcode) + Bth.padBytes(segment, at) + ICRC_LENGTH) {
            return IbMalformed.HEADERS_CUT;
        }
        return IbMalformed.OK;
    }

    /** Where the payload of a checked packet starts, counted from {@code at}: 12..52. */
    public static int payloadAt(MemorySegment segment, long at) {
        return IbOpcode.headerBytes(Bth.opcode(segment, at));
    }

    /** Bytes of payload in a checked packet, pad not counted. */
    public static int payloadBytes(MemorySegment segment, long at, int length) {
        return length - payloadAt(segment, at) - Bth.padBytes(segment, at) - ICRC_LENGTH;
    }

    /** The ICRC field, its first byte the least significant. */
    public static int icrc(MemorySegment segment, long at, int length) {
        return Bytes.u32LittleEndian(segment, at + length - ICRC_LENGTH);
    }

    /** Writes the ICRC field. */
    public static void putIcrc(MemorySegment segment, long at, int length, int icrc) {
        Bytes.putU32LittleEndian(segment, at + length - ICRC_LENGTH, icrc);
    }

    /** Bytes of pad that so many bytes of payload need, 0..3. */
    public static int padBytes(int payloadBytes) {
        return -payloadBytes & 3;
    }

    /** The length of a packet with so much payload: headers, payload, pad and ICRC. */
    public static int length(int opcode, int payloadBytes) {
        return IbOpcode.headerBytes(opcode) + payloadBytes + padBytes(payloadBytes) + ICRC_LENGTH;
    }

    /** Writes the pad behind the payload as zero; {@code padAt} is the byte behind the payload. */
    public static void putPad(MemorySegment segment, long padAt, int padBytes) {
        for (int i = 0; i < padBytes; i++) {
            Bytes.putU8(segment, padAt + i, 0);
        }
    }
}
