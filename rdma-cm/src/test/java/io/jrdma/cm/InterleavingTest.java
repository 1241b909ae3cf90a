package io.jrdma.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.QueuePair;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.WrOpcode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A connection that comes up, works and ends, and at each of its steps in turn something that cuts across it: an id, a queue pair, a device,
 * a listener or a channel is destroyed, on either side, or a disconnect or an error comes. Whatever the moment: no exception, one outcome an
 * id, one end a connection, nothing after a close, every request with its completion, nothing left over.
 */
class InterleavingTest {
    private static final int POSTED = 4;

    /** One run. */
    private static final class Run implements AutoCloseable {
        private final CmPair pair;
        private final RdmaCmId listening;
        private final RdmaCmId active;
        private final Map<RdmaCmId, List<RdmaCmEvent>> events = new LinkedHashMap<>();
        private final Map<RdmaCmId, QueuePair> queuePairs = new LinkedHashMap<>();
        private final List<RdmaCmId> closedIds = new ArrayList<>();
        private final List<QueuePair> closedQueuePairs = new ArrayList<>();
        private RdmaCmId passive;
        private boolean deviceClosed;
        private RdmaDevice removed;

        Run(Transport transport) {
            pair = new CmPair(transport);
            listening = pair.listen();
            active = pair.client.createId(transport);
            active.resolveAddress(null, CmPair.SERVER, CmPair.LONG);
            take();
        }

        /** Runs one task, then lets both applications react. Returns whether there was one. */
        boolean step() {
            boolean ran = pair.network.step();
            take();
            return ran;
        }

        private void take() {
            for (RdmaEventChannel channel : List.of(pair.client, pair.server)) {
                try {
                    for (RdmaCmEvent event = channel.next(); event != null; event = channel.next()) {
                        assertThat(closedIds).as("%s after a close", event).doesNotContain(event.id());
                        events.computeIfAbsent(event.id(), id -> new ArrayList<>())
                                .add(event);
                        react(event);
                    }
                } catch (VerbsException closed) {
                    assertThat(closed).hasMessageContaining("event channel is closed");
                }
            }
        }

        private void react(RdmaCmEvent event) {
            switch (event) {
                case RdmaCmEvent.AddressResolved resolved -> resolved.id().resolveRoute(CmPair.LONG);
                case RdmaCmEvent.RouteResolved resolved -> {
                    prepare(resolved.id());
                    resolved.id().connect(ConnectionParameters.RECOMMENDED);
                }
                case RdmaCmEvent.ConnectRequest request -> {
                    passive = request.id();
                    prepare(passive);
                    passive.accept(ConnectionParameters.RECOMMENDED);
                }
                case RdmaCmEvent.Established up -> {
                    if (up.id() == active) {
                        QueuePair own = queuePairs.get(active);
                        for (int i = 0; i < POSTED; i++) {
                            own.postSend(new SendWr().opcode(WrOpcode.RDMA_WRITE));
                        }
                        active.disconnect();
                    }
                }
                case RdmaCmEvent.Disconnected over -> everythingHasItsCompletion(over.id());
                default -> {}
            }
        }

        private void prepare(RdmaCmId id) {
            QueuePair made = CmPair.queuePair(id);
            for (int i = 0; i < POSTED; i++) {
                made.postReceive(new RecvWr());
            }
            queuePairs.put(id, made);
        }

