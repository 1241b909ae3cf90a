package io.jrdma.cm.ib;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.testing.Satisfies;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.QpAttribute;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.VerbsException;
import io.jrdma.wire.cm.CmBytes;
import io.jrdma.wire.cm.CmPath;
import io.jrdma.wire.cm.CmRej;
import io.jrdma.wire.cm.CmRejReason;
import io.jrdma.wire.cm.CmRep;
import io.jrdma.wire.cm.CmReq;
import io.jrdma.wire.cm.Gid;
import io.jrdma.wire.cm.IpCmPrivateData;
import io.jrdma.wire.ib.PathMtu;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests and replies that come to nothing. */
class IbRejectConformance {
    private static final Gid FOREIGN = Gid.ofIpv4(0x0A09_0909);

    private final IbNetwork network = new IbNetwork();
    private final IbHost client = network.host("10.0.0.1");
    private final IbHost server = network.host("10.0.0.2");
    private final IbServer listening = new IbServer(server);
    private final CmReq good = IbRequests.good(client, listening);

    static Stream<Arguments> objections() {
        return Stream.of(
                objection(
                        CmRejReason.INVALID_SERVICE_ID,
                        req -> IbRequests.from(req).serviceId(0x0106_0001)),
                objection(
                        CmRejReason.INVALID_SERVICE_ID,
                        req -> IbRequests.from(req).serviceId(0x0111_0000L | IbServer.PORT)),
                objection(
                        CmRejReason.INVALID_TRANSPORT_TYPE,
                        req -> IbRequests.from(req).transportServiceType(CmReq.TYPE_UC)),
                objection(
                        CmRejReason.PRIMARY_GID_REJECTED,
                        req -> primary(req, FOREIGN, req.primary().remoteGid())),
                objection(
                        CmRejReason.PRIMARY_GID_REJECTED,
                        req -> primary(req, req.primary().localGid(), FOREIGN)),
                objection(
                        CmRejReason.ALTERNATE_GID_REJECTED,
                        req -> IbRequests.from(req).alternate(req.primary())),
                objection(
                        CmRejReason.INVALID_PATH_MTU,
                        req -> IbRequests.from(req).pathMtu(0)),
                objection(
                        CmRejReason.INVALID_PATH_MTU,
                        req -> IbRequests.from(req).pathMtu(5)),
                objection(
                        CmRejReason.INVALID_PATH_MTU,
                        req -> IbRequests.from(req).pathMtu(6)),
                objection(
                        CmRejReason.CONSUMER_DEFINED,
                        req -> IbRequests.from(req).privateData(CmBytes.EMPTY)),
                objection(
                        CmRejReason.CONSUMER_DEFINED,
                        req -> IbRequests.from(req)
                                .privateData(
                                        new IpCmPrivateData(1, req.primary().localGid(), FOREIGN)
                                                .with(CmBytes.EMPTY))));
    }

    private interface Change {
        CmReq.Builder apply(CmReq good);
    }

    private static Arguments objection(int reason, Change change) {
        return Arguments.argumentSet(CmRejReason.name(reason), reason, change);
    }

    private static CmReq.Builder primary(CmReq req, Gid local, Gid remote) {
        return IbRequests.from(req).primary(IbRequests.path(req.primary(), local, remote, 19));
    }

