package io.jrdma.wire.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.WireArbitraries;
import io.jrdma.wire.Bytes;
import io.jrdma.wire.Written;
import java.lang.foreign.MemorySegment;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** What is written is read back, for every header of DDP and RDMAP. */
class HeaderProperties {
    @Property
    void tagged(
            @ForAll boolean last,
            @ForAll("u8") int control,
            @ForAll("u32") int stag,
            @ForAll("u64") long taggedOffset) {
        MemorySegment header = Written.by(14, (s, at) -> DdpHeader.putTagged(s, at, last, control, stag, taggedOffset));
        assertThat(DdpHeader.headerBytes(header, 0)).isEqualTo(14);
        assertThat(DdpHeader.view(header, 0))
                .isEqualTo(new DdpHeader.Tagged(last, DdpHeader.VERSION, control, stag, taggedOffset));
    }

    @Property
    void untagged(
            @ForAll boolean last,
            @ForAll("u8") int control,
            @ForAll("u32") int ulpWord,
            @ForAll("u32") int queueNumber,
            @ForAll("u32") int ddpMsn,
            @ForAll("u32AsLong") long messageOffset) {
        MemorySegment header = Written.by(
                18,
                (s, at) -> DdpHeader.putUntagged(s, at, last, control, ulpWord, queueNumber, ddpMsn, messageOffset));
        assertThat(DdpHeader.headerBytes(header, 0)).isEqualTo(18);
        assertThat(DdpHeader.view(header, 0))
                .isEqualTo(new DdpHeader.Untagged(
                        last, DdpHeader.VERSION, control, ulpWord, queueNumber, ddpMsn, messageOffset));
        assertThat(RdmapHeader.invalidateStag(header, 0)).isEqualTo(ulpWord);
    }

    @Property
    void rdmapControl(@ForAll("nibbles") int opcode) {
        MemorySegment segment = Written.by(1, (s, at) -> RdmapHeader.put(s, at - 1, opcode));
        assertThat(Bytes.u8(segment, 0)).isEqualTo(RdmapHeader.control(opcode));
        assertThat(RdmapHeader.opcodeOf(Bytes.u8(segment, 0))).isEqualTo(opcode);
    }

    @Property
    void readRequest(
            @ForAll("u32") int sinkStag,
            @ForAll("u64") long sinkTaggedOffset,
            @ForAll("u32AsLong") long readBytes,
            @ForAll("u32") int sourceStag,
            @ForAll("u64") long sourceTaggedOffset) {
        MemorySegment header = Written.by(
                28,
                (s, at) -> ReadRequestHeader.put(
                        s, at, sinkStag, sinkTaggedOffset, readBytes, sourceStag, sourceTaggedOffset));
        assertThat(ReadRequestHeader.view(header, 0))
                .isEqualTo(new ReadRequestHeader.View(
                        sinkStag, sinkTaggedOffset, readBytes, sourceStag, sourceTaggedOffset));
    }

    @Property
    void immediateData(@ForAll("u64") long data) {
        MemorySegment header = Written.by(8, (s, at) -> ImmediateData.put(s, at, data));
        assertThat(ImmediateData.view(header, 0)).isEqualTo(new ImmediateData.View(data));
    }

    @Property
    void atomicRequest(
            @ForAll("nibbles") int operation,
            @ForAll("u32") int requestId,
            @ForAll("u32") int stag,
            @ForAll("u64") long taggedOffset,
            @ForAll("u64") long data,
            @ForAll("u64") long mask,
            @ForAll("u64") long compareData,
            @ForAll("u64") long compareMask) {
        MemorySegment header = Written.by(
                52,
                (s, at) -> AtomicHeaders.Request.put(
                        s, at, operation, requestId, stag, taggedOffset, data, mask, compareData, compareMask));
        assertThat(AtomicHeaders.Request.view(header, 0))
                .isEqualTo(new AtomicHeaders.RequestView(
                        operation, requestId, stag, taggedOffset, data, mask, compareData, compareMask));
    }

    @Property
    void atomicResponse(@ForAll("u32") int requestId, @ForAll("u64") long originalValue) {
        MemorySegment header = Written.by(12, (s, at) -> AtomicHeaders.Response.put(s, at, requestId, originalValue));
        assertThat(AtomicHeaders.Response.view(header, 0))
                .isEqualTo(new AtomicHeaders.ResponseView(requestId, originalValue));
    }

    @Property
    void terminateAlone(@ForAll("u16") int code) {
        MemorySegment header = Written.by(4, (s, at) -> TerminateHeader.put(s, at, code));
        assertThat(TerminateHeader.code(header, 0, TerminateHeader.FORM_RFC)).isEqualTo(code);
        assertThat(TerminateHeader.flags(header, 0, TerminateHeader.FORM_RFC)).isZero();
    }

    @Property
    void terminateOfATaggedSegment(
            @ForAll("u16") int code,
            @ForAll("u16") int segmentLength,
            @ForAll("u32") int stag,
            @ForAll("u64") long taggedOffset) {
        MemorySegment write = Written.by(14, (s, at) -> DdpHeader.putTagged(s, at, true, 0x40, stag, taggedOffset));
        MemorySegment header =
                Written.by(20, (s, at) -> TerminateHeader.put(s, at, code, write, 0, segmentLength, false));
        assertThat(TerminateHeader.view(header, 0, 20, false))
                .isEqualTo(new TerminateHeader.View(
                        TerminateHeader.FORM_RFC, code, 0xC0, segmentLength, DdpHeader.view(write, 0), null));
        assertThat(TerminateHeader.view(toSiw(header), 0, 20, false))
                .isEqualTo(new TerminateHeader.View(
                        TerminateHeader.FORM_SIW, code, 0xC0, segmentLength, DdpHeader.view(write, 0), null));
    }

    @Property
    void terminateOfAReadRequest(
            @ForAll("u16") int code, @ForAll("u32") int ddpMsn, @ForAll("u32") int stag, @ForAll("u64") long offset) {
        MemorySegment request = Written.by(46, (s, at) -> {
            DdpHeader.putUntagged(s, at, true, 0x41, 0, 1, ddpMsn, 0);
            ReadRequestHeader.put(s, at + 18, stag, offset, 1234, ~stag, ~offset);
        });
        MemorySegment header = Written.by(52, (s, at) -> TerminateHeader.put(s, at, code, request, 0, 46, true));
        TerminateHeader.View rfc = TerminateHeader.view(header, 0, 52, false);
        assertThat(rfc)
                .isEqualTo(new TerminateHeader.View(
                        TerminateHeader.FORM_RFC,
                        code,
                        0xE0,
                        46,
                        DdpHeader.view(request, 0),
                        ReadRequestHeader.view(request, 18)));
        TerminateHeader.View siw = TerminateHeader.view(toSiw(header), 0, 52, false);
        assertThat(siw)
                .isEqualTo(new TerminateHeader.View(
                        TerminateHeader.FORM_SIW, code, 0xE0, 46, rfc.ddpHeader(), rfc.readRequest()));
    }

    /** Swaps the halves of the first byte and moves the flags, as siw's bit fields do. */
    private static MemorySegment toSiw(MemorySegment header) {
        int first = Bytes.u8(header, 0);
        int flags = Bytes.u8(header, 2);
        Bytes.putU8(header, 0, (first >> 4) | ((first & 0xF) << 4));
        Bytes.putU8(header, 2, ((flags & 0x80) >> 7) | ((flags & 0x40) >> 5) | ((flags & 0x20) >> 3));
        return header;
    }

    @Provide
    Arbitrary<Integer> nibbles() {
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
