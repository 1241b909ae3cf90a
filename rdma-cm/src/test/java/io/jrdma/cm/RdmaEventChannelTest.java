package io.jrdma.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.jrdma.cm.fake.FakeNetwork;
import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How events reach the application, in both ways of progress, and what becomes of devices. */
@Timeout(60)
class RdmaEventChannelTest {
    private static final Duration SOON = Duration.ofSeconds(20);

    @Test
    void closeOnTheLoopOfAnOwnDeviceIsRefusedAndMayBeRepeatedElsewhere() throws Exception {
        try (FakeNetwork network = FakeNetwork.automatic()) {
            RdmaEventChannel channel = RdmaEventChannel.create(network.options());
            RdmaCmId id = channel.createId(Transport.IWARP);
            id.bind(CmPair.address("127.0.0.1", 0));
            CompletableFuture<Throwable> refused = new CompletableFuture<>();
            id.device().driver().execute(() -> refused.complete(catchThrowable(channel::close)));
            assertThat(refused.get(20, TimeUnit.SECONDS))
                    .isInstanceOfSatisfying(
                            VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY));
            assertThat(id.state()).isEqualTo(RdmaCmState.ADDRESS_BOUND);
            channel.close();
            assertThat(network.devices()).isZero();
        }
    }

    @Nested
    class Manual {
        @Test
        void waitingDrivesTheDevices() throws InterruptedException {
            try (CmPair pair = new CmPair()) {
                pair.listen();
                pair.connecting(CmPair.SERVER, ConnectionParameters.RECOMMENDED);
                RdmaCmEvent event = pair.server.poll(CmPair.LONG);
                assertThat(event).isInstanceOf(RdmaCmEvent.ConnectRequest.class);
                event.id().reject(new byte[0]);
                assertThat(pair.client.take()).isInstanceOf(RdmaCmEvent.Rejected.class);
            }
        }

        @Test
        void waitingEndsWhenTheDevicesTimeIsOver() throws InterruptedException {
            try (CmPair pair = new CmPair()) {
                pair.listen();
                long before = pair.network.nowNs();
                assertThat(pair.server.poll(Duration.ofMillis(250))).isNull();
                assertThat(pair.network.nowNs() - before).isEqualTo(250_000_000L);
            }
        }

        @Test
        void severalDevicesTakeTurns() throws InterruptedException {
            try (CmPair pair = new CmPair()) {
                pair.listen();
                pair.listen(CmPair.address("10.0.0.1", 7471), 1);
                assertThat(pair.server.poll(Duration.ofMillis(10))).isNull();
                pair.connecting(CmPair.address("10.0.0.1", 7471), ConnectionParameters.RECOMMENDED);
                assertThat(pair.server.poll(SOON)).isInstanceOf(RdmaCmEvent.ConnectRequest.class);
                pair.rest(pair.client);
            }
        }

        @Test
        void lookingRunsOnlyWhatIsDue() throws InterruptedException {
            try (CmPair pair = new CmPair()) {
                pair.listen();
                pair.connecting(CmPair.SERVER, ConnectionParameters.RECOMMENDED);
                long before = pair.network.nowNs();
                assertThat(pair.client.poll(Duration.ZERO)).isNull();
                assertThat(pair.network.nowNs()).isEqualTo(before);
                pair.rest(pair.client);
            }
        }

        @Test
        void callbacksRunInsideProgress() {
            try (CmPair pair = new CmPair()) {
                List<RdmaCmEvent> seen = new ArrayList<>();
                pair.listen();
                RdmaCmId id = pair.client.createId(Transport.IWARP);
                id.resolveAddress(null, CmPair.SERVER, CmPair.LONG);
                Thread own = Thread.currentThread();
                pair.client.onEvent(event -> {
                    assertThat(Thread.currentThread()).isSameAs(own);
                    seen.add(event);
                });
                pair.network.runAll();
                assertThat(seen).isEmpty();
                assertThat(pair.client.progress(Duration.ZERO)).isTrue();
                assertThat(seen).containsExactly(new RdmaCmEvent.AddressResolved(id));
                assertThat(pair.client.progress(Duration.ZERO)).isFalse();
            }
        }

        @Test
        void deviceOfTheOtherWayOfProgressIsRefused() {
            try (CmPair pair = new CmPair();
                    FakeNetwork automatic = FakeNetwork.automatic();
                    RdmaDevice device =
                            RdmaDevice.open(Transport.IWARP, CmPair.SERVER.getAddress(), automatic.options())) {
                assertThatThrownBy(() -> pair.client.createId(device))
                        .isInstanceOf(VerbsException.class)
                        .hasMessageContaining("manually");
            }
        }
    }

    @Nested
    class Automatic implements AutoCloseable {
        private final FakeNetwork network = FakeNetwork.automatic();
        private final RdmaEventChannel server = RdmaEventChannel.create(network.options());
        private final RdmaEventChannel client = RdmaEventChannel.create(network.options());

        @Override
        @org.junit.jupiter.api.AfterEach
        public void close() {
            client.close();
            server.close();
            network.close();
        }

        private RdmaCmId listen() {
            RdmaCmId id = server.createId(Transport.IWARP);
            id.bind(CmPair.SERVER);
            id.listen(4);
            return id;
        }

        @Test
        void takerIsWokenByTheLoop() throws Exception {
            listen();
            CompletableFuture<RdmaCmEvent> taken = CompletableFuture.supplyAsync(() -> {
                try {
                    return server.take();
                } catch (InterruptedException end) {
                    throw new AssertionError(end);
                }
            });
            connect();
            assertThat(taken.get(20, TimeUnit.SECONDS)).isInstanceOf(RdmaCmEvent.ConnectRequest.class);
        }

        private RdmaCmId connect() throws InterruptedException {
            RdmaCmId id = client.createId(Transport.IWARP);
            id.resolveAddress(null, CmPair.SERVER, CmPair.LONG);
            assertThat(client.poll(SOON)).isInstanceOf(RdmaCmEvent.AddressResolved.class);
            id.resolveRoute(CmPair.LONG);
            assertThat(client.poll(SOON)).isInstanceOf(RdmaCmEvent.RouteResolved.class);
            CmPair.queuePair(id);
            id.connect(ConnectionParameters.RECOMMENDED);
            return id;
        }

        @Test
        void takerIsWokenByTheClose() throws Exception {
            CountDownLatch waiting = new CountDownLatch(1);
            CompletableFuture<RdmaCmEvent> taken = CompletableFuture.supplyAsync(() -> {
                waiting.countDown();
                try {
                    return server.take();
                } catch (InterruptedException end) {
                    throw new AssertionError(end);
                }
            });
            waiting.await();
            server.close();
            assertThatThrownBy(() -> taken.get(20, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(VerbsException.class)
                    .hasMessageContaining("event channel is closed");
            assertThatThrownBy(() -> server.createId(Transport.IWARP)).isInstanceOf(VerbsException.class);
            server.close();
        }

        @Test
        void pollEndsWithoutAnEvent() throws InterruptedException {
            assertThat(server.poll(Duration.ZERO)).isNull();
            assertThat(server.poll(Duration.ofMillis(1))).isNull();
        }

        @Test
        void callbackNeverRunsInsideTheCallAndMayCallAnything() throws Exception {
            listen();
            CompletableFuture<RdmaCmEvent> up = new CompletableFuture<>();
            LinkedBlockingQueue<Thread> threads = new LinkedBlockingQueue<>();
            server.onEvent(event -> {
                if (event instanceof RdmaCmEvent.ConnectRequest request) {
                    CmPair.queuePair(request.id());
                    request.id().accept(ConnectionParameters.RECOMMENDED);
                }
            });
            client.onEvent(event -> {
                threads.add(Thread.currentThread());
                switch (event) {
                    case RdmaCmEvent.AddressResolved resolved -> resolved.id().resolveRoute(CmPair.LONG);
                    case RdmaCmEvent.RouteResolved resolved -> {
                        CmPair.queuePair(resolved.id());
                        resolved.id().connect(ConnectionParameters.RECOMMENDED);
                    }
                    default -> up.complete(event);
                }
            });
            RdmaCmId id = client.createId(Transport.IWARP);
            id.resolveAddress(null, CmPair.SERVER, CmPair.LONG);
            assertThat(up.get(20, TimeUnit.SECONDS)).isInstanceOf(RdmaCmEvent.Established.class);
            assertThat(threads)
                    .hasSize(3)
                    .doesNotContain(Thread.currentThread())
                    .allMatch(Thread::isVirtual);
            assertThat(new ArrayList<>(threads))
                    .allSatisfy(each -> assertThat(each).isSameAs(threads.peek()));
        }

        @Test
        void callbackThatThrowsIsCalledAgain() throws Exception {
            LinkedBlockingQueue<RdmaCmEvent> seen = new LinkedBlockingQueue<>();
            LinkedBlockingQueue<Throwable> uncaught = new LinkedBlockingQueue<>();
            Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
            Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> uncaught.add(thrown));
            try {
                client.onEvent(event -> {
                    seen.add(event);
                    throw new IllegalStateException("planned");
                });
                client.createId(Transport.IWARP).resolveAddress(null, CmPair.SERVER, CmPair.LONG);
                client.createId(Transport.IWARP).resolveAddress(null, CmPair.SERVER, CmPair.LONG);
                assertThat(seen.poll(20, TimeUnit.SECONDS)).isNotNull();
                assertThat(seen.poll(20, TimeUnit.SECONDS)).isNotNull();
                assertThat(uncaught.poll(20, TimeUnit.SECONDS)).hasMessage("planned");
            } finally {
                Thread.setDefaultUncaughtExceptionHandler(before);
            }
        }

        @Test
        void callbackThatIsTakenBackLeavesEventsToBeTaken() throws Exception {
            LinkedBlockingQueue<RdmaCmEvent> seen = new LinkedBlockingQueue<>();
            client.onEvent(seen::add);
            client.createId(Transport.IWARP).resolveAddress(null, CmPair.SERVER, CmPair.LONG);
            assertThat(seen.poll(20, TimeUnit.SECONDS)).isNotNull();
            client.onEvent(null);
            client.createId(Transport.IWARP).resolveAddress(null, CmPair.SERVER, CmPair.LONG);
            assertThat(client.poll(SOON)).isNotNull();
            assertThat(seen).isEmpty();
        }

        /** Closing never waits for an event that somebody holds. */
        @Test
        void idMayBeClosedInsideItsOwnCallback() throws Exception {
            CompletableFuture<RdmaCmState> closed = new CompletableFuture<>();
            client.onEvent(event -> {
                event.id().close();
                closed.complete(event.id().state());
            });
            client.createId(Transport.IWARP).resolveAddress(null, CmPair.SERVER, CmPair.LONG);
            assertThat(closed.get(20, TimeUnit.SECONDS)).isEqualTo(RdmaCmState.DESTROYED);
        }

        /** No event after the close has returned, whoever is quicker. */
        @Test
        void noEventNamesAnIdThatWasClosed() throws Exception {
            listen();
            for (int round = 0; round < 500; round++) {
                RdmaCmId id = connect();
                CompletableFuture<Void> closer = CompletableFuture.runAsync(id::close);
                closer.get(20, TimeUnit.SECONDS);
                assertThat(client.poll(Duration.ZERO)).isNull();
                RdmaCmEvent request = server.poll(Duration.ZERO);
                if (request != null && request.type() == RdmaCmEventType.CONNECT_REQUEST) {
                    request.id().close();
                }
            }
        }
    }

    @Test
    void closedIdTakesItsEventsWithIt() {
        try (CmPair pair = new CmPair()) {
            RdmaCmId first = pair.client.createId(Transport.IWARP);
            RdmaCmId second = pair.client.createId(Transport.IWARP);
            first.resolveAddress(null, CmPair.SERVER, CmPair.LONG);
            second.resolveAddress(null, CmPair.SERVER, CmPair.LONG);
            first.close();
            assertThat(pair.rest(pair.client)).containsExactly(new RdmaCmEvent.AddressResolved(second));
        }
    }

    @Test
    void closedListenerRejectsTheRequestsThatNobodyHasTaken() {
        try (CmPair pair = new CmPair()) {
            RdmaCmId listening = pair.listen();
            RdmaCmId active = pair.connecting(CmPair.SERVER, ConnectionParameters.RECOMMENDED);
            pair.network.runAll();
            listening.close();
            assertThat(pair.rest(pair.server)).isEmpty();
            assertThat(pair.rest(pair.client))
                    .singleElement()
                    .isInstanceOfSatisfying(
                            RdmaCmEvent.Rejected.class,
                            event -> assertThat(event.id()).isSameAs(active));
        }
    }

    // ---- devices ----

    @Test
    void idsOfOneAddressShareADeviceWhichGoesWithTheChannel() {
        FakeNetwork network = FakeNetwork.manual();
        RdmaEventChannel channel = RdmaEventChannel.create(network.options());
        RdmaCmId first = channel.createId(Transport.IWARP);
        RdmaCmId second = channel.createId(Transport.IWARP);
        RdmaCmId third = channel.createId(Transport.IWARP);
        first.bind(CmPair.address("127.0.0.1", 1));
        second.resolveAddress(null, CmPair.SERVER, CmPair.LONG);
        third.bind(CmPair.address("10.0.0.1", 1));
        assertThat(first.device()).isNotNull().isSameAs(second.device()).isNotSameAs(third.device());
        assertThat(network.devices()).isEqualTo(2);
        channel.close();
        assertThat(network.devices()).isZero();
    }

    @Test
    void givenDeviceStaysTheCallers() {
        FakeNetwork network = FakeNetwork.manual();
        DeviceOptions options = network.options();
        try (RdmaDevice device = RdmaDevice.open(Transport.IWARP, CmPair.SERVER.getAddress(), options)) {
            RdmaEventChannel channel = RdmaEventChannel.create(options);
            RdmaCmId id = channel.createId(device);
            assertThat(id.device()).isSameAs(device);
            id.bind(CmPair.SERVER);
            id.listen(1, MpaOptions.RECOMMENDED);
            channel.close();
            assertThat(network.devices()).isEqualTo(1);
            // still in working order
            device.allocateProtectionDomain().close();
        }
    }

    @Test
    void removedDeviceIsReportedToEachOfItsIdsAndIsOpenedAnew() {
        try (CmPair pair = new CmPair()) {
            RdmaCmId listening = pair.listen();
            CmPair.Connected ends = pair.connected();
            RdmaCmId elsewhere = pair.server.createId(Transport.IWARP);
            elsewhere.bind(CmPair.address("10.0.0.1", 1));
            RdmaDevice device = CmPair.deviceOf(listening);
            device.close();
            assertThat(pair.rest(pair.server))
                    .containsExactlyInAnyOrder(
                            new RdmaCmEvent.Disconnected(ends.passive(), 0),
                            new RdmaCmEvent.DeviceRemoval(ends.passive()),
                            new RdmaCmEvent.DeviceRemoval(listening));
            assertThat(listening.state()).isEqualTo(RdmaCmState.CLOSED);
            assertThat(elsewhere.state()).isEqualTo(RdmaCmState.ADDRESS_BOUND);
            RdmaCmId again = pair.server.createId(Transport.IWARP);
            again.bind(CmPair.SERVER);
            assertThat(again.device()).isNotNull().isNotSameAs(device);
            listening.close();
            again.listen(1);
            pair.rest(pair.client);
        }
    }

    @Test
    void channelThatIsClosedOpensNoDevice() {
        FakeNetwork network = FakeNetwork.manual();
        RdmaEventChannel channel = RdmaEventChannel.create(network.options());
        RdmaCmId id = channel.createId(Transport.IWARP);
        channel.close();
        assertThat(id.state()).isEqualTo(RdmaCmState.DESTROYED);
        assertThatThrownBy(() -> id.bind(CmPair.SERVER)).isInstanceOf(VerbsException.class);
        assertThat(network.devices()).isZero();
    }
}
