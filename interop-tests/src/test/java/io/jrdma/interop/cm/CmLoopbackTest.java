package io.jrdma.interop.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.cm.ConnectionParameters;
import io.jrdma.cm.RdmaCmEvent;
import io.jrdma.cm.RdmaCmEvent.ConnectError;
import io.jrdma.cm.RdmaCmEvent.ConnectRequest;
import io.jrdma.cm.RdmaCmEvent.Disconnected;
import io.jrdma.cm.RdmaCmEvent.Established;
import io.jrdma.cm.RdmaCmEvent.Rejected;
import io.jrdma.cm.RdmaCmEvent.Unreachable;
import io.jrdma.cm.RdmaCmEventType;
import io.jrdma.cm.RdmaCmId;
import io.jrdma.testing.Satisfies;
import io.jrdma.verbs.Access;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MemoryRegion;
import io.jrdma.verbs.MpaNegotiated;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.QueuePair;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Connection management with librdmacm's calls over TCP on the loopback interface, in automatic mode. */
@Timeout(120)
class CmLoopbackTest {
    private final CmEnds ends = new CmEnds();

    @AfterEach
    void closeAll() {
        ends.close();
    }

    // ---- addresses ----

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1", "127.0.0.9"})
    void connectionComesUpWorksAndEnds(String host) throws InterruptedException {
        InetSocketAddress peer = ends.listen(host, 4);
        assertThat(peer.getPort()).isNotZero();
        CmEnds.Connected connected = ends.connected(peer);
        RdmaCmId active = connected.active();
        RdmaCmId passive = connected.passive();
        // what one side reports is what the other sees
        assertThat(active.peerAddress()).isEqualTo(peer);
        assertThat(passive.localAddress()).isEqualTo(peer);
        assertThat(passive.peerAddress()).isEqualTo(active.localAddress());
        assertThat(Objects.requireNonNull(active.localAddress()).getAddress().isAnyLocalAddress())
                .isFalse();
        exchange(active, passive);
        active.disconnect();
        assertThat(CmEnds.expect(ends.client, Disconnected.class).id()).isSameAs(active);
        assertThat(CmEnds.expect(ends.server, Disconnected.class).id()).isSameAs(passive);
    }

    private static void exchange(RdmaCmId active, RdmaCmId passive) throws InterruptedException {
        QueuePair sender = Objects.requireNonNull(active.queuePair());
        QueuePair receiver = Objects.requireNonNull(passive.queuePair());
        try (Arena arena = Arena.ofShared();
                MemoryRegion target = receiver.protectionDomain().register(arena, 64, EnumSet.of(Access.LOCAL_WRITE))) {
            receiver.postReceive(new RecvWr().id(7).addSge(target, 0, 64));
            sender.postSend(new SendWr().id(8).inlineData(MemorySegment.ofArray(CmEnds.bytes(20))));
            WorkCompletion[] done = CmEnds.holders(1);
            poll(receiver, done);
            assertThat(done[0].id()).isEqualTo(7);
            assertThat(done[0].status()).isEqualTo(WcStatus.SUCCESS);
            assertThat(done[0].byteLength()).isEqualTo(20);
            assertThat(target.segment().asSlice(0, 20).toArray(ValueLayout.JAVA_BYTE))
                    .isEqualTo(CmEnds.bytes(20));
        }
    }

