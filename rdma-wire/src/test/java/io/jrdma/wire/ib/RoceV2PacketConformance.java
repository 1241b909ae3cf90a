package io.jrdma.wire.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.HexVectors;
import io.jrdma.testing.Satisfies;
import io.jrdma.wire.Bytes;
import io.jrdma.wire.Written;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Packets as bytes: what the check accepts and refuses, and what the writers write. */
class RoceV2PacketConformance {
    private static final String ACK = "11 00 ffff 00 000022 00 123456 1f 000001 88dffe6f";

    @Satisfies({"IBTA-9.2-1", "IBTA-9.2-6"})
    @Test
    void baseTransportHeaderHasItsPlaces() {
        int flags = Bth.SOLICITED | Bth.ACK_REQUEST;
        assertHex(12, (s, at) -> Bth.put(s, at, 0x04, flags, 3, 0x7FFF, 0x11, 0x123456), "04b07fff 00000011 80123456");
        assertHex(
                12,
                (s, at) -> Bth.put(s, at, 0x24, Bth.MIGRATION, 2, 0xFFFF, 0xD3, 0xCF1710),
                "2460ffff 000000d3 00cf1710");
        assertHex(12, (s, at) -> Bth.put(s, at, 0, Bth.FECN, 0, 0, 1, 2), "00000000 80000001 00000002");
        assertHex(12, (s, at) -> Bth.put(s, at, 0, Bth.BECN, 0, 0, 1, 2), "00000000 40000001 00000002");
    }

    @Satisfies({"IBTA-9.3-1", "IBTA-A19-1", "IBTA-A14-1"})
    @Test
    void extendedHeadersHaveTheirPlaces() {
        assertHex(
                16,
                (s, at) -> Reth.put(s, at, 0x0102030405060708L, 0x090A0B0C, 0x0D0E0F10L),
                HexFormat.of().formatHex(HexVectors.bytes("0102030405060708 090a0b0c 0d0e0f10")));
        assertHex(4, (s, at) -> Aeth.put(s, at, 0x62, 0x010203), "62010203");
        assertHex(
                28,
                (s, at) -> AtomicEth.put(s, at, 1, 2, 3, 4),
                "0000000000000001 00000002 0000000000000003 0000000000000004");
        assertHex(8, (s, at) -> AtomicAckEth.put(s, at, 0x0102030405060708L), "0102030405060708");
        assertHex(8, (s, at) -> Deth.put(s, at, Deth.Q_KEY_GSI, 1), "80010000 00000001");
        assertHex(4, (s, at) -> Xrceth.put(s, at, 0x010203), "00010203");
        assertHex(
                4,
                (s, at) -> Feth.put(s, at, Feth.GLOBAL_VISIBILITY | Feth.PERSISTENCE, Feth.MEMORY_REGION),
                "00000013");
    }

    @Satisfies({"IBTA-9.3-1", "IBTA-A14-1", "IBTA-A17-3", "IBTA-A19-1"})
    @Test
    void writersWriteWholeHeads() {
        int p = Bth.DEFAULT_P_KEY;
        assertHex(12, (s, at) -> RoceV2Head.put(s, at, 0x01, 0, 0, p, 7, 9), "0100ffff 00000007 00000009");
        assertHex(
                16,
                (s, at) -> RoceV2Head.putWithWord(s, at, 0x05, 0, 1, p, 7, 9, 0x01020304),
                "0510ffff 00000007 00000009 01020304");
        assertHex(
                16,
                (s, at) -> RoceV2Head.putWithWord(s, at, 0x17, Bth.ACK_REQUEST, 0, p, 7, 9, 0x01020304),
                "1700ffff 00000007 80000009 01020304");
        assertHex(
                28,
                (s, at) -> RoceV2Head.putReth(s, at, 0x06, 0, 0, p, 7, 9, 1, 2, 3),
                "0600ffff 00000007 00000009 0000000000000001 00000002 00000003");
        assertHex(
                32,
                (s, at) -> RoceV2Head.putRethImmDt(s, at, 0x0B, 0, 0, p, 7, 9, 1, 2, 3, 4),
                "0b00ffff 00000007 00000009 0000000000000001 00000002 00000003 00000004");
        assertHex(
                32,
                (s, at) -> {
                    Bth.put(s, at, 0x1C, 0, 0, p, 7, 9);
                    Feth.put(s, at + IbOpcode.fethAt(0x1C), Feth.PERSISTENCE, Feth.RANGE);
                    Reth.put(s, at + IbOpcode.rethAt(0x1C), 1, 2, 3);
                },
                "1c00ffff 00000007 00000009 00000002 0000000000000001 00000002 00000003");
        assertHex(
                40,
                (s, at) -> RoceV2Head.putAtomic(s, at, 0x13, 0, p, 7, 9, 1, 2, 3, 4),
                "1300ffff 00000007 00000009 0000000000000001 00000002 0000000000000003 0000000000000004");
        assertHex(
                16,
                (s, at) -> RoceV2Head.putAeth(s, at, 0x11, 0, 0, p, 7, 9, AethSyndrome.ACK, 5),
                "1100ffff 00000007 00000009 1f000005");
        assertHex(
                24,
                (s, at) -> RoceV2Head.putAtomicAck(s, at, 0x12, 0, p, 7, 9, AethSyndrome.ACK, 5, 6),
                "1200ffff 00000007 00000009 1f000005 0000000000000006");
        assertHex(
                20,
                (s, at) -> RoceV2Head.putDatagram(s, at, 0, 0, p, 1, 9, Deth.Q_KEY_GSI, 1),
                "6400ffff 00000001 00000009 80010000 00000001");
        assertHex(
                24,
                (s, at) -> RoceV2Head.putDatagramImmDt(s, at, 0, 0, p, 7, 9, 1, 2, 3),
                "6500ffff 00000007 00000009 00000001 00000002 00000003");
        assertHex(28, (s, at) -> RoceV2Head.putCnp(s, at, p, 0x118), "8100ffff 40000118 00000000" + "00".repeat(16));
        // the XRCETH is written by itself
        assertHex(
                32,
                (s, at) -> {
                    int length = RoceV2Head.putReth(s, at, 0xAA, 0, 0, p, 7, 9, 1, 2, 3);
                    Xrceth.put(s, at + IbOpcode.xrcethAt(0xAA), 0x31);
                    assertThat(length).isEqualTo(32);
                },
                "aa00ffff 00000007 00000009 00000031 0000000000000001 00000002 00000003");
    }