    @ParameterizedTest
    @MethodSource("objections")
    @Satisfies({"IBTA-CM-12.6.7-1", "IBTA-CM-A11-1", "IBTA-CM-12.7-3"})
    void requestThatCannotBeServedIsRejectedWithItsReason(int reason, Change change) {
        client.send(server.address, 5, change.apply(good).localCommId(99).build());
        network.settle();
        CmRej rej = network.last(CmRej.class);
        assertThat(rej.reason()).isEqualTo(reason);
        assertThat(rej.messageRejected()).isEqualTo(CmRej.OF_REQ);
        assertThat(rej.remoteCommId()).isEqualTo(99);
        assertThat(rej.localCommId()).isZero();
        byte[] info = Arrays.copyOf(rej.additionalRejectInfo().toByteArray(), rej.rejectInfoLength());
        switch (reason) {
            case CmRejReason.PRIMARY_GID_REJECTED, CmRejReason.ALTERNATE_GID_REJECTED ->
                assertThat(info).hasSize(Gid.LENGTH).endsWith(server.address.getAddress());
            // the largest that fits, in the bits that it has in a REQ
            case CmRejReason.INVALID_PATH_MTU -> assertThat(info).containsExactly(PathMtu.code(server.mtu) << 4);
            default -> assertThat(info).isEmpty();
        }
        assertThat(listening.requests).isEmpty();
        assertThat(network.count(CmRej.class)).isEqualTo(1);
    }

