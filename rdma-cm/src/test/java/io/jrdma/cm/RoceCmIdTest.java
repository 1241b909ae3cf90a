package io.jrdma.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.IbCmNegotiated;
import io.jrdma.verbs.IbCmOptions;
import io.jrdma.verbs.QpAttribute;
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
import io.jrdma.wire.cm.CmRejReason;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ids over RoCE: what differs from iWARP. */
class RoceCmIdTest {
    private final CmPair pair = new CmPair(Transport.ROCE_V2);

    @AfterEach
    void nothingIsLeft() {
        pair.close();
    }

    private static List<String> names(List<RdmaCmEvent> events) {
        return events.stream().map(event -> event.type() + " " + event.status()).toList();
    }

    @Test
    void connectionComesUpAndEndsAndItsNumbersRest() {
        pair.listen();
        CmPair.Connected ends = pair.connected();
        assertThat(ends.active().localAddress().getAddress()).isEqualTo(CmPair.CLIENT.getAddress());
        assertThat(ends.active().localAddress().getPort())
                .isNotZero()
                .isEqualTo(Objects.requireNonNull(ends.passive().peerAddress()).getPort());
        assertThat(ends.passive().localAddress()).isEqualTo(CmPair.SERVER);
        IbCmNegotiated near = Objects.requireNonNull(ends.active().ibNegotiated());
        IbCmNegotiated far = Objects.requireNonNull(ends.passive().ibNegotiated());
        assertThat(near.sqPsn()).isEqualTo(far.rqPsn());
        assertThat(near.rqPsn()).isEqualTo(far.sqPsn());
        assertThat(near.initiatorDepth()).isEqualTo(far.responderResources()).isEqualTo(16);
        assertThat(ends.active().negotiated()).isNull();
        ends.active().disconnect();
        assertThat(names(pair.rest(pair.client))).containsExactly("DISCONNECTED 0", "TIMEWAIT_EXIT 0");
        assertThat(names(pair.rest(pair.server))).containsExactly("DISCONNECTED 0", "TIMEWAIT_EXIT 0");
    }