    @Satisfies("IBTA-9.2-1")
    @Test
    void everyCutPacketIsRefused() {
        byte[] whole = HexVectors.bytes(ACK);
        assertThat(check(whole, whole.length)).isEqualTo(IbMalformed.OK);
        for (int length = -1; length < 16; length++) {
            assertThat(check(whole, length)).isEqualTo(IbMalformed.PACKET_TOO_SHORT);
        }
        assertThat(check(whole, 16)).isEqualTo(IbMalformed.HEADERS_CUT);
    }

    @Satisfies({"IBTA-9.2-3", "IBTA-9.4-1"})
    @Test
    void everyOpcodeNeedsItsHeadersPadAndIcrc() {
        for (int opcode = 0; opcode < 256; opcode++) {
            if (IbOpcode.isKnown(opcode)) {
                byte[] packet = new byte[64];
                packet[0] = (byte) opcode;
                int least = IbOpcode.headerBytes(opcode) + 4;
                assertThat(check(packet, least)).as(IbOpcode.name(opcode)).isEqualTo(IbMalformed.OK);
                assertThat(RoceV2Packet.payloadBytes(MemorySegment.ofArray(packet), 0, least))
                        .isZero();
                if (least > RoceV2Packet.MIN_LENGTH) {
                    assertThat(check(packet, least - 4)).isEqualTo(IbMalformed.HEADERS_CUT);
                }
                packet[1] = 0x10;
                assertThat(check(packet, least)).isEqualTo(IbMalformed.HEADERS_CUT);
                assertThat(check(packet, least + 4)).isEqualTo(IbMalformed.OK);
            }
        }
    }

    @Satisfies("IBTA-9.2-2")
    @Test
    void reservedOpcodesAreRefused() {
        byte[] packet = HexVectors.bytes(ACK);
        for (int opcode = 0; opcode < 256; opcode++) {
            packet[0] = (byte) opcode;
            assertThat(check(packet, packet.length) == IbMalformed.OPCODE_UNKNOWN)
                    .isEqualTo(!IbOpcode.isKnown(opcode));
        }
    }

    @Satisfies("IBTA-9.2-4")
    @Test
    void otherVersionsAreRefused() {
        byte[] packet = HexVectors.bytes(ACK);
        for (int version = 1; version < 16; version++) {
            packet[1] = (byte) version;
            assertThat(check(packet, packet.length)).isEqualTo(IbMalformed.TRANSPORT_VERSION);
        }
    }

    @Satisfies("IBTA-9.2-5")
    @Test
    void reservedBitsAreNotLookedAt() {
        byte[] packet = HexVectors.bytes(ACK);
        packet[4] = 0x3F;
        packet[8] = 0x7F;
        MemorySegment segment = MemorySegment.ofArray(packet);
        assertThat(check(packet, packet.length)).isEqualTo(IbMalformed.OK);
        assertThat(Bth.view(segment, 0)).isEqualTo(new Bth.View(0x11, 0, 0, 0, 0xFFFF, 0x22, 0x123456));
    }

