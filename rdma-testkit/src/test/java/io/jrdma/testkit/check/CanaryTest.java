package io.jrdma.testkit.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.testkit.sim.LinkOptions;
import io.jrdma.testkit.sim.SimFailure;
import io.jrdma.testkit.toy.ToyPair;
import io.jrdma.testkit.toy.ToyTransport;
import io.jrdma.testkit.toy.ToyTransport.Bug;
import io.jrdma.verbs.SendWr;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Planted faults: if one of them is not caught, the rig is broken. */
class CanaryTest {
    private static final long SECOND = 1_000_000_000L;

    @AfterEach
    void noBug() {
        ToyTransport.bug = Bug.NONE;
    }

    private static ToyPair run(Bug bug) {
        ToyTransport.bug = bug;
        ToyPair pair = ToyPair.connected(1);
        for (int i = 0; i < 8; i++) {
            pair.send(pair.left, i * 1000, 200);
            pair.write(pair.left, 12_000 + i * 1000, 100 + i);
        }
        pair.liveness.faultsStopped(pair.simulator, SECOND);
        pair.simulator.at(pair.simulator.nowNs() + 2 * SECOND, () -> {});
        pair.simulator.runFor(3 * SECOND);
        pair.memory.check();
        pair.once.finish();
        return pair;
    }

    @Test
    void withoutAFaultNothingIsFound() {
        ToyPair pair = run(Bug.NONE);
        assertThat(pair.once.completions()).isEqualTo(24);
    }

    @Test
    void memoryOracleFindsAByteTooMany() {
        assertThatThrownBy(() -> run(Bug.WRITES_TOO_MUCH))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("of region right is 0x77; expected 0x00");
    }

    @Test
    void livenessCheckerFindsACompletionThatNeverComes() {
        assertThatThrownBy(() -> run(Bug.FORGETS_A_COMPLETION))
                .isInstanceOf(SimFailure.class)
                .hasMessageContaining("pieces of work are not finished")
                .hasMessageContaining("left sends of 0x");
    }

    @Test
    void lostMessageIsFound() {
        // the later ones land in the wrong receives, and the last receives wait
        assertThatThrownBy(() -> run(Bug.LOSES_A_MESSAGE))
                .isInstanceOf(AssertionError.class)
                .hasMessageMatching("(?s).*(right receives of 0x|of region right is 0x).*");
    }

    @Test
    void hashFindsARunThatIsNotDeterministic() {
        Set<Long> hashes = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            hashes.add(clockRun());
        }
        assertThat(hashes).hasSizeGreaterThan(1);
    }

    private static long clockRun() {
        ToyTransport.bug = Bug.USES_THE_CLOCK;
        ToyPair pair = ToyPair.connected(1);
        for (int i = 0; i < 8; i++) {
            pair.left.queuePair.postSend(new SendWr().id(i).addSge(pair.left.region, 0, 9));
            pair.once.postedSend("left", pair.left.queuePair.qpNum(), i, true);
        }
        pair.simulator.runFor(SECOND);
        return pair.simulator.trace().hash();
    }

    @ParameterizedTest
    @CsvSource({
        "THROWS_ON_INPUT,IllegalStateException: planted",
        "SENDS_AFTER_NOTHING,had nothing to send and then sent without new input",
        "CONSUMES_TOO_LITTLE,and did not close",
        "LIES_ABOUT_LENGTH,but committed",
        "LEAVES_A_CLAIM_OPEN,while one is open: true",
        "SPINS_ON_A_DEADLINE,wants to be called again and again",
    })
    void driverFindsABrokenContract(Bug bug, String message) {
        assertThatThrownBy(() -> run(bug)).isInstanceOf(SimFailure.class).hasMessageContaining(message);
    }

    /** The bytes that an engine is lent are spoilt after the call, so its frames break. */
    @Test
    void borrowedInputIsSpoilt() {
        ToyTransport.bug = Bug.KEEPS_BORROWED_INPUT;
        ToyPair pair = new ToyPair(1);
        pair.simulator.network().link(LinkOptions.builder().maxSegmentBytes(20).build());
        pair.start();
        pair.send(pair.left, 0, 500);
        pair.simulator.runFor(SECOND);
        assertThat(pair.right.events).endsWith("disconnected");
    }
}
