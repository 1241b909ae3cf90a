package io.jrdma.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.testing.HexVectors;
import io.jrdma.testing.WireArbitraries;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class BytesProperties {
    @Example
    void readsBigEndianAtAnyOffset() {
        MemorySegment bytes = MemorySegment.ofArray(HexVectors.bytes("ff 80 02 03 04 05 06 07 88"));

        assertThat(Bytes.u8(bytes, 1)).isEqualTo(0x80);
        assertThat(Bytes.u16(bytes, 1)).isEqualTo(0x8002);
        assertThat(Bytes.u24(bytes, 1)).isEqualTo(0x80_0203);
        assertThat(Bytes.u32(bytes, 1)).isEqualTo(0x8002_0304);
        assertThat(Bytes.u32AsLong(bytes, 1)).isEqualTo(0x8002_0304L);
        assertThat(Bytes.u48(bytes, 1)).isEqualTo(0x8002_0304_0506L);
        assertThat(Bytes.u64(bytes, 1)).isEqualTo(0x8002_0304_0506_0788L);
        assertThat(Bytes.u32LittleEndian(bytes, 1)).isEqualTo(0x0403_0280);
    }

    @Example
    void worksOnNativeMemory() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(16);
            Bytes.putU64(bytes, 3, 0x0102_0304_0506_0708L);
            assertThat(Bytes.u8(bytes, 3)).isEqualTo(1);
            assertThat(Bytes.u64(bytes, 3)).isEqualTo(0x0102_0304_0506_0708L);
        }
    }

    @Property
    void eightBits(@ForAll("u8") int value) {
        assertThat(Bytes.u8(Written.by(1, (s, at) -> Bytes.putU8(s, at, value)), 0))
                .isEqualTo(value);
    }

    @Property
    void sixteenBits(@ForAll("u16") int value) {
        assertThat(Bytes.u16(Written.by(2, (s, at) -> Bytes.putU16(s, at, value)), 0))
                .isEqualTo(value);
    }

    @Property
    void twentyFourBits(@ForAll("u24") int value) {
        assertThat(Bytes.u24(Written.by(3, (s, at) -> Bytes.putU24(s, at, value)), 0))
                .isEqualTo(value);
    }

    @Property
    void thirtyTwoBits(@ForAll("u32") int value) {
        assertThat(Bytes.u32(Written.by(4, (s, at) -> Bytes.putU32(s, at, value)), 0))
                .isEqualTo(value);
        assertThat(Bytes.u32LittleEndian(Written.by(4, (s, at) -> Bytes.putU32LittleEndian(s, at, value)), 0))
                .isEqualTo(value);
    }

    @Property
    void thirtyTwoBitsUnsigned(@ForAll("u32AsLong") long value) {
        assertThat(Bytes.u32AsLong(Written.by(4, (s, at) -> Bytes.putU32(s, at, value)), 0))
                .isEqualTo(value);
    }

    @Property
    void fortyEightBits(@ForAll("u48") long value) {
        assertThat(Bytes.u48(Written.by(6, (s, at) -> Bytes.putU48(s, at, value)), 0))
                .isEqualTo(value);
    }

    @Property
    void sixtyFourBits(@ForAll("u64") long value) {
        assertThat(Bytes.u64(Written.by(8, (s, at) -> Bytes.putU64(s, at, value)), 0))
                .isEqualTo(value);
    }

    @Example
    void valuesThatDoNotFitAreRefused() {
        MemorySegment bytes = MemorySegment.ofArray(new byte[8]);
        assertThatThrownBy(() -> Bytes.putU8(bytes, 0, 0x100)).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> Bytes.putU16(bytes, 0, -1)).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> Bytes.putU24(bytes, 0, 0x100_0000)).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> Bytes.putU32(bytes, 0, -1L)).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> Bytes.putU48(bytes, 0, 1L << 48)).isInstanceOf(AssertionError.class);
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
    Arbitrary<Integer> u24() {
        return WireArbitraries.u24();
    }

    @Provide
    Arbitrary<Integer> u32() {
        return WireArbitraries.u32();
    }

    @Provide
    Arbitrary<Long> u32AsLong() {
        return WireArbitraries.u32AsLong();
    }

    @Provide
    Arbitrary<Long> u48() {
        return WireArbitraries.u48();
    }

    @Provide
    Arbitrary<Long> u64() {
        return WireArbitraries.u64();
    }
}
