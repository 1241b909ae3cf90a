package io.jrdma.iwarp.mpa;

import static io.jrdma.testing.HexVectors.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.Satisfies;
import io.jrdma.wire.Malformed;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** FPDUs by bytes (RFC 5044 section 4). */
class MpaFramingConformance {
    private static final byte[] SEND_1 = bytes("4143 00000000 00000000 00000001 00000000" + "00".repeat(24));
    private static final byte[] SEND_2 = bytes("4143 00000000 00000000 00000002 00000000" + "00".repeat(24));
    private static final byte[] FIGURE_5 =
            bytes("00000000 002a4143 00000000 00000000 00000001 00000000" + "00".repeat(24) + "52239983");
    private static final byte[] FIGURE_6 =
            bytes("002a4143 00000000 00000000 00000002 00000000 00000014" + "00".repeat(24) + "84925898");

    @Test
    @Satisfies({"RFC5044-4.2-1", "RFC5044-4.4-1", "RFC5044-4.4-2", "RFC5044-4.4-3", "RFC5044-7.1.2-7"})
    void senderMakesFigureFive() {
        assertThat(new FramingRig(true, true).send(SEND_1)).isEqualTo(FIGURE_5);
    }

    @Test
    @Satisfies({"RFC5044-4.2-3", "RFC5044-4.3-1", "RFC5044-4.4-3"})
    void senderMakesFigureSix() {
        FramingRig rig = new FramingRig(true, true);
        // up to byte 492, so that the next marker stands 20 bytes into the FPDU
        rig.send(new byte[482]);
        assertThat(rig.send(SEND_2)).isEqualTo(FIGURE_6);
    }

    @Test
    @Satisfies({"RFC5044-4.2-1", "RFC5044-4.3-1", "RFC5044-4.4-5"})
    void receiverReadsBothFigures() {
        FramingRig rig = new FramingRig(true, true);
        byte[] filler = rig.send(new byte[482]);
        FramingRig receiver = new FramingRig(true, true);
        receiver.receive(filler);
        receiver.receive(FIGURE_6);
        assertThat(receiver.received).hasSize(2);
        assertThat(receiver.received.get(1)).isEqualTo(SEND_2);
        FramingRig first = new FramingRig(true, true);
        first.receive(FIGURE_5);
        assertThat(first.received).containsExactly(SEND_1);
    }

    @Test
    @Satisfies({"RFC5044-4.1-1", "RFC5044-4.1-3", "RFC5044-4.1-4"})
    void withoutMarkersAndCrcTheFieldsAreStillThere() {
        assertThat(new FramingRig(false, false).send(bytes("4143 0000 0000 00")))
                .isEqualTo(bytes("0007 414300000000 00 000000 00000000"));
        assertThat(new FramingRig(true, false).send(bytes("4143 00000000 00000000 00000001 00000000 616263")))
                .isEqualTo(bytes("00154143 00000000 00000000 00000001 00000000 61626300 447065aa"));
    }

    @Test
    @Satisfies("RFC5044-4.1-2")
    void thePadsContentIsNotLookedAt() {
        // as Linux siw sends it: what happened to be there, with the CRC over it
        FramingRig rig = new FramingRig(false, false);
        rig.receive(bytes("0007 41430000000000 A1B2C3 00000000"));
        assertThat(rig.received).hasSize(1);
        assertThat(rig.error).isEqualTo(Malformed.OK);
    }

    @Test
    @Satisfies("RFC5044-4.4-4")
    void withCrcsOffTheFieldIsNotLookedAt() {
        FramingRig rig = new FramingRig(false, false);
        rig.receive(bytes("0002 4147 DEADBEEF"));
        assertThat(rig.received).hasSize(1);
    }

    @Test
    @Satisfies({"RFC5044-4.4-5", "RFC5044-8-1"})
    void aWrongCrcIsTheLastThatIsHeard() {
        byte[] good = bytes("00124143 00000000 00000000 00000001 00000000 587be8c4");
        byte[] bad = good.clone();
        bad[7] ^= 1;
        FramingRig rig = new FramingRig(true, false);
        rig.receive(good);
        rig.receive(bad);
        rig.receive(good);
        assertThat(rig.received).hasSize(1);
        assertThat(rig.error).isEqualTo(Malformed.MPA_CRC_MISMATCH);
        assertThat(rig.errors).isEqualTo(1);
    }

