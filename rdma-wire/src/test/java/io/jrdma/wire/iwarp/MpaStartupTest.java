package io.jrdma.wire.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.HexVectors;
import io.jrdma.wire.Bytes;
import io.jrdma.wire.Malformed;
import io.jrdma.wire.Written;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class MpaStartupTest {
    /** What Linux siw sends for one Read each way and no private data. */
    private static final String SIW_REQUEST = "4D504120494420526571204672616D65 1002 0004 0001 0001";

    @Test
    void siwRequest() {
        MemorySegment frame = MemorySegment.ofArray(HexVectors.bytes(SIW_REQUEST));

        assertThat(MpaStartup.check(frame, 0, 24, MpaStartup.REQUEST)).isEqualTo(24);
        assertThat(MpaStartup.view(frame, 0))
                .isEqualTo(new MpaStartup.View(MpaStartup.REQUEST, MpaStartup.ENHANCED, 2, 4, true, 0, 1, 1));
        assertThat(MpaStartup.privateDataAt(frame, 0)).isEqualTo(24);
        assertThat(MpaStartup.privateDataBytes(frame, 0)).isZero();

        MemorySegment written =
                Written.by(24, (s, at) -> MpaStartup.putEnhanced(s, at, MpaStartup.REQUEST, 0, 0, 1, 1, 0));
        assertThat(written.mismatch(frame)).isEqualTo(-1);
    }

    @Test
    void keysAreTheOnesOfTheDocument() {
        MemorySegment request = Written.by(20, (s, at) -> MpaStartup.put(s, at, MpaStartup.REQUEST, 0, 1, 0));
        MemorySegment reply = Written.by(20, (s, at) -> MpaStartup.put(s, at, MpaStartup.REPLY, 0, 1, 0));
        assertThat(ascii(request)).isEqualTo("MPA ID Req Frame");
        assertThat(ascii(reply)).isEqualTo("MPA ID Rep Frame");
        assertThat(MpaStartup.kind(request, 0)).isEqualTo(MpaStartup.REQUEST);
        assertThat(MpaStartup.kind(reply, 0)).isEqualTo(MpaStartup.REPLY);
    }

    @Test
    void revisionOneWithPrivateData() {
        MemorySegment frame =
                MemorySegment.ofArray(HexVectors.bytes("4D504120494420526570204672616D65 C001 0005 68656C6C6F"));

        assertThat(MpaStartup.check(frame, 0, 25, MpaStartup.REPLY)).isEqualTo(25);
        assertThat(MpaStartup.wantsMarkers(frame, 0)).isTrue();
        assertThat(MpaStartup.wantsCrc(frame, 0)).isTrue();
        assertThat(MpaStartup.isReject(frame, 0)).isFalse();
        assertThat(MpaStartup.hasEnhanced(frame, 0)).isFalse();
        assertThat(MpaStartup.privateDataAt(frame, 0)).isEqualTo(20);
        assertThat(MpaStartup.privateDataBytes(frame, 0)).isEqualTo(5);
    }

    @Test
    void allFourControlFlags() {
        MemorySegment frame = Written.by(
                24,
                (s, at) -> MpaStartup.putEnhanced(
                        s, at, MpaStartup.REPLY, MpaStartup.CRC, MpaStartup.CONTROL_FLAGS, 0x1234, 0x3FFF, 7));

        assertThat(Bytes.u32(frame, 20)).isEqualTo(0xD234_FFFF);
        assertThat(Bytes.u16(frame, 18)).isEqualTo(11);
        assertThat(MpaStartup.controlFlags(frame, 0)).isEqualTo(MpaStartup.CONTROL_FLAGS);
        assertThat(MpaStartup.ird(frame, 0)).isEqualTo(0x1234);
        assertThat(MpaStartup.ord(frame, 0)).isEqualTo(MpaStartup.DEPTH_BY_CONSUMER);
        assertThat(MpaStartup.privateDataBytes(frame, 0)).isEqualTo(7);
    }

    @Test
    void eachControlFlagHasItsOwnBit() {
        assertThat(controlWord(MpaStartup.PEER_TO_PEER)).isEqualTo(0x8000_0000);
        assertThat(controlWord(MpaStartup.RTR_SEND)).isEqualTo(0x4000_0000);
        assertThat(controlWord(MpaStartup.RTR_WRITE)).isEqualTo(0x0000_8000);
        assertThat(controlWord(MpaStartup.RTR_READ)).isEqualTo(0x0000_4000);
    }

    private static int controlWord(int flags) {
        return Bytes.u32(
                Written.by(24, (s, at) -> MpaStartup.putEnhanced(s, at, MpaStartup.REQUEST, 0, flags, 0, 0, 0)), 20);
    }

    @Test
    void aWrongByteIsReportedAsSoonAsItIsThere() {
        MemorySegment http = MemorySegment.ofArray("GET / HTTP/1.1\r\nHost: x\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(MpaStartup.check(http, 0, 0, MpaStartup.REQUEST)).isEqualTo(MpaStartup.NEED_MORE);
        assertThat(MpaStartup.check(http, 0, 1, MpaStartup.REQUEST)).isEqualTo(-Malformed.MPA_KEY_INVALID);

        byte[] bytes = HexVectors.bytes(SIW_REQUEST);
        bytes[15] ^= 1;
        MemorySegment lastKeyByte = MemorySegment.ofArray(bytes);
        assertThat(MpaStartup.check(lastKeyByte, 0, 15, MpaStartup.REQUEST)).isEqualTo(MpaStartup.NEED_MORE);
        assertThat(MpaStartup.check(lastKeyByte, 0, 16, MpaStartup.REQUEST)).isEqualTo(-Malformed.MPA_KEY_INVALID);
    }

    @Test
    void everyPrefixOfAGoodFrameNeedsMore() {
        byte[] bytes = HexVectors.bytes("4D504120494420526571204672616D65 4002 000A 80010003 010203040506");
        bytes[16] |= MpaStartup.ENHANCED;
        MemorySegment frame = MemorySegment.ofArray(bytes);
        for (int available = 0; available < bytes.length; available++) {
            assertThat(MpaStartup.check(frame, 0, available, MpaStartup.REQUEST))
                    .as("%d bytes", available)
                    .isEqualTo(MpaStartup.NEED_MORE);
        }
        assertThat(MpaStartup.check(frame, 0, bytes.length, MpaStartup.REQUEST)).isEqualTo(bytes.length);
    }

    @Test
    void bytesBehindTheFrameAreNotCounted() {
        MemorySegment stream = MemorySegment.ofArray(HexVectors.bytes(SIW_REQUEST + "000ec140"));
        assertThat(MpaStartup.check(stream, 0, 28, MpaStartup.REQUEST)).isEqualTo(24);
    }

    @Test
    void siwRejectWithoutItsEnhancedDataIsUnderstood() {
        MemorySegment reject = MemorySegment.ofArray(HexVectors.bytes("4D504120494420526570204672616D65 3002 0000"));
        assertThat(MpaStartup.check(reject, 0, 20, MpaStartup.REPLY)).isEqualTo(20);
        assertThat(MpaStartup.announcesEnhanced(reject, 0)).isTrue();
        assertThat(MpaStartup.hasEnhanced(reject, 0)).isFalse();
        assertThat(MpaStartup.view(reject, 0).enhanced()).isFalse();
    }

    private static String ascii(MemorySegment frame) {
        return new String(frame.asSlice(0, 16).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.US_ASCII);
    }
}
