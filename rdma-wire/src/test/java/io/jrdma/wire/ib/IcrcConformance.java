package io.jrdma.wire.ib;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.testing.HexVectors;
import io.jrdma.testing.Satisfies;
import io.jrdma.testing.UdpDatagram;
import io.jrdma.wire.Bytes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The ICRC against published packets, against what rxe peers sent, and against every error of one bit. */
@Satisfies("IBTA-A17-4")
class IcrcConformance {
    private static final String HELLO = "0430ffff 00000011 80123456 68656c6c6f 000000";

    private final Icrc icrc = new Icrc();

    @ParameterizedTest
    @CsvSource({
        // a SEND_ONLY of five bytes, over IPv4 with three identifications and over IPv6
        "0a000001, 49152, 0a000002, 0,     '" + HELLO + "', b222dce0",
        "0a000001, 49152, 0a000002, 1,     '" + HELLO + "', 49d4cfa7",
        "0a000001, 49152, 0a000002, 4660,  '" + HELLO + "', 238bf899",
        "fd000000000000000000000000000001, 49152, fd000000000000000000000000000002, 0, '" + HELLO + "', ceaa225b",
        // an ACK
        "0a000002, 49152, 0a000001, 0,     '1100ffff 00000022 00123456 1f000001', 88dffe6f",
        // published: a UC SEND_ONLY that scapy tests with
        "c0a80007, 49152, c0a80007, 1144,  '2460ffff 000000d3 00cf1710 4630818be28935d90e9a95505401be885e50 0000', 78f353f3",
        // published: a congestion notification that a ConnectX-4 sent
        "0a001101, 0,     0a001201, 29068, '8100ffff 40000118 00000000 00000000000000000000000000000000', 82fd002a",
    })
    void knownPackets(String source, int sourcePort, String destination, int id, String packet, String expected) {
        byte[] bytes = HexVectors.bytes(packet + expected);
        IcrcPath path = IcrcPath.of(HexVectors.bytes(source), sourcePort, HexVectors.bytes(destination), 4791);
        MemorySegment segment = MemorySegment.ofArray(bytes);
        int length = bytes.length;
        assertThat(RoceV2Packet.check(segment, 0, length)).isEqualTo(IbMalformed.OK);
        assertThat(icrc.verify(path, segment, 0, length)).isEqualTo(id);
        Bytes.putU32(segment, length - 4, 0);
        icrc.seal(path, segment, 0, length, id);
        assertThat(segment.mismatch(MemorySegment.ofArray(HexVectors.bytes(packet + expected))))
                .isEqualTo(-1);
    }

    /** The factor that takes the shift of the identification back, by length of the packet, as computed elsewhere. */
    @ParameterizedTest
    @CsvSource({
        "16, D50CBCF7",
        "20, EBD369B3",
        "24, 3C790F42",
        "28, 9D764201",
        "36, E364FE50",
        "48, BB26D682",
        "280, 8D11EA66",
        "284, D7D92155",
        "1040, B871DB31",
        "1056, CCF87F2E",
        "4112, 2D1024AA"
    })
    void factorsOfTheLinearSolution(int length, String factor) {
        int power = Crc32Ring.power(Crc32Ring.BYTE_BACK, length + 20);
        assertThat(power).isEqualTo(Integer.parseUnsignedInt(factor, 16));
        int forth = Crc32Ring.power(Crc32Ring.BYTE, length + 20);
        assertThat(Crc32Ring.multiply(power, forth)).isEqualTo(Crc32Ring.ONE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rxe-rping",
                "rxe-rc-pingpong",
                "rxe-ud-pingpong",
                "rxe-srq-pingpong",
                "rxe-atomic-fetchadd",
                "rxe-read-lat-cm",
                "rxe-ucmatose",
                "rxe-rdma-client",
                "rxe-rstream"
            })
    void everyCapturedPacketIsRightAndShowsItsIdentification(String capture) {
        List<UdpDatagram> packets = RxeCaptureTest.packets(capture);
        assertThat(packets).isNotEmpty();
        for (UdpDatagram captured : packets) {
            Datagram datagram = Datagram.of(captured);
            int length = datagram.packet().length;
            IcrcPath path = datagram.path();
            assertThat(path.isIpv4()).isEqualTo(datagram.ipv4());
            assertThat(datagram.flags()).isEqualTo(datagram.ipv4() ? Grh.DONT_FRAGMENT : 0);
            assertThat(icrc.verify(path, datagram.segment(), 0, length)).isEqualTo(datagram.identification());
            assertThat(icrc.compute(path, datagram.segment(), 0, length, datagram.identification()))
                    .isEqualTo(RoceV2Packet.icrc(datagram.segment(), 0, length));
        }
    }

