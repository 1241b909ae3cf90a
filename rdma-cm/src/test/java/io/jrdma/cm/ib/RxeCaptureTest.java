package io.jrdma.cm.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.cm.transport.ConnectionOffer;
import io.jrdma.verbs.IbCmOptions;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.QpAttribute;
import io.jrdma.verbs.QpState;
import io.jrdma.wire.cm.CmBytes;
import io.jrdma.wire.cm.CmDrep;
import io.jrdma.wire.cm.CmDreq;
import io.jrdma.wire.cm.CmMad;
import io.jrdma.wire.cm.CmRep;
import io.jrdma.wire.cm.CmReq;
import io.jrdma.wire.cm.CmRtu;
import io.jrdma.wire.cm.IpCmPrivateData;
import io.jrdma.wire.cm.ServiceId;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Conversations of two Linux rxe peers with us in the place of either: what the other said is heard, and what we say is what Linux said,
 * where it is not a number of our own choice.
 */
class RxeCaptureTest {
    private final IbNetwork network = new IbNetwork();

    static Stream<RxeConversation> conversations() {
        return Stream.of("rxe-rping", "rxe-read-lat-cm", "rxe-ucmatose", "rxe-rdma-client", "rxe-rstream")
                .flatMap(capture -> RxeConversation.of(capture).stream());
    }

    private static ConnectionOffer offer(
            int resources, int depth, int retries, int rnrRetries, boolean flowControl, byte[] data) {
        return new ConnectionOffer(
                data,
                resources,
                depth,
                retries,
                rnrRetries,
                flowControl,
                MpaOptions.RECOMMENDED,
                IbCmOptions.RECOMMENDED);
    }

    @ParameterizedTest
    @MethodSource("conversations")
    void inThePlaceOfTheServer(RxeConversation talk) {
        IbHost us = network.host(talk.server().getHostAddress());
        us.mtu = 4096;
        us.maxDepth = 128;
        IbServer listening = new IbServer(us, ServiceId.port(talk.req().serviceId()), 4);
        CmRep theirs = talk.rep();
        listening.accepting(offer(
                theirs.responderResources(),
                theirs.initiatorDepth(),
                7,
                theirs.rnrRetryCount(),
                theirs.endToEndFlowControl(),
                theirs.privateData().toByteArray()));
        IbEnd end = null;
        for (RxeConversation.Said said : talk.said()) {
            if (said.byClient()) {
                int id = end == null ? 0 : network.last(CmRep.class).localCommId();
                int qpn = end == null ? 0 : end.queuePair.qpNum();
                CmMad mad = new CmMad(said.mad().transactionId(), RxeConversation.to(said.message(), id, qpn));
                us.receive(talk.client(), mad.encode(), network.nowNs());
                end = listening.last();
            } else if (said.message() instanceof CmDreq && end != null) {
                end.disconnect();
            }
        }
        CmReq req = talk.req();
        CmRep ours = network.last(CmRep.class);
        assertThat(ours)
                .isEqualTo(new CmRep(
                        ours.localCommId(),
                        theirs.remoteCommId(),
                        theirs.localQKey(),
                        ours.localQpn(),
                        theirs.localEecn(),
                        ours.startingPsn(),
                        theirs.vendorId(),
                        Math.min(theirs.responderResources(), req.initiatorDepth()),
                        Math.min(theirs.initiatorDepth(), req.responderResources()),
                        theirs.targetAckDelay(),
                        theirs.failoverAccepted(),
                        theirs.endToEndFlowControl(),
                        theirs.rnrRetryCount(),
                        false,
                        ours.localCaGuid(),
                        theirs.privateData()));
        assertThat(transactionId(network.lastSent(CmRep.class)))
                .isEqualTo(talk.said().getFirst().mad().transactionId());
        NoteQueuePair notes = IbHost.notes(end.queuePair);
        assertThat(notes.rtr.number(QpAttribute.DEST_QPN, -1)).isEqualTo(req.localQpn());
        assertThat(notes.rts.number(QpAttribute.SQ_PSN, -1)).isEqualTo(req.startingPsn());
        assertThat(notes.rtr.addressVector().destination()).isEqualTo(talk.client());
        overBothWays(talk, end, true);
    }

