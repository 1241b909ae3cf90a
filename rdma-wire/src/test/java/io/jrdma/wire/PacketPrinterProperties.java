package io.jrdma.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.WireArbitraries;
import io.jrdma.wire.cm.CmAttribute;
import io.jrdma.wire.cm.CmDecoded;
import io.jrdma.wire.cm.CmMad;
import io.jrdma.wire.cm.MadHeader;
import io.jrdma.wire.ib.Bth;
import io.jrdma.wire.ib.IbMalformed;
import io.jrdma.wire.ib.IbOpcode;
import io.jrdma.wire.ib.Icrc;
import io.jrdma.wire.ib.IcrcPath;
import io.jrdma.wire.ib.RoceV2Packet;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

class PacketPrinterProperties {
    private static final IcrcPath PATH =
            IcrcPath.of(new byte[] {10, 0, 0, 1}, 0xC000, new byte[] {10, 0, 0, 2}, RoceV2Packet.UDP_PORT);

    @Property
    void anyBytesGiveOneLine(
            @ForAll("garbage") byte[] bytes,
            @ForAll @IntRange(max = 40) int at,
            @ForAll @IntRange(min = -1, max = 200) int length) {
        MemorySegment segment = MemorySegment.ofArray(bytes);
        assertThat(PacketPrinter.mpa(segment, at, length)).isNotEmpty().doesNotContain("\n");
        assertThat(PacketPrinter.startup(segment, at, length)).isNotEmpty().doesNotContain("\n");
        assertThat(PacketPrinter.fpdu(segment, at, length)).isNotEmpty().doesNotContain("\n");
        assertThat(PacketPrinter.segment(segment, at, length)).isNotEmpty().doesNotContain("\n");
        assertThat(PacketPrinter.roce(segment, at, length)).isNotEmpty().doesNotContain("\n");
        assertThat(PacketPrinter.roce(PATH, segment, at, length)).isNotEmpty().doesNotContain("\n");
        assertThat(PacketPrinter.mad(segment, at, length)).isNotEmpty().doesNotContain("\n");
    }

    @Property
    void anyBytesBehindAKeyGiveOneLine(@ForAll("garbage") byte[] tail) {
        byte[] bytes = new byte[16 + tail.length];
        System.arraycopy("MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII), 0, bytes, 0, 16);
        System.arraycopy(tail, 0, bytes, 16, tail.length);
        assertThat(PacketPrinter.mpa(MemorySegment.ofArray(bytes), 0, bytes.length))
                .startsWith("MPA ")
                .doesNotContain("\n");
    }

    @Property(tries = 2000)
    void anyBytesBehindAnOpcodeGiveItsNameAndWhatIsWrong(
            @ForAll @IntRange(max = 255) int opcode, @ForAll("packets") byte[] bytes) {
        bytes[0] = (byte) opcode;
        bytes[1] = (byte) (bytes[1] & 0xF0);
        MemorySegment packet = MemorySegment.ofArray(bytes);
        int malformed = RoceV2Packet.check(packet, 0, bytes.length);
        String line = PacketPrinter.roce(packet, 0, bytes.length);
        assertThat(line).startsWith(IbOpcode.name(opcode) + " qp 0x").doesNotContain("\n");
        assertThat(line).contains(malformed == IbMalformed.OK ? " icrc " : " " + IbMalformed.name(malformed) + " ");
    }

    @Property(tries = 1000)
    void anyManagementDatagramGivesItsNameOrWhatIsWrong(
            @ForAll("mads") byte[] bytes, @ForAll @IntRange(min = 0x0F, max = 0x1B) int attribute, @ForAll boolean cm) {
        MemorySegment mad = MemorySegment.ofArray(bytes);
        if (cm) {
            MadHeader.putCm(mad, 0, Bytes.u64(mad, 8), attribute, Bytes.u32(mad, 20));
        }
        String expected = switch (CmMad.decode(bytes)) {
            case CmMad decoded -> CmAttribute.name(decoded.message().attributeId()) + " tid ";
            case CmDecoded.Refused refused -> "MAD " + refused.reason() + " 256 bytes ";
        };
        assertThat(PacketPrinter.mad(mad, 0, bytes.length)).startsWith(expected).doesNotContain("\n");
    }

    @Property(tries = 1000)
    void oneWrongBitIsAlwaysTold(
            @ForAll("packets") byte[] bytes,
            @ForAll @IntRange(max = 65_535) int identification,
            @ForAll("bits") int bit) {
        bytes[0] = IbOpcode.SEND_ONLY;
        bytes[1] = 0;
        MemorySegment packet = MemorySegment.ofArray(bytes);
        new Icrc().seal(PATH, packet, 0, bytes.length, identification);
        assertThat(PacketPrinter.roce(PATH, packet, 0, bytes.length))
                .contains(" icrc ok" + (identification == 0 ? "" : " id " + identification));
        int wrong = bit % (8 * bytes.length);
        bytes[wrong >>> 3] ^= (byte) (0x80 >>> (wrong & 7));
        // the bits for congestion may change on the way
        boolean mayChange = wrong >>> 3 == 4;
        String line = PacketPrinter.roce(PATH, packet, 0, bytes.length);
        int malformed = RoceV2Packet.check(packet, 0, bytes.length);
        int reason = malformed == IbMalformed.OK ? IbMalformed.ICRC_MISMATCH : malformed;
        assertThat(line).contains(mayChange ? " icrc ok" : " " + IbMalformed.name(reason));
    }

    @Provide
    Arbitrary<byte[]> garbage() {
        return WireArbitraries.bytes(160);
    }

    @Provide
    Arbitrary<byte[]> packets() {
        return WireArbitraries.u8()
                .map(words -> Bth.LENGTH + 4 + 4 * (words % 24))
                .flatMap(WireArbitraries::bytesOf);
    }

    @Provide
    Arbitrary<byte[]> mads() {
        return WireArbitraries.bytesOf(CmMad.LENGTH);
    }

    @Provide
    Arbitrary<Integer> bits() {
        return WireArbitraries.u16();
    }
}
