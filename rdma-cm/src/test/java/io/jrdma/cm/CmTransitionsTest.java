package io.jrdma.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.VerbsException;
import org.junit.jupiter.api.Test;

/** The whole state table of ids, pair by pair, as a text that a reviewer can read. */
class CmTransitionsTest {
    @Test
    void everyPairOfStateAndInputIsAsCommitted() {
        StateTables.check("cm-transitions.txt", RdmaCmState.values(), CmInput.values(), CmTransitionsTest::outcome);
    }

    private static String outcome(RdmaCmState state, CmInput input) {
        try {
            RdmaCmState next = CmTransitions.next(state, input);
            return next == null ? "ignored" : next.name();
        } catch (VerbsException refused) {
            return "EINVAL";
        }
    }

    @Test
    void nothingLeadsOutOfDestroyed() {
        for (CmInput input : CmInput.values()) {
            assertThat(outcome(RdmaCmState.DESTROYED, input)).as("%s", input).isIn("ignored", "EINVAL");
        }
    }

    @Test
    void whatIsNoCallIsNeverAMistake() {
        for (RdmaCmState state : RdmaCmState.values()) {
            for (CmInput input : CmInput.values()) {
                if (!input.isCall()) {
                    assertThat(outcome(state, input))
                            .as("%s in %s", input, state)
                            .isNotEqualTo("EINVAL");
                }
            }
        }
    }
}