    /** Packets of every kind and of both IP versions, every bit of each: in addresses and ports as well. */
    @ParameterizedTest
    @CsvSource({"rxe-rping, 24", "rxe-rc-pingpong, 6", "rxe-atomic-fetchadd, 5", "rxe-ud-pingpong, 1"})
    void oneWrongBitIsFoundWhereverItIs(String capture, int frames) {
        List<UdpDatagram> packets = RxeCaptureTest.packets(capture);
        for (int i = 0; i < frames; i++) {
            oneWrongBitIsFound(Datagram.of(packets.get(i * (packets.size() - 1) / frames)));
        }
    }

    private void oneWrongBitIsFound(Datagram good) {
        byte[] packet = good.packet();
        MemorySegment segment = good.segment();
        IcrcPath path = good.path();
        for (int bit = 0; bit < packet.length * 8; bit++) {
            flip(packet, bit);
            boolean masked = bit / 8 == 4;
            int expected = masked ? good.identification() : Icrc.MISMATCH;
            assertThat(icrc.verify(path, segment, 0, packet.length))
                    .as("bit %d", bit)
                    .isEqualTo(expected);
            assertThat(icrc.compute(path, segment, 0, packet.length, good.identification())
                            == RoceV2Packet.icrc(segment, 0, packet.length))
                    .as("bit %d, identification known", bit)
                    .isEqualTo(masked);
            flip(packet, bit);
        }
        for (byte[] address : List.of(good.source(), good.destination())) {
            for (int bit = 0; bit < address.length * 8; bit++) {
                flip(address, bit);
                assertThat(icrc.verify(good.path(), segment, 0, packet.length)).isEqualTo(Icrc.MISMATCH);
                flip(address, bit);
            }
        }
        for (int bit = 0; bit < 16; bit++) {
            IcrcPath source = IcrcPath.of(
                    good.source(), good.sourcePort() ^ 1 << bit, good.destination(), good.destinationPort());
            IcrcPath destination = IcrcPath.of(
                    good.source(), good.sourcePort(), good.destination(), good.destinationPort() ^ 1 << bit);
            assertThat(icrc.verify(source, segment, 0, packet.length)).isEqualTo(Icrc.MISMATCH);
            assertThat(icrc.verify(destination, segment, 0, packet.length)).isEqualTo(Icrc.MISMATCH);
        }
        assertThat(icrc.verify(path, segment, 0, packet.length)).isEqualTo(good.identification());
    }

    private static void flip(byte[] bytes, int bit) {
        bytes[bit / 8] ^= (byte) (1 << bit % 8);
    }

    /** The length is covered twice, and a packet that lost or won four bytes is not taken for one with another identification. */
    @Test
    void cutPacketIsRefused() {
        byte[] packet = HexVectors.bytes(HELLO + "b222dce0");
        IcrcPath path = helloPath();
        MemorySegment longer = MemorySegment.ofArray(new byte[64]);
        MemorySegment.copy(MemorySegment.ofArray(packet), 0, longer, 0, packet.length);
        for (int length = -4; length <= 64; length++) {
            assertThat(icrc.verify(path, longer, 0, length)).isEqualTo(length == 24 ? 0 : Icrc.MISMATCH);
        }
        assertThat(icrc.verify(path, longer, 0, RoceV2Packet.MAX_LENGTH + 4)).isEqualTo(Icrc.MISMATCH);
    }

    @Test
    void everyIdentificationIsFound() {
        byte[] packet = HexVectors.bytes(HELLO + "b222dce0");
        MemorySegment segment = MemorySegment.ofArray(packet);
        IcrcPath path = helloPath();
        int zero = icrc.compute(path, segment, 0, packet.length, 0);
        for (int identification = 0; identification < 0x1_0000; identification++) {
            icrc.seal(path, segment, 0, packet.length, identification);
            assertThat(icrc.verify(path, segment, 0, packet.length)).isEqualTo(identification);
            assertThat(IcrcLength.of(packet.length).ofIdentification(identification))
                    .isEqualTo(zero ^ RoceV2Packet.icrc(segment, 0, packet.length));
        }
    }

