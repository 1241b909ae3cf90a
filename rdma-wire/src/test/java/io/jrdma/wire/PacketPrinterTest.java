package io.jrdma.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.HexVectors;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PacketPrinterTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "send-abc | FPDU len 21 pad 1 crc aa657044 | Send last qn 0 msn 1 mo 0 payload 3",
                "write-hello | FPDU len 19 pad 3 crc e887baf7 | RDMA Write last stag 00a1b200 to 1000 payload 5",
                "read-response-zero-length | FPDU len 14 pad 0 crc cad67569 | RDMA Read Response last stag 00000000 to 0 payload 0",
                "read-request-64 | FPDU len 46 pad 0 crc 08d860fb | RDMA Read Request last qn 1 msn 1 mo 0 size 64 sink 00a1b200/7f0000001000 source 00c3d400/7f0000002000",
                "terminate-crc-rfc | FPDU len 22 pad 0 crc 8525e47f | Terminate last qn 2 msn 1 mo 0 2/0/2 MPA_CRC",
                "terminate-crc-siw | FPDU len 22 pad 0 crc ed67d375 | Terminate last qn 2 msn 1 mo 0 2/0/2 MPA_CRC (siw form)"
            })
    void vectors(String name, String fpdu, String segment) {
        byte[] bytes = HexVectors.load(PacketPrinterTest.class, "/vectors/iwarp/" + name + ".hex")
                .bytes();
        assertThat(PacketPrinter.mpa(MemorySegment.ofArray(bytes), 0, bytes.length))
                .isEqualTo(fpdu + " | " + segment);
    }

    @Test
    void startupFrames() {
        assertThat(print("4D504120494420526571204672616D65 1002 0004 0001 0001"))
                .isEqualTo("MPA Request rev 2 enhanced ird 1 ord 1 private 0");
        assertThat(print("4D504120494420526570204672616D65 f002 0006 c003 c005 abcd"))
                .isEqualTo("MPA Reply rev 2 markers crc reject enhanced ird 3 ord 5"
                        + " peer-to-peer rtr-send rtr-write rtr-read private 2");
        assertThat(print("4D504120494420526570204672616D65 0001 0002 abcd")).isEqualTo("MPA Reply rev 1 private 2");
    }

    @Test
    void wrongAndUnfinishedBytes() {
        assertThat(print("4D504120494420526571204672616D65 0009"))
                .isEqualTo("MPA start-up MPA_REVISION_UNSUPPORTED 4d504120494420526571204672616d650009");
        assertThat(print("4D504120494420526571204672616D65 0001"))
                .isEqualTo("MPA start-up incomplete 4d504120494420526571204672616d650001");
        assertThat(print("0010 4143")).isEqualTo("FPDU incomplete, 4 bytes 00104143");
        assertThat(print("")).isEqualTo("FPDU incomplete, 0 bytes ");
        assertThat(print("0002 4143 00000000"))
                .isEqualTo("FPDU len 2 pad 0 crc 00000000 | DDP_UNTAGGED_TOO_SHORT 4143");
    }

    @Test
    void messagesOfRfc7306() {
        assertThat(segment("4149 00000000 00000000 00000007 00000000 0123456789abcdef"))
                .isEqualTo("Immediate Data with SE last qn 0 msn 7 mo 0 data 123456789abcdef");
        assertThat(segment("414b 00000000 00000003 00000001 00000000 00000005 0000000000000009"))
                .isEqualTo("Atomic Response last qn 3 msn 1 mo 0 id 00000005 value 9");
        assertThat(segment("414a 00000000 00000001 00000001 00000000" + "00".repeat(52)))
                .isEqualTo(
                        "Atomic Request last qn 1 msn 1 mo 0 fetch-add id 00000000 at 00000000/0 data 0/0 compare 0/0");
    }

    @Test
    void sendWithInvalidateAndTerminateWithHeaders() {
        assertThat(segment("0144 00a1b200 00000000 00000002 00000010 ff"))
                .isEqualTo("Send with Invalidate more qn 0 msn 2 mo 16 invalidate 00a1b200 payload 1");
        assertThat(segment("4147 00000000 00000002 00000001 00000000 1100c000 0013 c140 00a1b200 0000000000001000"))
                .isEqualTo("Terminate last qn 2 msn 1 mo 0 1/1/0 DDP_INVALID_STAG of 19 bytes"
                        + " [RDMA Write last stag 00a1b200 to 1000]");
    }

    @Test
    void lengthsBeyondTheSegmentAreCut() {
        MemorySegment bytes = MemorySegment.ofArray(HexVectors.bytes("0010 4143"));
        assertThat(PacketPrinter.mpa(bytes, 0, 1000)).isEqualTo("FPDU incomplete, 4 bytes 00104143");
        assertThat(PacketPrinter.mpa(bytes, 0, -1)).isEqualTo("FPDU incomplete, 0 bytes ");
        assertThat(PacketPrinter.mpa(bytes, 10, 4)).isEqualTo("FPDU incomplete, 0 bytes ");
    }

    private static String print(String hex) {
        MemorySegment bytes = MemorySegment.ofArray(HexVectors.bytes(hex));
        return PacketPrinter.mpa(bytes, 0, bytes.byteSize());
    }

    private static String segment(String hex) {
        MemorySegment bytes = MemorySegment.ofArray(HexVectors.bytes(hex));
        return PacketPrinter.segment(bytes, 0, bytes.byteSize());
    }
}
