package io.jrdma.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.cm.RdmaCmEvent.AddressError;
import io.jrdma.cm.RdmaCmEvent.ConnectRequest;
import io.jrdma.cm.RdmaCmEvent.Disconnected;
import io.jrdma.cm.RdmaCmEvent.Established;
import io.jrdma.cm.fake.FakeTransport;
import io.jrdma.verbs.CompletionQueue;
import io.jrdma.verbs.MpaNegotiated;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.ProtectionDomain;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.QueuePair;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.WcStatus;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.WrOpcode;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections from the first call to the last event, and what they carry. */
class RdmaCmIdTest {
    private final CmPair pair = new CmPair();

    @AfterEach
    void closeAll() {
        pair.close();
    }

    private static ConnectionParameters withData(byte[] privateData) {
        return ConnectionParameters.builder().privateData(privateData).build();
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i * 7 + 1);
        }
        return bytes;
    }

    // ---- the good way ----

    @Test
    void bothSidesSeeTheEventsOfRdmaCma() {
        RdmaCmId listening = pair.listen();
        RdmaCmId active = pair.client.createId(Transport.IWARP);
        active.resolveAddress(null, CmPair.SERVER, CmPair.LONG);
        assertThat(pair.next(pair.client).type()).isEqualTo(RdmaCmEventType.ADDR_RESOLVED);
        active.resolveRoute(CmPair.LONG);
        assertThat(pair.next(pair.client).type()).isEqualTo(RdmaCmEventType.ROUTE_RESOLVED);
        CmPair.queuePair(active);
        active.connect(withData("hello".getBytes(StandardCharsets.UTF_8)));

        ConnectRequest request = pair.request();
        assertThat(request.type().code()).isEqualTo(4);
        assertThat(request.listenId()).isSameAs(listening);
        assertThat(request.id()).isNotSameAs(listening);
        assertThat(request.privateData()).asString(StandardCharsets.UTF_8).isEqualTo("hello");
        assertThat(request.id().device()).isSameAs(listening.device());
        CmPair.queuePair(request.id());
        request.id().accept(withData("welcome".getBytes(StandardCharsets.UTF_8)));

        RdmaCmEvent passiveUp = pair.next(pair.server);
        assertThat(passiveUp).isInstanceOf(Established.class);
        assertThat(passiveUp.id()).isSameAs(request.id());
        assertThat(passiveUp.privateData()).isEmpty();
        RdmaCmEvent activeUp = pair.next(pair.client);
        assertThat(activeUp).isInstanceOf(Established.class);
        assertThat(activeUp.privateData()).asString(StandardCharsets.UTF_8).isEqualTo("welcome");
        assertThat(activeUp.status()).isZero();
        assertThat(active.state()).isEqualTo(RdmaCmState.ESTABLISHED);
        assertThat(Objects.requireNonNull(active.queuePair()).state()).isEqualTo(QpState.RTS);

        assertThat(active.peerAddress()).isEqualTo(CmPair.SERVER);
        assertThat(request.id().localAddress()).isEqualTo(CmPair.SERVER);
        assertThat(Objects.requireNonNull(active.localAddress()).getPort()).isNotZero();
        assertThat(request.id().peerAddress()).isEqualTo(active.localAddress());

        active.disconnect();
        assertThat(pair.rest(pair.client)).singleElement().isEqualTo(new Disconnected(active, 0));
        assertThat(pair.rest(pair.server)).singleElement().isEqualTo(new Disconnected(request.id(), 0));
    }

    @Test
    void codesAndNamesAreThoseOfRdmaCma() {
        assertThat(RdmaCmEventType.values())
                .extracting(RdmaCmEventType::code)
                .containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        assertThat(RdmaCmEventType.ADDR_RESOLVED.cName()).isEqualTo("RDMA_CM_EVENT_ADDR_RESOLVED");
        assertThat(RdmaCmEventType.UNREACHABLE.code()).isEqualTo(7);
        assertThat(RdmaCmEventType.DEVICE_REMOVAL.code()).isEqualTo(11);
        assertThat(RdmaCmEventType.TIMEWAIT_EXIT.code()).isEqualTo(15);
    }

    @Test
    void bothSidesMayDisconnectAndEachSeesOneEnd() {
        pair.listen();
        CmPair.Connected ends = pair.connected();
        ends.active().disconnect();
        ends.passive().disconnect();
        ends.active().disconnect();
        assertThat(pair.rest(pair.client)).containsExactly(new Disconnected(ends.active(), 0));
        assertThat(pair.rest(pair.server)).containsExactly(new Disconnected(ends.passive(), 0));
        ends.active().disconnect();
        ends.passive().disconnect();
        assertThat(pair.rest(pair.client)).isEmpty();
        assertThat(pair.rest(pair.server)).isEmpty();
    }

    @Test
    void callsReturnBeforeAnythingHappens() {
        pair.listen();
        RdmaCmId active = pair.connecting(CmPair.SERVER, ConnectionParameters.RECOMMENDED);
        assertThat(pair.network.streams()).isZero();
        assertThat(active.state()).isEqualTo(RdmaCmState.CONNECTING);
        assertThat(pair.client.next()).isNull();
        pair.rest(pair.client);
    }

    /** When the disconnect is over, every request has its completion. */
    @Test
    void everyRequestHasItsCompletionWhenTheConnectionIsOver() {
        pair.listen();
        CmPair.Connected ends = pair.connected();
        QueuePair own = Objects.requireNonNull(ends.active().queuePair());
        for (int i = 0; i < 5; i++) {
            own.postReceive(new RecvWr().id(i));
        }
        for (int i = 5; i < 10; i++) {
            own.postSend(new SendWr().id(i).opcode(WrOpcode.RDMA_WRITE));
        }
        ends.active().disconnect();
        pair.network.runUntil(() -> ends.active().state() == RdmaCmState.CLOSED);
        assertThat(pair.next(pair.client)).isInstanceOf(Disconnected.class);
        WorkCompletion[] done = new WorkCompletion[16];
        for (int i = 0; i < done.length; i++) {
            done[i] = new WorkCompletion();
        }
        assertThat(own.sendQueue().poll(done)).isEqualTo(10);
        for (int i = 0; i < 5; i++) {
            assertThat(done[i].id()).isEqualTo(i + 5);
            assertThat(done[i].status()).isEqualTo(WcStatus.SUCCESS);
            assertThat(done[i + 5].id()).isEqualTo(i);
            assertThat(done[i + 5].status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
        }
    }

    // ---- depths ----

    @ParameterizedTest
    @CsvSource({"0,0,0,0", "0,1,1,0", "1,0,0,1", "4,8,8,4", "16,16,16,16"})
    void requestNamesTheDepthsAsSeenFromThePassiveSide(int ird, int ord, int resources, int depth) {
        pair.listen();
        pair.connecting(
                CmPair.SERVER,
                ConnectionParameters.builder()
                        .responderResources(ird)
                        .initiatorDepth(ord)
                        .build());
        ConnectRequest request = pair.request();
        assertThat(request.responderResources()).isEqualTo(resources);
        assertThat(request.initiatorDepth()).isEqualTo(depth);
        CmPair.queuePair(request.id());
        request.id().accept(ConnectionParameters.RECOMMENDED);
        RdmaCmEvent up = pair.next(pair.server);
        assertThat(up.responderResources()).isEqualTo(resources);
        assertThat(up.initiatorDepth()).isEqualTo(depth);
        pair.rest(pair.client);
    }

    @Test
    void defaultDepthsAreTheDevices() {
        pair.listen();
        CmPair.Connected ends = pair.connected();
        MpaNegotiated terms = Objects.requireNonNull(ends.active().negotiated());
        assertThat(terms.ird()).isEqualTo(FakeTransport.MAX_DEPTH);
        assertThat(terms.ord()).isEqualTo(FakeTransport.MAX_DEPTH);
    }

    /** Depths are never wrapped. */
    @ParameterizedTest
    @ValueSource(ints = {17, 256, 300, ConnectionParameters.MAX_DEPTH})
    void depthBeyondTheDeviceIsRefusedByName(int depth) {
        RdmaCmId id = pair.routed(CmPair.SERVER);
        CmPair.queuePair(id);
        assertThatThrownBy(() -> id.connect(
                        ConnectionParameters.builder().initiatorDepth(depth).build()))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("initiatorDepth is " + depth)
                .hasMessageContaining("0.." + FakeTransport.MAX_DEPTH);
        assertThat(id.state()).isEqualTo(RdmaCmState.ROUTE_RESOLVED);
    }

    // ---- private data ----

    /** Exact bytes, exact length, up to the documented limit. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 127, 128, 251, 252, 255, 256, 507, 508})
    void privateDataOfARequestArrivesAsItIs(int length) {
        pair.listen();
        pair.connecting(CmPair.SERVER, withData(bytes(length)));
        assertThat(pair.request().privateData()).isEqualTo(bytes(length));
        pair.rest(pair.client);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 127, 128, 251, 252})
    void privateDataOfAReplyArrivesAsItIs(int length) {
        pair.listen();
        pair.connecting(CmPair.SERVER, ConnectionParameters.RECOMMENDED);
        RdmaCmId passive = pair.request().id();
        CmPair.queuePair(passive);
        passive.accept(withData(bytes(length)));
        assertThat(pair.next(pair.client).privateData()).isEqualTo(bytes(length));
        pair.rest(pair.server);
    }

    /** EINVAL before any byte leaves. */
    @ParameterizedTest
    @CsvSource({"509,2", "512,2"})
    void tooMuchPrivateDataInARequestIsRefused(int length, int revision) {
        RdmaCmId id = pair.routed(CmPair.SERVER);
        CmPair.queuePair(id);
        ConnectionParameters parameters = ConnectionParameters.builder()
                .privateData(bytes(length))
                .mpa(MpaOptions.builder().revision(revision).build())
                .build();
        assertThatThrownBy(() -> id.connect(parameters))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining(length + " bytes")
                .hasMessageContaining("0..508");
        assertThat(id.state()).isEqualTo(RdmaCmState.ROUTE_RESOLVED);
    }

    @Test
    void revisionOneHasRoomForAllOfTheField() {
        pair.listen();
        pair.connecting(
                CmPair.SERVER,
                ConnectionParameters.builder()
                        .privateData(bytes(512))
                        .mpa(MpaOptions.builder().revision(1).build())
                        .build());
        assertThat(pair.request().privateData()).hasSize(512);
        pair.rest(pair.client);
    }

    @Test
    void tooMuchPrivateDataInAReplyIsRefused() {
        pair.listen();
        pair.connecting(CmPair.SERVER, ConnectionParameters.RECOMMENDED);
        RdmaCmId passive = pair.request().id();
        CmPair.queuePair(passive);
        assertThatThrownBy(() -> passive.accept(withData(bytes(253))))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("253 bytes");
        assertThatThrownBy(() -> passive.reject(bytes(253)))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("0..252");
        assertThat(passive.state()).isEqualTo(RdmaCmState.REQUEST_RECEIVED);
        pair.rest(pair.client);
    }

    // ---- queue pairs ----

    @Test
    void createdQueuePairIsInInitAndTakesReceives() {
        RdmaCmId id = pair.routed(CmPair.SERVER);
        QueuePair own = CmPair.queuePair(id);
        assertThat(own.state()).isEqualTo(QpState.INIT);
        assertThat(id.queuePair()).isSameAs(own);
        own.postReceive(new RecvWr());
        assertThatThrownBy(() -> CmPair.queuePair(id))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("already");
    }

    @Test
    void missingCompletionQueuesAreMadeAndGoWithTheQueuePair() {
        RdmaCmId id = pair.routed(CmPair.SERVER);
        QueuePair own = id.createQueuePair(
                CmPair.deviceOf(id).allocateProtectionDomain(),
                QueuePairOptions.rc().withDepths(3, 5));
        CompletionQueue sends = own.sendQueue();
        CompletionQueue receives = own.receiveQueue();
        assertThat(sends).isNotSameAs(receives);
        assertThat(sends.capacity()).isGreaterThanOrEqualTo(3);
        assertThat(receives.capacity()).isGreaterThanOrEqualTo(5);
        assertThat(sends.channel()).isNotNull();
        id.destroyQueuePair();
        assertThat(id.queuePair()).isNull();
        id.destroyQueuePair();
        CmPair.queuePair(id);
    }

    @Test
    void queuePairOfAnotherDeviceIsRefused() {
        RdmaCmId id = pair.routed(CmPair.SERVER);
        RdmaCmId elsewhere = pair.routed(CmPair.address("10.0.0.1", 7471));
        ProtectionDomain other = CmPair.deviceOf(elsewhere).allocateProtectionDomain();
        CompletionQueue queue = CmPair.deviceOf(elsewhere).createCompletionQueue(4);
        assertThatThrownBy(() -> id.createQueuePair(other, QueuePairOptions.rc(queue)))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("10.0.0.1")
                .hasMessageContaining("127.0.0.1");
    }

    @Test
    void queuePairNeedsADevice() {
        RdmaCmId id = pair.client.createId(Transport.IWARP);
        RdmaDevice device = CmPair.deviceOf(pair.routed(CmPair.SERVER));
        assertThatThrownBy(() -> id.createQueuePair(
                        device.allocateProtectionDomain(), QueuePairOptions.rc(device.createCompletionQueue(1))))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("resolve its address");
    }

    @Test
    void connectWithoutQueuePairInInitIsRefused() {
        RdmaCmId id = pair.routed(CmPair.SERVER);
        assertThatThrownBy(() -> id.connect(ConnectionParameters.RECOMMENDED))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("INIT")
                .hasMessageContaining("none");
        RdmaDevice device = CmPair.deviceOf(id);
        QueuePair inReset =
                device.allocateProtectionDomain().createQueuePair(QueuePairOptions.rc(device.createCompletionQueue(1)));
        id.useQueuePair(inReset);
        assertThatThrownBy(() -> id.connect(ConnectionParameters.RECOMMENDED))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("RESET");
        assertThat(id.state()).isEqualTo(RdmaCmState.ROUTE_RESOLVED);
    }

    @Test
    void idThatIsClosedFirstLeavesItsQueuePairInError() {
        pair.listen();
        CmPair.Connected ends = pair.connected();
        QueuePair own = Objects.requireNonNull(ends.active().queuePair());
        own.postReceive(new RecvWr().id(7));
        ends.active().close();
        pair.network.runAll();
        assertThat(own.state()).isEqualTo(QpState.ERROR);
        WorkCompletion[] done = {new WorkCompletion()};
        assertThat(own.receiveQueue().poll(done)).isOne();
        assertThat(done[0].status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
        assertThat(pair.rest(pair.client)).isEmpty();
        assertThat(pair.rest(pair.server)).containsExactly(new Disconnected(ends.passive(), 0));
        own.close();
    }

    @Test
    void queuePairThatIsClosedFirstEndsTheConnection() {
        pair.listen();
        CmPair.Connected ends = pair.connected();
        Objects.requireNonNull(ends.active().queuePair()).close();
        assertThat(pair.rest(pair.client)).containsExactly(new Disconnected(ends.active(), 0));
        assertThat(pair.rest(pair.server)).containsExactly(new Disconnected(ends.passive(), 0));
    }

    // ---- resolving ----

    @Test
    void addressWithoutRouteIsAnAddressErrorAndMayBeTriedAgain() {
        InetSocketAddress nowhere = CmPair.address("10.9.9.9", 1);
        pair.network.noRouteTo(nowhere.getAddress());
        RdmaCmId id = pair.client.createId(Transport.IWARP);
        id.resolveAddress(null, nowhere, CmPair.LONG);
        RdmaCmEvent event = pair.next(pair.client);
        assertThat(event).isInstanceOf(AddressError.class);
        assertThat(event.status()).isEqualTo(-101);
        assertThat(event.text()).contains("10.9.9.9");
        assertThat(id.state()).isEqualTo(RdmaCmState.ADDRESS_BOUND);
        id.resolveAddress(null, CmPair.SERVER, CmPair.LONG);
        assertThat(pair.next(pair.client)).isInstanceOf(RdmaCmEvent.AddressResolved.class);
    }

    @Test
    void timeLimitMustNotHavePassedBeforeItBegins() {
        RdmaCmId id = pair.client.createId(Transport.IWARP);
        assertThatThrownBy(() -> id.resolveAddress(null, CmPair.SERVER, Duration.ZERO))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("timeout is 0 s");
        assertThat(id.state()).isEqualTo(RdmaCmState.IDLE);
    }
}
