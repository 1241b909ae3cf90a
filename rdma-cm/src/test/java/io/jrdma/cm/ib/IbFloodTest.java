package io.jrdma.cm.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.Errno;
import io.jrdma.verbs.IbCmOptions;
import io.jrdma.verbs.QpState;
import io.jrdma.wire.cm.CmBytes;
import io.jrdma.wire.cm.CmMad;
import io.jrdma.wire.cm.CmMessage;
import io.jrdma.wire.cm.CmRej;
import io.jrdma.wire.cm.CmRejReason;
import io.jrdma.wire.cm.CmRep;
import io.jrdma.wire.cm.CmReq;
import io.jrdma.wire.cm.CmSidrReq;
import io.jrdma.wire.cm.Gid;
import io.jrdma.wire.cm.IpCmPrivateData;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Good requests in great number from addresses that their sender may not even have: what is kept of them has a bound in number and time. */
class IbFloodTest {
    private static final int FLOOD = IbCm.MAX_ENDED + 50;
    private static final int LONGEST = 31;

    private final IbNetwork network = new IbNetwork();
    private final IbHost client = network.host("10.0.0.1");
    private final IbHost server = network.host("10.0.0.2");
    private final IbServer listening = new IbServer(server);
    private final CmReq good = IbRequests.good(client, listening);

    private static InetAddress sender(int i) {
        return IbNetwork.address("10.1." + (i >>> 8 & 0xFF) + "." + (i & 0xFF));
    }

    /** The request of the sender with that number; it names the longest ACK time limit that there is. */
    private CmReq request(int i) {
        Gid from = Gid.of(sender(i).getAddress());
        Gid to = good.primary().remoteGid();
        return IbRequests.from(good)
                .localCommId(i + 1)
                .localQpn(i + 2)
                .primary(IbRequests.path(good.primary(), from, to, LONGEST))
                .privateData(new IpCmPrivateData(1, from, to).with(CmBytes.EMPTY))
                .build();
    }

    private void receive(int i, CmMessage message) {
        server.receive(sender(i), new CmMad(i, message).encode(), network.nowNs());
        network.settle();
    }

    private void reject(int i) {
        receive(i, request(i));
        listening.last().connection.reject(new byte[] {1}, network.nowNs());
        listening.requests.clear();
        network.sent.clear();
    }

    @Test
    void refusedRequestIsForgottenAfterATimeOfOurOwn() {
        reject(0);
        long keptNs = 2 * CmTimes.requestNs(IbCmOptions.RECOMMENDED);
        network.advance(keptNs - IbNetwork.SECOND);
        receive(0, request(0));
        assertThat(network.last(CmRej.class).reason()).isEqualTo(CmRejReason.CONSUMER_DEFINED);
        assertThat(listening.requests).isEmpty();
        network.advance(IbNetwork.SECOND + IbNetwork.MS);
        assertThat(server.cm().isEmpty()).isTrue();
    }

    /** Cases B112, B114: neither keeps the peer's number of repetitions a connection waiting for long, nor its interval somebody flooded. */
    @ParameterizedTest
    @ValueSource(ints = {0, LONGEST})
    void acceptedRequestOfWhichNothingMoreIsHeardIsGivenUp(int responseTimeout) {
        listening.accepting();
        receive(
                0,
                IbRequests.from(request(0))
                        .localCmResponseTimeout(responseTimeout)
                        .maxCmRetries(15)
                        .build());
        network.advance(400 * IbNetwork.MS);
        assertThat(network.count(CmRep.class)).isEqualTo(1);
        network.advance(40 * IbNetwork.SECOND);
        assertThat(network.count(CmRep.class)).isEqualTo(8);
        assertThat(listening.last().log).containsExactly("UNREACHABLE " + -Errno.ETIMEDOUT.number());
    }

    @Test
    void requestWhoseQueuePairCannotBeHadIsForgottenAsSoon() {
        receive(0, request(0));
        IbEnd passive = listening.last();
        IbHost.notes(passive.queuePair).refuse(QpState.RTR);
        passive.accept(IbHost.offer(1, 1));
        network.advance(2 * CmTimes.requestNs(IbCmOptions.RECOMMENDED) + IbNetwork.MS);
        assertThat(server.cm().isEmpty()).isTrue();
    }

