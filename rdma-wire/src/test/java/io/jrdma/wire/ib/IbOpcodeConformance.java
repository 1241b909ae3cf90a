package io.jrdma.wire.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.Satisfies;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The opcode table, line by line. */
class IbOpcodeConformance {
    /** Columns: opcodes by transport, header bytes of RC or UC, of UD, payload at MTU 1024, what it is. */
    @Satisfies({"IBTA-9.2-2", "IBTA-9.2-3", "IBTA-9.2-8", "IBTA-A14-1", "IBTA-A19-1"})
    @ParameterizedTest
    @CsvSource({
        "SEND_FIRST,                00, 20, -,  A0, 12, 1024, 1024, request start consume send",
        "SEND_MIDDLE,               01, 21, -,  A1, 12, 1024, 1024, request send",
        "SEND_LAST,                 02, 22, -,  A2, 12, 1,    1024, request end complete send",
        "SEND_LAST_WITH_IMM,        03, 23, -,  A3, 16, 1,    1024, request end complete send imm",
        "SEND_ONLY,                 04, 24, 64, A4, 12, 0,    1024, request start end consume complete send",
        "SEND_ONLY_WITH_IMM,        05, 25, 65, A5, 16, 0,    1024, request start end consume complete send imm",
        "RDMA_WRITE_FIRST,          06, 26, -,  A6, 28, 1024, 1024, request start write reth",
        "RDMA_WRITE_MIDDLE,         07, 27, -,  A7, 12, 1024, 1024, request write",
        "RDMA_WRITE_LAST,           08, 28, -,  A8, 12, 1,    1024, request end write",
        "RDMA_WRITE_LAST_WITH_IMM,  09, 29, -,  A9, 16, 1,    1024, request end consume complete write imm",
        "RDMA_WRITE_ONLY,           0A, 2A, -,  AA, 28, 0,    1024, request start end write reth",
        "RDMA_WRITE_ONLY_WITH_IMM,  0B, 2B, -,  AB, 32, 0,    1024, request start end consume complete write reth imm",
        "RDMA_READ_REQUEST,         0C, -,  -,  AC, 28, 0,    0,    request start end reth",
        "RDMA_READ_RESPONSE_FIRST,  0D, -,  -,  AD, 16, 1024, 1024, response start read aeth",
        "RDMA_READ_RESPONSE_MIDDLE, 0E, -,  -,  AE, 12, 1024, 1024, response read",
        "RDMA_READ_RESPONSE_LAST,   0F, -,  -,  AF, 16, 1,    1024, response end read aeth",
        "RDMA_READ_RESPONSE_ONLY,   10, -,  -,  B0, 16, 0,    1024, response start end read aeth",
        "ACKNOWLEDGE,               11, -,  -,  B1, 16, 0,    0,    response start end aeth",
        "ATOMIC_ACKNOWLEDGE,        12, -,  -,  B2, 24, 0,    0,    response start end aeth",
        "COMPARE_SWAP,              13, -,  -,  B3, 40, 0,    0,    request start end atomic",
        "FETCH_ADD,                 14, -,  -,  B4, 40, 0,    0,    request start end atomic",
        "SEND_LAST_WITH_INVALIDATE, 16, -,  -,  B6, 16, 1,    1024, request end complete send ieth",
        "SEND_ONLY_WITH_INVALIDATE, 17, -,  -,  B7, 16, 0,    1024, request start end consume complete send ieth",
        "FLUSH,                     1C, -,  -,  -,  32, 0,    0,    request start end reth",
        "ATOMIC_WRITE,              1D, -,  -,  -,  28, 8,    8,    request start end reth",
    })
    void table(
            String name,
            String rc,
            String uc,
            String ud,
            String xrc,
            int bytes,
            int least,
            int most,
            String properties) {
        line("RC_" + name, IbOpcode.RC, rc, bytes, least, most, properties);
        line("UC_" + name, IbOpcode.UC, uc, bytes, least, most, properties);
        line("UD_" + name, IbOpcode.UD, ud, bytes + 8, least, most, properties);
        boolean request = properties.startsWith("request");
        line("XRC_" + name, IbOpcode.XRC, xrc, bytes + (request ? 4 : 0), least, most, properties);
    }

    private static void line(
            String name, int transport, String hex, int bytes, int least, int most, String properties) {
        if (hex.equals("-")) {
            return;
        }
        int opcode = Integer.parseInt(hex, 16);
        assertThat(IbOpcode.isKnown(opcode)).as(name).isTrue();
        assertThat(IbOpcode.name(opcode)).isEqualTo(name);
        assertThat(IbOpcode.transport(opcode)).isEqualTo(transport);
        assertThat(transport | IbOpcode.operation(opcode)).isEqualTo(opcode);
        assertThat(IbOpcode.headerBytes(opcode)).as(name).isEqualTo(bytes);
        assertThat(IbOpcode.hasPayload(opcode)).isEqualTo(most > 0);
        for (int payload : new int[] {0, 1, 7, 8, 9, 1023, 1024, 1025}) {
            assertThat(IbOpcode.payloadFits(opcode, payload, 1024))
                    .as("%s with %d", name, payload)
                    .isEqualTo(payload >= least && payload <= most);
        }
        Set<String> expected = new HashSet<>(Set.of(properties.split(" ")));
        assertThat(properties(opcode)).as(name).isEqualTo(expected);
    }

