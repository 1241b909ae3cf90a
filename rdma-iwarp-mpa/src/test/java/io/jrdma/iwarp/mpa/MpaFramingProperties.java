package io.jrdma.iwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.Satisfies;
import io.jrdma.testing.WireArbitraries;
import io.jrdma.wire.Malformed;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** FPDUs against a slow model of RFC 5044 section 4, cut in every way. */
class MpaFramingProperties {
    @Provide
    Arbitrary<List<byte[]>> ulpdus() {
        Arbitrary<Integer> lengths = Arbitraries.oneOf(
                Arbitraries.integers().between(0, 40),
                Arbitraries.integers().between(480, 530),
                Arbitraries.integers().between(0, 3000),
                Arbitraries.of(502, 506, 1014, 16_384, 65_535));
        return lengths.map(n -> {
                    byte[] bytes = new byte[n];
                    new Random(n).nextBytes(bytes);
                    return bytes;
                })
                .list()
                .ofMinSize(1)
                .ofMaxSize(12);
    }

    /** Byte by byte: a marker wherever the position says so, all CRCs over what the standard names. */
    static byte[] model(List<byte[]> ulpdus, boolean crcInUse, boolean markers) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] ulpdu : ulpdus) {
            int pad = -(2 + ulpdu.length) & 3;
            byte[] plain = ByteBuffer.allocate(2 + ulpdu.length + pad)
                    .putShort((short) ulpdu.length)
                    .put(ulpdu)
                    .array();
            CRC32C crc = new CRC32C();
            int start = -1;
            for (int i = 0; i < plain.length + 4; i++) {
                if (markers && out.size() % 512 == 0) {
                    int pointer = start < 0 ? 0 : out.size() - start;
                    byte[] marker = {0, 0, (byte) (pointer >> 8), (byte) pointer};
                    out.writeBytes(marker);
                    crc.update(marker);
                }
                start = start < 0 ? out.size() : start;
                if (i < plain.length) {
                    out.write(plain[i]);
                    crc.update(plain[i]);
                } else {
                    int value = crcInUse ? (int) crc.getValue() : 0;
                    out.write(value >>> 8 * (i - plain.length));
                }
            }
        }
        return out.toByteArray();
    }

    @Property
    @Satisfies({"RFC5044-4.1-1", "RFC5044-4.1-3", "RFC5044-4.2-3", "RFC5044-4.3-1", "RFC5044-4.4-1", "RFC5044-4.4-3"})
    void senderMakesTheStreamOfTheModel(
            @ForAll("ulpdus") List<byte[]> ulpdus, @ForAll boolean crc, @ForAll boolean markers) {
        FramingRig rig = new FramingRig(crc, markers);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] ulpdu : ulpdus) {
            out.writeBytes(rig.send(ulpdu));
        }
        assertThat(out.toByteArray()).isEqualTo(model(ulpdus, crc, markers));
    }

    @Property
    @Satisfies({"RFC5044-4.4-5", "RFC5044-4.3-1"})
    void receiverGivesTheUlpdusBackHoweverTheStreamIsCut(
            @ForAll("ulpdus") List<byte[]> ulpdus,
            @ForAll boolean crc,
            @ForAll boolean markers,
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 5000) int longest) {
        FramingRig rig = new FramingRig(crc, markers);
        feed(rig, model(ulpdus, crc, markers), new Random(seed), longest);
        assertThat(rig.error).isEqualTo(Malformed.OK);
        assertThat(rig.received).hasSameSizeAs(ulpdus);
        for (int i = 0; i < ulpdus.size(); i++) {
            assertThat(rig.received.get(i)).isEqualTo(ulpdus.get(i));
        }
        assertThat(rig.isBetweenFpdus()).isTrue();
    }

    private static void feed(FramingRig rig, byte[] stream, Random random, int longest) {
        for (int at = 0; at < stream.length; ) {
            int n = Math.min(stream.length - at, 1 + random.nextInt(longest));
            rig.receive(Arrays.copyOfRange(stream, at, at + n));
            at += n;
        }
    }

    @Property
    @Satisfies({"RFC5044-4.4-5", "RFC5044-8-1", "RFC5044-8-2"})
    void withCrcsNoSpoiltBitGetsThrough(
            @ForAll("ulpdus") List<byte[]> ulpdus, @ForAll boolean markers, @ForAll long seed) {
        byte[] stream = model(ulpdus, true, markers);
        Random random = new Random(seed);
        int bit = random.nextInt(stream.length * 8);
        stream[bit / 8] ^= (byte) (1 << bit % 8);
        FramingRig rig = new FramingRig(true, markers);
        feed(rig, stream, random, 2000);
        // a spoilt length may make the receiver wait for more, but it never delivers what was not sent
        assertThat(rig.received.size()).isLessThan(ulpdus.size() + 1);
        boolean ignored = markers && bit / 8 % 512 < 4;
        for (int i = 0; i < rig.received.size(); i++) {
            assertThat(rig.received.get(i)).isEqualTo(ulpdus.get(i));
        }
        assertThat(rig.received.size() < ulpdus.size() || ignored).isTrue();
    }

    @Property
    void garbageNeverThrows(@ForAll boolean crc, @ForAll boolean markers, @ForAll long seed) {
        Random random = new Random(seed);
        byte[] stream = new byte[1 + random.nextInt(20_000)];
        random.nextBytes(stream);
        FramingRig rig = new FramingRig(crc, markers);
        feed(rig, stream, random, 3000);
        assertThat(rig.errors).isLessThanOrEqualTo(1);
    }

    @Property
    @Satisfies("RFC6581-9.1-4")
    void noSidesOrdIsAboveTheOthersIrd(
            @ForAll @IntRange(max = 128) int initiatorIrd,
            @ForAll @IntRange(max = 128) int initiatorOrd,
            @ForAll @IntRange(max = 128) int responderIrd,
            @ForAll @IntRange(max = 128) int responderOrd) {
        int replyOrd = MpaDepths.responderOrd(responderOrd, initiatorIrd);
        int replyIrd = MpaDepths.responderIrd(responderIrd, initiatorOrd, false);
        assertThat(replyOrd).isBetween(0, initiatorIrd);
        assertThat(replyIrd).isBetween(initiatorOrd, 128);
        assertThat(MpaDepths.initiatorOrd(initiatorOrd, replyIrd)).isEqualTo(initiatorOrd);
        assertThat(MpaDepths.initiatorIrd(initiatorIrd, replyOrd)).isEqualTo(initiatorIrd);
        assertThat(MpaDepths.tolerated(replyIrd)).isBetween(replyIrd, 128);
    }

    @Property
    void wireDepthsOfAnySizeAreWithinTheLimits(@ForAll("depths") int ird, @ForAll("depths") int ord) {
        assertThat(MpaDepths.clamp(ird)).isBetween(0, 128);
        assertThat(MpaDepths.responderIrd(7, ord, false)).isBetween(7, 128);
        assertThat(MpaDepths.responderOrd(7, ird)).isBetween(0, 7);
        assertThat(MpaDepths.initiatorOrd(7, ird)).isBetween(0, 7);
        assertThat(MpaDepths.initiatorIrd(7, ord)).isBetween(-1, 128);
    }

    @Provide
    Arbitrary<Integer> depths() {
        return WireArbitraries.readDepths();
    }
}
