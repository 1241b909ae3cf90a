package io.jrdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Every (transport, type, from, to). The snapshot was written from the tables of IBTA volume 1, 11.2.5.2, as Linux's {@code
 * qp_state_table} has them, not by printing what the code does.
 */
class QpTransitionsTest {
    private record Pair(Transport transport, QpType type, QpState from, QpState to) {
        @Override
        public String toString() {
            return transport + " " + type + " " + from + " -> " + to;
        }
    }

    private static void forEveryPair(Consumer<Pair> action) {
        for (Transport transport : Transport.values()) {
            for (QpType type : QpType.values()) {
                for (QpState from : QpState.values()) {
                    for (QpState to : QpState.values()) {
                        action.accept(new Pair(transport, type, from, to));
                    }
                }
            }
        }
    }

    private static QpTransitions.Transition of(Pair pair) {
        return QpTransitions.of(pair.transport, pair.type, pair.from, pair.to);
    }

    @Test
    void everyPairIsAsInTheSnapshot() throws IOException {
        StringBuilder text = new StringBuilder(
                "# transport type FROM -> TO: required attributes | optional attributes; a pair that is not here is refused\n");
        forEveryPair(pair -> {
            QpTransitions.Transition transition = of(pair);
            if (transition != null) {
                String line = pair + ": " + names(transition.required()) + " | " + names(transition.optional());
                text.append(line.replace("  ", " ").strip()).append('\n');
            }
        });
        try (InputStream in = QpTransitionsTest.class.getResourceAsStream("/snapshots/qp-transitions.txt")) {
            String expected = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
            assertThat(text.toString()).isEqualTo(expected);
        }
    }

    private static String names(Set<QpAttribute> attributes) {
        return attributes.stream().sorted().map(QpAttribute::name).collect(Collectors.joining(" "));
    }

    @Test
    void requiredAttributesAloneAreEnough() {
        forEveryPair(pair -> {
            QpTransitions.Transition transition = of(pair);
            if (transition != null) {
                assertThat(check(pair, with(pair, transition.required())))
                        .as("%s", pair)
                        .isEqualTo(pair.to);
            }
        });
    }

    @Test
    void allOptionalAttributesMayBeGiven() {
        forEveryPair(pair -> {
            QpTransitions.Transition transition = of(pair);
            if (transition != null) {
                EnumSet<QpAttribute> all = EnumSet.of(QpAttribute.STATE);
                all.addAll(transition.required());
                all.addAll(transition.optional());
                assertThat(check(pair, with(pair, all))).as("%s", pair).isEqualTo(pair.to);
            }
        });
    }

    @Test
    void eachMissingAttributeIsNamed() {
        forEveryPair(pair -> {
            QpTransitions.Transition transition = of(pair);
            if (transition != null) {
                for (QpAttribute missing : transition.required()) {
                    EnumSet<QpAttribute> most = EnumSet.copyOf(transition.required());
                    most.remove(missing);
                    assertThatThrownBy(() -> check(pair, with(pair, most)))
                            .as("%s without %s", pair, missing)
                            .isInstanceOf(VerbsException.class)
                            .hasMessage("EINVAL: " + pair.from + " to " + pair.to + " of a " + pair.type
                                    + " queue pair: missing [" + missing + "], not allowed []");
                }
            }
        });
    }

    @Test
    void eachAttributeBeyondTheTableIsNamed() {
        forEveryPair(pair -> {
            QpTransitions.Transition transition = of(pair);
            if (transition != null) {
                for (QpAttribute excess : settable()) {
                    if (excess == QpAttribute.STATE
                            || transition.required().contains(excess)
                            || transition.optional().contains(excess)) {
                        continue;
                    }
                    EnumSet<QpAttribute> more = EnumSet.of(excess);
                    more.addAll(transition.required());
                    assertThatThrownBy(() -> check(pair, with(pair, more)))
                            .as("%s with %s", pair, excess)
                            .isInstanceOf(VerbsException.class)
                            .hasMessageEndingWith("missing [], not allowed [" + excess + "]");
                }
            }
        });
    }

