package io.jrdma.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.testkit.toy.ToyDatagramPair;
import io.jrdma.testkit.toy.ToyDatagramTransport;
import io.jrdma.testkit.toy.ToyDatagramTransport.Bug;
import java.net.InetAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Planted faults in an engine on datagrams: if one of them is not caught, the rig is broken. */
class DatagramContractTest {
    private static final long SECOND = 1_000_000_000L;

    @AfterEach
    void noBug() {
        ToyDatagramTransport.bug = Bug.NONE;
    }

    private static ToyDatagramPair run(Bug bug) {
        ToyDatagramTransport.bug = bug;
        ToyDatagramPair pair = new ToyDatagramPair(1);
        pair.datagrams()
                .options(DatagramOptions.builder()
                        .loss(100)
                        .duplicates(300, 2_000_000)
                        .reordering(100, 100_000)
                        .build());
        InetAddress stranger = InetAddress.ofLiteral("10.7.7.7");
        pair.datagrams().inject(stranger, pair.left.host.address(), new byte[16], true);
        pair.work();
        pair.finish(10 * SECOND);
        pair.simulator.runFor(SECOND);
        pair.memory.check();
        pair.left.close();
        pair.right.close();
        return pair;
    }

    @Test
    void withoutAFaultNothingIsFound() {
        assertThat(run(Bug.NONE).once.completions()).isEqualTo(30);
    }

    @ParameterizedTest
    @CsvSource({
        "THROWS_ON_INPUT,IllegalStateException: planted",
        "SENDS_AFTER_NOTHING,had nothing to send and then sent without new input",
        "LIES_ABOUT_LENGTH,but committed",
        "LEAVES_A_CLAIM_OPEN,a claim of",
        "SPINS_ON_A_DEADLINE,wants to be called again and again",
        "WRITES_INTO_THE_ICRC,wrote 0x00000000 where the driver puts the ICRC: RC_",
        "SENDS_MALFORMED_PACKETS,sent a malformed packet: RC_",
        "CLAIMS_ODD_SEGMENTS,allowed are multiples of 4",
        "CLAIMS_TOO_MANY,allowed are 1..",
        "CLAIMS_TWICE,is open",
        "COMMITS_TOO_MUCH,commit of",
        "ABORTS_WITHOUT_A_CLAIM,abort without a claim",
        "UNPINS_TWICE,was unpinned more often than pinned",
        "CLAIMS_A_STRANGERS_PATH,'path 99, which is not pinned'",
        "CLAIMS_A_SOURCE,which is not pinned",
        "REMEMBERS_A_STRANGER,is neither pinned nor that of the packet in hand",
        "NEVER_REPEATS,without completion",
    })
    void brokenContractIsFound(Bug bug, String message) {
        assertThatThrownBy(() -> run(bug)).isInstanceOf(AssertionError.class).hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource({"TAKES_DUPLICATES", "TRUSTS_THE_ORDER", "KEEPS_BORROWED_INPUT"})
    void wrongDataIsFound(Bug bug) {
        assertThatThrownBy(() -> run(bug)).isInstanceOf(AssertionError.class);
    }
}