    @Satisfies("IBTA-9.4-1")
    @Test
    void padFillsUpToFour() {
        int[] pads = {0, 3, 2, 1, 0, 3};
        for (int payload = 0; payload < pads.length; payload++) {
            int pad = RoceV2Packet.padBytes(payload);
            assertThat(pad).isEqualTo(pads[payload]);
            assertThat(RoceV2Packet.length(IbOpcode.SEND_ONLY, payload)).isEqualTo(12 + payload + pad + 4);
            MemorySegment packet = MemorySegment.ofArray(new byte[12 + payload + pad + 4]);
            packet.fill((byte) 0x55);
            int at = RoceV2Head.put(packet, 0, IbOpcode.SEND_ONLY, 0, pad, 0xFFFF, 7, 9);
            RoceV2Packet.putPad(packet, at + payload, pad);
            int length = (int) packet.byteSize();
            RoceV2Packet.putIcrc(packet, 0, length, 0x01020304);
            assertThat(RoceV2Packet.check(packet, 0, length)).isEqualTo(IbMalformed.OK);
            assertThat(RoceV2Packet.payloadAt(packet, 0)).isEqualTo(12);
            assertThat(RoceV2Packet.payloadBytes(packet, 0, length)).isEqualTo(payload);
            assertThat(RoceV2Packet.icrc(packet, 0, length)).isEqualTo(0x01020304);
            assertThat(Bytes.u32(packet, length - 4)).isEqualTo(0x04030201);
            for (int i = 0; i < pad; i++) {
                assertThat(Bytes.u8(packet, 12 + payload + i)).isZero();
            }
        }
        byte[] odd = new byte[23];
        odd[0] = IbOpcode.SEND_ONLY;
        for (int length = 17; length < 23; length++) {
            assertThat(check(odd, length)).isEqualTo(length == 20 ? IbMalformed.OK : IbMalformed.LENGTH_NOT_PADDED);
        }
    }

    @Satisfies("IBTA-9.4-2")
    @Test
    void longestPacketIsThatOfTheLongestHeaders() {
        byte[] packet = new byte[RoceV2Packet.MAX_LENGTH + 4];
        assertThat(check(packet, RoceV2Packet.MAX_LENGTH)).isEqualTo(IbMalformed.OK);
        assertThat(check(packet, RoceV2Packet.MAX_LENGTH + 4)).isEqualTo(IbMalformed.PACKET_TOO_LONG);
        int longest = 0;
        for (int opcode = 0; opcode < 256; opcode++) {
            longest = Math.max(longest, IbOpcode.headerBytes(opcode));
        }
        assertThat(RoceV2Packet.MAX_HEADER_BYTES).isEqualTo(longest);
    }

    @Satisfies({"IBTA-8.3-1", "IBTA-A17-2"})
    @Test
    void routeHeaderOfIpv4StandsBehindZeros() {
        // the header of a captured congestion notification, but for its ECN bits
        assertHex(
                40,
                (s, at) -> Grh.putIpv4(s, at, 0, 0x3C, 0x718C, 64, 17, 0x0A001101, 0x0A001201),
                "00".repeat(20) + "4500003c718c4000401192230a0011010a001201");
        assertHex(
                40,
                (s, at) -> Grh.put(s, at, 0x12, 0x34567, 288, 17, 64, 0x0102030405060708L, 2, 3, 4),
                "61234567 0120 11 40 0102030405060708 0000000000000002 0000000000000003 0000000000000004");
    }

    @Satisfies("IBTA-A17-2")
    @Test
    void applicationsTellTheTwoRouteHeadersApart() {
        MemorySegment four = Written.by(40, (s, at) -> Grh.putIpv4(s, at, 0, 60, 0, 64, 17, 1, 2));
        assertThat(Grh.ipVersion(four, 0)).isEqualTo(4);
        // rubbish in the first 20 bytes may look like version 6: then the checksum decides
        Bytes.putU8(four, 0, 0x60);
        assertThat(Grh.ipVersion(four, 0)).isEqualTo(4);
        Bytes.putU8(four, 28, 63);
        assertThat(Grh.ipVersion(four, 0)).isEqualTo(6);
        MemorySegment six = Written.by(40, (s, at) -> Grh.put(s, at, 0, 0, 60, 17, 64, 1, 2, 0x45000000L, 4));
        assertThat(Grh.ipVersion(six, 0)).isEqualTo(6);
        assertThat(Grh.ipVersion(MemorySegment.ofArray(new byte[40]), 0)).isEqualTo(Grh.VERSION_NONE);
    }

    private static void assertHex(int length, Written.Put put, String hex) {
        MemorySegment written = Written.by(length, put);
        assertThat(HexFormat.of().formatHex(written.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE)))
                .isEqualTo(hex.replaceAll("\\s", ""));
    }

    private static int check(byte[] bytes, int length) {
        return RoceV2Packet.check(MemorySegment.ofArray(bytes), 0, length);
    }
}
