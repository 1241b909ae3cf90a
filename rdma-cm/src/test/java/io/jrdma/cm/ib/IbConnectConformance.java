package io.jrdma.cm.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.cm.transport.ConnectionOffer;
import io.jrdma.testing.Satisfies;
import io.jrdma.verbs.AddressVector;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.IbCmOptions;
import io.jrdma.verbs.QpAttribute;
import io.jrdma.verbs.QpState;
import io.jrdma.wire.cm.CmBytes;
import io.jrdma.wire.cm.CmMra;
import io.jrdma.wire.cm.CmRej;
import io.jrdma.wire.cm.CmRejReason;
import io.jrdma.wire.cm.CmRep;
import io.jrdma.wire.cm.CmReq;
import io.jrdma.wire.cm.CmRtu;
import io.jrdma.wire.cm.IpCmPrivateData;
import io.jrdma.wire.cm.ServiceId;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How a connection comes up, as the peer and the queue pairs see it. */
class IbConnectConformance {
    private final IbNetwork network = new IbNetwork();
    private final IbHost client = network.host("10.0.0.1");
    private final IbHost server = network.host("10.0.0.2");

    private static int number(IbEnd end, boolean rtr, QpAttribute attribute) {
        NoteQueuePair notes = IbHost.notes(end.queuePair);
        return (rtr ? notes.rtr : notes.rts).number(attribute, -1);
    }

    @Test
    @Satisfies({"IBTA-CM-12.9.6-1", "IBTA-CM-12.9.6-2", "IBTA-CM-12.7-1"})
    void requestReplyAndReadyToUseBringBothQueuePairsUp() {
        IbServer listening = new IbServer(server).accepting();
        IbEnd active = client.connect(server, IbServer.PORT);
        assertThat(active.state()).isEqualTo(IbConnectionState.REQ_SENT);
        network.runUntil(() -> !listening.requests.isEmpty());
        IbEnd passive = listening.last();
        assertThat(passive.state()).isEqualTo(IbConnectionState.REP_SENT);
        assertThat(passive.qpState()).isEqualTo(QpState.RTS);
        assertThat(active.qpState()).isEqualTo(QpState.INIT);
        network.settle();
        assertThat(network.names()).containsExactly("CmReq", "CmRep", "CmRtu");
        assertThat(active.log).containsExactly("ESTABLISHED");
        assertThat(passive.log).containsExactly("ESTABLISHED");
        assertThat(active.qpState()).isEqualTo(QpState.RTS);

        CmReq req = network.last(CmReq.class);
        CmRep rep = network.last(CmRep.class);
        assertThat(number(active, true, QpAttribute.RQ_PSN)).isEqualTo(req.startingPsn());
        assertThat(number(active, false, QpAttribute.SQ_PSN)).isEqualTo(rep.startingPsn());
        assertThat(number(passive, true, QpAttribute.RQ_PSN)).isEqualTo(rep.startingPsn());
        assertThat(number(passive, false, QpAttribute.SQ_PSN)).isEqualTo(req.startingPsn());
        assertThat(number(active, true, QpAttribute.DEST_QPN)).isEqualTo(passive.queuePair.qpNum());
        assertThat(number(passive, true, QpAttribute.DEST_QPN)).isEqualTo(active.queuePair.qpNum());
        AddressVector way = IbHost.notes(passive.queuePair).rtr.addressVector();
        assertThat(way.destination()).isEqualTo(client.address);
        assertThat(way.flowLabel()).isEqualTo(req.primary().flowLabel());
        assertThat(IbHost.notes(active.queuePair).rtr.addressVector().destination())
                .isEqualTo(server.address);
    }

    @Test
    @Satisfies({"IBTA-CM-A11-1", "IBTA-CM-A11-2"})
    void requestNamesAddressesAndPortsAndCarriesThePrivateDataBehindThem() {
        IbServer listening = new IbServer(server).accepting(IbHost.offer(4, 4, (byte) 9, (byte) 8));
        byte[] data = new byte[56];
        Arrays.fill(data, (byte) 0x5A);
        IbEnd active = client.connect(server, IbServer.PORT, IbHost.offer(4, 4, data));
        network.settle();
        CmReq req = network.last(CmReq.class);
        assertThat(req.serviceId()).isEqualTo(0x0106_0000L | IbServer.PORT);
        assertThat(ServiceId.port(req.serviceId())).isEqualTo(IbServer.PORT);
        IpCmPrivateData ends = IpCmPrivateData.of(req.privateData());
        assertThat(ends.source().address()).isEqualTo(client.address.getAddress());
        assertThat(ends.destination().address()).isEqualTo(server.address.getAddress());
        assertThat(ends.sourcePort())
                .isEqualTo(active.connection.localAddress().getPort())
                .isEqualTo(listening.last().connection.remoteAddress().getPort());
        assertThat(listening.privateData.getFirst()).isEqualTo(data);
        assertThat(active.privateData).hasSize(196).startsWith(9, 8);
    }

