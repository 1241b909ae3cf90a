package io.jrdma.wire.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.Requirements;
import io.jrdma.testing.Satisfies;
import java.lang.reflect.Field;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Codes inside fields: syndromes, credits, timers, MTUs; and the reasons to drop. */
class IbCodesConformance {
    @Satisfies({"IBTA-9.7.5-1", "IBTA-9.7.5-4"})
    @Test
    void everySyndromeHasItsKindAndValue() {
        for (int syndrome = 0; syndrome < 256; syndrome++) {
            int low = syndrome & 0x7F;
            int kind = low < 0x20
                    ? AethSyndrome.KIND_ACK
                    : low < 0x40
                            ? AethSyndrome.KIND_RNR_NAK
                            : low < 0x60 ? AethSyndrome.KIND_RESERVED : AethSyndrome.KIND_NAK;
            assertThat(AethSyndrome.kind(syndrome)).isEqualTo(kind);
            assertThat(AethSyndrome.value(syndrome)).isEqualTo(syndrome % 32);
            assertThat(AethSyndrome.isAck(syndrome)).isEqualTo(low < 0x20);
            assertThat(AethSyndrome.name(syndrome)).isNotEmpty();
        }
        assertThat(AethSyndrome.ACK).isEqualTo(0x1F);
        assertThat(AethSyndrome.ack(5)).isEqualTo(0x05);
        assertThat(AethSyndrome.rnrNak(0)).isEqualTo(0x20);
        assertThat(AethSyndrome.rnrNak(31)).isEqualTo(0x3F);
        assertThat(AethSyndrome.nak(NakCode.PSN_SEQUENCE_ERROR)).isEqualTo(0x60);
        assertThat(AethSyndrome.nak(NakCode.INVALID_REQUEST)).isEqualTo(0x61);
        assertThat(AethSyndrome.nak(NakCode.REMOTE_ACCESS_ERROR)).isEqualTo(0x62);
        assertThat(AethSyndrome.nak(NakCode.REMOTE_OPERATIONAL_ERROR)).isEqualTo(0x63);
        assertThat(AethSyndrome.nak(NakCode.INVALID_RD_REQUEST)).isEqualTo(0x64);
        assertThat(AethSyndrome.name(0x62)).isEqualTo("NAK REMOTE_ACCESS_ERROR");
        assertThat(AethSyndrome.name(0x20)).isEqualTo("RNR NAK 655360 us");
        assertThat(AethSyndrome.name(0x1F)).isEqualTo("ACK");
        assertThat(AethSyndrome.name(0x05)).isEqualTo("ACK credits 6");
    }

    @Satisfies("IBTA-9.7.5-4")
    @Test
    void onlyTheSequenceErrorIsTriedAgain() {
        for (int code = -1; code < 32; code++) {
            assertThat(NakCode.isKnown(code)).isEqualTo(code >= 0 && code <= 4);
            assertThat(NakCode.isRetried(code)).isEqualTo(code == 0);
        }
        assertThat(NakCode.name(9)).isEqualTo("NAK_9");
    }

    @Satisfies("IBTA-9.7.5-2")
    @Test
    void creditCodesDoubleEveryTwoSteps() {
        assertThat(AethSyndrome.credits(0)).isZero();
        assertThat(AethSyndrome.credits(1)).isEqualTo(1);
        assertThat(AethSyndrome.credits(2)).isEqualTo(2);
        assertThat(AethSyndrome.credits(3)).isEqualTo(3);
        for (int code = 4; code <= 30; code++) {
            assertThat(AethSyndrome.credits(code)).isEqualTo(2 * AethSyndrome.credits(code - 2));
        }
        assertThat(AethSyndrome.credits(30)).isEqualTo(32_768);
        assertThat(AethSyndrome.credits(31)).isEqualTo(-1);
        assertThat(AethSyndrome.credits(-1)).isEqualTo(-1);
    }

    @Satisfies("IBTA-9.7.5-2")
    @Test
    void creditsArePromisedOnlyIfTheyAreThere() {
        for (int credits = 0; credits < 40_000; credits++) {
            int code = AethSyndrome.creditCode(credits);
            assertThat(AethSyndrome.credits(code)).isLessThanOrEqualTo(credits);
            assertThat(code == 30 || AethSyndrome.credits(code + 1) > credits).isTrue();
        }
        assertThat(AethSyndrome.creditCode(Integer.MAX_VALUE)).isEqualTo(30);
    }