    @Test
    void ackTimeoutThatWouldMeanNoneIsNotTaken() {
        listening.accepting();
        CmPath primary = good.primary();
        client.send(
                server.address,
                5,
                IbRequests.from(good)
                        .localCommId(99)
                        .primary(IbRequests.path(primary, primary.localGid(), primary.remoteGid(), 0))
                        .build());
        network.runUntil(() -> !listening.requests.isEmpty());
        assertThat(IbHost.notes(listening.last().queuePair).rts.number(QpAttribute.TIMEOUT, -1))
                .isEqualTo(19);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 10, 148})
    @Satisfies("IBTA-CM-12.6.7-1")
    void applicationsRejectionReachesThePeerWithItsData(int length) {
        byte[] data = new byte[length];
        Arrays.fill(data, (byte) 7);
        IbEnd active = client.connect(server, IbServer.PORT);
        network.settle();
        listening.last().connection.reject(data, network.nowNs());
        network.settle();
        assertThat(active.log).containsExactly("REJECTED " + CmRejReason.CONSUMER_DEFINED);
        assertThat(active.privateData).isEqualTo(Arrays.copyOf(data, 148));
        assertThat(active.state()).isEqualTo(IbConnectionState.CLOSED);
    }

    @Test
    @Satisfies("IBTA-CM-12.9.8-2")
    void lostRejectionIsSentAgainWhenTheRequestComesAgain() {
        IbEnd active = client.connect(server, IbServer.PORT);
        network.settle();
        network.lose((sent, number) -> sent.is(CmRej.class) && network.count(CmRej.class) == 0);
        listening.last().connection.reject(new byte[] {1}, network.nowNs());
        network.settle();
        network.deliver(network.lastSent(CmReq.class));
        network.settle();
        assertThat(active.log).containsExactly("REJECTED " + CmRejReason.CONSUMER_DEFINED);
        assertThat(listening.requests).hasSize(1);
    }

    @Test
    void queuePairThatCannotBeConnectedRejectsThePeer() {
        IbEnd active = client.connect(server, IbServer.PORT);
        network.settle();
        IbEnd passive = listening.last();
        IbHost.notes(passive.queuePair).refuse(QpState.RTS);
        passive.accept(IbHost.offer(1, 1));
        network.settle();
        assertThat(passive.log).containsExactly("CONNECT_ERROR " + -Errno.ENOMEM.number());
        assertThat(active.log).containsExactly("REJECTED " + CmRejReason.CONSUMER_DEFINED);
    }

    @Test
    void activeQueuePairThatCannotBeConnectedRejectsTheReply() {
        IbEnd active = client.connect(server, IbServer.PORT);
        network.settle();
        IbHost.notes(active.queuePair).refuse(QpState.RTR);
        listening.last().accept(IbHost.offer(1, 1));
        network.settle();
        assertThat(active.log).containsExactly("CONNECT_ERROR " + -Errno.ENOMEM.number());
        assertThat(listening.last().log).containsExactly("REJECTED " + CmRejReason.CONSUMER_DEFINED);
        network.deliver(network.lastSent(CmRep.class));
        network.settle();
        assertThat(network.count(CmRej.class)).as("rejected again").isEqualTo(2);
    }

    @Test
    @Satisfies({"IBTA-CM-12.6.7-1", "IBTA-CM-12.7-2"})
    void peerThatWantsMoreReadsThanTheDeviceServesIsRejected() {
        IbEnd active = client.connect(server, IbServer.PORT);
        CmReq req = network.last(CmReq.class);
        server.send(
                client.address,
                1,
                CmRep.builder()
                        .localCommId(5)
                        .remoteCommId(req.localCommId())
                        .localQpn(0x99)
                        .initiatorDepth(IbHost.MAX_DEPTH + 1)
                        .build());
        network.runUntil(() -> !active.log.isEmpty());
        assertThat(active.log).containsExactly("CONNECT_ERROR " + -Errno.EINVAL.number());
        assertThat(network.last(CmRej.class).reason()).isEqualTo(CmRejReason.INSUFFICIENT_RESPONDER_RESOURCES);
    }

    @Test
    void queuePairOutsideInitIsRefusedBeforeAnythingIsSent() {
        network.sent.clear();
        IbEnd end = new IbEnd(client, client.queuePair());
        end.queuePair.destroy();
        end.connection = new IbConnection(end);
        end.connection.connect(
                client,
                null,
                new InetSocketAddress(server.address, IbServer.PORT),
                end.queuePair,
                IbHost.offer(1, 1),
                network.nowNs());
        assertThat(end.log).containsExactly("CONNECT_ERROR " + -Errno.EINVAL.number());
        assertThat(network.sent).isEmpty();
    }

    @Test
    void twoListenersCannotHaveOnePortAndEachPortItsOwnRequests() {
        IbListener second = new IbListener(1, (request, data, r, d) -> {});
        assertThatThrownBy(() -> second.open(server.cm(), IbServer.PORT))
                .hasMessageContainingAll("10.0.0.2 port " + IbServer.PORT, "somebody listens there")
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EADDRINUSE));
        IbServer other = new IbServer(server, 0, 4);
        int port = other.listener.localAddress().getPort();
        assertThat(port).isBetween(32_768, 60_999);
        client.connect(server, port);
        network.settle();
        assertThat(other.requests).hasSize(1);
        assertThat(listening.requests).isEmpty();
        other.listener.close();
        other.listener.close();
        IbEnd late = client.connect(server, port);
        network.settle();
        assertThat(late.log).containsExactly("REJECTED " + CmRejReason.INVALID_SERVICE_ID);
    }

    @Test
    void noFreePortIsNotSaidToBePortZero() {
        for (int i = 0; i < 61_000 - 32_768; i++) {
            new IbListener(1, (request, data, r, d) -> {}).open(server.cm(), 0);
        }
        IbListener last = new IbListener(1, (request, data, r, d) -> {});
        assertThatThrownBy(() -> last.open(server.cm(), 0))
                .hasMessageContaining("each of the system's own ports 32768..60999 is listened on")
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EADDRINUSE));
        last.open(server.cm(), 1);
        assertThat(last.localAddress().getPort()).isEqualTo(1);
    }

    /** Cases B45: on RoCE everybody is served in the end, by repetition. */
    @Test
    void requestBeyondTheBacklogIsServedWhenThereIsRoom() {
        IbServer small = new IbServer(server, 9000, 1);
        IbEnd first = client.connect(server, 9000);
        IbEnd second = client.connect(server, 9000);
        network.settle();
        assertThat(small.requests).hasSize(1);
        assertThat(second.log).isEmpty();
        small.accepting();
        small.last().accept(IbHost.offer(1, 1));
        network.advance(7 * IbNetwork.SECOND);
        assertThat(first.log).containsExactly("ESTABLISHED");
        assertThat(second.log).containsExactly("ESTABLISHED");
    }
}
