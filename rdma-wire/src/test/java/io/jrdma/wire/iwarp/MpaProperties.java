package io.jrdma.wire.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.WireArbitraries;
import io.jrdma.wire.Malformed;
import io.jrdma.wire.Written;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

class MpaProperties {
    @Property
    void startupFrameRoundTrips(
            @ForAll("kinds") int kind,
            @ForAll("flags") int flags,
            @ForAll @IntRange(max = 2) int revision,
            @ForAll("privateDataLengths") int privateDataBytes) {
        int allowed = kind == MpaStartup.REQUEST ? flags & ~MpaStartup.REJECT : flags;
        MemorySegment header =
                Written.by(20, (s, at) -> MpaStartup.put(s, at, kind, allowed, revision, privateDataBytes));
        MemorySegment frame = withRoom(header, privateDataBytes);

        assertThat(MpaStartup.check(frame, 0, frame.byteSize(), kind)).isEqualTo(20 + privateDataBytes);
        assertThat(MpaStartup.view(frame, 0))
                .isEqualTo(new MpaStartup.View(kind, allowed, revision, privateDataBytes, false, 0, 0, 0));
        assertThat(MpaStartup.privateDataAt(frame, 0)).isEqualTo(20);
        assertThat(MpaStartup.privateDataBytes(frame, 0)).isEqualTo(privateDataBytes);
    }

    @Property
    void enhancedStartupFrameRoundTrips(
            @ForAll("kinds") int kind,
            @ForAll("flags") int flags,
            @ForAll("controlFlags") int controlFlags,
            @ForAll("readDepths") int ird,
            @ForAll("readDepths") int ord,
            @ForAll("privateDataLengths") int length) {
        int allowed = kind == MpaStartup.REQUEST ? flags & ~MpaStartup.REJECT : flags;
        int privateDataBytes = Math.min(length, 508);
        MemorySegment header = Written.by(
                24, (s, at) -> MpaStartup.putEnhanced(s, at, kind, allowed, controlFlags, ird, ord, privateDataBytes));
        MemorySegment frame = withRoom(header, privateDataBytes);

        assertThat(MpaStartup.check(frame, 0, frame.byteSize(), kind)).isEqualTo(24 + privateDataBytes);
        assertThat(MpaStartup.view(frame, 0))
                .isEqualTo(new MpaStartup.View(
                        kind, allowed | MpaStartup.ENHANCED, 2, privateDataBytes + 4, true, controlFlags, ird, ord));
        assertThat(MpaStartup.privateDataBytes(frame, 0)).isEqualTo(privateDataBytes);
    }

    @Property
    void anyBytesBehindTheKeyAreJudged(
            @ForAll("kinds") int kind, @ForAll("tails") byte[] tail, @ForAll @IntRange(max = 600) int cut) {
        MemorySegment header = Written.by(20, (s, at) -> MpaStartup.put(s, at, kind, 0, 1, 0));
        MemorySegment frame = MemorySegment.ofArray(new byte[16 + tail.length]);
        MemorySegment.copy(header, 0, frame, 0, 16);
        MemorySegment.copy(tail, 0, frame, ValueLayout.JAVA_BYTE, 16, tail.length);
        judge(frame, Math.min(cut, frame.byteSize()), kind);
    }

    @Property
    void anyBytesAreJudged(@ForAll("garbage") byte[] bytes, @ForAll("kinds") int kind) {
        judge(MemorySegment.ofArray(bytes), bytes.length, kind);
    }

    private static void judge(MemorySegment frame, long available, int kind) {
        int result = MpaStartup.check(frame, 0, available, kind);
        if (result < 0) {
            assertThat(-result).isBetween(1, Malformed.COUNT - 1);
        } else if (result == MpaStartup.NEED_MORE) {
            assertThat(available).isLessThan(MpaStartup.MAX_LENGTH);
        } else {
            assertThat((long) result).isBetween(20L, available);
            MemorySegment exactly = frame.asSlice(0, result);
            MpaStartup.View view = MpaStartup.view(exactly, 0);
            assertThat(view.kind()).isEqualTo(kind);
            assertThat(MpaStartup.privateDataAt(exactly, 0) + MpaStartup.privateDataBytes(exactly, 0))
                    .isEqualTo(result);
            assertThat(MpaStartup.frameBytes(exactly, 0)).isEqualTo(result);
        }
    }

    @Property
    void verdictOnlyGrowsWithTheBytes(@ForAll("tails") byte[] tail) {
        MemorySegment header = Written.by(20, (s, at) -> MpaStartup.put(s, at, MpaStartup.REPLY, 0, 1, 0));
        MemorySegment frame = MemorySegment.ofArray(new byte[16 + tail.length]);
        MemorySegment.copy(header, 0, frame, 0, 16);
        MemorySegment.copy(tail, 0, frame, ValueLayout.JAVA_BYTE, 16, tail.length);
        int verdict = MpaStartup.NEED_MORE;
        for (int available = 0; available <= frame.byteSize(); available++) {
            int now = MpaStartup.check(frame, 0, available, MpaStartup.REPLY);
            if (verdict != MpaStartup.NEED_MORE) {
                assertThat(now).as("after %d bytes", available).isEqualTo(verdict);
            }
            verdict = now;
        }
    }

