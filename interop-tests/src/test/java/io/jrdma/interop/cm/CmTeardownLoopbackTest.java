package io.jrdma.interop.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.cm.ConnectionParameters;
import io.jrdma.cm.RdmaCmEvent;
import io.jrdma.cm.RdmaCmEvent.ConnectRequest;
import io.jrdma.cm.RdmaCmEvent.DeviceRemoval;
import io.jrdma.cm.RdmaCmEvent.Disconnected;
import io.jrdma.cm.RdmaCmEvent.Established;
import io.jrdma.cm.RdmaCmEventType;
import io.jrdma.cm.RdmaCmId;
import io.jrdma.cm.RdmaCmState;
import io.jrdma.verbs.Access;
import io.jrdma.verbs.MemoryRegion;
import io.jrdma.verbs.QueuePair;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.WrOpcode;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How connections end, over TCP on the loopback interface, in automatic mode. */
@Timeout(120)
class CmTeardownLoopbackTest {
    private final CmEnds ends = new CmEnds();

    @AfterEach
    void closeAll() {
        ends.close();
    }

    /** Everything that was posted is sent, and has its completion before the end is reported. */
    @Test
    void disconnectWithWorkInFlightLosesNothing() throws InterruptedException {
        InetSocketAddress peer = ends.listen("127.0.0.1", 4);
        CmEnds.Connected connected = ends.connected(peer);
        QueuePair sender = Objects.requireNonNull(connected.active().queuePair());
        QueuePair receiver = Objects.requireNonNull(connected.passive().queuePair());
        int writes = 32;
        int size = 1 << 20;
        try (Arena arena = Arena.ofShared()) {
            MemoryRegion source = sender.protectionDomain().register(arena, size, EnumSet.of(Access.LOCAL_WRITE));
            MemoryRegion target = receiver.protectionDomain()
                    .register(arena, (long) size * writes, EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE));
            source.segment().fill((byte) 0x5A);
            for (int i = 0; i < 16; i++) {
                sender.postReceive(new RecvWr().id(1000 + i));
            }
            for (int i = 0; i < writes; i++) {
                sender.postSend(new SendWr()
                        .id(i)
                        .opcode(WrOpcode.RDMA_WRITE)
                        .addSge(source, 0, size)
                        .remote(target.address() + (long) i * size, target.remoteKey()));
            }
            connected.active().disconnect();
            CmEnds.expect(ends.client, Disconnected.class);
            WorkCompletion[] done = CmEnds.holders(64);
            assertThat(sender.sendQueue().poll(done)).isEqualTo(writes + 16);
            for (int i = 0; i < writes; i++) {
                assertThat(done[i].id()).isEqualTo(i);
                assertThat(done[i].status()).isEqualTo(WcStatus.SUCCESS);
            }
            for (int i = 0; i < 16; i++) {
                assertThat(done[writes + i].id()).isEqualTo(1000 + i);
                assertThat(done[writes + i].status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
            }
            CmEnds.expect(ends.server, Disconnected.class);
            assertThat(target.segment().asSlice((long) size * writes - 1, 1).get(ValueLayout.JAVA_BYTE, 0))
                    .isEqualTo((byte) 0x5A);
        }
    }

    @Test
    void bothSidesDisconnectAtOnceAndEachSeesOneEnd() throws InterruptedException {
        InetSocketAddress peer = ends.listen("127.0.0.1", 4);
        for (int round = 0; round < 50; round++) {
            CmEnds.Connected connected = ends.connected(peer);
            connected.active().disconnect();
            connected.passive().disconnect();
            CmEnds.expect(ends.client, Disconnected.class);
            CmEnds.expect(ends.server, Disconnected.class);
            CmEnds.release(connected.active());
            CmEnds.release(connected.passive());
        }
        assertThat(ends.client.poll(CmEnds.MOMENT)).isNull();
        assertThat(ends.server.poll(CmEnds.MOMENT)).isNull();
    }

