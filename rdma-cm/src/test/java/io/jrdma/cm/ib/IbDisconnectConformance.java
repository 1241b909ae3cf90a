package io.jrdma.cm.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.Satisfies;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.IbCmOptions;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WrOpcode;
import io.jrdma.wire.cm.CmDrep;
import io.jrdma.wire.cm.CmDreq;
import io.jrdma.wire.cm.CmRej;
import io.jrdma.wire.cm.CmRejReason;
import io.jrdma.wire.cm.CmReq;
import io.jrdma.wire.cm.CmRtu;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** How a connection ends, as the peer, the queue pairs and the application see it. */
class IbDisconnectConformance {
    private static final String TIMED_OUT = "DISCONNECTED " + -Errno.ETIMEDOUT.number();

    private final IbNetwork network = new IbNetwork();
    private final IbHost client = network.host("10.0.0.1");
    private final IbHost server = network.host("10.0.0.2");
    private final IbServer listening = new IbServer(server).accepting();
    private IbEnd active;
    private IbEnd passive;

    private void connect() {
        active = client.connect(server, IbServer.PORT);
        network.settle();
        passive = listening.last();
        assertThat(active.log).containsExactly("ESTABLISHED");
        assertThat(passive.log).containsExactly("ESTABLISHED");
        network.sent.clear();
    }

    private void post(IbEnd end, int sends) {
        for (int i = 0; i < sends; i++) {
            end.queuePair.postSend(new SendWr().opcode(WrOpcode.RDMA_WRITE));
        }
    }

    @Test
    @Satisfies("IBTA-CM-12.10-1")
    void requestAndReplyEndBothSidesOnceAndTheNumbersRest() {
        connect();
        active.disconnect();
        assertThat(active.qpState()).as("still acknowledging").isEqualTo(QpState.RTS);
        network.settle();
        assertThat(network.names()).containsExactly("CmDreq", "CmDrep");
        assertThat(network.last(CmDreq.class).remoteQpn()).isEqualTo(passive.queuePair.qpNum());
        for (IbEnd end : new IbEnd[] {active, passive}) {
            assertThat(end.log).containsExactly("ESTABLISHED", "DISCONNECTED 0");
            assertThat(end.qpState()).isEqualTo(QpState.ERROR);
            assertThat(end.state()).isEqualTo(IbConnectionState.TIMEWAIT);
        }
        network.advance(3 * IbNetwork.SECOND);
        for (IbEnd end : new IbEnd[] {active, passive}) {
            assertThat(end.log).containsExactly("ESTABLISHED", "DISCONNECTED 0", "TIMEWAIT_EXIT");
            assertThat(end.state()).isEqualTo(IbConnectionState.CLOSED);
        }
        assertThat(network.sent).hasSize(2);
    }

    @Test
    void whatWasPostedBeforeIsWaitedFor() {
        connect();
        post(active, 3);
        active.disconnect();
        post(active, 1);
        network.advance(100 * IbNetwork.MS);
        assertThat(network.sent).isEmpty();
        assertThat(active.state()).isEqualTo(IbConnectionState.DRAINING);
        for (int i = 0; i < 3; i++) {
            IbHost.notes(active.queuePair).completeSend();
        }
        network.advance(10 * IbNetwork.MS);
        assertThat(network.names()).containsExactly("CmDreq", "CmDrep");
        assertThat(active.log).containsExactly("ESTABLISHED", "DISCONNECTED 0");
    }

    @Test
    void whatNeverCompletesIsWaitedForNoLongerThanTheOptionSays() {
        IbCmOptions options =
                IbCmOptions.builder().drainTimeoutNs(IbNetwork.SECOND).build();
        active = client.connect(server, IbServer.PORT, IbHost.offer(options, 1, 1));
        network.settle();
        post(active, 2);
        active.disconnect();
        network.advance(900 * IbNetwork.MS);
        IbHost.notes(active.queuePair).completeSend();
        network.advance(900 * IbNetwork.MS);
        assertThat(active.state()).as("something was sent meanwhile").isEqualTo(IbConnectionState.DRAINING);
        network.advance(200 * IbNetwork.MS);
        assertThat(active.log).containsExactly("ESTABLISHED", "DISCONNECTED 0");
    }

