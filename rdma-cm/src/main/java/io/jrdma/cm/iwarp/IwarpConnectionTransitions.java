package io.jrdma.cm.iwarp;

import static io.jrdma.cm.iwarp.IwarpConnectionInput.*;
import static io.jrdma.cm.iwarp.IwarpConnectionState.*;

import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which input means something in which state. Every other pair is ignored: commands and reports cross each other, and whichever came
 * first has settled the matter.
 */
final class IwarpConnectionTransitions {
    private static final Map<IwarpConnectionState, Map<IwarpConnectionInput, IwarpConnectionState>> TABLE =
            new EnumMap<>(IwarpConnectionState.class);

    static {
        put(IDLE, CONNECT, CONNECTING);
        put(IDLE, DESTROY, CLOSED);
        put(CONNECTING, ON_ESTABLISHED, ESTABLISHED);
        put(CONNECTING, ON_REJECTED, CLOSED);
        put(CONNECTING, ON_FAILED, CLOSED);
        put(CONNECTING, DESTROY, CLOSED);
        put(AWAITING_REQUEST, ON_REQUEST, REQUEST_RECEIVED);
        put(AWAITING_REQUEST, ON_FAILED, CLOSED);
        put(AWAITING_REQUEST, DESTROY, CLOSED);
        put(REQUEST_RECEIVED, ACCEPT, ACCEPTING);
        put(REQUEST_RECEIVED, REJECT, CLOSED);
        put(REQUEST_RECEIVED, ON_FAILED, REQUEST_GONE);
        put(REQUEST_RECEIVED, DESTROY, CLOSED);
        put(REQUEST_GONE, ACCEPT, CLOSED);
        put(REQUEST_GONE, REJECT, CLOSED);
        put(REQUEST_GONE, DESTROY, CLOSED);
        put(ACCEPTING, ON_ESTABLISHED, ESTABLISHED);
        put(ACCEPTING, ON_FAILED, CLOSED);
        put(ACCEPTING, DESTROY, CLOSED);
        put(ESTABLISHED, DISCONNECT, ESTABLISHED);
        put(ESTABLISHED, ON_DISCONNECTED, CLOSED);
        put(ESTABLISHED, DESTROY, CLOSED);
    }

    private IwarpConnectionTransitions() {}

    /** The state to go to, or null if the input is to be ignored. */
    static @Nullable IwarpConnectionState next(IwarpConnectionState state, IwarpConnectionInput input) {
        return TABLE.getOrDefault(state, Map.of()).get(input);
    }

    private static void put(IwarpConnectionState from, IwarpConnectionInput input, IwarpConnectionState to) {
        TABLE.computeIfAbsent(from, state -> new EnumMap<>(IwarpConnectionInput.class))
                .put(input, to);
    }
}
