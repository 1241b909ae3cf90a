package io.jrdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.memory.AccessFault;
import io.jrdma.verbs.memory.BurstGuard;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When {@code MemoryRegion.close} has returned, nobody touches the memory any more. */
@Timeout(60)
class DeregistrationTest {
    private static final Set<Access> WRITE = Set.of(Access.REMOTE_WRITE, Access.LOCAL_WRITE);
    private final MemorySegment ones = MemorySegment.ofArray(new byte[] {1, 1, 1, 1});

    private AccessFault write(DeviceFixture fixture, MemoryRegion region) {
        return fixture.device
                .memory()
                .write(
                        region.remoteKey(),
                        region.protectionDomain().number(),
                        Access.REMOTE_WRITE.bit(),
                        region.address(),
                        ones,
                        0,
                        4);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Another thread is in a burst, as the loop is: close waits for its end, and for nothing else. */
    @Test
    void closeWaitsForTheBurstThatIsRunning() throws InterruptedException {
        DeviceFixture fixture = DeviceFixture.threaded();
        try (Arena arena = Arena.ofShared()) {
            MemoryRegion region = fixture.device.allocateProtectionDomain().register(arena.allocate(4), WRITE);
            CountDownLatch inBurst = new CountDownLatch(1);
            CountDownLatch goOn = new CountDownLatch(1);
            AtomicReference<AccessFault> late = new AtomicReference<>();
            AtomicBoolean returned = new AtomicBoolean();
            AtomicBoolean returnedInBurst = new AtomicBoolean(true);
            fixture.driver.execute(() -> {
                inBurst.countDown();
                await(goOn);
                late.set(write(fixture, region));
                returnedInBurst.set(returned.get());
            });
            await(inBurst);
            Thread[] closers = new Thread[2];
            for (int i = 0; i < 2; i++) {
                // both, the first and the repeated close, promise the same
                closers[i] = Thread.ofPlatform().start(() -> {
                    region.close();
                    returned.set(true);
                });
            }
            // a closer that spins in the barrier has taken the key out already
            while (fixture.device.memory().size() > 0) {
                Thread.onSpinWait();
            }
            assertThat(returned).isFalse();
            goOn.countDown();
            for (Thread closer : closers) {
                closer.join(20_000);
            }
            assertThat(returned).isTrue();
            fixture.driver.call(() -> {});
            assertThat(returnedInBurst).isFalse();
            assertThat(late).hasValue(AccessFault.INVALID_KEY);
        }
        fixture.device.close();
        assertThat(fixture.driver.failures).isEmpty();
    }

    @Test
    void closeDoesNotWaitForAnIdleLoopWithTasksQueued() {
        DeviceFixture fixture = DeviceFixture.byHand();
        try (Arena arena = Arena.ofShared()) {
            MemoryRegion region = fixture.device.allocateProtectionDomain().register(arena.allocate(4), WRITE);
            AtomicReference<AccessFault> late = new AtomicReference<>();
            fixture.driver.execute(() -> late.set(write(fixture, region)));
            Thread closer = Thread.ofPlatform().start(region::close);
            closer.join(Duration.ofSeconds(20));
            assertThat(closer.isAlive()).isFalse();
            fixture.driver.runTasks();
            assertThat(late).hasValue(AccessFault.INVALID_KEY);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void loopItselfMayCloseInsideItsBurst() {
        DeviceFixture fixture = DeviceFixture.threaded();
        try (Arena arena = Arena.ofShared()) {
            MemoryRegion region = fixture.device.allocateProtectionDomain().register(arena.allocate(4), WRITE);
            fixture.driver.call(() -> {
                region.close();
                assertThat(write(fixture, region)).isEqualTo(AccessFault.INVALID_KEY);
            });
        }
        fixture.device.close();
        assertThat(fixture.driver.failures).isEmpty();
    }

    /** Each round: a loop that writes ones as fast as it can, a close, a byte set to zero, which must stay zero. */
    @Test
    void noByteIsWrittenAfterClose() {
        DeviceFixture fixture = DeviceFixture.threaded();
        AtomicReference<MemoryRegion> current = new AtomicReference<>();
        AtomicBoolean end = new AtomicBoolean();
        AtomicInteger writes = new AtomicInteger();
        Runnable[] burst = new Runnable[1];
        burst[0] = () -> {
            MemoryRegion region = current.get();
            for (int i = 0; i < 20 && region != null; i++) {
                if (write(fixture, region) == AccessFault.NONE) {
                    writes.incrementAndGet();
                }
            }
            if (!end.get()) {
                fixture.driver.execute(burst[0]);
            }
        };
        fixture.driver.execute(burst[0]);
        int touched = 0;
        try (Arena arena = Arena.ofShared()) {
            ProtectionDomain domain = fixture.device.allocateProtectionDomain();
            MemorySegment memory = arena.allocate(4);
            for (int round = 0; round < 3_000; round++) {
                MemoryRegion region = domain.register(memory, WRITE);
                current.set(region);
                int before = writes.get();
                while (writes.get() == before && round % 4 == 0) {
                    Thread.onSpinWait(); // every fourth time in the middle of writing for sure
                }
                region.close();
                memory.fill((byte) 0);
                for (int i = 0; i < 50; i++) {
                    if (memory.get(ValueLayout.JAVA_INT_UNALIGNED, 0) != 0) {
                        touched++;
                    }
                    Thread.onSpinWait();
                }
            }
            end.set(true);
            fixture.driver.call(() -> {});
        }
        assertThat(touched).isZero();
        assertThat(writes.get()).isPositive();
        fixture.device.close();
        assertThat(fixture.driver.failures).isEmpty();
    }

    @Test
    void guardOutsideABurstDoesNotWait() {
        BurstGuard guard = new BurstGuard();
        guard.awaitEndOfBurst();
        guard.enter();
        guard.exit();
        guard.awaitEndOfBurst();
    }
}
