package io.jrdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CompletionChannelTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private final DeviceFixture fixture = DeviceFixture.byHand();
    private final CompletionChannel channel = fixture.device.createCompletionChannel();
    private final CompletionQueue one = fixture.device.createCompletionQueue(8, channel);
    private final CompletionQueue two = fixture.device.createCompletionQueue(8, channel);

    @Test
    void eventsWaitInOrder() throws InterruptedException {
        channel.signal(two);
        channel.signal(one);
        assertThat(channel.await(Duration.ZERO)).isSameAs(two);
        assertThat(channel.await(LONG)).isSameAs(one);
        assertThat(channel.await(Duration.ZERO)).isNull();
    }

    /** Time stands still in this test unless progress lets it pass. */
    @Test
    void zeroOnlyLooksEvenIfTheClockDoesNotMove() throws InterruptedException {
        int[] looks = {0};
        fixture.driver.onProgress = () -> looks[0]++;
        assertThat(channel.await(Duration.ZERO)).isNull();
        assertThat(channel.await(Duration.ofSeconds(-1))).isNull();
        assertThat(looks[0]).isEqualTo(2);
        fixture.driver.onProgress = () -> channel.signal(one);
        assertThat(channel.await(Duration.ZERO)).isSameAs(one);
    }

    @Test
    void manualWaitMakesProgressUntilTheTimeIsOver() throws InterruptedException {
        long before = fixture.driver.nowNs();
        assertThat(channel.await(Duration.ofNanos(500))).isNull();
        assertThat(fixture.driver.nowNs()).isEqualTo(before + 500);
        int[] rounds = {0};
        fixture.driver.onProgress = () -> {
            fixture.driver.advance(10);
            if (++rounds[0] == 5) {
                channel.signal(one);
            }
        };
        assertThat(channel.await(Duration.ofSeconds(Long.MAX_VALUE))).isSameAs(one);
        assertThat(rounds[0]).isEqualTo(5);
    }

    @Test
    void interruptEndsAManualWait() {
        fixture.driver.onProgress = () -> Thread.currentThread().interrupt();
        assertThatThrownBy(() -> channel.await(Duration.ofDays(1_000_000_000)))
                .isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void futureIsGivenTheNextEvent() {
        channel.signal(one);
        assertThat(channel.next()).isCompletedWithValue(one);
        CompletableFuture<CompletionQueue> first = channel.next();
        CompletableFuture<CompletionQueue> second = channel.next();
        channel.signal(two);
        assertThat(first).isCompletedWithValue(two);
        assertThat(second).isNotDone();
        channel.signal(one);
        assertThat(second).isCompletedWithValue(one);
    }

    @Test
    void cancelledFutureTakesNoEvent() throws InterruptedException {
        CompletableFuture<CompletionQueue> cancelled = channel.next();
        CompletableFuture<CompletionQueue> waiting = channel.next();
        cancelled.cancel(false);
        channel.signal(one);
        assertThat(waiting).isCompletedWithValue(one);
        CompletableFuture<CompletionQueue> last = channel.next();
        last.cancel(false);
        channel.signal(two);
        assertThat(channel.await(Duration.ZERO)).isSameAs(two);
    }

    /** Futures that are cancelled while the event is on its way to them: it goes to somebody all the same. */
    @Test
    void noEventIsLostToACancellation() throws InterruptedException {
        int rounds = 20_000;
        AtomicReference<CompletableFuture<CompletionQueue>> current = new AtomicReference<>(channel.next());
        Thread loop = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < rounds; i++) {
                channel.signal(one);
            }
        });
        int received = 0;
        while (loop.isAlive()) {
            CompletableFuture<CompletionQueue> future = current.get();
            if (!future.cancel(false) && !future.isCancelled()) {
                received++;
            }
            current.set(channel.next());
        }
        loop.join(20_000);
        CompletableFuture<CompletionQueue> last = current.get();
        received += !last.cancel(false) && !last.isCancelled() ? 1 : 0;
        while (channel.await(Duration.ZERO) != null) {
            received++;
        }
        assertThat(received).isEqualTo(rounds);
    }

    @Test
    void callbackGetsWhatWaitsAndWhatComes() throws InterruptedException {
        List<CompletionQueue> seen = new ArrayList<>();
        channel.signal(one);
        channel.onEvent(seen::add);
        assertThat(seen).containsExactly(one);
        channel.signal(two);
        assertThat(seen).containsExactly(one, two);
        channel.onEvent(null);
        channel.signal(two);
        assertThat(seen).hasSize(2);
        assertThat(channel.await(Duration.ZERO)).isSameAs(two);
    }

    @Test
    void closeWakesWhoeverWaits() throws InterruptedException {
        DeviceFixture threaded = DeviceFixture.threaded();
        CompletionChannel closing = threaded.device.createCompletionChannel();
        CompletableFuture<CompletionQueue> future = closing.next();
        CountDownLatch waiting = new CountDownLatch(2);
        List<CompletableFuture<Throwable>> results = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            CompletableFuture<Throwable> result = new CompletableFuture<>();
            results.add(result);
            Thread.ofPlatform().daemon().start(() -> {
                waiting.countDown();
                try {
                    closing.await(LONG);
                    result.complete(new AssertionError("no exception"));
                } catch (VerbsException | InterruptedException e) {
                    result.complete(e);
                }
            });
        }
        assertThat(waiting.await(20, TimeUnit.SECONDS)).isTrue();
        closing.close();
        closing.close();
        for (CompletableFuture<Throwable> result : results) {
            assertThat(result.orTimeout(20, TimeUnit.SECONDS).join())
                    .isInstanceOf(VerbsException.class)
                    .hasMessage("ENODEV: the completion channel is closed");
        }
        assertThat(future).isCancelled();
        assertThat(closing.next()).isCancelled();
        threaded.device.close();
    }

    @Test
    void closedChannelGivesNothingMore() {
        channel.signal(one);
        channel.close();
        assertThatThrownBy(() -> channel.await(Duration.ZERO)).hasMessage("ENODEV: the completion channel is closed");
        assertThat(channel.next()).isCancelled();
        channel.signal(one);
        assertThat(channel.next()).isCancelled();
    }

    @Test
    void waitingThreadIsWokenByTheLoop() throws InterruptedException {
        DeviceFixture threaded = DeviceFixture.threaded();
        CompletionChannel woken = threaded.device.createCompletionChannel();
        CompletionQueue queue = threaded.device.createCompletionQueue(8, woken);
        QueuePair queuePair = threaded.ready(queue);
        threaded.engine(0).onDoorbell = () -> DeviceFixture.completeAll(queuePair.core());
        WorkCompletion[] holders = DeviceFixture.holders(1);
        for (int i = 0; i < 1_000; i++) {
            queue.arm(false);
            queuePair.postSend(new SendWr().id(i));
            assertThat(woken.await(LONG)).isSameAs(queue);
            assertThat(queue.poll(holders)).isEqualTo(1);
            assertThat(holders[0].id()).isEqualTo(i);
        }
        assertThat(woken.await(Duration.ZERO)).isNull();
        threaded.device.close();
        assertThat(threaded.driver.failures).isEmpty();
    }
}
