package io.jrdma.wire.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RdmapOpcodeTest {
    /** The table of RFC 5040 figure 4 and RFC 7306 figure 4, with the shortest FPDU of each message. */
    @ParameterizedTest
    @CsvSource({
        "0, RDMA Write, true, 0, true, false, false, 20",
        "1, RDMA Read Request, false, 28, false, false, false, 52",
        "2, RDMA Read Response, true, 0, true, false, false, 20",
        "3, Send, false, 0, true, false, false, 24",
        "4, Send with Invalidate, false, 0, true, true, false, 24",
        "5, Send with SE, false, 0, true, false, true, 24",
        "6, Send with SE and Invalidate, false, 0, true, true, true, 24",
        "7, Terminate, false, 4, false, false, false, 28",
        "8, Immediate Data, false, 8, false, false, false, 32",
        "9, Immediate Data with SE, false, 8, false, false, true, 32",
        "10, Atomic Request, false, 52, false, false, false, 76",
        "11, Atomic Response, false, 12, false, false, false, 36",
    })
    void everyKnownOpcode(
            int opcode,
            String name,
            boolean tagged,
            int rdmapHeaderBytes,
            boolean segmented,
            boolean invalidates,
            boolean solicits,
            int shortestFpdu) {
        assertThat(RdmapOpcode.name(opcode)).isEqualTo(name);
        assertThat(RdmapOpcode.isKnown(opcode)).isTrue();
        assertThat(RdmapOpcode.isTagged(opcode)).isEqualTo(tagged);
        assertThat(RdmapOpcode.rdmapHeaderBytes(opcode)).isEqualTo(rdmapHeaderBytes);
        assertThat(RdmapOpcode.mayBeSegmented(opcode)).isEqualTo(segmented);
        assertThat(RdmapOpcode.invalidates(opcode)).isEqualTo(invalidates);
        assertThat(RdmapOpcode.solicits(opcode)).isEqualTo(solicits);
        assertThat(RdmapOpcode.isSend(opcode)).isEqualTo(opcode >= 3 && opcode <= 6);
        assertThat(RdmapOpcode.in(RdmapOpcode.RFC5040, opcode)).isEqualTo(opcode < 8);
        assertThat(RdmapOpcode.in(RdmapOpcode.RFC7306, opcode)).isEqualTo(opcode >= 8);
        assertThat(MpaFpdu.fpduBytes(RdmapOpcode.headerBytes(opcode))).isEqualTo(shortestFpdu);
    }

    @Test
    void nothingHoldsForOtherNumbers() {
        for (int opcode : new int[] {-1, 12, 13, 14, RdmapOpcode.EXPERIMENTAL, 16, 32, 35, Integer.MIN_VALUE}) {
            assertThat(RdmapOpcode.isKnown(opcode)).isFalse();
            assertThat(RdmapOpcode.isTagged(opcode)).isFalse();
            assertThat(RdmapOpcode.isSend(opcode)).isFalse();
            assertThat(RdmapOpcode.invalidates(opcode)).isFalse();
            assertThat(RdmapOpcode.solicits(opcode)).isFalse();
            assertThat(RdmapOpcode.mayBeSegmented(opcode)).isFalse();
            assertThat(RdmapOpcode.queueNumber(opcode)).isEqualTo(-1);
            assertThat(RdmapOpcode.name(opcode)).isNotEmpty();
        }
    }
}