    @Test
    void illegalPairsAreRefused() {
        forEveryPair(pair -> {
            if (of(pair) == null) {
                assertThatThrownBy(() -> check(pair, with(pair, Set.of())))
                        .as("%s", pair)
                        .isInstanceOfSatisfying(
                                VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
                        .hasMessage("EINVAL: " + pair.type + " queue pair cannot go from " + pair.from + " to "
                                + pair.to + " on " + pair.transport.id());
            }
        });
    }

    @Test
    void withoutAStateTheAttributesOfTheSameStateCount() {
        QpAttributes rnrTimer = QpAttributes.builder().minRnrTimer(3).build();
        assertThat(QpTransitions.check(Transport.ROCE_V2, QpType.RC, QpState.RTS, rnrTimer))
                .isEqualTo(QpState.RTS);
        assertThatThrownBy(() -> QpTransitions.check(Transport.ROCE_V2, QpType.RC, QpState.RTR, rnrTimer))
                .hasMessage("EINVAL: RC queue pair cannot go from RTR to RTR on roce");
    }

    @Test
    void wrongBeliefAboutTheCurrentStateIsAnError() {
        QpAttributes change = QpAttributes.builder()
                .state(QpState.RTS)
                .currentState(QpState.SQD)
                .build();
        assertThat(QpTransitions.check(Transport.ROCE_V2, QpType.RC, QpState.SQD, change))
                .isEqualTo(QpState.RTS);
        assertThatThrownBy(() -> QpTransitions.check(Transport.ROCE_V2, QpType.RC, QpState.RTS, change))
                .hasMessage("EINVAL: current state given as SQD; it is RTS");
    }

    @Test
    void attributeBitsAreThoseOfVerbs() {
        int[] shifts = new int[QpAttribute.values().length];
        for (QpAttribute attribute : QpAttribute.values()) {
            shifts[attribute.ordinal()] = Integer.numberOfTrailingZeros(attribute.bit());
            assertThat(Integer.bitCount(attribute.bit())).isEqualTo(1);
        }
        // enum ibv_qp_attr_mask counts from 1 << 0 to 1 << 20 without a gap
        for (int i = 0; i < shifts.length; i++) {
            assertThat(shifts[i]).isEqualTo(i);
        }
        assertThat(QpAttribute.DEST_QPN.bit()).isEqualTo(1 << 20);
        assertThat(QpAttribute.AV.bit()).isEqualTo(1 << 7);
        assertThat(QpAttribute.MAX_QP_RD_ATOMIC.bit()).isEqualTo(1 << 13);
        assertThat(QpAttribute.SQ_PSN.bit()).isEqualTo(1 << 16);
    }

    private static QpState check(Pair pair, QpAttributes attributes) {
        return QpTransitions.check(pair.transport, pair.type, pair.from, attributes);
    }

    /** Those that the builder can set; capacities, alternate paths and migration have no setter. */
    private static Set<QpAttribute> settable() {
        return EnumSet.complementOf(EnumSet.of(QpAttribute.ALT_PATH, QpAttribute.CAP, QpAttribute.PATH_MIG_STATE));
    }

    private static QpAttributes with(Pair pair, Set<QpAttribute> attributes) {
        QpAttributes.Builder builder = QpAttributes.builder().state(pair.to);
        for (QpAttribute attribute : attributes) {
            switch (attribute) {
                case STATE, ALT_PATH, CAP, PATH_MIG_STATE -> {}
                case CUR_STATE -> builder.currentState(pair.from);
                case EN_SQD_ASYNC_NOTIFY -> builder.sqdNotify(true);
                case ACCESS_FLAGS -> builder.access(Set.of(Access.REMOTE_READ));
                case PKEY_INDEX -> builder.pKeyIndex(0);
                case PORT -> builder.port(1);
                case QKEY -> builder.qKey(0x11111111);
                case AV -> builder.addressVector(AddressVector.to(InetAddress.getLoopbackAddress()));
                case PATH_MTU -> builder.pathMtu(1024);
                case TIMEOUT -> builder.timeout(14);
                case RETRY_CNT -> builder.retryCnt(7);
                case RNR_RETRY -> builder.rnrRetry(7);
                case RQ_PSN -> builder.rqPsn(1);
                case MAX_QP_RD_ATOMIC -> builder.maxRdAtomic(1);
                case MIN_RNR_TIMER -> builder.minRnrTimer(12);
                case SQ_PSN -> builder.sqPsn(1);
                case MAX_DEST_RD_ATOMIC -> builder.maxDestRdAtomic(1);
                case DEST_QPN -> builder.destQpNum(2);
            }
        }
        return builder.build();
    }
}