    @Test
    void requestSaysWhatLinuxSays() {
        new IbServer(server);
        client.connect(server, IbServer.PORT);
        CmReq req = network.last(CmReq.class);
        assertThat(req.localCmResponseTimeout()).isEqualTo(20);
        assertThat(req.remoteCmResponseTimeout()).isEqualTo(20);
        assertThat(req.maxCmRetries()).isEqualTo(15);
        assertThat(req.primary().localAckTimeout()).isEqualTo(19);
        assertThat(req.primary().hopLimit()).isEqualTo(64);
        assertThat(req.primary().localLid()).isEqualTo(0xFFFF);
        assertThat(req.pKey()).isEqualTo(0xFFFF);
        assertThat(req.hasAlternate()).isFalse();
    }

    /** What each side serves and wants, then what comes of it: Reads towards the passive side, and towards the active side. */
    @ParameterizedTest
    @CsvSource({"4,4, 4,4, 4,4", "16,2, 1,16, 1,16", "0,16, 16,16, 16,0", "16,16, 3,5, 3,5", "2,0, 16,1, 0,1"})
    @Satisfies("IBTA-CM-12.7-2")
    void depthsAreWhatBothSidesCanDo(
            int activeServes, int activeWants, int passiveServes, int passiveWants, int toPassive, int toActive) {
        IbServer listening = new IbServer(server).accepting(IbHost.offer(passiveServes, passiveWants));
        IbEnd active = client.connect(server, IbServer.PORT, IbHost.offer(activeServes, activeWants));
        network.settle();
        IbEnd passive = listening.last();
        assertThat(listening.peerResponderResources).isEqualTo(activeServes);
        assertThat(listening.peerInitiatorDepth).isEqualTo(activeWants);
        assertThat(number(active, false, QpAttribute.MAX_QP_RD_ATOMIC))
                .isEqualTo(active.terms.initiatorDepth())
                .isEqualTo(toPassive);
        assertThat(number(passive, true, QpAttribute.MAX_DEST_RD_ATOMIC))
                .isEqualTo(passive.terms.responderResources())
                .isEqualTo(toPassive);
        assertThat(number(passive, false, QpAttribute.MAX_QP_RD_ATOMIC))
                .isEqualTo(passive.terms.initiatorDepth())
                .isEqualTo(toActive);
        assertThat(number(active, true, QpAttribute.MAX_DEST_RD_ATOMIC)).isGreaterThanOrEqualTo(toActive);
    }

    @Test
    @Satisfies({"IBTA-CM-12.7-4", "IBTA-CM-12.7-5"})
    void retriesAndTimesGoWhereTheyBelong() {
        ConnectionOffer asks = new ConnectionOffer(
                new byte[0], 1, 1, 3, 2, false, IbHost.offer(1, 1).mpa(), IbCmOptions.RECOMMENDED);
        ConnectionOffer answers = new ConnectionOffer(
                new byte[0], 1, 1, 6, 5, true, IbHost.offer(1, 1).mpa(), IbCmOptions.RECOMMENDED);
        IbServer listening = new IbServer(server).accepting(answers);
        IbEnd active = client.connect(server, IbServer.PORT, asks);
        network.settle();
        IbEnd passive = listening.last();
        assertThat(number(active, false, QpAttribute.RETRY_CNT)).isEqualTo(3);
        assertThat(number(passive, false, QpAttribute.RETRY_CNT)).isEqualTo(3);
        assertThat(number(active, false, QpAttribute.RNR_RETRY)).isEqualTo(5);
        assertThat(number(passive, false, QpAttribute.RNR_RETRY)).isEqualTo(2);
        assertThat(number(passive, false, QpAttribute.TIMEOUT)).isEqualTo(19);
        assertThat(number(active, false, QpAttribute.TIMEOUT)).isEqualTo(19);
        assertThat(number(active, true, QpAttribute.MIN_RNR_TIMER)).isEqualTo(12);
    }