    @Test
    @Satisfies({"RFC5044-8-2", "RFC5044-4.3-2"})
    void aMarkerThatPointsElsewhereIsAnError() {
        for (int pointer : new int[] {4, 8, 0xFFFC}) {
            FramingRig rig = new FramingRig(false, true);
            byte[] stream = FIGURE_5.clone();
            stream[2] = (byte) (pointer >> 8);
            stream[3] = (byte) pointer;
            rig.receive(stream);
            assertThat(rig.received).isEmpty();
            assertThat(rig.error).isEqualTo(Malformed.MPA_MARKER_MISMATCH);
        }
        // inside an FPDU
        FramingRig rig = new FramingRig(false, true);
        rig.receive(new FramingRig(false, true).send(new byte[482]));
        byte[] stream = FIGURE_6.clone();
        stream[23] = 0x10;
        rig.receive(stream);
        assertThat(rig.received).hasSize(1);
        assertThat(rig.error).isEqualTo(Malformed.MPA_MARKER_MISMATCH);
    }

    @Test
    @Satisfies({"RFC5044-4.2-2", "RFC5044-4.2-1"})
    void reservedBitsOfAMarkerMeanNothing() {
        FramingRig rig = new FramingRig(false, true);
        byte[] stream = FIGURE_5.clone();
        stream[0] = (byte) 0xAB;
        stream[3] = 3;
        rig.receive(stream);
        assertThat(rig.received).hasSize(1);
    }

    @Test
    @Satisfies({"RFC5044-4.3-1", "RFC5044-4.3-4", "RFC5044-4.2-3"})
    void allMarkersOfALongFpduPointAtItsStart() {
        byte[] stream = new FramingRig(false, true).send(new byte[2000]);
        for (int at = 0, n = 0; at < stream.length; at += 512, n++) {
            int pointer = (stream[at + 2] & 0xFF) << 8 | stream[at + 3] & 0xFF;
            assertThat(pointer).isEqualTo(n == 0 ? 0 : at - 4);
        }
    }

    @Test
    @Satisfies("RFC5044-4.3-2")
    void aMarkerBetweenTwoFpdusGoesOutWithTheSecond() {
        FramingRig rig = new FramingRig(true, true);
        // ends right before byte 512
        byte[] first = rig.send(new byte[502]);
        assertThat(first).hasSize(512);
        byte[] second = rig.send(new byte[2]);
        assertThat(second).hasSize(4 + 8).startsWith(0, 0, 0, 0, 0, 2);
        FramingRig receiver = new FramingRig(true, true);
        receiver.receive(first);
        assertThat(receiver.received).hasSize(1);
        assertThat(receiver.isBetweenFpdus()).isTrue();
        receiver.receive(Arrays.copyOf(second, 4));
        receiver.receive(Arrays.copyOfRange(second, 4, second.length));
        assertThat(receiver.received).hasSize(2);
    }

    @Test
    void theLargestUlpduOfAllIsTaken() {
        for (boolean markers : new boolean[] {false, true}) {
            byte[] ulpdu = new byte[65_535];
            Arrays.fill(ulpdu, (byte) 0x5A);
            byte[] stream = new FramingRig(true, markers).send(ulpdu);
            FramingRig rig = new FramingRig(true, markers);
            rig.receive(Arrays.copyOf(stream, 40_000));
            rig.receive(Arrays.copyOfRange(stream, 40_000, stream.length));
            assertThat(rig.received).containsExactly(ulpdu);
        }
    }

    @Test
    void aWholeFpduIsHandedOnWhereItLies() {
        FramingRig rig = new FramingRig(true, false);
        byte[] one = new FramingRig(true, false).send(SEND_1);
        rig.receive(one);
        assertThat(rig.lastWasInput).isTrue();
        rig.receive(Arrays.copyOf(one, 3));
        rig.receive(Arrays.copyOfRange(one, 3, one.length));
        assertThat(rig.lastWasInput).isFalse();
        rig.receive(one);
        assertThat(rig.lastWasInput).isTrue();
    }

    @Test
    void theShortestFpdusAreTaken() {
        FramingRig rig = new FramingRig(false, false);
        rig.receive(bytes("0000 0000 00000000 0001 AA00 00000000"));
        assertThat(rig.received).hasSize(2);
        assertThat(rig.received.get(0)).isEmpty();
        assertThat(rig.received.get(1)).containsExactly(0xAA);
    }
}
