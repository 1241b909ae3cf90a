package io.jrdma.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.WireArbitraries;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

class PacketPrinterProperties {
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

    @Provide
    Arbitrary<byte[]> garbage() {
        return WireArbitraries.bytes(160);
    }
}
