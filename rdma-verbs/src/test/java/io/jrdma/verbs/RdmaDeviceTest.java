package io.jrdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.verbs.fake.FakeDriver;
import io.jrdma.verbs.fake.FakeDriverProvider;
import io.jrdma.verbs.fake.FakeTransport;
import io.jrdma.verbs.spi.DeviceDriver;
import io.jrdma.verbs.spi.DriverProvider;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RdmaDeviceTest {
    private final DeviceFixture fixture = DeviceFixture.byHand();
    private final RdmaDevice device = fixture.device;

    private static void refused(ThrowingCallable call, Errno errno, String message) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(errno))
                .hasMessage(errno + ": " + message);
    }

    @Test
    void deviceJoinsATransportAndADriver() {
        assertThat(device.transport()).isEqualTo(Transport.IWARP);
        assertThat(device.localAddress()).isEqualTo(InetAddress.getLoopbackAddress());
        assertThat(device.attributes()).isSameAs(FakeTransport.ATTRIBUTES);
        assertThat(device.driver()).isSameAs(fixture.driver);
        assertThat(device).hasToString("iwarp device at 127.0.0.1");
        PortAttributes port = device.port();
        assertThat(port.state()).isEqualTo(PortAttributes.State.ACTIVE);
        assertThat(port.interfaceMtu()).isEqualTo(1500);
        assertThat(port.activeMtu()).isEqualTo(1024);
        assertThat(port.maxMtu()).isEqualTo(4096);
        assertThat(RdmaDevice.list()).anySatisfy(info -> {
            assertThat(info.transport()).isEqualTo(Transport.IWARP);
            assertThat(info.address().isLoopbackAddress()).isTrue();
            assertThat(info.name()).isEqualTo("iwarp_" + info.interfaceName());
        });
    }

    @Test
    void devicesThatCannotBeOpened() {
        DeviceOptions options = DeviceOptions.DEFAULT.withDriver(new FakeDriverProvider(FakeDriver.byHand()));
        InetAddress here = InetAddress.getLoopbackAddress();
        refused(
                () -> RdmaDevice.open(Transport.ROCE_V2, here, options),
                Errno.ENODEV,
                "no provider of transport roce is on the class or module path");
        refused(
                () -> RdmaDevice.open(Transport.IWARP, here),
                Errno.ENODEV,
                "no driver for transport iwarp is on the class or module path");
        refused(
                () -> RdmaDevice.open(Transport.IWARP, here, options.withDriver(new PickyProvider())),
                Errno.ENODEV,
                "driver picky does not host transport iwarp");
    }

    @Test
    void engineSeesASeedOfItsOwn() {
        long seed = fixture.driver.engine().context.seed();
        assertThat(seed).isNotEqualTo(fixture.driver.seed());
        assertThat(DeviceFixture.byHand().driver.engine().context.seed()).isEqualTo(seed);
    }

    @Test
    void limitsAreKept() {
        List<ProtectionDomain> domains = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            domains.add(device.allocateProtectionDomain());
        }
        refused(device::allocateProtectionDomain, Errno.ENOMEM, "the device has 3 protection domains already");
        domains.get(0).close();
        ProtectionDomain domain = device.allocateProtectionDomain();
        CompletionQueue queue = device.createCompletionQueue(1);
        for (int i = 1; i < 4; i++) {
            device.createCompletionQueue(1000).number();
        }
        refused(() -> device.createCompletionQueue(1), Errno.ENOMEM, "the device has 4 completion queues already");
        refused(() -> device.createCompletionQueue(0), Errno.EINVAL, "completion queue capacity 0 is outside 1..1000");
        refused(
                () -> device.createCompletionQueue(1001),
                Errno.EINVAL,
                "completion queue capacity 1001 is outside 1..1000");
        QueuePair first = domain.createQueuePair(QueuePairOptions.rc(queue));
        for (int i = 1; i < 5; i++) {
            domain.createQueuePair(QueuePairOptions.rc(queue));
        }
        refused(
                () -> domain.createQueuePair(QueuePairOptions.rc(queue)),
                Errno.ENOMEM,
                "the device has 5 queue pairs already");
        first.close();
        domain.createQueuePair(QueuePairOptions.rc(queue));
    }

    @Test
    void queuePairsThatCannotBeCreated() {
        ProtectionDomain domain = device.allocateProtectionDomain();
        CompletionQueue queue = device.createCompletionQueue(10);
        QueuePairOptions good = QueuePairOptions.rc(queue);
        CompletionQueue foreign = DeviceFixture.byHand().device.createCompletionQueue(10);
        String needs = "a queue pair needs two completion queues of its own device";
        refused(() -> domain.createQueuePair(QueuePairOptions.rc(queue, foreign)), Errno.EINVAL, needs);
        refused(() -> domain.createQueuePair(QueuePairOptions.rc(foreign, queue)), Errno.EINVAL, needs);
        QueuePairOptions none = new QueuePairOptions(QpType.RC, null, queue, 1, 1, 1, 1, 0, false, null);
        refused(() -> domain.createQueuePair(none), Errno.EINVAL, needs);
        refused(
                () -> domain.createQueuePair(good.withDepths(1001, 1)),
                Errno.EINVAL,
                "maxSendWr is 1001; this device allows 0..1000");
        refused(
                () -> domain.createQueuePair(good.withDepths(1, 1001)),
                Errno.EINVAL,
                "maxRecvWr is 1001; this device allows 0..1000");
        refused(
                () -> domain.createQueuePair(good.withSges(9, 1)),
                Errno.EINVAL,
                "maxSendSge is 9; this device allows 0..8");
        refused(
                () -> domain.createQueuePair(good.withSges(1, 9)),
                Errno.EINVAL,
                "maxRecvSge is 9; this device allows 0..8");
        refused(
                () -> domain.createQueuePair(good.withInlineData(257)),
                Errno.EINVAL,
                "maxInlineData is 257; this device allows 0..256");
        refused(() -> good.withDepths(-1, 1), Errno.EINVAL, "maxSendWr is -1; it must be 0 or more");
        QueuePairOptions datagram = new QueuePairOptions(QpType.UD, queue, queue, 1, 1, 1, 1, 0, false, null);
        refused(() -> domain.createQueuePair(datagram), Errno.EOPNOTSUPP, "queue pair type UD; this device has [RC]");
        fixture.driver.engine().refusal = new VerbsException(Errno.ENOMEM, "the transport has no room");
        refused(() -> domain.createQueuePair(good), Errno.ENOMEM, "the transport has no room");
        fixture.driver.engine().refusal = null;
        queue.close(); // nothing of the refused ones uses it
    }

    @Test
    void queuePairNumberOfALivingOneIsNotGivenAgain() {
        ProtectionDomain domain = device.allocateProtectionDomain();
        CompletionQueue queue = device.createCompletionQueue(10);
        QueuePair living = domain.createQueuePair(QueuePairOptions.rc(queue));
        Set<Integer> seen = new HashSet<>();
        for (int i = 0; i < (1 << 24) + 10; i++) {
            int number = device.reserveQpNum();
            device.releaseQpNum(number);
            if (number == living.qpNum() || number < 2 || number >= 0xFF_FFFF) {
                seen.add(number);
            }
        }
        assertThat(seen).isEmpty();
    }

    @Test
    void modifyAndQuery() {
        QueuePair queuePair = device.allocateProtectionDomain()
                .createQueuePair(QueuePairOptions.rc(device.createCompletionQueue(10)));
        assertThat(queuePair.query().mask()).containsExactly(QpAttribute.STATE);
        queuePair.modify(QpAttributes.builder()
                .state(QpState.INIT)
                .access(Set.of(Access.REMOTE_READ))
                .build());
        queuePair.modify(QpAttributes.state(QpState.RTR));
        queuePair.modify(QpAttributes.builder()
                .state(QpState.RTS)
                .currentState(QpState.RTR)
                .maxRdAtomic(5)
                .build());
        QpAttributes now = queuePair.query();
        assertThat(now.state()).isEqualTo(QpState.RTS);
        assertThat(now.accessFlags()).isEqualTo(Access.REMOTE_READ.bit());
        assertThat(now.number(QpAttribute.MAX_QP_RD_ATOMIC, -1)).isEqualTo(5);
        assertThat(now.has(QpAttribute.CUR_STATE)).isFalse();
        assertThat(now).hasToString("QpAttributes[STATE=RTS, ACCESS_FLAGS=4, MAX_QP_RD_ATOMIC=5]");
        assertThatThrownBy(() -> queuePair.modify(QpAttributes.state(QpState.INIT)))
                .isInstanceOf(VerbsException.class);
        assertThat(queuePair.query()).hasToString(now.toString());
        queuePair.modify(QpAttributes.state(QpState.RESET));
        assertThat(queuePair.query()).hasToString("QpAttributes[STATE=RESET]");
    }

    @Test
    void closingADomainClosesItsQueuePairsAndRegions() {
        ProtectionDomain domain = device.allocateProtectionDomain();
        CompletionQueue queue = device.createCompletionQueue(10);
        QueuePair queuePair = fixture.ready(domain, queue);
        try (Arena arena = Arena.ofShared()) {
            MemoryRegion region = domain.register(arena, 10, Set.of());
            domain.close();
            domain.close();
            assertThat(device.memory().size()).isZero();
            assertThat(fixture.engine(0).destroys).isEqualTo(1);
            refused(() -> domain.register(arena, 10, Set.of()), Errno.ENODEV, "the protection domain is closed");
            refused(
                    () -> domain.createQueuePair(QueuePairOptions.rc(queue)),
                    Errno.ENODEV,
                    "the protection domain is closed");
            region.close();
        }
        assertThatThrownBy(() -> queuePair.postSend(new SendWr())).hasMessageStartingWith("ENODEV: queue pair 0x");
        queue.close();
    }

    @Test
    void closingADeviceClosesEverything() throws InterruptedException {
        CompletionChannel channel = device.createCompletionChannel();
        CompletionQueue queue = device.createCompletionQueue(10, channel);
        ProtectionDomain domain = device.allocateProtectionDomain();
        QueuePair queuePair = fixture.ready(domain, queue);
        try (Arena arena = Arena.ofShared()) {
            MemoryRegion region = domain.register(arena, 10, Set.of());
            device.report(AsyncEvent.ofQueuePair(AsyncEvent.Type.QP_FATAL, 5, 0, "early"));
            device.close();
            device.close();
            assertThat(fixture.driver.closes()).isEqualTo(1);
            assertThat(fixture.engine(0).destroys).isEqualTo(1);
            assertThat(device.memory().size()).isZero();
            String gone = "iwarp device at 127.0.0.1 is closed";
            refused(device::allocateProtectionDomain, Errno.ENODEV, gone);
            refused(device::createCompletionChannel, Errno.ENODEV, gone);
            refused(() -> device.createCompletionQueue(1), Errno.ENODEV, gone);
            refused(() -> device.progress(Duration.ZERO), Errno.ENODEV, gone);
            refused(() -> domain.register(arena, 10, Set.of()), Errno.ENODEV, gone);
            refused(() -> domain.createQueuePair(QueuePairOptions.rc(queue)), Errno.ENODEV, gone);
            refused(() -> queue.poll(DeviceFixture.holders(1)), Errno.ENODEV, "the completion queue is closed");
            refused(() -> queue.arm(false), Errno.ENODEV, "the completion queue is closed");
            refused(() -> channel.await(Duration.ZERO), Errno.ENODEV, "the completion channel is closed");
            String destroyed = "queue pair 0x" + Integer.toHexString(queuePair.qpNum()) + " is destroyed";
            refused(() -> queuePair.postSend(new SendWr()), Errno.ENODEV, destroyed);
            refused(() -> queuePair.postSend(List.of(new SendWr())), Errno.ENODEV, destroyed);
            refused(() -> queuePair.postReceive(new RecvWr()), Errno.ENODEV, destroyed);
            assertThatThrownBy(() -> queuePair.modify(QpAttributes.state(QpState.ERROR)))
                    .isInstanceOfSatisfying(
                            VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENODEV));
            AsyncEvent early = device.pollAsyncEvent(Duration.ZERO);
            assertThat(early).isNotNull();
            assertThat(early.text()).isEqualTo("early");
            for (int i = 0; i < 2; i++) {
                refused(() -> device.pollAsyncEvent(Duration.ofDays(1)), Errno.ENODEV, gone);
            }
            region.close();
            queuePair.close();
            queue.close();
            domain.close();
            channel.close();
        }
    }

    @Test
    void closeOnTheLoopIsRefusedAndMayBeRepeatedElsewhere() {
        ProtectionDomain domain = device.allocateProtectionDomain();
        fixture.driver.canClose = false;
        refused(device::close, Errno.EBUSY, "iwarp device at 127.0.0.1 cannot be closed on its own loop");
        assertThat(fixture.driver.closes()).isZero();
        domain.close();
        device.allocateProtectionDomain();
        fixture.driver.canClose = true;
        device.close();
        assertThat(fixture.driver.closes()).isEqualTo(1);
    }

    @Test
    void closeTellsItsListenersOnce() {
        List<String> told = new ArrayList<>();
        Runnable removed = () -> told.add("removed");
        device.addCloseListener(() -> told.add("first"));
        device.addCloseListener(removed);
        device.addCloseListener(() -> told.add("second " + fixture.driver.closes()));
        device.removeCloseListener(removed);
        device.close();
        device.close();
        assertThat(told).containsExactly("first", "second 1");
        device.addCloseListener(() -> told.add("late"));
        assertThat(told).containsExactly("first", "second 1", "late");
    }

    @Test
    @Timeout(60)
    void whoClosesWhileAnotherClosesWaitsForIt() throws InterruptedException {
        DeviceFixture threaded = DeviceFixture.threaded();
        CountDownLatch closing = new CountDownLatch(1);
        CountDownLatch mayClose = new CountDownLatch(1);
        threaded.driver.onClose = () -> {
            closing.countDown();
            threaded.device.close(); // by the one who closes: returns at once
            await(mayClose);
        };
        Thread first = Thread.ofPlatform().daemon().start(threaded.device::close);
        closing.await();
        Thread second = Thread.ofPlatform().daemon().start(threaded.device::close);
        while (second.getState() != Thread.State.WAITING) {
            assertThat(second.isAlive()).isTrue();
            Thread.onSpinWait();
        }
        mayClose.countDown();
        first.join();
        second.join();
        assertThat(threaded.driver.closes()).isEqualTo(1);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    @Test
    void portIsActiveWhileItsInterfaceIsUpAndTheDeviceIsOpen() {
        assertThat(device.port().state()).isEqualTo(PortAttributes.State.ACTIVE);
        fixture.driver.interfaceUp = false;
        assertThat(device.port().state()).isEqualTo(PortAttributes.State.DOWN);
        fixture.driver.interfaceUp = true;
        device.close();
        assertThat(device.port().state()).isEqualTo(PortAttributes.State.DOWN);
    }

    @Test
    void localAddressComesFromTheDriver() {
        refused(
                () -> RdmaDevice.localAddressFor(
                        Transport.IWARP,
                        InetAddress.getLoopbackAddress(),
                        DeviceOptions.DEFAULT.withDriver(new FakeDriverProvider(fixture.driver))),
                Errno.ENETUNREACH,
                "the fake network has no route to localhost/127.0.0.1");
    }

    @Test
    void closeWakesWhoeverWaitsForAsyncEvents() throws InterruptedException {
        DeviceFixture threaded = DeviceFixture.threaded();
        CompletableFuture<Throwable> result = new CompletableFuture<>();
        CountDownLatch waiting = new CountDownLatch(1);
        Thread.ofPlatform().daemon().start(() -> {
            waiting.countDown();
            try {
                threaded.device.pollAsyncEvent(Duration.ofDays(1_000_000_000));
                result.complete(new AssertionError("no exception"));
            } catch (VerbsException | InterruptedException e) {
                result.complete(e);
            }
        });
        assertThat(waiting.await(20, TimeUnit.SECONDS)).isTrue();
        threaded.device.close();
        assertThat(result.orTimeout(20, TimeUnit.SECONDS).join()).hasMessageContaining("is closed");
    }

    @Test
    void asyncEventsGoToTheListenerOnTheLoopOrToTheQueue() throws InterruptedException {
        AsyncEvent event = AsyncEvent.ofQueuePair(AsyncEvent.Type.COMM_EST, 5, 0, "x");
        List<AsyncEvent> seen = new ArrayList<>();
        device.onAsyncEvent(seen::add);
        fixture.driver.engine().context.onAsyncEvent(event);
        assertThat(seen).isEmpty();
        fixture.driver.runTasks();
        assertThat(seen).containsExactly(event);
        device.onAsyncEvent(null);
        fixture.driver.engine().context.onAsyncEvent(event);
        assertThat(device.pollAsyncEvent(Duration.ZERO)).isEqualTo(event);
        assertThat(device.pollAsyncEvent(Duration.ofNanos(100))).isNull();
        for (int i = 0; i < 2_000; i++) {
            device.report(AsyncEvent.ofQueuePair(AsyncEvent.Type.COMM_EST, i, 0, "x"));
        }
        AsyncEvent oldest = device.pollAsyncEvent(Duration.ZERO);
        assertThat(oldest).isNotNull();
        assertThat(oldest.qpNum()).isZero();
    }

    /** Whoever loses the race against the close of the device gets ENODEV, and nothing of his is left behind. */
    @Test
    void creationThatRacesWithCloseIsRefusedOrClosed() throws InterruptedException {
        for (int round = 0; round < 200; round++) {
            DeviceFixture threaded = DeviceFixture.threaded();
            ProtectionDomain domain = threaded.device.allocateProtectionDomain();
            CompletionQueue queue = threaded.device.createCompletionQueue(10);
            CompletableFuture<Throwable> unexpected = new CompletableFuture<>();
            Thread creator = Thread.ofPlatform().start(() -> {
                try (Arena arena = Arena.ofShared()) {
                    while (true) {
                        QueuePair queuePair = domain.createQueuePair(QueuePairOptions.rc(queue));
                        MemoryRegion region = domain.register(arena, 8, Set.of());
                        queuePair.close();
                        region.close();
                    }
                } catch (VerbsException gone) {
                    unexpected.complete(gone.errno() == Errno.ENODEV || gone.errno() == Errno.EINVAL ? null : gone);
                } catch (RuntimeException | Error other) {
                    unexpected.complete(other);
                }
            });
            threaded.device.close();
            creator.join(20_000);
            assertThat(unexpected.join()).isNull();
            assertThat(threaded.device.memory().size()).isZero();
            assertThat(threaded.driver.failures).isEmpty();
        }
    }

    private record PickyProvider(FakeDriverProvider fake) implements DriverProvider {
        PickyProvider() {
            this(new FakeDriverProvider(FakeDriver.byHand()));
        }

        @Override
        public String name() {
            return "picky";
        }

        @Override
        public boolean supports(Transport transport) {
            return false;
        }

        @Override
        public DeviceDriver open(Transport transport, InetAddress address, DeviceOptions options) {
            return fake.driver();
        }

        @Override
        public InetAddress localAddressFor(InetAddress remote) {
            return fake.localAddressFor(remote);
        }
    }
}
