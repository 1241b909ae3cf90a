package io.jrdma.cm.iwarp;

import io.jrdma.cm.StateTables;
import org.junit.jupiter.api.Test;

/** The whole state table of connections, pair by pair. */
class IwarpConnectionTransitionsTest {
    @Test
    void everyPairOfStateAndInputIsAsCommitted() {
        StateTables.check(
                "iwarp-connection-transitions.txt",
                IwarpConnectionState.values(),
                IwarpConnectionInput.values(),
                (state, input) -> {
                    IwarpConnectionState next = IwarpConnectionTransitions.next(state, input);
                    return next == null ? "ignored" : next.name();
                });
    }
}