    @Test
    void refusedRequestsAreRememberedUpToANumberTheOldestForgottenFirst() {
        for (int i = 0; i < FLOOD; i++) {
            reject(i);
        }
        assertThat(server.cm().refused().size()).isEqualTo(IbCm.MAX_REFUSED);
        receive(FLOOD - IbCm.MAX_REFUSED, request(FLOOD - IbCm.MAX_REFUSED));
        assertThat(network.count(CmRej.class)).as("answered again").isEqualTo(1);
        assertThat(listening.requests).isEmpty();
        receive(0, request(0));
        assertThat(listening.requests).as("taken for a new one").hasSize(1);
        listening.last().destroy();
        IbEnd ours = client.connect(server, IbServer.PORT);
        network.settle();
        listening.last().accept(IbHost.offer(4, 4));
        network.settle();
        assertThat(ours.log).containsExactly("ESTABLISHED");
    }

    /** A request that is withdrawn as soon as it is accepted costs its sender two datagrams and no number that is hard to guess. */
    @Test
    void connectionsThatCameToNothingAreRememberedUpToANumber() {
        listening.accepting();
        CmBytes guid = CmBytes.of(
                ByteBuffer.allocate(Long.BYTES).putLong(good.localCaGuid()).array());
        for (int i = 0; i < FLOOD; i++) {
            receive(i, request(i));
            receive(i, new CmRej(i + 1, 0, CmRej.OF_OTHER, CmRejReason.TIMEOUT, guid, CmBytes.EMPTY));
            assertThat(listening.last().log).containsExactly("REJECTED " + CmRejReason.TIMEOUT);
            listening.requests.clear();
            network.sent.clear();
        }
        assertThat(server.cm().ended().size()).isEqualTo(IbCm.MAX_ENDED);
        network.advance(70 * IbNetwork.SECOND);
        assertThat(server.cm().isEmpty()).isTrue();
    }

    /** What makes room is told as it is told at the end of the time. */
    @Test
    void timeWaitThatMakesRoomIsReportedAsOver() {
        listening.accepting();
        IbEnd first = client.connect(server, IbServer.PORT);
        network.settle();
        first.disconnect();
        network.settle();
        IbEnd passive = listening.requests.getFirst();
        assertThat(passive.log).containsExactly("ESTABLISHED", "DISCONNECTED 0");
        for (int i = 0; i < IbCm.MAX_ENDED; i++) {
            IbEnd next = client.connect(server, IbServer.PORT);
            network.settle();
            next.disconnect();
            network.settle();
            network.sent.clear();
        }
        assertThat(passive.log).containsExactly("ESTABLISHED", "DISCONNECTED 0", "TIMEWAIT_EXIT");
        assertThat(passive.state()).isEqualTo(IbConnectionState.CLOSED);
    }

    @Test
    void datagramServicesRememberTheirAnswersUpToANumber() {
        List<SidrResponse> requests = new ArrayList<>();
        server.cm().sidr().listen(IbServer.PORT, 4, (request, data) -> requests.add(request));
        client.cm()
                .sidr()
                .request(
                        new InetSocketAddress(server.address, IbServer.PORT),
                        new byte[0],
                        IbCmOptions.RECOMMENDED,
                        new SidrEvents() {
                            @Override
                            public void onResolved(int qpNum, int qKey, byte[] privateData) {}

                            @Override
                            public void onUnreachable(int status, byte[] privateData, String text) {}
                        },
                        network.nowNs());
        CmSidrReq asked = network.last(CmSidrReq.class);
        network.settle();
        requests.clear();
        for (int i = 0; i < FLOOD; i++) {
            receive(i, new CmSidrReq(i, asked.pKey(), asked.serviceId(), asked.privateData()));
            requests.removeLast().accept(1, 1, new byte[0], network.nowNs());
            network.sent.clear();
        }
        assertThat(server.cm().sidr().known()).isEqualTo(IbCm.MAX_REFUSED + 1);
        receive(FLOOD - 1, new CmSidrReq(FLOOD - 1, asked.pKey(), asked.serviceId(), asked.privateData()));
        assertThat(requests).isEmpty();
        assertThat(network.sent).as("the same answer").hasSize(1);
        network.advance(2 * CmTimes.requestNs(IbCmOptions.RECOMMENDED) + IbNetwork.MS);
        assertThat(server.cm().sidr().known()).isEqualTo(1);
    }
}
