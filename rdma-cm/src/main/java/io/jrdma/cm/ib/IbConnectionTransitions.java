package io.jrdma.cm.ib;

import static io.jrdma.cm.ib.IbConnectionInput.*;
import static io.jrdma.cm.ib.IbConnectionState.*;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which input means something in which state (IBTA volume 1, 12.9.6 to 12.9.8). Every other pair is ignored: messages are lost, repeated
 * and late, and commands cross them; whichever came first has settled the matter.
 */
final class IbConnectionTransitions {
    private static final Map<IbConnectionState, Map<IbConnectionInput, IbConnectionState>> TABLE =
            new EnumMap<>(IbConnectionState.class);

    static {
        put(IDLE, CONNECT, REQ_SENT);
        put(IDLE, DESTROY, CLOSED);
        for (IbConnectionState state : EnumSet.of(REQ_SENT, MRA_REQ_RCVD)) {
            put(state, ON_MRA, MRA_REQ_RCVD);
            put(state, ON_REP, REP_RCVD);
            put(state, ON_REJ, CLOSED);
            put(state, REFUSED, CLOSED);
            put(state, NO_ANSWER, CLOSED);
            put(state, DESTROY, CLOSED);
        }
        put(REP_RCVD, READY, ESTABLISHED);
        put(REP_RCVD, REFUSED, TIMEWAIT);
        for (IbConnectionState state : EnumSet.of(REQ_RCVD, MRA_REQ_SENT)) {
            put(state, ON_REQ, MRA_REQ_SENT);
            put(state, ON_REJ, REQ_GONE);
            put(state, ACCEPT, REP_SENT);
            put(state, REJECT, TIMEWAIT);
            put(state, DESTROY, TIMEWAIT);
        }
        put(REQ_GONE, ACCEPT, CLOSED);
        put(REQ_GONE, REJECT, CLOSED);
        put(REQ_GONE, DESTROY, CLOSED);
        for (IbConnectionState state : EnumSet.of(REP_SENT, MRA_REP_RCVD)) {
            put(state, ON_REQ, state);
            put(state, ON_MRA, MRA_REP_RCVD);
            // [IBTA-CM-12.9.6-3] whichever comes first
            put(state, ON_RTU, ESTABLISHED);
            put(state, COMM_EST, ESTABLISHED);
            put(state, ON_DREQ, TIMEWAIT);
            put(state, ON_REJ, TIMEWAIT);
            put(state, REFUSED, TIMEWAIT);
            put(state, FAULT, TIMEWAIT);
            put(state, NO_ANSWER, TIMEWAIT);
            put(state, DESTROY, TIMEWAIT);
        }
        put(ESTABLISHED, DISCONNECT, DRAINING);
        for (IbConnectionState state : EnumSet.of(ESTABLISHED, DRAINING)) {
            put(state, ON_REP, state);
            put(state, ON_DREQ, TIMEWAIT);
            put(state, ON_REJ, TIMEWAIT);
            put(state, FAULT, DRAINING);
            put(state, STALE, DREQ_SENT);
            put(state, DESTROY, DRAINING);
        }
        put(DRAINING, DRAINED, DREQ_SENT);
        put(DREQ_SENT, ON_DREP, TIMEWAIT);
        // [IBTA-CM-12.10-4] the peer's DREQ says as much as its DREP would
        put(DREQ_SENT, ON_DREQ, TIMEWAIT);
        put(DREQ_SENT, ON_REJ, TIMEWAIT);
        put(DREQ_SENT, NO_ANSWER, TIMEWAIT);
        put(DREQ_SENT, DESTROY, DREQ_SENT);
        put(TIMEWAIT, ON_REQ, TIMEWAIT);
        put(TIMEWAIT, ON_REP, TIMEWAIT);
        // [IBTA-CM-12.10-2]
        put(TIMEWAIT, ON_DREQ, TIMEWAIT);
        put(TIMEWAIT, DESTROY, TIMEWAIT);
        put(TIMEWAIT, TIMEWAIT_OVER, CLOSED);
    }

    private IbConnectionTransitions() {}

    /** The state to go to, or null if the input is to be ignored. */
    static @Nullable IbConnectionState next(IbConnectionState state, IbConnectionInput input) {
        return TABLE.getOrDefault(state, Map.of()).get(input);
    }

    private static void put(IbConnectionState from, IbConnectionInput input, IbConnectionState to) {
        TABLE.computeIfAbsent(from, state -> new EnumMap<>(IbConnectionInput.class))
                .put(input, to);
    }
}