    @Test
    @Satisfies("IBTA-CM-12.10-5")
    void peerThatNeverAnswersIsTakenForGone() {
        connect();
        network.lose((sent, number) -> true);
        active.disconnect();
        long began = network.nowNs();
        network.runUntil(() -> active.log.size() > 1);
        assertThat(active.log).containsExactly("ESTABLISHED", TIMED_OUT);
        assertThat(network.nowNs() - began).isEqualTo(4 * IbNetwork.SECOND);
        assertThat(network.sent)
                .hasSize(8)
                .allMatch(each -> Arrays.equals(each.mad(), network.sent.get(0).mad()));
        assertThat(active.qpState()).isEqualTo(QpState.ERROR);
    }

    @Test
    @Satisfies("IBTA-CM-12.9.8-1")
    void disconnectIsRepeatedNoMoreOftenThanTheRequestAllows() {
        IbCmOptions options =
                IbCmOptions.builder().maxRetries(2).disconnectRetries(7).build();
        active = client.connect(server, IbServer.PORT, IbHost.offer(options, 1, 1));
        network.settle();
        passive = listening.last();
        network.sent.clear();
        network.lose((sent, number) -> true);
        active.disconnect();
        network.advance(10 * IbNetwork.SECOND);
        assertThat(active.log).containsExactly("ESTABLISHED", TIMED_OUT, "TIMEWAIT_EXIT");
        assertThat(network.sent).hasSize(3);
        passive.disconnect();
        network.advance(10 * IbNetwork.SECOND);
        assertThat(passive.log).containsExactly("ESTABLISHED", TIMED_OUT, "TIMEWAIT_EXIT");
        assertThat(network.sent).hasSize(6);
    }

    @Test
    @Satisfies("IBTA-CM-12.10-2")
    void requestOfAnEndedOrUnknownConnectionIsAnswered() {
        connect();
        network.lose((sent, number) -> sent.is(CmDrep.class) && network.count(CmDrep.class) == 0);
        active.disconnect();
        network.settle();
        assertThat(passive.log).containsExactly("ESTABLISHED", "DISCONNECTED 0");
        network.advance(600 * IbNetwork.MS);
        assertThat(active.log).containsExactly("ESTABLISHED", "DISCONNECTED 0");
        assertThat(network.count(CmDrep.class)).isEqualTo(2);
        IbNetwork.Sent dreq = network.lastSent(CmDreq.class);
        network.advance(10 * IbNetwork.SECOND);
        network.deliver(dreq);
        network.settle();
        CmDrep drep = network.last(CmDrep.class);
        assertThat(network.count(CmDrep.class)).isEqualTo(3);
        assertThat(drep.localCommId()).isEqualTo(network.last(CmDreq.class).remoteCommId());
        assertThat(drep.remoteCommId()).isEqualTo(network.last(CmDreq.class).localCommId());
    }

    @Test
    @Satisfies("IBTA-CM-12.10-4")
    void bothSidesMayDisconnectAtOnce() {
        connect();
        active.disconnect();
        passive.disconnect();
        network.settle();
        assertThat(active.log).containsExactly("ESTABLISHED", "DISCONNECTED 0");
        assertThat(passive.log).containsExactly("ESTABLISHED", "DISCONNECTED 0");
        network.advance(IbNetwork.SECOND);
        assertThat(network.count(CmDreq.class)).isEqualTo(2);
    }

    /** Cases B50: the peer was connected and left, and none of its RTU arrived. */
    @Test
    void disconnectThatOvertakesTheReadyToUseIsAConnectionThatWasUp() {
        network.lose((sent, number) -> sent.is(CmRtu.class));
        active = client.connect(server, IbServer.PORT);
        network.settle();
        passive = listening.last();
        assertThat(passive.log).isEmpty();
        active.disconnect();
        network.settle();
        assertThat(passive.log).containsExactly("ESTABLISHED", "DISCONNECTED 0");
        assertThat(active.log).containsExactly("ESTABLISHED", "DISCONNECTED 0");
    }

    @Test
    void destroyedConnectionEndsInTheBackgroundAndTellsThePeer() {
        connect();
        network.lose((sent, number) -> network.sent.isEmpty());
        active.destroy();
        assertThat(network.names()).containsExactly("CmDreq");
        network.advance(IbNetwork.SECOND);
        assertThat(passive.log).containsExactly("ESTABLISHED", "DISCONNECTED 0");
        assertThat(active.log).containsExactly("ESTABLISHED");
        assertThat(active.qpState()).isEqualTo(QpState.ERROR);
        network.advance(3 * IbNetwork.SECOND);
        assertThat(active.state()).isEqualTo(IbConnectionState.CLOSED);
        assertThat(active.log).containsExactly("ESTABLISHED");
    }