    /** As ibv_query_qp shows them on Linux, where the manager sets them through the same door as the application. */
    @Test
    void queryShowsWhatTheConnectionManagerHasSet() {
        pair.listen();
        CmPair.Connected ends = pair.connected();
        for (RdmaCmId id : List.of(ends.active(), ends.passive())) {
            IbCmNegotiated agreed = Objects.requireNonNull(id.ibNegotiated());
            QpAttributes now = Objects.requireNonNull(id.queuePair()).query();
            assertThat(now.state()).isEqualTo(QpState.RTS);
            Map<QpAttribute, Integer> numbers = Map.of(
                    QpAttribute.PATH_MTU, agreed.pathMtu(),
                    QpAttribute.DEST_QPN, agreed.remoteQpNum(),
                    QpAttribute.SQ_PSN, agreed.sqPsn(),
                    QpAttribute.RQ_PSN, agreed.rqPsn(),
                    QpAttribute.TIMEOUT, agreed.ackTimeout(),
                    QpAttribute.RETRY_CNT, agreed.retryCount(),
                    QpAttribute.RNR_RETRY, agreed.rnrRetryCount(),
                    QpAttribute.MIN_RNR_TIMER, IbCmOptions.RECOMMENDED.minRnrTimer(),
                    QpAttribute.MAX_QP_RD_ATOMIC, agreed.initiatorDepth(),
                    QpAttribute.MAX_DEST_RD_ATOMIC, agreed.responderResources());
            numbers.forEach((attribute, value) ->
                    assertThat(now.number(attribute, -1)).as(attribute.name()).isEqualTo(value));
            assertThat(Objects.requireNonNull(now.addressVector()).destination())
                    .isEqualTo(Objects.requireNonNull(id.peerAddress()).getAddress());
            assertThat(now.has(QpAttribute.ACCESS_FLAGS)).as("set before").isTrue();
        }
        ends.active().disconnect();
        pair.rest(pair.client);
        assertThat(Objects.requireNonNull(ends.active().queuePair()).query().state())
                .isEqualTo(QpState.ERROR);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 10, 56})
    void privateDataIsFilledUpWithZeros(int length) {
        byte[] data = new byte[length];
        Arrays.fill(data, (byte) 3);
        byte[] answer = new byte[Math.min(196, 3 * length)];
        Arrays.fill(answer, (byte) 4);
        pair.listen();
        pair.connecting(
                CmPair.SERVER, ConnectionParameters.builder().privateData(data).build());
        RdmaCmEvent.ConnectRequest request = pair.request();
        assertThat(request.privateData()).isEqualTo(Arrays.copyOf(data, 56));
        CmPair.queuePair(request.id());
        request.id().accept(ConnectionParameters.builder().privateData(answer).build());
        assertThat(pair.next(pair.client).privateData()).isEqualTo(Arrays.copyOf(answer, 196));
    }

    @Test
    void privateDataThatDoesNotFitIsTheCallersMistake() {
        pair.listen();
        RdmaCmId active = pair.routed(CmPair.SERVER);
        CmPair.queuePair(active);
        assertThatThrownBy(() -> active.connect(
                        ConnectionParameters.builder().privateData(new byte[57]).build()))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("57")
                .hasMessageContaining("0..56");
        active.connect(ConnectionParameters.RECOMMENDED);
        RdmaCmId passive = pair.request().id();
        CmPair.queuePair(passive);
        assertThatThrownBy(() -> passive.accept(ConnectionParameters.builder()
                        .privateData(new byte[197])
                        .build()))
                .hasMessageContaining("0..196");
        assertThatThrownBy(() -> passive.reject(new byte[149]))
                .hasMessageContaining("149 bytes in a reject; allowed are 0..148");
        passive.reject(new byte[148]);
        RdmaCmEvent rejected = pair.next(pair.client);
        assertThat(rejected).isInstanceOf(RdmaCmEvent.Rejected.class);
        assertThat(rejected.status()).isEqualTo(CmRejReason.CONSUMER_DEFINED);
    }

    @Test
    void portThatNobodyListensOnRejectsWithTheReason() {
        pair.listen();
        pair.connecting(CmPair.address("127.0.0.1", 9), ConnectionParameters.RECOMMENDED);
        assertThat(names(pair.rest(pair.client))).containsExactly("REJECTED " + CmRejReason.INVALID_SERVICE_ID);
    }

    /** Cases B57. */
    @Test
    void peerThatIsNotThereIsUnreachableAfterTheTimeOfTheOptions() {
        IbCmOptions brief = IbCmOptions.builder()
                .responseTimeout(16)
                .packetLifetime(8)
                .maxRetries(3)
                .build();
        pair.connecting(
                CmPair.address("10.9.9.9", 5),
                ConnectionParameters.builder().ib(brief).build());
        long began = pair.network.nowNs();
        assertThat(names(pair.rest(pair.client))).containsExactly("UNREACHABLE " + -Errno.ETIMEDOUT.number());
        assertThat(pair.network.nowNs() - began).isLessThan(2_000_000_000L);
    }

    /** Cases B51. */
    @Test
    void disconnectTowardsADeadPeerEndsAfterItsRetries() {
        pair.listen();
        CmPair.Connected ends = pair.connected();
        QueuePair own = Objects.requireNonNull(ends.active().queuePair());
        for (int i = 0; i < 16; i++) {
            own.postReceive(new RecvWr());
        }
        pair.network.blackhole(CmPair.SERVER.getAddress());
        long began = pair.network.nowNs();
        ends.active().disconnect();
        RdmaCmEvent over = pair.next(pair.client);
        assertThat(over).isInstanceOf(RdmaCmEvent.Disconnected.class);
        assertThat(over.status()).isEqualTo(-Errno.ETIMEDOUT.number());
        assertThat(pair.network.nowNs() - began).isLessThan(5_000_000_000L);
        assertThat(own.state()).isEqualTo(QpState.ERROR);
    }

    @Test
    void whatWasPostedBeforeADisconnectArrives() {
        pair.listen();
        CmPair.Connected ends = pair.connected();
        QueuePair near = Objects.requireNonNull(ends.active().queuePair());
        QueuePair far = Objects.requireNonNull(ends.passive().queuePair());
        for (int i = 0; i < 5; i++) {
            near.postSend(new SendWr().opcode(WrOpcode.SEND));
        }
        ends.active().disconnect();
        pair.network.advance(1_000_000);
        assertThat(ends.active().state()).isEqualTo(RdmaCmState.DISCONNECTING);
        for (int i = 0; i < 5; i++) {
            far.postReceive(new RecvWr());
        }
        pair.network.runUntil(() -> ends.passive().state() == RdmaCmState.CLOSED);
        WorkCompletion[] done = new WorkCompletion[16];
        Arrays.setAll(done, i -> new WorkCompletion());
        assertThat(far.receiveQueue().poll(done)).isEqualTo(5);
        for (int i = 0; i < 5; i++) {
            assertThat(done[i].status()).isEqualTo(WcStatus.SUCCESS);
        }
    }

    @Test
    void wildcardListensOnEachAddressOfTheFamilyWithOnePort() {
        pair.network.localAddresses(
                CmPair.address("127.0.0.1", 0).getAddress(),
                CmPair.address("::1", 0).getAddress(),
                CmPair.address("127.0.0.5", 0).getAddress());
        RdmaCmId listening = pair.server.createId(Transport.ROCE_V2);
        listening.listen(4);
        InetSocketAddress at = Objects.requireNonNull(listening.localAddress());
        assertThat(at.getAddress().isAnyLocalAddress()).isTrue();
        assertThat(at.getPort()).isNotZero();
        assertThat(listening.device()).isNull();
        assertThat(pair.network.devices()).isEqualTo(2);
        for (String address : List.of("127.0.0.1", "127.0.0.5")) {
            pair.connecting(CmPair.address(address, at.getPort()), ConnectionParameters.RECOMMENDED);
            RdmaCmId passive = pair.request().id();
            assertThat(passive.localAddress()).isEqualTo(CmPair.address(address, at.getPort()));
            RdmaDevice device = CmPair.deviceOf(passive);
            assertThat(device.localAddress())
                    .isEqualTo(CmPair.address(address, 0).getAddress());
            CmPair.queuePair(passive);
            passive.accept(ConnectionParameters.RECOMMENDED);
            assertThat(pair.next(pair.client)).isInstanceOf(RdmaCmEvent.Established.class);
            assertThat(pair.next(pair.server)).isInstanceOf(RdmaCmEvent.Established.class);
        }
        listening.close();
        pair.connecting(CmPair.address("127.0.0.5", at.getPort()), ConnectionParameters.RECOMMENDED);
        assertThat(names(pair.rest(pair.client))).containsExactly("REJECTED " + CmRejReason.INVALID_SERVICE_ID);
    }

    @Test
    void wildcardOfAHostWithoutSuchAnAddressIsRefused() {
        RdmaCmId listening = pair.server.createId(Transport.ROCE_V2);
        listening.bind(CmPair.address("::", 7471));
        assertThatThrownBy(() -> listening.listen(4))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EADDRNOTAVAIL));
        assertThat(listening.state()).isEqualTo(RdmaCmState.ADDRESS_BOUND);
    }

    @Test
    void severalIdsListenOnDifferentPortsOfOneDevice() {
        RdmaCmId one = pair.listen(CmPair.address("127.0.0.1", 0), 4);
        RdmaCmId other = pair.listen(CmPair.address("127.0.0.1", 0), 4);
        int port = Objects.requireNonNull(one.localAddress()).getPort();
        assertThat(Objects.requireNonNull(other.localAddress()).getPort()).isNotEqualTo(port);
        assertThat(pair.network.devices()).isEqualTo(1);
        assertThatThrownBy(() -> pair.listen(CmPair.address("127.0.0.1", port), 4))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EADDRINUSE));
        one.close();
        pair.listen(CmPair.address("127.0.0.1", port), 4);
        pair.connecting(CmPair.address("127.0.0.1", port), ConnectionParameters.RECOMMENDED);
        assertThat(pair.request().id().localAddress()).isEqualTo(CmPair.address("127.0.0.1", port));
    }

    /** A client of a server on the loopback interface takes another address of it, because the server's device has that one to itself. */
    @Test
    void clientOnTheLoopbackInterfaceTakesAnAddressOfItsOwn() {
        pair.network.routesStartAt(CmPair.SERVER.getAddress());
        pair.listen();
        CmPair.Connected ends = pair.connected();
        InetAddress own = ends.active().localAddress().getAddress();
        assertThat(own.isLoopbackAddress()).isTrue();
        assertThat(own).isNotEqualTo(CmPair.SERVER.getAddress());
        assertThat(CmPair.deviceOf(ends.active()).localAddress()).isEqualTo(own);
        assertThat(pair.routed(CmPair.SERVER).device()).isSameAs(ends.active().device());
    }
}