    private static Set<String> properties(int opcode) {
        Set<String> properties = new HashSet<>();
        add(properties, IbOpcode.isRequest(opcode), "request");
        add(properties, IbOpcode.isResponse(opcode), "response");
        add(properties, IbOpcode.startsMessage(opcode), "start");
        add(properties, IbOpcode.endsMessage(opcode), "end");
        add(properties, IbOpcode.consumesReceive(opcode), "consume");
        add(properties, IbOpcode.completesReceive(opcode), "complete");
        add(properties, IbOpcode.isSend(opcode), "send");
        add(properties, IbOpcode.isWrite(opcode), "write");
        add(properties, IbOpcode.isReadResponse(opcode), "read");
        add(properties, IbOpcode.isAtomic(opcode), "atomic");
        add(properties, IbOpcode.hasImmDt(opcode), "imm");
        add(properties, IbOpcode.hasIeth(opcode), "ieth");
        add(properties, IbOpcode.hasReth(opcode), "reth");
        add(properties, IbOpcode.hasAeth(opcode), "aeth");
        return properties;
    }

    private static void add(Set<String> properties, boolean holds, String name) {
        if (holds) {
            properties.add(name);
        }
    }

    @Satisfies("IBTA-9.2-2")
    @Test
    void nothingElseIsKnown() {
        // RC 25, UC 12, RD 22, UD 2, CNP, XRC 23
        int known = 0;
        for (int opcode = 0; opcode < 256; opcode++) {
            known += IbOpcode.isKnown(opcode) ? 1 : 0;
            if (!IbOpcode.isKnown(opcode)) {
                assertThat(properties(opcode)).as("opcode %x", opcode).isEmpty();
                assertThat(IbOpcode.headerBytes(opcode)).isZero();
                assertThat(IbOpcode.name(opcode)).isEqualTo("OPCODE_" + Integer.toHexString(opcode));
            }
        }
        assertThat(known).isEqualTo(25 + 12 + 22 + 2 + 1 + 23);
    }

    @Satisfies("IBTA-9.2-3")
    @ParameterizedTest
    @CsvSource({
        // opcode, DETH, XRCETH, FETH, RETH, AETH, AtomicETH, AtomicAckETH, ImmDt, IETH, payload
        "0B,  0,  0,  0, 12,  0,  0,  0, 28,  0, 32", // RC Write only with immediate
        "1C,  0,  0, 12, 16,  0,  0,  0,  0,  0, 32", // RC Flush
        "12,  0,  0,  0,  0, 12,  0, 16,  0,  0, 24", // RC atomic acknowledge
        "AB,  0, 12,  0, 16,  0,  0,  0, 32,  0, 36", // XRC Write only with immediate
        "A3,  0, 12,  0,  0,  0,  0,  0, 16,  0, 20", // XRC Send last with immediate
        "B3,  0, 12,  0,  0,  0, 16,  0,  0,  0, 44", // XRC compare and swap
        "B7,  0, 12,  0,  0,  0,  0,  0,  0, 16, 20", // XRC Send only with invalidate
        "B2,  0,  0,  0,  0, 12,  0, 16,  0,  0, 24", // XRC atomic acknowledge
        "65, 12,  0,  0,  0,  0,  0,  0, 20,  0, 24", // UD Send only with immediate
        "4B, 16,  0,  0, 24,  0,  0,  0, 40,  0, 44", // RD Write only with immediate
        "54, 16,  0,  0,  0,  0, 24,  0,  0,  0, 52", // RD fetch and add
        "52,  0,  0,  0,  0, 16,  0, 20,  0,  0, 28", // RD atomic acknowledge
        "55, 16,  0,  0,  0,  0,  0,  0,  0,  0, 24", // RD resync
        "81,  0,  0,  0,  0,  0,  0,  0,  0,  0, 28", // CNP
        "3F,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0", // none
    })
    void headersStandInTheirOrder(
            String hex,
            int deth,
            int xrceth,
            int feth,
            int reth,
            int aeth,
            int atomicEth,
            int atomicAckEth,
            int immDt,
            int ieth,
            int payload) {
        int opcode = Integer.parseInt(hex, 16);
        assertThat(IbOpcode.dethAt(opcode)).isEqualTo(deth);
        assertThat(IbOpcode.xrcethAt(opcode)).isEqualTo(xrceth);
        assertThat(IbOpcode.fethAt(opcode)).isEqualTo(feth);
        assertThat(IbOpcode.rethAt(opcode)).isEqualTo(reth);
        assertThat(IbOpcode.aethAt(opcode)).isEqualTo(aeth);
        assertThat(IbOpcode.atomicEthAt(opcode)).isEqualTo(atomicEth);
        assertThat(IbOpcode.atomicAckEthAt(opcode)).isEqualTo(atomicAckEth);
        assertThat(IbOpcode.immDtAt(opcode)).isEqualTo(immDt);
        assertThat(IbOpcode.iethAt(opcode)).isEqualTo(ieth);
        assertThat(IbOpcode.headerBytes(opcode)).isEqualTo(payload);
    }

    @Test
    void numbersBeyondAByteAreCut() {
        assertThat(IbOpcode.isKnown(0x100)).isTrue();
        assertThat(IbOpcode.isKnown(-1)).isFalse();
        assertThat(IbOpcode.name(-1)).isEqualTo("OPCODE_ff");
        assertThat(IbOpcode.name(IbOpcode.CNP)).isEqualTo("CNP");
    }
}
