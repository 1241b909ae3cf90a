package io.jrdma.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.spi.Engine;
import org.junit.jupiter.api.Test;

class IwarpTimersTest {
    @Test
    void theEarliestCounts() {
        IwarpTimers timers = new IwarpTimers();
        assertThat(timers.next()).isEqualTo(Engine.NO_DEADLINE);
        timers.set(IwarpTimers.CLOSE, 100, 50);
        timers.set(IwarpTimers.GRACE, 100, 20);
        assertThat(timers.next()).isEqualTo(120);
        assertThat(timers.fires(IwarpTimers.GRACE, 119)).isFalse();
        assertThat(timers.fires(IwarpTimers.GRACE, 120)).isTrue();
        assertThat(timers.fires(IwarpTimers.GRACE, 1000)).isFalse();
        assertThat(timers.next()).isEqualTo(150);
        timers.cancel(IwarpTimers.CLOSE);
        assertThat(timers.next()).isEqualTo(Engine.NO_DEADLINE);
    }

    @Test
    void aDelayWithoutEndIsNone() {
        IwarpTimers timers = new IwarpTimers();
        timers.set(IwarpTimers.GRACE, 5, Long.MAX_VALUE);
        timers.set(IwarpTimers.NUDGE, Long.MAX_VALUE - 3, 10);
        assertThat(timers.next()).isEqualTo(Engine.NO_DEADLINE);
        assertThat(timers.fires(IwarpTimers.GRACE, Long.MAX_VALUE)).isFalse();
    }

    @Test
    void timeMayBeNegative() {
        IwarpTimers timers = new IwarpTimers();
        timers.set(IwarpTimers.CLOSE, -1_000, 400);
        assertThat(timers.next()).isEqualTo(-600);
        assertThat(timers.fires(IwarpTimers.CLOSE, -601)).isFalse();
        assertThat(timers.fires(IwarpTimers.CLOSE, -600)).isTrue();
    }

    @Test
    void allMayBeCancelled() {
        IwarpTimers timers = new IwarpTimers();
        timers.set(IwarpTimers.CLOSE, 0, 1);
        timers.set(IwarpTimers.HANDSHAKE, 0, 1);
        timers.cancelAll();
        assertThat(timers.next()).isEqualTo(Engine.NO_DEADLINE);
        assertThat(timers.fires(IwarpTimers.CLOSE, 5)).isFalse();
    }
}
