package io.jrdma.verbs.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.WcOpcode;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WorkCompletion;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class CompletionPortTest {
    private int notified;
    private int overflowed;
    private final CompletionPort port = new CompletionPort(3, 4, () -> notified++, () -> overflowed++);
    private final WorkCompletion[] holders = {new WorkCompletion(), new WorkCompletion()};

    private boolean complete(WcStatus status, boolean solicited) {
        return port.complete(1, status, WcOpcode.RECV, 0, 0, 0, 0, 0, solicited);
    }

    @Test
    void unarmedPortIsSilentAndAnArmCountsOnce() {
        complete(WcStatus.SUCCESS, true);
        assertThat(notified).isZero();
        port.arm(false);
        port.arm(false);
        assertThat(notified).isZero();
        complete(WcStatus.SUCCESS, false);
        assertThat(notified).isEqualTo(1);
        complete(WcStatus.SUCCESS, false);
        assertThat(notified).isEqualTo(1);
    }

    @Test
    void solicitedOnlyWaitsForSolicitedOrFailed() {
        port.arm(true);
        complete(WcStatus.SUCCESS, false);
        assertThat(notified).isZero();
        complete(WcStatus.SUCCESS, true);
        assertThat(notified).isEqualTo(1);
        port.arm(true);
        complete(WcStatus.WR_FLUSH_ERR, false);
        assertThat(notified).isEqualTo(2);
    }

    @Test
    void strongerArmWins() {
        port.arm(true);
        port.arm(false);
        complete(WcStatus.SUCCESS, false);
        assertThat(notified).isEqualTo(1);
        port.arm(false);
        port.arm(true);
        complete(WcStatus.SUCCESS, false);
        assertThat(notified).isEqualTo(2);
    }

    /** A queue pair that was reset uses the same queue again: nothing is lost without a word. */
    @Test
    void anotherOverflowAfterRoomIsReportedAgain() {
        for (int i = 0; i < 5; i++) {
            complete(WcStatus.SUCCESS, false);
        }
        assertThat(port.drain(holders, 0, 1)).isEqualTo(1);
        assertThat(complete(WcStatus.SUCCESS, false)).isTrue();
        assertThat(overflowed).isEqualTo(1);
        assertThat(complete(WcStatus.SUCCESS, false)).isFalse();
        assertThat(overflowed).isEqualTo(2);
    }

    @Test
    void overflowIsReportedOnceAndLosesOnlyTheNewOnes() {
        for (int i = 0; i < 4; i++) {
            assertThat(complete(WcStatus.SUCCESS, false)).isTrue();
        }
        assertThat(complete(WcStatus.SUCCESS, false)).isFalse();
        assertThat(complete(WcStatus.SUCCESS, false)).isFalse();
        assertThat(overflowed).isEqualTo(1);
        assertThat(port.drain(holders, 0, 2)).isEqualTo(2);
        assertThat(port.drain(holders, 0, 2)).isEqualTo(2);
        assertThat(port.drain(holders, 0, 2)).isZero();
        assertThat(port.number()).isEqualTo(3);
        assertThat(port.capacity()).isEqualTo(4);
    }

    /** Arm, poll once more, wait: whoever does that never sleeps while a completion is there. */
    @Test
    @Timeout(60)
    void noWakeUpIsLost() throws InterruptedException {
        int total = 50_000;
        Semaphore events = new Semaphore(0);
        AtomicInteger drained = new AtomicInteger();
        CompletionPort racing = new CompletionPort(1, 64, events::release, () -> {});
        Thread loop = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < total; i++) {
                // one at a time most of the time, so that the poller goes to sleep again and again
                while (i - drained.get() > i % 3) {
                    Thread.onSpinWait();
                }
                racing.complete(i, WcStatus.SUCCESS, WcOpcode.RECV, 0, 0, 0, 0, 0, false);
            }
        });
        WorkCompletion[] some = {new WorkCompletion(), new WorkCompletion(), new WorkCompletion()};
        boolean inOrder = true;
        boolean lost = false;
        while (drained.get() < total && !lost) {
            racing.arm(false);
            int count = racing.isEmpty() ? 0 : racing.drain(some, 0, 3);
            if (count == 0) {
                lost = !events.tryAcquire(20, TimeUnit.SECONDS);
            }
            for (int i = 0; i < count; i++) {
                inOrder &= some[i].id() == drained.get() + i;
            }
            drained.addAndGet(count);
        }
        drained.set(total); // lets the loop end in any case
        loop.join(20_000);
        assertThat(lost).isFalse();
        assertThat(inOrder).isTrue();
    }
}