    /** Destroyed while it connects, by another thread, at whatever moment. */
    @Test
    void idsDestroyedWhileTheyConnectAreNeverHeardOfAgain() throws Exception {
        InetSocketAddress peer = ends.listen("127.0.0.1", 0);
        for (int round = 0; round < 200; round++) {
            RdmaCmId active = ends.connecting(peer, ConnectionParameters.RECOMMENDED);
            int spin = round * 50;
            CompletableFuture<Void> closer = CompletableFuture.runAsync(() -> {
                for (int i = 0; i < spin; i++) {
                    Thread.onSpinWait();
                }
                active.close();
            });
            closer.get(20, TimeUnit.SECONDS);
            assertThat(ends.client.poll(Duration.ZERO)).isNull();
            assertThat(active.state()).isEqualTo(RdmaCmState.DESTROYED);
            CmEnds.release(active);
        }
        // the server sees requests, some of which are dead by now; none of them harms it
        RdmaCmEvent event;
        while ((event = ends.server.poll(Duration.ZERO)) != null) {
            if (event instanceof ConnectRequest request) {
                CmEnds.queuePair(request.id());
                request.id().accept(ConnectionParameters.RECOMMENDED);
            } else {
                assertThat(event).isNotInstanceOf(DeviceRemoval.class);
            }
        }
        RdmaCmId last = ends.connecting(peer, ConnectionParameters.RECOMMENDED);
        RdmaCmEvent answer = null;
        while (answer == null) {
            if (ends.server.poll(Duration.ofMillis(1)) instanceof ConnectRequest request) {
                CmEnds.queuePair(request.id());
                request.id().accept(ConnectionParameters.RECOMMENDED);
            }
            answer = ends.client.poll(Duration.ZERO);
        }
        assertThat(answer).isInstanceOf(Established.class);
        assertThat(answer.id()).isSameAs(last);
    }

    @Test
    void queuePairsDestroyedWhileTheyConnectGiveOneResult() throws InterruptedException {
        InetSocketAddress peer = ends.listen("127.0.0.1", 0);
        for (int round = 0; round < 100; round++) {
            RdmaCmId active = ends.connecting(peer, ConnectionParameters.RECOMMENDED);
            for (int i = 0; i < round * 100; i++) {
                Thread.onSpinWait();
            }
            active.destroyQueuePair();
            RdmaCmEvent event = ends.client.poll(CmEnds.SOON);
            assertThat(event).isNotNull();
            assertThat(event.type())
                    .isIn(RdmaCmEventType.CONNECT_ERROR, RdmaCmEventType.REJECTED, RdmaCmEventType.UNREACHABLE);
            active.close();
        }
        assertThat(ends.client.poll(CmEnds.MOMENT)).isNull();
    }

    @Test
    void queuePairDestroyedOnALiveConnectionEndsItOnBothSides() throws InterruptedException {
        InetSocketAddress peer = ends.listen("127.0.0.1", 4);
        CmEnds.Connected connected = ends.connected(peer);
        Objects.requireNonNull(connected.active().queuePair()).close();
        CmEnds.expect(ends.client, Disconnected.class);
        CmEnds.expect(ends.server, Disconnected.class);
    }

    @Test
    void idDestroyedOnALiveConnectionEndsItOnTheOtherSide() throws InterruptedException {
        InetSocketAddress peer = ends.listen("127.0.0.1", 4);
        CmEnds.Connected connected = ends.connected(peer);
        QueuePair own = Objects.requireNonNull(connected.passive().queuePair());
        connected.passive().close();
        CmEnds.expect(ends.client, Disconnected.class);
        assertThat(ends.server.poll(CmEnds.MOMENT)).isNull();
        own.close();
    }

    @Test
    void deviceClosedUnderItsConnectionsIsReported() throws InterruptedException {
        InetSocketAddress peer = ends.listen("127.0.0.1", 4);
        CmEnds.Connected connected = ends.connected(peer);
        RdmaCmId connecting = ends.connecting(peer, ConnectionParameters.RECOMMENDED);
        CmEnds.expect(ends.server, ConnectRequest.class);
        RdmaDevice device = CmEnds.deviceOf(connected.active());
        device.close();
        Set<RdmaCmId> removed = new HashSet<>();
        while (removed.size() < 2) {
            RdmaCmEvent event = ends.client.poll(CmEnds.SOON);
            assertThat(event).isNotNull();
            if (event instanceof DeviceRemoval) {
                removed.add(event.id());
            }
        }
        assertThat(removed).containsExactlyInAnyOrder(connected.active(), connecting);
        CmEnds.expect(ends.server, Disconnected.class);
    }
}
