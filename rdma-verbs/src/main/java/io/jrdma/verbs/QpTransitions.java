package io.jrdma.verbs;

import static io.jrdma.verbs.QpAttribute.*;
import static io.jrdma.verbs.QpState.*;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state table of queue pairs (IBTA volume 1, 10.3.1 and 11.2.5.2): which transition is legal and which attributes it requires and
 * allows. iWARP knows the same states, but addresses and sequence numbers belong to its stream, so there only the state itself is
 * required.
 */
public final class QpTransitions {
    /**
     * One legal transition.
     *
     * @param required attributes that must be given, besides the state
     * @param optional attributes that may be given
     */
    public record Transition(Set<QpAttribute> required, Set<QpAttribute> optional) {}

    private static final Map<QpType, Map<QpState, Map<QpState, Transition>>> IB = new EnumMap<>(QpType.class);
    private static final Map<QpState, Map<QpState, Transition>> IWARP;

    static {
        for (QpType type : QpType.values()) {
            IB.put(type, table(type));
        }
        IWARP = iwarp();
    }

    private QpTransitions() {}

    /** The transition from one state to another, or null if it is not legal. */
    public static @Nullable Transition of(Transport transport, QpType type, QpState from, QpState to) {
        Map<QpState, Map<QpState, Transition>> table = switch (transport) {
            case IWARP -> type == QpType.RC ? IWARP : Map.of();
            case ROCE_V2 -> IB.getOrDefault(type, Map.of());
        };
        return table.getOrDefault(from, Map.of()).get(to);
    }

    /**
     * Checks a modify call.
     *
     * @return the state to go to
     * @throws VerbsException EINVAL, the caller's fault, naming the transition and the attributes that are missing or not allowed, or the
     *     state that the caller took for the current one
     */
    public static QpState check(Transport transport, QpType type, QpState from, QpAttributes attributes) {
        QpState state = attributes.state();
        QpState to = state == null ? from : state;
        Transition transition = of(transport, type, from, to);
        if (transition == null) {
            throw new VerbsException(
                    Errno.EINVAL, type + " queue pair cannot go from " + from + " to " + to + " on " + transport.id());
        }
        EnumSet<QpAttribute> missing = EnumSet.noneOf(QpAttribute.class);
        missing.addAll(transition.required());
        missing.removeAll(attributes.mask());
        EnumSet<QpAttribute> excess = EnumSet.noneOf(QpAttribute.class);
        excess.addAll(attributes.mask());
        excess.removeAll(transition.required());
        excess.removeAll(transition.optional());
        excess.remove(STATE);
        if (!missing.isEmpty() || !excess.isEmpty()) {
            throw new VerbsException(
                    Errno.EINVAL,
                    from + " to " + to + " of a " + type + " queue pair: missing " + missing + ", not allowed "
                            + excess);
        }
        QpState believed = attributes.currentState();
        if (believed != null && believed != from) {
            throw new VerbsException(Errno.EINVAL, "current state given as " + believed + "; it is " + from);
        }
        return to;
    }

