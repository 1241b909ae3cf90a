package io.jrdma.wire.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.WireArbitraries;
import io.jrdma.wire.Bytes;
import java.lang.foreign.MemorySegment;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.statistics.Statistics;
import net.jqwik.api.statistics.StatisticsReport;

/** Any bytes whatsoever are judged, and what is judged good can be read. */
class RoceV2PacketProperties {
    @Property
    void garbage(@ForAll("garbage") byte[] bytes) {
        judge(bytes);
    }

    @Property(tries = 3000)
    @StatisticsReport(StatisticsReport.StatisticsReportMode.OFF)
    void opcodesAndGarbage(
            @ForAll("u8") int opcode, @ForAll @IntRange(max = 0xF) int high, @ForAll("garbage") byte[] bytes) {
        if (bytes.length > 1) {
            bytes[0] = (byte) opcode;
            bytes[1] = (byte) (high << 4);
        }
        Statistics.collect(judge(bytes) == IbMalformed.OK);
        Statistics.coverage(coverage -> {
            coverage.check(true).percentage(p -> p > 5);
            coverage.check(false).percentage(p -> p > 20);
        });
    }

    /** The check's verdict, after reading everything if it is good. */
    private static int judge(byte[] bytes) {
        // an exact heap segment: one byte too far throws
        MemorySegment segment = MemorySegment.ofArray(bytes);
        int malformed = RoceV2Packet.check(segment, 0, bytes.length);
        assertThat(malformed).isBetween(0, IbMalformed.COUNT - 1);
        if (malformed != IbMalformed.OK) {
            return malformed;
        }
        int opcode = Bth.view(segment, 0).opcode();
        int payloadAt = RoceV2Packet.payloadAt(segment, 0);
        int payloadBytes = RoceV2Packet.payloadBytes(segment, 0, bytes.length);
        assertThat(payloadBytes).isNotNegative();
        assertThat(payloadAt + payloadBytes + Bth.padBytes(segment, 0) + 4).isEqualTo(bytes.length);
        assertThat(RoceV2Packet.icrc(segment, 0, bytes.length))
                .isEqualTo(Integer.reverseBytes(Bytes.u32(segment, bytes.length - 4)));
        int headers = Bth.LENGTH + (IbOpcode.transport(opcode) == IbOpcode.RD ? Rdeth.LENGTH : 0);
        headers += opcode == IbOpcode.CNP ? IbOpcode.CNP_RESERVED_LENGTH : 0;
        if (IbOpcode.dethAt(opcode) != 0) {
            assertThat(Deth.view(segment, IbOpcode.dethAt(opcode))).isNotNull();
            headers += Deth.LENGTH;
        }
        if (IbOpcode.xrcethAt(opcode) != 0) {
            assertThat(Xrceth.srqNumber(segment, IbOpcode.xrcethAt(opcode))).isNotNegative();
            headers += Xrceth.LENGTH;
        }
        if (IbOpcode.fethAt(opcode) != 0) {
            assertThat(Feth.placementType(segment, IbOpcode.fethAt(opcode))).isNotNegative();
            headers += Feth.LENGTH;
        }
        if (IbOpcode.hasReth(opcode)) {
            assertThat(Reth.view(segment, IbOpcode.rethAt(opcode))).isNotNull();
            headers += Reth.LENGTH;
        }
        if (IbOpcode.hasAeth(opcode)) {
            assertThat(Aeth.view(segment, IbOpcode.aethAt(opcode))).isNotNull();
            headers += Aeth.LENGTH;
        }
        if (IbOpcode.isAtomic(opcode)) {
            assertThat(AtomicEth.view(segment, IbOpcode.atomicEthAt(opcode))).isNotNull();
            headers += AtomicEth.LENGTH;
        }
        if (IbOpcode.atomicAckEthAt(opcode) != 0) {
            AtomicAckEth.originalValue(segment, IbOpcode.atomicAckEthAt(opcode));
            headers += AtomicAckEth.LENGTH;
        }
        if (IbOpcode.hasImmDt(opcode)) {
            ImmDt.immediate(segment, IbOpcode.immDtAt(opcode));
            headers += ImmDt.LENGTH;
        }
        if (IbOpcode.hasIeth(opcode)) {
            Ieth.rkey(segment, IbOpcode.iethAt(opcode));
            headers += Ieth.LENGTH;
        }
        assertThat(headers).as("headers add up").isEqualTo(payloadAt);
        return malformed;
    }

    @Provide
    Arbitrary<byte[]> garbage() {
        Arbitrary<Integer> lengths = Arbitraries.oneOf(
                Arbitraries.integers().between(0, 80),
                Arbitraries.integers().between(0, 20).map(n -> n * 4));
        return lengths.flatMap(WireArbitraries::bytesOf);
    }

    @Provide
    Arbitrary<Integer> u8() {
        return WireArbitraries.u8();
    }
}
