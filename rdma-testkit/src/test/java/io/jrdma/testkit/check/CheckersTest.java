package io.jrdma.testkit.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.testkit.sim.Simulator;
import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class CheckersTest {
    private final ExactlyOnceChecker once = new ExactlyOnceChecker();

    private static WorkCompletion completion(long id, WcOpcode opcode) {
        WorkCompletion completion = new WorkCompletion();
        completion.set(id, WcStatus.SUCCESS, opcode, 0, 0, 0, 5, 0, 0);
        return completion;
    }

    @Test
    void completionsMustComeInOrder() {
        once.postedSend("a", 5, 1, true);
        once.postedSend("a", 5, 2, true);
        assertThatThrownBy(() -> once.completed("a", completion(2, WcOpcode.SEND)))
                .hasMessageContaining("came before the completion of 1");
    }

    @Test
    void completionsMustNotComeTwiceOrFromNowhere() {
        once.postedSend("a", 5, 1, true);
        once.completed("a", completion(1, WcOpcode.SEND));
        assertThatThrownBy(() -> once.completed("a", completion(1, WcOpcode.SEND)))
                .hasMessageContaining("completes nothing that is outstanding");
        once.postedSend("a", 5, 2, true);
        assertThatThrownBy(() -> once.completed("a", completion(2, WcOpcode.RECV)))
                .hasMessageContaining("completes nothing");
        assertThatThrownBy(() -> once.completed("b", completion(2, WcOpcode.SEND)))
                .hasMessageContaining("completes nothing");
    }

    @Test
    void unsignaledOnesAreOverWhenALaterOneCompletes() {
        once.postedSend("a", 5, 1, false);
        once.postedSend("a", 5, 2, false);
        once.postedSend("a", 5, 3, true);
        once.postedSend("a", 5, 4, false);
        assertThat(once.waiting()).isEqualTo(1);
        once.completed("a", completion(2, WcOpcode.SEND)); // it failed
        once.completed("a", completion(3, WcOpcode.SEND));
        once.finish();
        assertThat(once.completions()).isEqualTo(2);
    }

    @Test
    void finishNamesWhatIsMissing() {
        once.postedReceive("a", 5, 7);
        assertThatThrownBy(once::finish)
                .hasMessage("without completion: a receives of 0x5 [Posted[id=7, signaled=true]]");
    }

    @Test
    void oracleAllowsWhatIsUnderWayAndDemandsWhatIsDone() {
        MemoryOracle oracle = new MemoryOracle();
        MemorySegment memory = Arena.ofAuto().allocate(8);
        oracle.watch("m", memory);
        oracle.check();
        MemoryOracle.Write write = oracle.expect("m", 2, new byte[] {1, 2, 3});
        oracle.check();
        memory.set(ValueLayout.JAVA_BYTE, 3, (byte) 2);
        oracle.check();
        memory.set(ValueLayout.JAVA_BYTE, 4, (byte) 9);
        assertThatThrownBy(oracle::check)
                .hasMessage("byte 4 of region m is 0x09; expected 0x00 or what a write that is under way puts there");
        memory.set(ValueLayout.JAVA_BYTE, 4, (byte) 3);
        write.done();
        assertThatThrownBy(oracle::check).hasMessage("byte 2 of region m is 0x00; expected 0x01");
        memory.set(ValueLayout.JAVA_BYTE, 2, (byte) 1);
        oracle.check();
        memory.set(ValueLayout.JAVA_BYTE, 7, (byte) 1);
        assertThatThrownBy(oracle::check).hasMessage("byte 7 of region m is 0x01; expected 0x00");
        assertThatThrownBy(() -> oracle.expect("other", 0, new byte[1])).hasMessage("no region other");
    }

    @Test
    void livenessCountsFromTheEndOfTheFaults() {
        int[] left = {2};
        LivenessChecker liveness = new LivenessChecker(() -> left[0], () -> "two things");
        Simulator simulator = new Simulator(1);
        simulator.add(liveness);
        simulator.after(1_000, () -> {});
        simulator.runFor(2_000);
        liveness.faultsStopped(simulator, 500);
        simulator.after(499, () -> {});
        simulator.step();
        simulator.after(1, () -> {});
        assertThatThrownBy(simulator::step).hasMessageContaining("2 pieces of work are not finished 0 ns after");
        left[0] = 0;
        simulator.after(1, () -> {});
        simulator.step();
    }
}