    @ParameterizedTest
    @MethodSource("conversations")
    void inThePlaceOfTheClient(RxeConversation talk) {
        IbHost us = network.host(talk.client().getHostAddress());
        CmReq theirs = talk.req();
        us.mtu = 128 << theirs.pathMtu();
        us.maxDepth = 128;
        IbEnd end = new IbEnd(us, us.queuePair());
        end.connection = new IbConnection(end);
        end.connection.connect(
                us,
                new InetSocketAddress(
                        us.address, IpCmPrivateData.of(theirs.privateData()).sourcePort()),
                new InetSocketAddress(talk.server(), ServiceId.port(theirs.serviceId())),
                end.queuePair,
                offer(
                        theirs.responderResources(),
                        theirs.initiatorDepth(),
                        theirs.retryCount(),
                        theirs.rnrRetryCount(),
                        theirs.endToEndFlowControl(),
                        IpCmPrivateData.consumerData(theirs.privateData()).toByteArray()),
                network.nowNs());
        CmReq ours = network.last(CmReq.class);
        assertThat(ours)
                .isEqualTo(IbRequests.from(theirs)
                        .localCommId(ours.localCommId())
                        .localCaGuid(ours.localCaGuid())
                        .localQpn(ours.localQpn())
                        .startingPsn(ours.startingPsn())
                        .endToEndFlowControl(theirs.endToEndFlowControl())
                        .build());
        for (RxeConversation.Said said : talk.said()) {
            if (!said.byClient()) {
                CmMad mad = new CmMad(
                        said.mad().transactionId(),
                        RxeConversation.to(said.message(), ours.localCommId(), end.queuePair.qpNum()));
                us.receive(talk.server(), mad.encode(), network.nowNs());
            } else if (said.message() instanceof CmDreq) {
                end.disconnect();
            }
        }
        CmRep rep = talk.rep();
        assertThat(network.last(CmRtu.class))
                .isEqualTo(new CmRtu(ours.localCommId(), rep.localCommId(), CmBytes.EMPTY.resize(224)));
        assertThat(transactionId(network.lastSent(CmRtu.class)))
                .isEqualTo(transactionId(network.lastSent(CmReq.class)));
        assertThat(end.privateData).isEqualTo(rep.privateData().toByteArray());
        NoteQueuePair notes = IbHost.notes(end.queuePair);
        assertThat(notes.rtr.number(QpAttribute.DEST_QPN, -1)).isEqualTo(rep.localQpn());
        assertThat(notes.rts.number(QpAttribute.SQ_PSN, -1)).isEqualTo(rep.startingPsn());
        assertThat(notes.rts.number(QpAttribute.TIMEOUT, -1))
                .isEqualTo(theirs.primary().localAckTimeout());
        overBothWays(talk, end, false);
    }

    private void overBothWays(RxeConversation talk, IbEnd end, boolean server) {
        assertThat(end.log).containsExactly("ESTABLISHED", "DISCONNECTED 0");
        assertThat(end.qpState()).isEqualTo(QpState.ERROR);
        List<Long> heard = talk.said().stream()
                .filter(said -> said.byClient() == server && said.message() instanceof CmDreq)
                .map(said -> said.mad().transactionId())
                .toList();
        List<Long> answered = network.sent.stream()
                .filter(sent -> sent.is(CmDrep.class))
                .map(RxeCaptureTest::transactionId)
                .toList();
        assertThat(answered).as("each DREQ of the peer's has its DREP").isEqualTo(heard);
    }

    private static long transactionId(IbNetwork.Sent sent) {
        return ((CmMad) CmMad.decode(sent.mad())).transactionId();
    }
}