    @ParameterizedTest
    @CsvSource({"18,15,19", "18,18,20", "18,19,20", "18,24,24", "13,15,16", "4,15,15"})
    @Satisfies("IBTA-CM-12.7-5")
    void ackTimeoutCountsBothWaysAndTheDelay(int lifetime, int delay, int expected) {
        assertThat(CmTimes.ackTimeout(lifetime, delay)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(ints = {256, 512, 1024, 2048, 4096})
    @Satisfies("IBTA-CM-12.7-3")
    void pathMtuIsTheRequestsIfItFits(int mtu) {
        client.mtu = mtu;
        server.mtu = 1024;
        IbServer listening = new IbServer(server).accepting();
        IbEnd active = client.connect(server, IbServer.PORT);
        network.settle();
        if (mtu <= 1024) {
            assertThat(number(active, true, QpAttribute.PATH_MTU)).isEqualTo(mtu);
            assertThat(number(listening.last(), true, QpAttribute.PATH_MTU)).isEqualTo(mtu);
        } else {
            assertThat(active.log).containsExactly("REJECTED " + CmRejReason.INVALID_PATH_MTU);
            assertThat(listening.requests).isEmpty();
        }
    }

    @Test
    @Satisfies({"IBTA-CM-12.9.8-1", "IBTA-CM-12.6.7-2"})
    void requestIsSentAgainUnchangedUntilThePatienceIsOver() {
        IbEnd active = client.connect(server, IbServer.PORT);
        long began = network.nowNs();
        network.advance(120 * IbNetwork.SECOND);
        assertThat(network.sent).hasSize(17);
        assertThat(network.sent.subList(0, 16))
                .allMatch(each -> Arrays.equals(each.mad(), network.sent.get(0).mad()));
        assertThat(network.last(CmRej.class).reason()).isEqualTo(CmRejReason.TIMEOUT);
        assertThat(network.sent.get(1).atNs() - began).isEqualTo(6_144 * IbNetwork.MS);
        assertThat(active.log).containsExactly("UNREACHABLE " + -Errno.ETIMEDOUT.number());
        assertThat(active.state()).isEqualTo(IbConnectionState.CLOSED);
    }

    @Test
    void patienceIsAnOption() {
        IbCmOptions brief = IbCmOptions.builder()
                .responseTimeout(16)
                .packetLifetime(10)
                .maxRetries(3)
                .build();
        IbEnd active = client.connect(server, IbServer.PORT, IbHost.offer(brief, 1, 1));
        network.advance(2 * IbNetwork.SECOND);
        assertThat(network.count(CmReq.class)).isEqualTo(4);
        assertThat(active.log).containsExactly("UNREACHABLE " + -Errno.ETIMEDOUT.number());
    }

    @Test
    @Satisfies("IBTA-CM-12.9.8-1")
    void replyIsSentAgainUnchangedUntilThePatienceIsOver() {
        IbServer listening = new IbServer(server).accepting();
        network.lose((sent, number) -> sent.is(CmRep.class));
        client.connect(server, IbServer.PORT);
        network.settle();
        IbEnd passive = listening.last();
        network.runUntil(() -> !passive.log.isEmpty());
        assertThat(passive.log).containsExactly("UNREACHABLE " + -Errno.ETIMEDOUT.number());
        assertThat(passive.qpState()).isEqualTo(QpState.ERROR);
        List<IbNetwork.Sent> replies =
                network.sent.stream().filter(sent -> sent.is(CmRep.class)).toList();
        assertThat(replies)
                .allMatch(each -> Arrays.equals(each.mad(), replies.get(0).mad()));
        assertThat(replies.size()).isGreaterThanOrEqualTo(8);
    }

    /** Cases B46: lost replies, then the request once more when the connection is up and when it is over. */
    @Test
    @Satisfies({"IBTA-CM-12.9.8-2", "IBTA-CM-12.9.8-3"})
    void whateverComesAgainHasNoEffectTwice() {
        IbServer listening = new IbServer(server).accepting();
        network.lose((sent, number) -> sent.is(CmRep.class) && network.count(CmRep.class) < 2);
        IbEnd active = client.connect(server, IbServer.PORT);
        network.runUntil(() -> !active.log.isEmpty());
        network.settle();
        IbEnd passive = listening.last();
        assertThat(listening.requests).hasSize(1);
        assertThat(active.log).containsExactly("ESTABLISHED");
        assertThat(passive.log).containsExactly("ESTABLISHED");
        int before = network.sent.size();
        network.deliver(network.lastSent(CmReq.class));
        network.settle();
        assertThat(network.sent).hasSize(before);
        network.deliver(network.lastSent(CmRep.class));
        network.settle();
        assertThat(network.sent.getLast().message()).isEqualTo(network.last(CmRtu.class));
        active.disconnect();
        network.settle();
        network.deliver(network.sent.get(0));
        network.settle();
        assertThat(listening.requests).hasSize(1);
        assertThat(passive.log).containsExactly("ESTABLISHED", "DISCONNECTED 0");
    }

    @Test
    @Satisfies("IBTA-CM-12.9.8-3")
    void lostReadyToUseIsSentAgainForTheNextReply() {
        IbServer listening = new IbServer(server).accepting();
        network.lose((sent, number) -> sent.is(CmRtu.class) && network.count(CmRtu.class) == 0);
        IbEnd active = client.connect(server, IbServer.PORT);
        network.settle();
        assertThat(active.log).containsExactly("ESTABLISHED");
        assertThat(listening.last().log).isEmpty();
        network.advance(5 * IbNetwork.SECOND);
        assertThat(listening.last().log).containsExactly("ESTABLISHED");
        assertThat(network.names()).containsExactly("CmReq", "CmRep", "CmRtu", "CmRep", "CmRtu");
    }

    @Test
    @Satisfies("IBTA-CM-12.9.6-3")
    void firstPacketEstablishesAConnectionWhoseReadyToUseIsLate() {
        IbServer listening = new IbServer(server).accepting();
        network.lose((sent, number) -> sent.is(CmRtu.class));
        client.connect(server, IbServer.PORT);
        network.settle();
        IbEnd passive = listening.last();
        server.cm().onCommunicationEstablished(passive.queuePair.qpNum(), network.nowNs());
        assertThat(passive.log).containsExactly("ESTABLISHED");
        network.advance(100 * IbNetwork.SECOND);
        assertThat(network.count(CmRep.class)).isEqualTo(1);
        network.lose((sent, number) -> false);
        network.deliver(network.lastSent(CmRtu.class));
        server.cm().onCommunicationEstablished(passive.queuePair.qpNum(), network.nowNs());
        network.settle();
        assertThat(passive.log).containsExactly("ESTABLISHED");
    }

    @Test
    @Satisfies({"IBTA-CM-12.9.8-5", "IBTA-CM-12.9.8-6"})
    void slowApplicationAsksForTimeBeforeTheRequestComesAgain() {
        IbServer listening = new IbServer(server);
        IbEnd active = client.connect(server, IbServer.PORT);
        network.advance(2 * IbNetwork.SECOND);
        assertThat(network.names()).containsExactly("CmReq");
        network.advance(5 * IbNetwork.SECOND);
        assertThat(network.names()).containsExactly("CmReq", "CmMra");
        assertThat(network.last(CmMra.class).serviceTimeout()).isEqualTo(24);
        assertThat(active.state()).isEqualTo(IbConnectionState.MRA_REQ_RCVD);
        network.advance(60 * IbNetwork.SECOND);
        assertThat(network.sent).as("nothing is repeated meanwhile").hasSize(2);
        listening.last().accept(IbHost.offer(1, 1));
        network.settle();
        assertThat(active.log).containsExactly("ESTABLISHED");
        assertThat(listening.requests).hasSize(1);
    }

    /** A peer that asks only once must hear of the delay as well. */
    @Test
    @Satisfies("IBTA-CM-12.9.8-6")
    void slowApplicationAsksAPeerForTimeThatNeverAsksAgain() {
        IbServer listening = new IbServer(server);
        IbEnd active = client.connect(
                server,
                IbServer.PORT,
                IbHost.offer(IbCmOptions.builder().maxRetries(0).build(), 1, 1));
        network.advance(60 * IbNetwork.SECOND);
        assertThat(network.names()).containsExactly("CmReq", "CmMra");
        listening.last().accept(IbHost.offer(1, 1));
        network.settle();
        assertThat(active.log).containsExactly("ESTABLISHED");
    }

    /** The request was withdrawn, and nobody is asked for patience any more. */
    @Test
    @Satisfies("IBTA-CM-12.9.8-6")
    void aRequestThatIsGoneIsNotAnsweredLater() {
        new IbServer(server);
        IbEnd active = client.connect(server, IbServer.PORT);
        network.settle();
        active.destroy();
        network.advance(100 * IbNetwork.SECOND);
        assertThat(network.count(CmMra.class)).isZero();
    }

    @Test
    @Satisfies("IBTA-CM-12.9.8-5")
    void passiveSideWaitsForAPeerThatAsksForTime() {
        IbServer listening = new IbServer(server).accepting();
        network.lose((sent, number) -> sent.is(CmRep.class));
        client.connect(server, IbServer.PORT);
        network.settle();
        IbEnd passive = listening.last();
        CmRep rep = network.last(CmRep.class);
        client.send(
                server.address,
                rep.remoteCommId(),
                new CmMra(rep.remoteCommId(), rep.localCommId(), CmMra.OF_REP, 20, CmBytes.EMPTY));
        network.settle();
        assertThat(passive.state()).isEqualTo(IbConnectionState.MRA_REP_RCVD);
        long before = network.count(CmRep.class);
        network.advance(5 * IbNetwork.SECOND);
        assertThat(network.count(CmRep.class)).isEqualTo(before);
    }

    @Test
    @Satisfies({"IBTA-CM-12.6.7-2", "IBTA-CM-12.9.8-4"})
    void requestThatIsGivenUpIsWithdrawnAndItsReplyRejected() {
        IbServer listening = new IbServer(server);
        IbEnd active = client.connect(server, IbServer.PORT);
        network.settle();
        active.destroy();
        network.settle();
        CmRej rej = network.last(CmRej.class);
        assertThat(rej.reason()).isEqualTo(CmRejReason.TIMEOUT);
        assertThat(rej.rejectInfoLength()).isEqualTo(8);
        IbEnd passive = listening.last();
        assertThat(passive.log).containsExactly("REQUEST_GONE");
        passive.accept(IbHost.offer(1, 1));
        assertThat(passive.log).containsExactly("REQUEST_GONE", "CONNECT_ERROR " + -Errno.ECONNRESET.number());
        assertThat(active.log).isEmpty();
    }

    @Test
    @Satisfies("IBTA-CM-12.6.7-2")
    void requestThatIsNotAnsweredInTimeIsWithdrawn() {
        IbCmOptions brief = IbCmOptions.builder()
                .responseTimeout(8)
                .packetLifetime(8)
                .maxRetries(0)
                .build();
        network.lose((sent, number) -> sent.is(CmMra.class));
        IbServer listening = new IbServer(server);
        IbEnd active = client.connect(server, IbServer.PORT, IbHost.offer(brief, 1, 1));
        network.advance(IbNetwork.SECOND);
        assertThat(active.log).containsExactly("UNREACHABLE " + -Errno.ETIMEDOUT.number());
        CmRej rej = network.last(CmRej.class);
        assertThat(rej.reason()).isEqualTo(CmRejReason.TIMEOUT);
        assertThat(rej.rejectInfoLength()).isEqualTo(8);
        assertThat(listening.last().log).containsExactly("REQUEST_GONE");
    }

    @Test
    @Satisfies("IBTA-CM-12.9.8-4")
    void replyToARequestThatNobodyKnowsIsRejected() {
        IbServer listening = new IbServer(server);
        IbEnd active = client.connect(server, IbServer.PORT);
        network.settle();
        network.lose((sent, number) -> sent.is(CmRej.class) && network.count(CmRej.class) == 0);
        active.destroy();
        IbEnd passive = listening.last();
        passive.accept(IbHost.offer(1, 1));
        network.settle();
        CmRej rej = network.last(CmRej.class);
        assertThat(rej.messageRejected()).isEqualTo(CmRej.OF_REP);
        assertThat(rej.localCommId()).isEqualTo(network.last(CmRep.class).remoteCommId());
        assertThat(passive.log).containsExactly("REJECTED " + CmRejReason.INVALID_COMM_ID);
        assertThat(passive.qpState()).isEqualTo(QpState.ERROR);
    }
}