    @Test
    void aPacketThatMayBeFragmentedIsRefused() {
        byte[] packet = HexVectors.bytes(HELLO + "00000000");
        MemorySegment segment = MemorySegment.ofArray(packet);
        Datagram fragmentable = new Datagram(address(1), 49_152, address(2), 4791, 0x1234, 0, packet);
        RoceV2Packet.putIcrc(segment, 0, packet.length, ReferenceIcrc.of(fragmentable.ip(0)));
        assertThat(icrc.verify(fragmentable.path(), segment, 0, packet.length)).isEqualTo(Icrc.MISMATCH);
    }

    /** Every packet of a train is right for the identification that the kernel gives it, also where that wraps. */
    @ParameterizedTest
    @CsvSource({"0, 4", "100, 4", "65530, 4", "0, 4112", "65534, 1040"})
    void trainHasConsecutiveIdentifications(int first, int lastBytes) {
        int segmentBytes = 1040;
        int count = 64;
        try (Arena arena = Arena.ofConfined()) {
            int last = Math.min(16 + lastBytes, segmentBytes);
            int total = segmentBytes * (count - 1) + last;
            MemorySegment train = arena.allocate(64 + total);
            for (int i = 0; i < train.byteSize(); i++) {
                Bytes.putU8(train, i, i * 31 & 0xFF);
            }
            icrc.attach(train);
            IcrcPath path = helloPath();
            icrc.seal(path, train, 64, segmentBytes, total, first);
            for (int i = 0; i < count; i++) {
                int length = i == count - 1 ? last : segmentBytes;
                byte[] packet = train.asSlice(64 + (long) i * segmentBytes, length)
                        .toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
                int identification = (first + i) & 0xFFFF;
                Datagram datagram =
                        new Datagram(address(1), 49_152, address(2), 4791, identification, Grh.DONT_FRAGMENT, packet);
                int wire = RoceV2Packet.icrc(train, 64 + (long) i * segmentBytes, length);
                assertThat(wire).isEqualTo(ReferenceIcrc.of(datagram.ip(i)));
                assertThat(icrc.verify(path, train, 64 + (long) i * segmentBytes, length))
                        .isEqualTo(identification);
            }
        }
    }

    @Test
    void ipv6HasNoIdentification() {
        byte[] packet = HexVectors.bytes(HELLO + "ceaa225b");
        MemorySegment segment = MemorySegment.ofArray(packet);
        byte[] source = HexVectors.bytes("fd000000000000000000000000000001");
        byte[] destination = HexVectors.bytes("fd000000000000000000000000000002");
        IcrcPath path = IcrcPath.of(source, 49_152, destination, 4791);
        assertThat(icrc.compute(path, segment, 0, 24, 77)).isEqualTo(icrc.compute(path, segment, 0, 24, 0));
        RoceV2Packet.putIcrc(
                segment,
                0,
                24,
                icrc.compute(path, segment, 0, 24, 0) ^ IcrcLength.of(24).ofIdentification(77));
        assertThat(icrc.verify(path, segment, 0, 24)).isEqualTo(Icrc.MISMATCH);
    }

    @Test
    void pathsNeedTwoAddressesOfOneKind() {
        byte[] six = new byte[16];
        assertThatThrownBy(() -> IcrcPath.of(new byte[4], 1, six, 2)).hasMessageContaining("4 and 16");
        assertThatThrownBy(() -> IcrcPath.of(new byte[5], 1, new byte[5], 2)).hasMessageContaining("5 and 5");
        assertThatThrownBy(() -> IcrcPath.of(six, 65_536, six, 2)).hasMessageContaining("65536");
        assertThatThrownBy(() -> IcrcPath.of(six, 1, six, -1)).hasMessageContaining("-1");
    }

    private static IcrcPath helloPath() {
        return IcrcPath.of(address(1), 49_152, address(2), 4791);
    }

    private static byte[] address(int host) {
        return new byte[] {10, 0, 0, (byte) host};
    }
}
