package io.jrdma.cm;

import static io.jrdma.cm.CmInput.*;
import static io.jrdma.cm.RdmaCmState.*;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.VerbsException;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state table of ids, after {@code rdma_cma}. A call that is neither listed nor harmless is the application's mistake; anything else
 * that is not listed has been overtaken by something that happened before, and is ignored.
 */
final class CmTransitions {
    private static final Map<CmInput, Map<RdmaCmState, RdmaCmState>> TABLE = new EnumMap<>(CmInput.class);
    private static final Map<CmInput, Set<RdmaCmState>> HARMLESS = new EnumMap<>(CmInput.class);

    static {
        put(BIND, IDLE, ADDRESS_BOUND);
        put(CmInput.LISTEN, IDLE, RdmaCmState.LISTEN);
        put(CmInput.LISTEN, ADDRESS_BOUND, RdmaCmState.LISTEN);
        put(RESOLVE_ADDRESS, IDLE, ADDRESS_QUERY);
        put(RESOLVE_ADDRESS, ADDRESS_BOUND, ADDRESS_QUERY);
        put(ADDRESS_FOUND, ADDRESS_QUERY, ADDRESS_RESOLVED);
        put(ADDRESS_FAILED, ADDRESS_QUERY, ADDRESS_BOUND);
        put(RESOLVE_ROUTE, ADDRESS_RESOLVED, ROUTE_QUERY);
        put(ROUTE_FOUND, ROUTE_QUERY, ROUTE_RESOLVED);
        put(ROUTE_FAILED, ROUTE_QUERY, ADDRESS_RESOLVED);
        for (RdmaCmState state :
                EnumSet.of(IDLE, ADDRESS_BOUND, ADDRESS_RESOLVED, ROUTE_QUERY, ROUTE_RESOLVED, REQUEST_RECEIVED)) {
            put(CREATE_QUEUE_PAIR, state, state);
        }
        put(CONNECT, ROUTE_RESOLVED, CONNECTING);
        put(ACCEPT, REQUEST_RECEIVED, ACCEPTING);
        put(REJECT, REQUEST_RECEIVED, CLOSED);
        for (RdmaCmState state : EnumSet.of(CONNECTING, ACCEPTING)) {
            put(CONNECTION_UP, state, ESTABLISHED);
            put(CONNECTION_FAILED, state, CLOSED);
        }
        put(DISCONNECT, ESTABLISHED, DISCONNECTING);
        HARMLESS.put(DISCONNECT, EnumSet.of(DISCONNECTING, CLOSED));
        put(CONNECTION_DOWN, ESTABLISHED, CLOSED);
        put(CONNECTION_DOWN, DISCONNECTING, CLOSED);
        put(TIMEWAIT_OVER, CLOSED, CLOSED);
        for (RdmaCmState state : EnumSet.complementOf(EnumSet.of(DESTROYED))) {
            put(CmInput.CLOSE, state, DESTROYED);
            put(DEVICE_REMOVED, state, CLOSED);
        }
        HARMLESS.put(CmInput.CLOSE, EnumSet.of(DESTROYED));
    }

    private CmTransitions() {}

    /**
     * The state to go to.
     *
     * @return null if the input is to be ignored
     * @throws VerbsException EINVAL if a call is not allowed in that state, naming both and where it is allowed
     */
    static @Nullable RdmaCmState next(RdmaCmState state, CmInput input) {
        Map<RdmaCmState, RdmaCmState> row = TABLE.getOrDefault(input, Map.of());
        RdmaCmState next = row.get(state);
        if (next == null
                && input.isCall()
                && !HARMLESS.getOrDefault(input, Set.of()).contains(state)) {
            throw new VerbsException(
                    Errno.EINVAL, input.text() + " in state " + state + "; allowed in " + row.keySet());
        }
        return next;
    }

    /**
     * The state to go to, for calls that are harmless nowhere.
     *
     * @throws VerbsException as {@link #next}
     */
    static RdmaCmState require(RdmaCmState state, CmInput call) {
        return Objects.requireNonNull(next(state, call));
    }

    private static void put(CmInput input, RdmaCmState from, RdmaCmState to) {
        TABLE.computeIfAbsent(input, key -> new EnumMap<>(RdmaCmState.class)).put(from, to);
    }
}