        private void everythingHasItsCompletion(RdmaCmId id) {
            QueuePair own = queuePairs.get(id);
            if (closedQueuePairs.contains(own) || deviceClosed) {
                return;
            }
            assertThat(own.state()).isEqualTo(QpState.ERROR);
            WorkCompletion[] done = new WorkCompletion[4 * POSTED];
            for (int i = 0; i < done.length; i++) {
                done[i] = new WorkCompletion();
            }
            int count = own.receiveQueue().poll(done);
            int receives = 0;
            for (int i = 0; i < count; i++) {
                if (done[i].opcode().isReceive()) {
                    assertThat(done[i].status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
                    receives++;
                }
            }
            assertThat(receives).isEqualTo(POSTED);
            assertThat(count - receives).isIn(0, POSTED);
        }

        void closeId(RdmaCmId id) {
            if (id != null) {
                id.close();
                closedIds.add(id);
            }
        }

        void closeQueuePair(RdmaCmId id) {
            QueuePair own = queuePairs.get(id);
            if (own != null) {
                own.close();
                closedQueuePairs.add(own);
            }
        }

        void closeDevice(RdmaCmId id) {
            if (id != null && id.device() != null) {
                deviceClosed = true;
                removed = id.device();
                removed.close();
            }
        }

        void queuePairToError(RdmaCmId id) {
            QueuePair own = queuePairs.get(id);
            if (own != null) {
                own.modify(QpAttributes.state(QpState.ERROR));
            }
        }

        void disconnect(RdmaCmId id) {
            if (id != null && id.state() == RdmaCmState.ESTABLISHED) {
                id.disconnect();
            }
        }

        void closeChannel(RdmaEventChannel channel) {
            channel.close();
            deviceClosed = true;
            for (RdmaCmId id : new ArrayList<>(events.keySet())) {
                if (id.channel() == channel) {
                    closedIds.add(id);
                }
            }
        }

        void check() {
            events.forEach((id, all) -> {
                List<String> story = all.stream()
                        .map(event -> event.type().name())
                        .filter(name -> !name.startsWith("ADDR") && !name.startsWith("ROUTE"))
                        .toList();
                long outcomes = count(all, "ESTABLISHED", "REJECTED", "UNREACHABLE", "CONNECT_ERROR");
                long ups = count(all, "ESTABLISHED");
                long ends = count(all, "DISCONNECTED");
                assertThat(outcomes).as("outcomes in %s", story).isLessThanOrEqualTo(1);
                assertThat(ends).as("ends in %s", story).isLessThanOrEqualTo(ups);
                if (!closedIds.contains(id)) {
                    assertThat(count(all, "DEVICE_REMOVAL"))
                            .as("removals in %s", story)
                            .isEqualTo(removed != null && id.device() == removed ? 1 : 0);
                }
                boolean cut = closedIds.contains(id) || count(all, "DEVICE_REMOVAL") > 0;
                if (!cut && id != listening) {
                    assertThat(outcomes).as("outcomes in %s", story).isEqualTo(1);
                    assertThat(ends).as("ends in %s", story).isEqualTo(ups);
                    assertThat(id.state()).isEqualTo(RdmaCmState.CLOSED);
                }
            });
        }

        private static long count(List<RdmaCmEvent> all, String... types) {
            return all.stream()
                    .filter(event -> List.of(types).contains(event.type().name()))
                    .count();
        }

        @Override
        public void close() {
            pair.close();
        }
    }

    static Stream<Arguments> actions() {
        Map<String, Consumer<Run>> actions = new LinkedHashMap<>();
        actions.put("nothing", run -> {});
        actions.put("active id closed", run -> run.closeId(run.active));
        actions.put("passive id closed", run -> run.closeId(run.passive));
        actions.put("listening id closed", run -> run.closeId(run.listening));
        actions.put("active queue pair closed", run -> run.closeQueuePair(run.active));
        actions.put("passive queue pair closed", run -> run.closeQueuePair(run.passive));
        actions.put("active queue pair to ERROR", run -> run.queuePairToError(run.active));
        actions.put("passive queue pair to ERROR", run -> run.queuePairToError(run.passive));
        actions.put("active device closed", run -> run.closeDevice(run.active));
        actions.put("passive device closed", run -> run.closeDevice(run.listening));
        actions.put("active side disconnects", run -> run.disconnect(run.active));
        actions.put("passive side disconnects", run -> run.disconnect(run.passive));
        actions.put("client's channel closed", run -> run.closeChannel(run.pair.client));
        actions.put("server's channel closed", run -> run.closeChannel(run.pair.server));
        actions.put("id, then queue pair", run -> {
            run.closeId(run.active);
            run.closeQueuePair(run.active);
        });
        actions.put("queue pair, then id", run -> {
            run.closeQueuePair(run.passive);
            run.closeId(run.passive);
        });
        actions.put("everything twice", run -> {
            for (int i = 0; i < 2; i++) {
                run.closeId(run.passive);
                run.closeQueuePair(run.passive);
                run.closeId(run.active);
                run.closeQueuePair(run.active);
            }
        });
        return Stream.of(Transport.values())
                .flatMap(transport -> actions.entrySet().stream()
                        .map(action -> Arguments.argumentSet(
                                transport.id() + ": " + action.getKey(), transport, action.getValue())));
    }

    @ParameterizedTest
    @MethodSource("actions")
    void connectionBearsItAtEveryStep(Transport transport, Consumer<Run> action) {
        int moment = 0;
        boolean reached = true;
        while (reached) {
            try (Run run = new Run(transport)) {
                int steps = 0;
                boolean more = true;
                while (steps < moment && more) {
                    more = run.step();
                    steps += more ? 1 : 0;
                }
                reached = more;
                action.accept(run);
                while (run.step()) {}
                run.check();
            } catch (Throwable failed) {
                throw new AssertionError("at step " + moment, failed);
            }
            moment++;
        }
        assertThat(moment).as("steps that a connection takes").isGreaterThan(12);
    }
}