    private static void poll(QueuePair queuePair, WorkCompletion[] one) {
        long end = System.nanoTime() + CmEnds.SOON.toNanos();
        while (queuePair.receiveQueue().poll(one) == 0) {
            assertThat(System.nanoTime() - end)
                    .as("a completion within %s", CmEnds.SOON)
                    .isNegative();
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @CsvSource({"0.0.0.0,127.0.0.1", "0.0.0.0,127.0.0.7", "::,::1", "::,127.0.0.1"})
    void wildcardListenerTakesEveryAddress(String wildcard, String target) throws InterruptedException {
        InetSocketAddress at = ends.listen(wildcard, 4);
        CmEnds.Connected connected = ends.connected(CmEnds.address(target, at.getPort()));
        assertThat(connected.passive().localAddress()).isEqualTo(CmEnds.address(target, at.getPort()));
        assertThat(connected.passive().device()).isSameAs(ends.listening.device());
        exchange(connected.active(), connected.passive());
    }

    @Test
    void givenSourceIsWhatThePeerSees() throws InterruptedException {
        InetSocketAddress peer = ends.listen("127.0.0.1", 4);
        RdmaCmId id = ends.client.createId(Transport.IWARP);
        id.resolveAddress(CmEnds.address("127.0.0.3", 0), peer, CmEnds.SOON);
        CmEnds.expect(ends.client, RdmaCmEvent.AddressResolved.class);
        id.resolveRoute(CmEnds.SOON);
        CmEnds.expect(ends.client, RdmaCmEvent.RouteResolved.class);
        CmEnds.queuePair(id);
        id.connect(ConnectionParameters.RECOMMENDED);
        InetSocketAddress seen =
                CmEnds.expect(ends.server, ConnectRequest.class).id().peerAddress();
        assertThat(Objects.requireNonNull(seen).getAddress().getHostAddress()).isEqualTo("127.0.0.3");
    }

    @Test
    void addressThatIsNotThisHostsIsRefused() {
        RdmaCmId id = ends.server.createId(Transport.IWARP);
        assertThatThrownBy(() -> id.bind(CmEnds.address("192.0.2.1", 7471)))
                .isInstanceOfSatisfying(
                        VerbsException.class,
                        refused -> assertThat(refused.errno()).isEqualTo(Errno.EADDRNOTAVAIL));
    }

    @Test
    void takenPortIsRefusedByNumber() {
        InetSocketAddress at = ends.listen("127.0.0.1", 4);
        RdmaCmId second = ends.client.createId(Transport.IWARP);
        second.bind(at);
        assertThatThrownBy(() -> second.listen(1))
                .isInstanceOfSatisfying(
                        VerbsException.class,
                        refused -> assertThat(refused.errno()).isEqualTo(Errno.EADDRINUSE))
                .hasMessageContaining(String.valueOf(at.getPort()));
    }

    @Test
    void portCanBeTakenAgainAtOnce() throws InterruptedException {
        int port = 0;
        for (int round = 0; round < 100; round++) {
            ends.listening = ends.server.createId(Transport.IWARP);
            ends.listening.bind(CmEnds.address("127.0.0.1", port));
            ends.listening.listen(1);
            InetSocketAddress at = Objects.requireNonNull(ends.listening.localAddress());
            port = at.getPort();
            CmEnds.Connected connected = ends.connected(at);
            connected.passive().disconnect();
            CmEnds.expect(ends.server, Disconnected.class);
            CmEnds.expect(ends.client, Disconnected.class);
            CmEnds.release(connected.active());
            CmEnds.release(connected.passive());
            ends.listening.close();
        }
    }

    // ---- what the handshake carries ----

    @Satisfies({"RFC5044-7.1.1-8", "RFC6581-9-4"})
    @ParameterizedTest
    @CsvSource({"0,0", "1,0", "0,1", "127,127", "128,128", "251,251", "255,252", "256,252", "508,252"})
    void privateDataArrivesAsItIs(int requestBytes, int replyBytes) throws InterruptedException {
        InetSocketAddress peer = ends.listen("127.0.0.1", 4);
        ends.connecting(peer, CmEnds.withData(CmEnds.bytes(requestBytes)));
        ConnectRequest request = CmEnds.expect(ends.server, ConnectRequest.class);
        assertThat(request.privateData()).isEqualTo(CmEnds.bytes(requestBytes));
        CmEnds.queuePair(request.id());
        request.id().accept(CmEnds.withData(CmEnds.bytes(replyBytes)));
        assertThat(CmEnds.expect(ends.client, Established.class).privateData()).isEqualTo(CmEnds.bytes(replyBytes));
    }

    @Satisfies({"RFC6581-9.1-1", "RFC6581-9.1-2", "RFC6581-9.1-4"})
    @ParameterizedTest
    @CsvSource({"0,0", "0,1", "1,0", "4,8", "128,128"})
    void depthsAreAgreed(int ird, int ord) throws InterruptedException {
        InetSocketAddress peer = ends.listen("127.0.0.1", 4);
        RdmaCmId active = ends.connecting(
                peer,
                ConnectionParameters.builder()
                        .responderResources(ird)
                        .initiatorDepth(ord)
                        .build());
        ConnectRequest request = CmEnds.expect(ends.server, ConnectRequest.class);
        assertThat(request.responderResources()).isEqualTo(ord);
        assertThat(request.initiatorDepth()).isEqualTo(ird);
        CmEnds.queuePair(request.id());
        request.id().accept(ConnectionParameters.RECOMMENDED);
        Established passiveUp = CmEnds.expect(ends.server, Established.class);
        assertThat(passiveUp.responderResources()).isEqualTo(ord);
        assertThat(passiveUp.initiatorDepth()).isEqualTo(ird);
        Established activeUp = CmEnds.expect(ends.client, Established.class);
        assertThat(activeUp.responderResources()).isEqualTo(ird);
        assertThat(activeUp.initiatorDepth()).isEqualTo(ord);
        exchange(active, request.id());
    }

    @ParameterizedTest
    @CsvSource({"2,true", "2,false", "1,true", "1,false"})
    void termsOfMpaAreTold(int revision, boolean crc) throws InterruptedException {
        InetSocketAddress peer = ends.listen("127.0.0.1", 4);
        MpaOptions options = MpaOptions.builder().revision(revision).crc(crc).build();
        ends.listening.close();
        ends.listening = ends.server.createId(Transport.IWARP);
        ends.listening.bind(peer);
        ends.listening.listen(4, options);
        ConnectionParameters parameters =
                ConnectionParameters.builder().mpa(options).build();
        CmEnds.Connected connected = ends.connected(peer, parameters, parameters);
        MpaNegotiated near = Objects.requireNonNull(connected.active().negotiated());
        MpaNegotiated far = Objects.requireNonNull(connected.passive().negotiated());
        assertThat(near.revision()).isEqualTo(far.revision()).isEqualTo(revision);
        assertThat(near.crc()).isEqualTo(far.crc()).isEqualTo(crc);
        exchange(connected.active(), connected.passive());
    }

    /** RFC 6581 section 9.2. */
    @Satisfies({"RFC6581-9.2-3", "RFC6581-9.2-4"})
    @Test
    void peerToPeerConnectionLetsEitherSideSpeakFirst() throws InterruptedException {
        InetSocketAddress peer = ends.listen("127.0.0.1", 4);
        ConnectionParameters parameters = ConnectionParameters.builder()
                .mpa(MpaOptions.builder().peerToPeer(true).build())
                .build();
        CmEnds.Connected connected = ends.connected(peer, parameters, parameters);
        assertThat(Objects.requireNonNull(connected.active().negotiated()).peerToPeer())
                .isTrue();
        exchange(connected.passive(), connected.active());
    }

    /** RFC 5044 section 7.1.2: what the accepting side posts waits until the connecting side has spoken. */
    @Satisfies("RFC5044-7.1.2-4")
    @Test
    void acceptingSideSpeaksSecond() throws InterruptedException {
        InetSocketAddress peer = ends.listen("127.0.0.1", 4);
        CmEnds.Connected connected = ends.connected(peer);
        QueuePair near = Objects.requireNonNull(connected.active().queuePair());
        QueuePair far = Objects.requireNonNull(connected.passive().queuePair());
        near.postReceive(new RecvWr().id(1));
        far.postReceive(new RecvWr().id(2));
        far.postSend(new SendWr().id(3));
        WorkCompletion[] done = CmEnds.holders(1);
        long end = System.nanoTime() + CmEnds.MOMENT.toNanos();
        while (System.nanoTime() - end < 0) {
            assertThat(near.receiveQueue().poll(done)).isZero();
        }
        near.postSend(new SendWr().id(4));
        poll(near, done);
        assertThat(done[0].id()).isEqualTo(4);
        poll(near, done);
        assertThat(done[0].id()).isEqualTo(1);
        assertThat(done[0].isSuccess()).isTrue();
    }

    // ---- the ways to fail ----

    @Satisfies("RFC5044-7.1.1-5")
    @ParameterizedTest
    @ValueSource(ints = {0, 10, 252})
    void rejectionArrivesWithItsPrivateData(int length) throws InterruptedException {
        InetSocketAddress peer = ends.listen("127.0.0.1", 4);
        ends.connecting(peer, ConnectionParameters.RECOMMENDED);
        CmEnds.expect(ends.server, ConnectRequest.class).id().reject(CmEnds.bytes(length));
        Rejected event = CmEnds.expect(ends.client, Rejected.class);
        assertThat(event.status()).isEqualTo(-104);
        assertThat(event.privateData()).isEqualTo(CmEnds.bytes(length));
        assertThat(ends.server.poll(CmEnds.MOMENT)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void portThatNobodyListensOnRefuses(String host) throws InterruptedException {
        InetSocketAddress peer = ends.listen(host, 4);
        ends.listening.close();
        ends.connecting(peer, ConnectionParameters.RECOMMENDED);
        Rejected event = CmEnds.expect(ends.client, Rejected.class);
        assertThat(event.status()).isEqualTo(-111);
        assertThat(event.text()).contains(String.valueOf(peer.getPort()));
    }

    @Satisfies("RFC5044-7.1.2-10")
    @Test
    void serverThatNeverAcceptsIsUnreachableInTheEnd() throws InterruptedException {
        InetSocketAddress peer = ends.listen("127.0.0.1", 4);
        ends.connecting(peer, CmEnds.impatient());
        RdmaCmId passive = CmEnds.expect(ends.server, ConnectRequest.class).id();
        assertThat(CmEnds.expect(ends.client, Unreachable.class).status()).isEqualTo(-110);
        // and the server that wakes up too late is told so; its reply and the client's leaving may cross
        CmEnds.queuePair(passive);
        passive.accept(ConnectionParameters.RECOMMENDED);
        RdmaCmEvent told = CmEnds.expect(ends.server, RdmaCmEvent.class);
        if (told instanceof Established) {
            CmEnds.expect(ends.server, Disconnected.class);
        } else {
            assertThat(told).isInstanceOf(ConnectError.class);
        }
    }

    @Test
    void addressWithoutRouteIsAnAddressError() throws InterruptedException {
        RdmaCmId id = ends.client.createId(Transport.IWARP);
        // class E: the system has no route to it
        id.resolveAddress(null, CmEnds.address("255.255.255.255", 7471), CmEnds.SOON);
        assertThat(CmEnds.expect(ends.client, RdmaCmEvent.AddressError.class).status())
                .isNegative();
    }

    // ---- bursts and rows ----

    @Test
    void twoHundredConnectionsOneAfterAnother() throws InterruptedException {
        InetSocketAddress peer = ends.listen("127.0.0.1", 4);
        for (int i = 0; i < 200; i++) {
            CmEnds.Connected connected = ends.connected(peer);
            exchange(connected.active(), connected.passive());
            RdmaCmId first = i % 2 == 0 ? connected.active() : connected.passive();
            first.disconnect();
            CmEnds.expect(ends.client, Disconnected.class);
            CmEnds.expect(ends.server, Disconnected.class);
            CmEnds.release(connected.active());
            CmEnds.release(connected.passive());
        }
    }

    @Test
    void twoHundredConnectionsAtOnce() throws InterruptedException {
        InetSocketAddress peer = ends.listen("127.0.0.1", 0);
        List<RdmaCmId> actives = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            actives.add(ends.routed(peer));
        }
        for (RdmaCmId active : actives) {
            CmEnds.queuePair(active);
            active.connect(ConnectionParameters.RECOMMENDED);
        }
        Set<RdmaCmId> passives = new HashSet<>();
        int up = 0;
        while (up < 200) {
            RdmaCmEvent event = ends.server.poll(CmEnds.SOON);
            assertThat(event).isNotNull();
            if (event instanceof ConnectRequest request) {
                assertThat(passives.add(request.id())).isTrue();
                CmEnds.queuePair(request.id());
                request.id().accept(ConnectionParameters.RECOMMENDED);
            } else {
                assertThat(event).isInstanceOf(Established.class);
                up++;
            }
        }
        assertThat(passives).hasSize(200);
        for (int i = 0; i < 200; i++) {
            CmEnds.expect(ends.client, Established.class);
        }
        actives.forEach(RdmaCmId::disconnect);
        for (int i = 0; i < 200; i++) {
            CmEnds.expect(ends.client, Disconnected.class);
            CmEnds.expect(ends.server, Disconnected.class);
        }
    }

    /** Connected, or told at once that it is not. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void burstBeyondTheBacklogIsAnsweredAtOnce(int backlog) throws InterruptedException {
        InetSocketAddress peer = ends.listen("127.0.0.1", backlog);
        List<RdmaCmId> actives = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            actives.add(ends.routed(peer));
        }
        for (RdmaCmId active : actives) {
            CmEnds.queuePair(active);
            active.connect(ConnectionParameters.RECOMMENDED);
        }
        int answers = 0;
        int up = 0;
        while (answers < 32) {
            RdmaCmEvent request = ends.server.poll(Duration.ZERO);
            if (request instanceof ConnectRequest open) {
                CmEnds.queuePair(open.id());
                open.id().accept(ConnectionParameters.RECOMMENDED);
            }
            RdmaCmEvent answer = ends.client.poll(Duration.ofMillis(1));
            if (answer != null) {
                assertThat(answer.type()).isIn(RdmaCmEventType.ESTABLISHED, RdmaCmEventType.REJECTED);
                answers++;
                up += answer.type() == RdmaCmEventType.ESTABLISHED ? 1 : 0;
            }
        }
        assertThat(up).isGreaterThanOrEqualTo(backlog);
    }
}