    @Test
    void faultOfAQueuePairEndsItsConnectionAtOnceAndThePeerIsTold() {
        connect();
        passive.fail();
        assertThat(passive.log).containsExactly("ESTABLISHED", "DISCONNECTED 0");
        network.settle();
        assertThat(network.sent).as("the NAK goes first").isEmpty();
        network.advance(20 * IbNetwork.MS);
        assertThat(network.names()).containsExactly("CmDreq", "CmDrep");
        assertThat(active.log).containsExactly("ESTABLISHED", "DISCONNECTED 0");
        passive.disconnect();
        passive.fail();
        network.advance(5 * IbNetwork.SECOND);
        assertThat(passive.log).containsExactly("ESTABLISHED", "DISCONNECTED 0", "TIMEWAIT_EXIT");
    }

    @Test
    void applicationThatTakesItsQueuePairToErrorEndsTheConnection() {
        connect();
        active.queuePair.modify(QpAttributes.state(QpState.ERROR));
        assertThat(active.log).containsExactly("ESTABLISHED", "DISCONNECTED 0");
        network.advance(20 * IbNetwork.MS);
        assertThat(passive.log).containsExactly("ESTABLISHED", "DISCONNECTED 0");
    }

    @Test
    void faultOfAQueuePairThatIsBeingConnectedIsAConnectError() {
        network.lose((sent, number) -> sent.is(CmRtu.class));
        active = client.connect(server, IbServer.PORT);
        network.settle();
        passive = listening.last();
        passive.fail();
        network.settle();
        assertThat(passive.log).containsExactly("CONNECT_ERROR " + -Errno.ECONNRESET.number());
        assertThat(active.log).containsExactly("ESTABLISHED", "DISCONNECTED 0");
    }

    @Test
    void queuePairThatIsDestroyedFirstDoesNotKeepTheConnectionFromEnding() {
        connect();
        active.queuePair.destroy();
        assertThat(network.names()).containsExactly("CmDreq");
        active.disconnect();
        network.settle();
        assertThat(active.log).containsExactly("ESTABLISHED", "DISCONNECTED 0");
        assertThat(passive.log).containsExactly("ESTABLISHED", "DISCONNECTED 0");
    }

    /** Cases B47: the client was restarted, its new queue pair has the number of the old one. */
    @Test
    @Satisfies("IBTA-CM-12.9.8.3-1")
    void requestOfAPeerThatHasForgottenItsConnectionEndsThatOne() {
        connect();
        IbHost other = network.host("10.0.0.3");
        IbEnd bystander = other.connect(server, IbServer.PORT);
        network.settle();
        CmReq first = CmReq.class.cast(network.last(CmReq.class));
        assertThat(bystander.log).containsExactly("ESTABLISHED");
        IbNetwork.Sent old = network.lastSent(CmReq.class);
        CmReq reborn =
                IbRequests.from(first).localCommId(first.localCommId() + 1).build();
        int connections = listening.requests.size();
        IbEnd doomed = listening.last();
        other.send(server.address, 77, reborn);
        network.settle();
        assertThat(doomed.log).containsExactly("ESTABLISHED", "DISCONNECTED 0");
        assertThat(doomed.qpState()).isEqualTo(QpState.ERROR);
        assertThat(network.last(CmRej.class).reason()).isEqualTo(CmRejReason.STALE_CONNECTION);
        assertThat(passive.log).containsExactly("ESTABLISHED");
        other.send(server.address, 77, reborn);
        network.settle();
        assertThat(listening.requests).hasSize(connections + 1);
        assertThat(old.to()).isEqualTo(server.address);
    }

    @Test
    void closedDeviceEndsEverythingWithoutAWord() {
        connect();
        IbEnd waiting = client.connect(network.host("10.0.0.9"), IbServer.PORT);
        network.sent.clear();
        client.cm().onClosed(network.nowNs());
        assertThat(active.log).containsExactly("ESTABLISHED", "DISCONNECTED 0");
        assertThat(waiting.log).containsExactly("CONNECT_ERROR " + -Errno.ENODEV.number());
        assertThat(network.sent).isEmpty();
    }
}
