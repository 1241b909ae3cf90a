package io.jrdma.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.HexVectors;
import io.jrdma.wire.ib.IcrcPath;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RocePrinterTest {
    private static final String HELLO = "0430ffff 00000011 80123456 68656c6c6f 000000";
    private static final IcrcPath PATH = path(0xC000);

    private static IcrcPath path(int sourcePort) {
        return IcrcPath.of(new byte[] {10, 0, 0, 1}, sourcePort, new byte[] {10, 0, 0, 2}, 4791);
    }

    private static String print(String hex) {
        MemorySegment packet = MemorySegment.ofArray(HexVectors.bytes(hex));
        return PacketPrinter.roce(packet, 0, packet.byteSize());
    }

    private static String print(IcrcPath path, String hex) {
        MemorySegment packet = MemorySegment.ofArray(HexVectors.bytes(hex));
        return PacketPrinter.roce(path, packet, 0, packet.byteSize());
    }

    /** BTH for queue pair 0x22 with PSN 7, extended headers and payload; the ICRC is 0xddccbbaa. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        00 00 |                                            | RC_SEND_FIRST qp 0x22 psn 7 payload 0 (on no path right for the opcode)
        02 30 | 01000000                                   | RC_SEND_LAST qp 0x22 psn 7 payload 1 pad 3
        24 00 | 01020304                                   | UC_SEND_ONLY qp 0x22 psn 7 payload 4
        05 20 | 0a0b0c0d 01020000                          | RC_SEND_ONLY_WITH_IMM qp 0x22 psn 7 imm 0a0b0c0d payload 2 pad 2
        17 00 | 00a1b200                                   | RC_SEND_ONLY_WITH_INVALIDATE qp 0x22 psn 7 invalidate 00a1b200 payload 0
        0b 00 | 00007f0000001000 00a1b200 00000004 0a0b0c0d 01020304 | RC_RDMA_WRITE_ONLY_WITH_IMM qp 0x22 psn 7 va 7f0000001000 rkey 00a1b200 len 4 imm 0a0b0c0d payload 4
        0c 00 | ffffffffffffffff 00a1b200 ffffffff         | RC_RDMA_READ_REQUEST qp 0x22 psn 7 va ffffffffffffffff rkey 00a1b200 len 4294967295
        0c 00 | 0000000000000000 00a1b200 00000000 01020304 | RC_RDMA_READ_REQUEST qp 0x22 psn 7 va 0 rkey 00a1b200 len 0 payload 4 (on no path right for the opcode)
        10 00 | 1f000009 01020304                          | RC_RDMA_READ_RESPONSE_ONLY qp 0x22 psn 7 ACK msn 9 payload 4
        11 00 | 1f000009                                   | RC_ACKNOWLEDGE qp 0x22 psn 7 ACK msn 9
        11 00 | 06ffffff                                   | RC_ACKNOWLEDGE qp 0x22 psn 7 ACK credits 8 msn 16777215
        11 00 | 20000009                                   | RC_ACKNOWLEDGE qp 0x22 psn 7 RNR NAK 655360 us msn 9
        11 00 | 60000009                                   | RC_ACKNOWLEDGE qp 0x22 psn 7 NAK PSN_SEQUENCE_ERROR msn 9
        11 00 | 62000009                                   | RC_ACKNOWLEDGE qp 0x22 psn 7 NAK REMOTE_ACCESS_ERROR msn 9
        11 00 | 7f000009                                   | RC_ACKNOWLEDGE qp 0x22 psn 7 NAK NAK_31 msn 9
        11 00 | 45000009                                   | RC_ACKNOWLEDGE qp 0x22 psn 7 reserved 5 msn 9
        12 00 | 1f000009 00000000deadbeef                  | RC_ATOMIC_ACKNOWLEDGE qp 0x22 psn 7 ACK msn 9 original deadbeef
        13 00 | 00007f0000001000 00a1b200 0000000000000005 0000000000000006 | RC_COMPARE_SWAP qp 0x22 psn 7 va 7f0000001000 rkey 00a1b200 compare 6 swap 5
        14 00 | 00007f0000001000 00a1b200 0000000000000005 5a5a5a5a5a5a5a5a | RC_FETCH_ADD qp 0x22 psn 7 va 7f0000001000 rkey 00a1b200 add 5
        1c 00 | 00000003 00007f0000001000 00a1b200 00000040 | RC_FLUSH qp 0x22 psn 7 global-visibility persistence range va 7f0000001000 rkey 00a1b200 len 64
        1c 00 | 00000012 00007f0000001000 00a1b200 00000040 | RC_FLUSH qp 0x22 psn 7 persistence region va 7f0000001000 rkey 00a1b200 len 64
        1c 00 | 00000030 00007f0000001000 00a1b200 00000040 | RC_FLUSH qp 0x22 psn 7 selectivity 3 va 7f0000001000 rkey 00a1b200 len 64
        1d 00 | 00007f0000001000 00a1b200 00000008 0102030405060708 | RC_ATOMIC_WRITE qp 0x22 psn 7 va 7f0000001000 rkey 00a1b200 len 8 payload 8
        64 00 | 11111111 00000015 01020304                 | UD_SEND_ONLY qp 0x22 psn 7 qkey 11111111 from 0x15 payload 4
        65 00 | 11111111 00ffffff 0a0b0c0d                 | UD_SEND_ONLY_WITH_IMM qp 0x22 psn 7 qkey 11111111 from 0xffffff imm 0a0b0c0d payload 0
        aa 00 | 00000005 00007f0000001000 00a1b200 00000004 01020304 | XRC_RDMA_WRITE_ONLY qp 0x22 psn 7 srq 5 va 7f0000001000 rkey 00a1b200 len 4 payload 4
        b1 00 | 1f000009                                   | XRC_ACKNOWLEDGE qp 0x22 psn 7 ACK msn 9
        44 00 | 00000003 22222222 00000015 01020304        | RD_SEND_ONLY qp 0x22 psn 7 eec 3 qkey 22222222 from 0x15 payload 4
        """)
    void everyExtendedHeaderIsTold(String start, String rest, String line) {
        assertThat(print(start + "ffff 00000022 00000007" + (rest == null ? "" : rest) + "aabbccdd"))
                .isEqualTo(line + " icrc ddccbbaa");
    }

    @Test
    void flagsAndPartition() {
        assertThat(print("04c07fff 00000022 80000007 00000000"))
                .isEqualTo("RC_SEND_ONLY qp 0x22 psn 7 A S M pkey 7fff payload 0 icrc 00000000");
        assertThat(print("0400ffff c0000022 00000007 00000000"))
                .isEqualTo("RC_SEND_ONLY qp 0x22 psn 7 FECN BECN payload 0 icrc 00000000");
    }

    @Test
    void theIcrcIsCheckedWhereThePathIsKnown() {
        assertThat(print(PATH, HELLO + "b222dce0"))
                .isEqualTo("RC_SEND_ONLY qp 0x11 psn 1193046 A payload 5 pad 3 icrc ok");
        assertThat(print(PATH, HELLO + "49d4cfa7"))
                .isEqualTo("RC_SEND_ONLY qp 0x11 psn 1193046 A payload 5 pad 3 icrc ok id 1");
        assertThat(print(PATH, HELLO + "238bf899")).endsWith("icrc ok id 4660");
        assertThat(print(PATH, HELLO + "238bf898")).endsWith("payload 5 pad 3 icrc 98f88b23 ICRC_MISMATCH");
        assertThat(print(path(0xC001), HELLO + "b222dce0")).endsWith("icrc e0dc22b2 ICRC_MISMATCH");
        byte[] source = HexVectors.bytes("fd000000000000000000000000000001");
        byte[] destination = HexVectors.bytes("fd000000000000000000000000000002");
        assertThat(print(IcrcPath.of(source, 0xC000, destination, 4791), HELLO + "ceaa225b"))
                .endsWith("icrc ok");
        assertThat(print(IcrcPath.of(source, 0xC000, destination, 4791), HELLO + "ceaa235b"))
                .endsWith("icrc 5b23aace ICRC_MISMATCH");
    }

    /** The CNP of a ConnectX-4. */
    @Test
    void congestionNotification() {
        IcrcPath path = IcrcPath.of(new byte[] {10, 0, 17, 1}, 0, new byte[] {10, 0, 18, 1}, 4791);
        assertThat(print(path, "8100ffff 40000118 00000000" + "00".repeat(16) + "82fd002a"))
                .isEqualTo("CNP qp 0x118 psn 0 BECN icrc ok id 29068");
    }

    @Test
    void whatIsWrongIsNamed() {
        assertThat(print("")).isEqualTo("RoCEv2 PACKET_TOO_SHORT 0 bytes ");
        assertThat(print("0400ffff")).isEqualTo("RoCEv2 PACKET_TOO_SHORT 4 bytes 0400ffff");
        assertThat(print("0400ffff 00000022 00000007"))
                .isEqualTo("RC_SEND_ONLY qp 0x22 psn 7 PACKET_TOO_SHORT 12 bytes 0400ffff0000002200000007");
        assertThat(print("0400ffff 00000022 00000007 0000000000"))
                .isEqualTo("RC_SEND_ONLY qp 0x22 psn 7 LENGTH_NOT_PADDED 17 bytes 0400ffff00000022000000070000000000");
        assertThat(print("0401ffff 00000022 00000007 00000000")).contains(" TRANSPORT_VERSION 16 bytes 0401");
        assertThat(print("1800ffff 00000022 00000007 00000000"))
                .isEqualTo("OPCODE_18 qp 0x22 psn 7 OPCODE_UNKNOWN 16 bytes 1800ffff000000220000000700000000");
        assertThat(print("0c00ffff 00000022 00000007" + "00".repeat(12)))
                .isEqualTo("RC_RDMA_READ_REQUEST qp 0x22 psn 7 HEADERS_CUT 24 bytes 0c00ffff0000002200000007"
                        + "00".repeat(12));
        assertThat(print("0c00ffff 00000022 00000007" + "00".repeat(5000)))
                .isEqualTo("RC_RDMA_READ_REQUEST qp 0x22 psn 7 PACKET_TOO_LONG 5012 bytes 0c00ffff0000002200000007"
                        + "00".repeat(12) + "...");
    }

    @Test
    void lengthsBeyondTheSegmentAreCut() {
        MemorySegment bytes = MemorySegment.ofArray(HexVectors.bytes("0400ffff"));
        assertThat(PacketPrinter.roce(bytes, 0, 1000)).isEqualTo("RoCEv2 PACKET_TOO_SHORT 4 bytes 0400ffff");
        assertThat(PacketPrinter.roce(bytes, 0, -1)).isEqualTo("RoCEv2 PACKET_TOO_SHORT 0 bytes ");
        assertThat(PacketPrinter.roce(PATH, bytes, 10, 4)).isEqualTo("RoCEv2 PACKET_TOO_SHORT 0 bytes ");
        assertThat(PacketPrinter.mad(bytes, 2, Long.MAX_VALUE)).isEqualTo("MAD LENGTH 2 bytes ffff");
    }

    @Test
    void onlyDatagramsForQueuePairOneAreManagement() {
        String deth = "80010000 00000001";
        assertThat(print("6400ffff 00000001 00000007" + deth + "01020304 00000000"))
                .isEqualTo("UD_SEND_ONLY qp 0x1 psn 7 qkey 80010000 from 0x1 payload 4 icrc 00000000"
                        + " | MAD LENGTH 4 bytes 01020304");
        assertThat(print("6400ffff 00000002 00000007" + deth + "01020304 00000000"))
                .doesNotContain("MAD");
        assertThat(print("0400ffff 00000001 00000007 01020304 00000000")).doesNotContain("MAD");
    }
}