    @Property
    void fpduNeedsMoreUntilItIsThere(@ForAll("ulpduLengths") int ulpduLength) {
        MemorySegment fpdu = MemorySegment.ofArray(new byte[MpaFpdu.fpduBytes(ulpduLength) + 3]);
        MpaFpdu.put(fpdu, 0, ulpduLength);
        int length = MpaFpdu.fpduBytes(ulpduLength);
        assertThat(MpaFpdu.check(fpdu, 0, 0)).isEqualTo(MpaFpdu.NEED_MORE);
        assertThat(MpaFpdu.check(fpdu, 0, 1)).isEqualTo(MpaFpdu.NEED_MORE);
        assertThat(MpaFpdu.check(fpdu, 0, length - 1)).isEqualTo(MpaFpdu.NEED_MORE);
        assertThat(MpaFpdu.check(fpdu, 0, length)).isEqualTo(length);
        assertThat(MpaFpdu.check(fpdu, 0, length + 3)).isEqualTo(length);
        assertThat(MpaFpdu.view(fpdu, 0)).isEqualTo(new MpaFpdu.View(ulpduLength, MpaFpdu.padBytes(ulpduLength), 0));
    }

    @Property
    void crcFieldRoundTrips(@ForAll("u32") int crc) {
        MemorySegment field = Written.by(4, (s, at) -> MpaFpdu.putCrcField(s, at, crc));
        assertThat(MpaFpdu.crcField(field, 0)).isEqualTo(crc);
    }

    @Property
    void markerRoundTrips(@ForAll("u16") int pointer) {
        MemorySegment marker = Written.by(4, (s, at) -> MpaMarkers.put(s, at, pointer & ~3));
        assertThat(MpaMarkers.view(marker, 0)).isEqualTo(new MpaMarkers.View(pointer & ~3));
    }

    @Property
    void markerArithmeticAgreesWithSendingByteByByte(
            @ForAll("streamPositions") long start, @ForAll @IntRange(max = 5000) int bytes) {
        sendByteByByte(start, bytes);
    }

    @Property
    void markerArithmeticIsRightWhereAMarkerIsDue(
            @ForAll("streamPositions") long start,
            @ForAll @IntRange(max = 10) int markers,
            @ForAll @IntRange(min = -1, max = 1) int more) {
        sendByteByByte(start, Math.max(0, MpaMarkers.bytesToNext(start) + (markers * MpaMarkers.SPACING) + more));
    }

    private static void sendByteByByte(long start, int bytes) {
        long position = start;
        long markers = 0;
        for (int i = 0; i < bytes; i++) {
            if (position % 512 == 0) {
                markers++;
                position += 4;
            }
            position++;
        }
        assertThat(MpaMarkers.countFor(start, bytes)).isEqualTo(markers);
        assertThat(MpaMarkers.streamBytes(start, bytes)).isEqualTo(position - start);
        assertThat(MpaMarkers.countIn(start, position - start)).isEqualTo(markers);
        assertThat(MpaMarkers.bytesToNext(start)).isEqualTo((int) ((512 - (start % 512)) % 512));
    }

    private static MemorySegment withRoom(MemorySegment header, int bytes) {
        MemorySegment frame = MemorySegment.ofArray(new byte[(int) header.byteSize() + bytes]);
        MemorySegment.copy(header, 0, frame, 0, header.byteSize());
        return frame;
    }

    @Provide
    Arbitrary<Integer> kinds() {
        return Arbitraries.of(MpaStartup.REQUEST, MpaStartup.REPLY);
    }

    @Provide
    Arbitrary<Integer> flags() {
        return Arbitraries.integers().between(0, 7).map(bits -> bits << 5);
    }

    @Provide
    Arbitrary<Integer> controlFlags() {
        return Arbitraries.integers()
                .between(0, 15)
                .map(bits -> ((bits & 1) == 0 ? 0 : MpaStartup.PEER_TO_PEER)
                        | ((bits & 2) == 0 ? 0 : MpaStartup.RTR_SEND)
                        | ((bits & 4) == 0 ? 0 : MpaStartup.RTR_WRITE)
                        | ((bits & 8) == 0 ? 0 : MpaStartup.RTR_READ));
    }

    /** What stands behind the key: any flags, mostly sane revisions and lengths, any data. */
    @Provide
    Arbitrary<byte[]> tails() {
        return Combinators.combine(
                        WireArbitraries.u8(),
                        Arbitraries.integers().between(0, 3),
                        WireArbitraries.privateDataLengths(),
                        WireArbitraries.bytes(540))
                .as((flags, revision, length, data) -> {
                    byte[] tail = new byte[4 + data.length];
                    tail[0] = flags.byteValue();
                    tail[1] = revision.byteValue();
                    tail[2] = (byte) (length >> 8);
                    tail[3] = length.byteValue();
                    System.arraycopy(data, 0, tail, 4, data.length);
                    return tail;
                });
    }

    @Provide
    Arbitrary<byte[]> garbage() {
        return WireArbitraries.bytes(600);
    }

    @Provide
    Arbitrary<Integer> privateDataLengths() {
        return WireArbitraries.privateDataLengths();
    }

    @Provide
    Arbitrary<Integer> readDepths() {
        return WireArbitraries.readDepths();
    }

    @Provide
    Arbitrary<Integer> ulpduLengths() {
        return WireArbitraries.ulpduLengths();
    }

    @Provide
    Arbitrary<Long> streamPositions() {
        return WireArbitraries.streamPositions();
    }

    @Provide
    Arbitrary<Integer> u16() {
        return WireArbitraries.u16();
    }

    @Provide
    Arbitrary<Integer> u32() {
        return WireArbitraries.u32();
    }
}
