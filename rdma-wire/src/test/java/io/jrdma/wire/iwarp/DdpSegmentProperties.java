package io.jrdma.wire.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.WireArbitraries;
import io.jrdma.wire.Malformed;
import io.jrdma.wire.PacketPrinter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.statistics.Statistics;
import net.jqwik.api.statistics.StatisticsReport;

/** Any bytes whatsoever are judged, and what is judged good can be read. */
class DdpSegmentProperties {
    @Property
    void garbage(@ForAll("garbage") byte[] bytes) {
        judge(bytes);
    }

    @Property
    void twoBytesAndGarbage(@ForAll("u8") int first, @ForAll("u8") int second, @ForAll("garbage") byte[] rest) {
        byte[] bytes = new byte[2 + rest.length];
        bytes[0] = (byte) first;
        bytes[1] = (byte) second;
        System.arraycopy(rest, 0, bytes, 2, rest.length);
        judge(bytes);
    }

    @Property(tries = 2000)
    @StatisticsReport(StatisticsReport.StatisticsReportMode.OFF)
    void goodSegmentsWithAFewWrongBytes(
            @ForAll("nearlyGood") byte[] bytes, @ForAll @IntRange(max = 80) int at, @ForAll("u8") int value) {
        if (at < bytes.length) {
            bytes[at] = (byte) value;
        }
        Statistics.collect(judge(bytes) == Malformed.OK);
        Statistics.coverage(coverage -> {
            coverage.check(true).percentage(p -> p > 20);
            coverage.check(false).percentage(p -> p > 20);
        });
    }

    /** The check's verdict, after reading everything if it is good. */
    private static int judge(byte[] bytes) {
        // an exact heap segment: one byte too far throws
        MemorySegment segment = MemorySegment.ofArray(bytes);
        int malformed = DdpSegment.check(segment, 0, bytes.length);
        assertThat(malformed).isBetween(0, Malformed.COUNT - 1);
        assertThat(PacketPrinter.segment(segment, 0, bytes.length)).isNotEmpty();
        if (malformed != Malformed.OK) {
            assertThat(TerminateCode.isKnown(TerminateCode.forMalformed(malformed)))
                    .isTrue();
            assertThat(PacketPrinter.segment(segment, 0, bytes.length)).startsWith(Malformed.name(malformed));
            return malformed;
        }
        int opcode = DdpSegment.opcode(segment, 0);
        assertThat(RdmapOpcode.isKnown(opcode)).isTrue();
        assertThat(DdpHeader.isTagged(segment, 0)).isEqualTo(RdmapOpcode.isTagged(opcode));
        assertThat(DdpHeader.view(segment, 0).version()).isEqualTo(DdpHeader.VERSION);
        assertThat(RdmapHeader.view(segment, 0)).isEqualTo(new RdmapHeader.View(RdmapHeader.VERSION, opcode));
        int body = DdpSegment.bodyAt(segment, 0);
        int bodyBytes = DdpSegment.bodyBytes(segment, 0, bytes.length);
        assertThat(body + bodyBytes).isEqualTo(bytes.length);
        assertThat(DdpSegment.payloadBytes(segment, 0, bytes.length))
                .isEqualTo(RdmapOpcode.mayBeSegmented(opcode) ? bodyBytes : 0);
        switch (opcode) {
            case RdmapOpcode.RDMA_READ_REQUEST ->
                assertThat(ReadRequestHeader.view(segment, body).readBytes()).isNotNegative();
            case RdmapOpcode.TERMINATE -> {
                assertThat(TerminateHeader.view(segment, body, bodyBytes, false).code())
                        .isBetween(0, 0xFFFF);
                assertThat(TerminateHeader.view(segment, body, bodyBytes, true).code())
                        .isBetween(0, 0xFFFF);
            }
            case RdmapOpcode.IMMEDIATE, RdmapOpcode.IMMEDIATE_SOLICITED ->
                assertThat(ImmediateData.view(segment, body)).isNotNull();
            case RdmapOpcode.ATOMIC_REQUEST ->
                assertThat(AtomicHeaders.Request.view(segment, body).operation())
                        .isBetween(0, 15);
            case RdmapOpcode.ATOMIC_RESPONSE ->
                assertThat(AtomicHeaders.Response.view(segment, body)).isNotNull();
            default -> assertThat(RdmapOpcode.mayBeSegmented(opcode)).isTrue();
        }
        return malformed;
    }

    @Provide
    Arbitrary<byte[]> garbage() {
        return WireArbitraries.bytes(100);
    }

    @Provide
    Arbitrary<Integer> u8() {
        return WireArbitraries.u8();
    }

    /** A right header of any opcode, cut or with bytes behind it now and then. */
    @Provide
    Arbitrary<byte[]> nearlyGood() {
        return Combinators.combine(
                        Arbitraries.integers().between(0, 11),
                        Arbitraries.of(-1, 0, 0, 0, 0, 1, 40),
                        WireArbitraries.bytesOf(120))
                .as((opcode, excess, content) -> {
                    MemorySegment segment = MemorySegment.ofArray(content);
                    int control = RdmapHeader.control(opcode);
                    if (RdmapOpcode.isTagged(opcode)) {
                        DdpHeader.putTagged(segment, 0, true, control, 1, 2);
                    } else {
                        DdpHeader.putUntagged(segment, 0, true, control, 0, RdmapOpcode.queueNumber(opcode), 1, 0);
                    }
                    return segment.asSlice(0, RdmapOpcode.headerBytes(opcode) + (long) excess)
                            .toArray(ValueLayout.JAVA_BYTE);
                });
    }
}
