package io.jrdma.wire.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.Satisfies;
import io.jrdma.testing.WireArbitraries;
import io.jrdma.wire.Written;
import java.lang.foreign.MemorySegment;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** What is written is read back, for every header. */
@Satisfies("IBTA-9.3-1")
class IbHeaderProperties {
    @Property
    void bth(
            @ForAll("u8") int opcode,
            @ForAll @IntRange(max = 31) int flagBits,
            @ForAll @IntRange(max = 3) int padBytes,
            @ForAll("u16") int pKey,
            @ForAll("u24") int destQp,
            @ForAll("u24") int psn) {
        int flags = 0;
        int[] all = {Bth.SOLICITED, Bth.MIGRATION, Bth.ACK_REQUEST, Bth.FECN, Bth.BECN};
        for (int i = 0; i < all.length; i++) {
            flags |= (flagBits >> i & 1) * all[i];
        }
        int chosen = flags;
        MemorySegment header = Written.by(12, (s, at) -> Bth.put(s, at, opcode, chosen, padBytes, pKey, destQp, psn));
        assertThat(Bth.view(header, 0)).isEqualTo(new Bth.View(opcode, chosen, padBytes, 0, pKey, destQp, psn));
        assertThat(Bth.isSolicited(header, 0)).isEqualTo((flagBits & 1) != 0);
        assertThat(Bth.isMigration(header, 0)).isEqualTo((flagBits & 2) != 0);
        assertThat(Bth.isAckRequest(header, 0)).isEqualTo((flagBits & 4) != 0);
        assertThat(Bth.isFecn(header, 0)).isEqualTo((flagBits & 8) != 0);
        assertThat(Bth.isBecn(header, 0)).isEqualTo((flagBits & 16) != 0);
    }

    @Property
    void reth(@ForAll("u64") long virtualAddress, @ForAll("u32") int rkey, @ForAll("u32AsLong") long dmaLength) {
        MemorySegment header = Written.by(16, (s, at) -> Reth.put(s, at, virtualAddress, rkey, dmaLength));
        assertThat(Reth.view(header, 0)).isEqualTo(new Reth.View(virtualAddress, rkey, dmaLength));
    }

    @Property
    void aeth(@ForAll("u8") int syndrome, @ForAll("u24") int msn) {
        MemorySegment header = Written.by(4, (s, at) -> Aeth.put(s, at, syndrome, msn));
        assertThat(Aeth.view(header, 0)).isEqualTo(new Aeth.View(syndrome, msn));
    }

    @Property
    void atomicEth(
            @ForAll("u64") long virtualAddress,
            @ForAll("u32") int rkey,
            @ForAll("u64") long swapOrAdd,
            @ForAll("u64") long compare) {
        MemorySegment header =
                Written.by(28, (s, at) -> AtomicEth.put(s, at, virtualAddress, rkey, swapOrAdd, compare));
        assertThat(AtomicEth.view(header, 0)).isEqualTo(new AtomicEth.View(virtualAddress, rkey, swapOrAdd, compare));
    }

    @Property
    void singleFields(@ForAll("u64") long value, @ForAll("u32") int word, @ForAll("u24") int number) {
        MemorySegment original = Written.by(8, (s, at) -> AtomicAckEth.put(s, at, value));
        assertThat(AtomicAckEth.originalValue(original, 0)).isEqualTo(value);
        MemorySegment immediate = Written.by(4, (s, at) -> ImmDt.put(s, at, word));
        assertThat(ImmDt.immediate(immediate, 0)).isEqualTo(word);
        MemorySegment invalidate = Written.by(4, (s, at) -> Ieth.put(s, at, word));
        assertThat(Ieth.rkey(invalidate, 0)).isEqualTo(word);
        MemorySegment srq = Written.by(4, (s, at) -> Xrceth.put(s, at, number));
        assertThat(Xrceth.srqNumber(srq, 0)).isEqualTo(number);
        assertThat(Rdeth.eeContext(srq, 0)).isEqualTo(number);
    }

    @Property
    void deth(@ForAll("u32") int qKey, @ForAll("u24") int sourceQp) {
        MemorySegment header = Written.by(8, (s, at) -> Deth.put(s, at, qKey, sourceQp));
        assertThat(Deth.view(header, 0)).isEqualTo(new Deth.View(qKey, sourceQp));
    }

    @Satisfies("IBTA-A19-1")
    @Property
    void feth(@ForAll("nibble") int placementType, @ForAll @IntRange(max = 3) int selectivity) {
        MemorySegment header = Written.by(4, (s, at) -> Feth.put(s, at, placementType, selectivity));
        assertThat(Feth.placementType(header, 0)).isEqualTo(placementType);
        assertThat(Feth.selectivity(header, 0)).isEqualTo(selectivity);
    }

    @Satisfies("IBTA-8.3-1")
    @Property
    void grhOfIpv6(
            @ForAll("u8") int byteField,
            @ForAll @IntRange(max = 0xF_FFFF) int flowLabel,
            @ForAll("u16") int length,
            @ForAll("u64") long high,
            @ForAll("u64") long low) {
        MemorySegment header = Written.by(
                40,
                (s, at) -> Grh.put(
                        s, at, byteField, flowLabel, length, 255 - byteField, byteField, high, low, ~low, ~high));
        assertThat(Grh.trafficClass(header, 0)).isEqualTo(byteField);
        assertThat(Grh.flowLabel(header, 0)).isEqualTo(flowLabel);
        assertThat(Grh.payloadLength(header, 0)).isEqualTo(length);
        assertThat(Grh.nextHeader(header, 0)).isEqualTo(255 - byteField);
        assertThat(Grh.hopLimit(header, 0)).isEqualTo(byteField);
        assertThat(Grh.sourceHigh(header, 0)).isEqualTo(high);
        assertThat(Grh.sourceLow(header, 0)).isEqualTo(low);
        assertThat(Grh.destinationHigh(header, 0)).isEqualTo(~low);
        assertThat(Grh.destinationLow(header, 0)).isEqualTo(~high);
    }

    @Satisfies("IBTA-A17-2")
    @Property
    void grhOfIpv4(
            @ForAll("u8") int byteField,
            @ForAll("u16") int length,
            @ForAll("u16") int identification,
            @ForAll("u32") int source,
            @ForAll("u32") int destination) {
        MemorySegment header = Written.by(
                40,
                (s, at) -> Grh.putIpv4(
                        s, at, byteField, length, identification, 255 - byteField, 17, source, destination));
        assertThat(Grh.ipVersion(header, 0)).isEqualTo(4);
        assertThat(Grh.ipv4Source(header, 0)).isEqualTo(source);
        assertThat(Grh.ipv4Destination(header, 0)).isEqualTo(destination);
    }

    @Provide
    Arbitrary<Integer> nibble() {
        return WireArbitraries.nibbles();
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
    Arbitrary<Long> u64() {
        return WireArbitraries.u64();
    }
}