    private static Map<QpState, Map<QpState, Transition>> table(QpType type) {
        Map<QpState, Map<QpState, Transition>> table = new EnumMap<>(QpState.class);
        everywhere(table);
        boolean rc = type == QpType.RC;
        boolean connected = type != QpType.UD;
        Set<QpAttribute> access = connected ? EnumSet.of(ACCESS_FLAGS) : EnumSet.of(QKEY);
        Set<QpAttribute> init = union(EnumSet.of(PKEY_INDEX, PORT), access);
        put(table, RESET, INIT, init, Set.of());
        put(table, INIT, INIT, Set.of(), init);
        put(
                table,
                INIT,
                RTR,
                !connected
                        ? Set.of()
                        : rc
                                ? EnumSet.of(AV, PATH_MTU, DEST_QPN, RQ_PSN, MAX_DEST_RD_ATOMIC, MIN_RNR_TIMER)
                                : EnumSet.of(AV, PATH_MTU, DEST_QPN, RQ_PSN),
                connected ? EnumSet.of(ALT_PATH, ACCESS_FLAGS, PKEY_INDEX) : EnumSet.of(PKEY_INDEX, QKEY));
        Set<QpAttribute> live =
                connected ? EnumSet.of(CUR_STATE, ALT_PATH, ACCESS_FLAGS, PATH_MIG_STATE) : EnumSet.of(CUR_STATE, QKEY);
        Set<QpAttribute> liveRc = rc ? union(live, EnumSet.of(MIN_RNR_TIMER)) : live;
        put(
                table,
                RTR,
                RTS,
                rc ? EnumSet.of(TIMEOUT, RETRY_CNT, RNR_RETRY, SQ_PSN, MAX_QP_RD_ATOMIC) : EnumSet.of(SQ_PSN),
                liveRc);
        put(table, RTS, RTS, Set.of(), liveRc);
        put(table, RTS, SQD, Set.of(), EnumSet.of(EN_SQD_ASYNC_NOTIFY));
        put(table, SQD, RTS, Set.of(), liveRc);
        put(
                table,
                SQD,
                SQD,
                Set.of(),
                !connected
                        ? EnumSet.of(PKEY_INDEX, QKEY)
                        : rc
                                ? EnumSet.of(
                                        PORT,
                                        AV,
                                        TIMEOUT,
                                        RETRY_CNT,
                                        RNR_RETRY,
                                        MAX_QP_RD_ATOMIC,
                                        MAX_DEST_RD_ATOMIC,
                                        ALT_PATH,
                                        ACCESS_FLAGS,
                                        PKEY_INDEX,
                                        MIN_RNR_TIMER,
                                        PATH_MIG_STATE)
                                : EnumSet.of(AV, ALT_PATH, ACCESS_FLAGS, PKEY_INDEX, PATH_MIG_STATE));
        if (!rc) {
            put(
                    table,
                    SQE,
                    RTS,
                    Set.of(),
                    connected ? EnumSet.of(CUR_STATE, ACCESS_FLAGS) : EnumSet.of(CUR_STATE, QKEY));
        }
        return table;
    }

    private static Map<QpState, Map<QpState, Transition>> iwarp() {
        Map<QpState, Map<QpState, Transition>> table = new EnumMap<>(QpState.class);
        everywhere(table);
        Set<QpAttribute> any = EnumSet.of(ACCESS_FLAGS, PKEY_INDEX, PORT, MAX_QP_RD_ATOMIC, MAX_DEST_RD_ATOMIC);
        put(table, RESET, INIT, Set.of(), any);
        put(table, INIT, INIT, Set.of(), any);
        put(table, INIT, RTR, Set.of(), any);
        put(table, INIT, RTS, Set.of(), any);
        Set<QpAttribute> live = union(any, EnumSet.of(CUR_STATE));
        put(table, RTR, RTS, Set.of(), live);
        put(table, RTS, RTS, Set.of(), live);
        put(table, RTS, SQD, Set.of(), EnumSet.of(EN_SQD_ASYNC_NOTIFY));
        put(table, SQD, RTS, Set.of(), live);
        put(table, SQD, SQD, Set.of(), any);
        return table;
    }

    /** Any state may go to RESET and to ERROR; RESET to ERROR too, which newer Linux kernels refuse. */
    private static void everywhere(Map<QpState, Map<QpState, Transition>> table) {
        for (QpState from : QpState.values()) {
            put(table, from, RESET, Set.of(), Set.of());
            put(table, from, ERROR, Set.of(), Set.of());
        }
    }

    private static void put(
            Map<QpState, Map<QpState, Transition>> table,
            QpState from,
            QpState to,
            Set<QpAttribute> required,
            Set<QpAttribute> optional) {
        table.computeIfAbsent(from, state -> new EnumMap<>(QpState.class))
                .put(to, new Transition(Set.copyOf(required), Set.copyOf(optional)));
    }

    private static Set<QpAttribute> union(Set<QpAttribute> one, Set<QpAttribute> other) {
        EnumSet<QpAttribute> both = EnumSet.copyOf(one);
        both.addAll(other);
        return both;
    }
}
