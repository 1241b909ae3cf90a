package io.jrdma.tools.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;

class DemoTableTest {
    @Test
    void eachRunHasTwoColumns() {
        List<String> lines = DemoTable.lines(List.of(
                new DemoResult("iwarp 127.0.0.1", "Send", 65536, 123_456, null),
                new DemoResult("iwarp 127.0.0.1", "RDMA Read", 1_048_576, 9_876_543, "wrong bytes"),
                new DemoResult("iwarp ::1", "Send", 65536, 2_300, null)));
        assertThat(lines)
                .containsExactly(
                        "operation     bytes   iwarp 127.0.0.1   result   iwarp ::1   result",
                        "Send          65536          123.5 us   ok          2.3 us   ok",
                        "RDMA Read   1048576         9876.5 us   FAILED           -   -");
    }

    @Test
    void dataIsDecidedByItsSeed() {
        MemorySegment memory = MemorySegment.ofArray(new byte[100]);
        DemoData.fill(memory, 7);
        DemoData.check("memory", memory, 7);
        memory.set(ValueLayout.JAVA_BYTE, 99, (byte) ~memory.get(ValueLayout.JAVA_BYTE, 99));
        assertThatThrownBy(() -> DemoData.check("memory", memory, 7)).hasMessageContaining("memory: byte 99 of 100 is");
    }
}