    @Satisfies("IBTA-9.7.5-3")
    @Test
    void rnrTimersOfTheTable() {
        double[] millis = {
            655.36, 0.01, 0.02, 0.03, 0.04, 0.06, 0.08, 0.12, 0.16, 0.24, 0.32, 0.48, 0.64, 0.96, 1.28, 1.92, 2.56,
            3.84, 5.12, 7.68, 10.24, 15.36, 20.48, 30.72, 40.96, 61.44, 81.92, 122.88, 163.84, 245.76, 327.68, 491.52
        };
        for (int code = 0; code < 32; code++) {
            long nanos = Math.round(millis[code] * 1_000_000);
            assertThat(RnrTimer.toNanos(code)).as("code %d", code).isEqualTo(nanos);
            assertThat(RnrTimer.fromNanos(nanos)).isEqualTo(code);
            if (code > 0) {
                assertThat(RnrTimer.fromNanos(nanos + 1)).isEqualTo((code + 1) % 32);
            }
        }
        assertThat(RnrTimer.fromNanos(0)).isEqualTo(1);
        assertThat(RnrTimer.fromNanos(Long.MAX_VALUE)).isEqualTo(RnrTimer.LONGEST);
    }

    @Satisfies("IBTA-9.7.6-1")
    @Test
    void timeoutsAreExponents() {
        assertThat(AckTimeout.toNanos(0)).isEqualTo(4096);
        assertThat(AckTimeout.toNanos(14)).isEqualTo(67_108_864);
        assertThat(AckTimeout.toNanos(31)).isEqualTo(8_796_093_022_208L);
        for (int exponent = 0; exponent < 32; exponent++) {
            assertThat(AckTimeout.fromNanos(AckTimeout.toNanos(exponent))).isEqualTo(exponent);
            assertThat(AckTimeout.fromNanos(AckTimeout.toNanos(exponent) + 1)).isEqualTo(Math.min(31, exponent + 1));
        }
        assertThat(AckTimeout.fromNanos(0)).isZero();
    }

    @Satisfies("IBTA-9.4-2")
    @Test
    void pathMtus() {
        int[] bytes = {256, 512, 1024, 2048, 4096};
        for (int code = 1; code <= 5; code++) {
            assertThat(PathMtu.isCode(code)).isTrue();
            assertThat(PathMtu.bytes(code)).isEqualTo(bytes[code - 1]);
            assertThat(PathMtu.isMtu(bytes[code - 1])).isTrue();
            assertThat(PathMtu.code(bytes[code - 1])).isEqualTo(code);
            assertThat(PathMtu.atMost(bytes[code - 1])).isEqualTo(bytes[code - 1]);
            assertThat(PathMtu.atMost(bytes[code - 1] - 1)).isEqualTo(code == 1 ? 0 : bytes[code - 2]);
        }
        for (int no : new int[] {-1, 0, 6}) {
            assertThat(PathMtu.isCode(no)).isFalse();
        }
        for (int no : new int[] {-256, 0, 128, 300, 1500, 8192}) {
            assertThat(PathMtu.isMtu(no)).isFalse();
        }
        assertThat(PathMtu.atMost(9000 - 80)).isEqualTo(4096);
    }

    @Test
    void everyReasonHasItsNameAndClause() throws IllegalAccessException {
        Map<String, ?> requirements = Requirements.load().byId();
        Set<String> texts = new HashSet<>();
        int codes = 0;
        for (Field field : IbMalformed.class.getFields()) {
            if (field.getName().equals("COUNT")) {
                continue;
            }
            int code = field.getInt(null);
            assertThat(IbMalformed.name(code)).isEqualTo(field.getName());
            assertThat(texts.add(IbMalformed.description(code))).isTrue();
            if (code != IbMalformed.OK) {
                assertThat(requirements).containsKey(IbMalformed.requirement(code));
            }
            codes++;
        }
        assertThat(codes).isEqualTo(IbMalformed.COUNT);
        assertThat(IbMalformed.requirement(IbMalformed.OK)).isEmpty();
        assertThat(IbMalformed.name(-1)).isEqualTo("IB_MALFORMED_-1");
        assertThat(IbMalformed.description(99)).isNotEmpty();
        assertThat(IbMalformed.requirement(99)).isEmpty();
    }
}
