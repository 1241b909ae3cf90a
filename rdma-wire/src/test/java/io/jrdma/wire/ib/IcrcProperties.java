package io.jrdma.wire.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.Satisfies;
import io.jrdma.testing.WireArbitraries;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** The ICRC against the plainest way to compute it, for any addresses, lengths and contents. */
@Satisfies("IBTA-A17-4")
class IcrcProperties {
    private final Icrc icrc = new Icrc();

    @Property
    void sealedPacketIsRight(@ForAll("datagrams") Datagram datagram, @ForAll("u8") int rubbish) {
        byte[] packet = datagram.packet();
        MemorySegment segment = datagram.segment();
        int expected = ReferenceIcrc.of(datagram.ip(rubbish));
        assertThat(icrc.compute(datagram.path(), segment, 0, packet.length, datagram.identification()))
                .isEqualTo(expected);
        icrc.seal(datagram.path(), segment, 0, packet.length, datagram.identification());
        assertThat(RoceV2Packet.icrc(segment, 0, packet.length)).isEqualTo(expected);
        assertThat(icrc.verify(datagram.path(), segment, 0, packet.length))
                .isEqualTo(datagram.ipv4() ? datagram.identification() : 0);
    }

    @Property
    void attachedBufferGivesTheSame(@ForAll("datagrams") Datagram datagram, @ForAll @IntRange(max = 67) int at) {
        byte[] packet = datagram.packet();
        int expected = ReferenceIcrc.of(datagram.ip(0));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(at + packet.length);
            MemorySegment.copy(packet, 0, buffer, ValueLayout.JAVA_BYTE, at, packet.length);
            Icrc attached = new Icrc();
            attached.attach(buffer);
            assertThat(attached.compute(datagram.path(), buffer, at, packet.length, datagram.identification()))
                    .isEqualTo(expected);
            // a slice is not the attached segment, and is right all the same
            assertThat(attached.compute(
                            datagram.path(), buffer.asSlice(at), 0, packet.length, datagram.identification()))
                    .isEqualTo(expected);
        }
    }

    @Property
    void tablesMultiplyAsTheRingDoes(@ForAll("u32") int factor, @ForAll("u32") int value) {
        int product = Crc32Ring.multiply(factor, value);
        assertThat(Crc32Ring.multiply(value, factor)).isEqualTo(product);
        assertThat(Crc32Ring.multiply(Crc32Ring.table(factor, 8), value)).isEqualTo(product);
        assertThat(Crc32Ring.multiply16(Crc32Ring.table(factor, 4), value & 0xFFFF))
                .isEqualTo(Crc32Ring.multiply(value & 0xFFFF, factor));
        assertThat(Crc32Ring.multiply(Crc32Ring.ONE, value)).isEqualTo(value);
        assertThat(Crc32Ring.multiply(Crc32Ring.multiply(Crc32Ring.BYTE, value), Crc32Ring.BYTE_BACK))
                .isEqualTo(value);
    }

    @Provide
    Arbitrary<Datagram> datagrams() {
        Arbitrary<Integer> lengths = Arbitraries.integers()
                .between(4, RoceV2Packet.MAX_LENGTH / 4)
                .edgeCases(c -> c.add(4, 5, 6, 7, 70, 260, 264, RoceV2Packet.MAX_LENGTH / 4))
                .map(words -> words * 4);
        Arbitrary<Integer> addressBytes = Arbitraries.of(4, 16);
        return Combinators.combine(addressBytes, lengths, WireArbitraries.u16(), WireArbitraries.u16())
                .flatAs((address, length, port, identification) -> Combinators.combine(
                                WireArbitraries.bytesOf(address),
                                WireArbitraries.bytesOf(address),
                                WireArbitraries.bytesOf(length))
                        .as((source, destination, packet) -> new Datagram(
                                source,
                                port,
                                destination,
                                4791,
                                address == 4 ? identification : 0,
                                Grh.DONT_FRAGMENT,
                                packet)));
    }

    @Provide
    Arbitrary<Integer> u8() {
        return WireArbitraries.u8();
    }

    @Provide
    Arbitrary<Integer> u16() {
        return WireArbitraries.u16();
    }

    @Provide
    Arbitrary<Integer> u32() {
        return WireArbitraries.u32();
    }
}
