package io.jrdma.cm.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.cm.StateTables;
import org.junit.jupiter.api.Test;

/** The whole state table of connections, pair by pair. */
class IbConnectionTransitionsTest {
    private static String outcome(IbConnectionState state, IbConnectionInput input) {
        IbConnectionState next = IbConnectionTransitions.next(state, input);
        return next == null ? "ignored" : next.name();
    }

    @Test
    void everyPairOfStateAndInputIsAsCommitted() {
        StateTables.check(
                "ib-connection-transitions.txt",
                IbConnectionState.values(),
                IbConnectionInput.values(),
                IbConnectionTransitionsTest::outcome);
    }

    @Test
    void everyStateButTheLastCanBeLeftByDestroying() {
        for (IbConnectionState state : IbConnectionState.values()) {
            // REP_RCVD is over before a command can come
            boolean last = state == IbConnectionState.CLOSED || state == IbConnectionState.REP_RCVD;
            assertThat(outcome(state, IbConnectionInput.DESTROY).equals("ignored"))
                    .as("destroying in %s is ignored", state)
                    .isEqualTo(last);
        }
    }

    @Test
    void nothingLeadsOutOfClosed() {
        for (IbConnectionInput input : IbConnectionInput.values()) {
            assertThat(outcome(IbConnectionState.CLOSED, input)).as("%s", input).isEqualTo("ignored");
        }
    }
}
