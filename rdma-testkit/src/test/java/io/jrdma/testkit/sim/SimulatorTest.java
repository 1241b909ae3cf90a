package io.jrdma.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SimulatorTest {
    private final Simulator simulator = new Simulator(7);
    private final List<String> seen = new ArrayList<>();

    private Runnable note(String text) {
        return () -> seen.add(text + "@" + (simulator.nowNs() - 1_000_000_000L));
    }

    @Test
    void eventsHappenByTimeThenByOrderOfScheduling() {
        simulator.after(20, note("c"));
        simulator.after(10, note("a"));
        simulator.after(10, note("b"));
        simulator.at(0, note("past"));
        assertThat(simulator.runUntilIdle(1_000)).isTrue();
        assertThat(seen).containsExactly("past@0", "a@10", "b@10", "c@20");
        assertThat(simulator.steps()).isEqualTo(4);
        assertThat(simulator.step()).isFalse();
    }

    @Test
    void timeStopsAtTheLimitAndNeverGoesBack() {
        simulator.after(100, note("a"));
        assertThat(simulator.runUntil(() -> false, 50)).isFalse();
        assertThat(simulator.nowNs()).isEqualTo(1_000_000_050L);
        simulator.advanceTo(0);
        simulator.advanceTo(Long.MAX_VALUE);
        assertThat(simulator.nowNs()).isEqualTo(1_000_000_100L);
        simulator.runFor(10);
        assertThat(seen).containsExactly("a@100");
        assertThat(simulator.nowNs()).isEqualTo(1_000_000_110L);
    }

    @Test
    void timersDoNotKeepItBusy() {
        simulator.timerAt(simulator.nowNs() + 1_000_000, note("timer"));
        simulator.after(5, note("work"));
        assertThat(simulator.runUntilIdle(1_000_000_000)).isTrue();
        assertThat(seen).containsExactly("work@5");
        simulator.runFor(2_000_000);
        assertThat(seen).containsExactly("work@5", "timer@1000000");
    }

    @Test
    void chanceDependsOnSeedAndName() {
        assertThat(simulator.random("a").nextLong())
                .isEqualTo(new Simulator(7).random("a").nextLong());
        assertThat(simulator.random("a").nextLong())
                .isNotEqualTo(simulator.random("b").nextLong());
        assertThat(simulator.random("a").nextLong())
                .isNotEqualTo(new Simulator(8).random("a").nextLong());
    }

    @Test
    void failureTellsSeedReplayOptionsAndLastEvents() {
        simulator.describe("splits=1");
        simulator.trace().add(5, "arrive", "c0>", 3, 4);
        simulator.after(1, () -> {
            throw new IllegalStateException("boom");
        });
        assertThatThrownBy(simulator::step)
                .isInstanceOf(SimFailure.class)
                .hasMessageContaining("boom")
                .hasMessageContaining("-Djrdma.sim.seed=7")
                .hasMessageContaining("splits=1")
                .hasMessageContaining("5 arrive c0> 3 4")
                .hasCauseInstanceOf(IllegalStateException.class);
        simulator.add(sim -> {
            throw new AssertionError("checker");
        });
        simulator.after(1, () -> {});
        assertThatThrownBy(simulator::step).isInstanceOf(SimFailure.class).hasMessageContaining("checker");
    }

    @Test
    void eventCannotRunTheSimulator() {
        simulator.after(1, simulator::step);
        assertThatThrownBy(simulator::step).hasMessageContaining("an event cannot run the simulator");
    }

    @Test
    void otherThreadsAreRefused() throws InterruptedException {
        Thread other = Thread.ofPlatform().start(() -> {
            try {
                simulator.after(1, () -> {});
            } catch (IllegalStateException refused) {
                seen.add("refused");
            }
        });
        assertThat(other.join(Duration.ofSeconds(10))).isTrue();
        assertThat(seen).containsExactly("refused");
    }

    @Test
    void traceKeepsTheLastEventsAndHashesAll() {
        Trace one = new Trace(3);
        Trace other = new Trace(100);
        for (int i = 0; i < 10; i++) {
            one.add(i, "k", "w", i, 1);
            other.add(i, "k", "w", i, 1);
        }
        assertThat(one.last(5)).containsExactly("7 k w 7 1", "8 k w 8 1", "9 k w 9 1");
        assertThat(other.last(2)).containsExactly("8 k w 8 1", "9 k w 9 1");
        assertThat(one.count()).isEqualTo(10);
        assertThat(one.hash()).isEqualTo(other.hash());
        one.add(10, "k", "w", 10, 1, () -> "more about it");
        other.add(10, "k", "w", 10, 1);
        assertThat(one.last(2)).containsExactly("9 k w 9 1", "10 k w 10 1 | more about it");
        assertThat(one.hash()).isEqualTo(other.hash());
        one.add(11, "k", "w", 11, 1);
        one.add(12, "k", "w", 12, 1);
        one.add(13, "k", "w", 13, 1);
        assertThat(one.last(3)).containsExactly("11 k w 11 1", "12 k w 12 1", "13 k w 13 1");
        other.add(11, "k", "w", 11, 1);
        other.add(12, "k", "w", 12, 1);
        other.add(13, "k", "w", 13, 1);
        one.addBytes(new byte[] {1});
        other.addBytes(new byte[] {2});
        assertThat(one.hash()).isNotEqualTo(other.hash());
    }

    @Test
    void seedsAreNumbersOrCommitIds() {
        assertThat(SeedText.parse(" 42 ")).isEqualTo(42);
        assertThat(SeedText.parse("-1")).isEqualTo(-1);
        assertThat(SeedText.parse("d46f9d70cb85ef75d46f9d70cb85ef75d46f9d70")).isEqualTo(0xd46f9d70cb85ef75L);
        for (String bad : new String[] {"", "x", "9999999999999999999", "12ab"}) {
            assertThatThrownBy(() -> SeedText.parse(bad)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
