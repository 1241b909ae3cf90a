package io.jrdma.cm.ib;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.testing.Satisfies;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.IbCmOptions;
import io.jrdma.verbs.VerbsException;
import io.jrdma.wire.cm.CmBytes;
import io.jrdma.wire.cm.CmSidrRep;
import io.jrdma.wire.cm.CmSidrReq;
import io.jrdma.wire.cm.IpCmPrivateData;
import io.jrdma.wire.cm.SidrStatus;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Service ID resolution, both sides. */
class SidrConformance {
    private static final int PORT = 7174;

    private final IbNetwork network = new IbNetwork();
    private final IbHost client = network.host("10.0.0.1");
    private final IbHost server = network.host("10.0.0.2");
    private final List<SidrResponse> requests = new ArrayList<>();
    private final List<byte[]> requestData = new ArrayList<>();
    private final List<String> log = new ArrayList<>();
    private byte[] replyData;

    private final SidrEvents notes = new SidrEvents() {
        @Override
        public void onResolved(int qpNum, int qKey, byte[] privateData) {
            log.add("RESOLVED " + qpNum + " " + qKey);
            replyData = privateData;
        }

        @Override
        public void onUnreachable(int status, byte[] privateData, String text) {
            log.add("UNREACHABLE " + status);
            replyData = privateData;
        }
    };

    private void listen(int backlog) {
        server.cm().sidr().listen(PORT, backlog, (request, data) -> {
            requests.add(request);
            requestData.add(data);
        });
    }

    private SidrRequest ask(byte... data) {
        return client.cm()
                .sidr()
                .request(
                        new InetSocketAddress(server.address, PORT),
                        data,
                        IbCmOptions.RECOMMENDED,
                        notes,
                        network.nowNs());
    }

    @Test
    @Satisfies({"IBTA-CM-12.11-1", "IBTA-CM-A11-1", "IBTA-CM-A11-2"})
    void requestIsAnsweredWithQueuePairAndKey() {
        listen(4);
        ask((byte) 1, (byte) 2);
        network.settle();
        CmSidrReq req = network.last(CmSidrReq.class);
        assertThat(req.serviceId()).isEqualTo(0x0111_0000L | PORT);
        assertThat(IpCmPrivateData.of(req.privateData()).source().address()).isEqualTo(client.address.getAddress());
        assertThat(requestData.getFirst())
                .hasSize(SidrCm.MAX_REQUEST_PRIVATE_DATA)
                .startsWith(1, 2);
        requests.getFirst().accept(0x77, 0x0123_4567, new byte[] {3}, network.nowNs());
        requests.getFirst().reject(new byte[0], network.nowNs());
        network.settle();
        assertThat(log).containsExactly("RESOLVED 119 19088743");
        assertThat(replyData).hasSize(SidrCm.MAX_REPLY_PRIVATE_DATA).startsWith(3);
        network.advance(200 * IbNetwork.SECOND);
        assertThat(network.sent).hasSize(2);
    }

    @Test
    @Satisfies("IBTA-CM-12.11-1")
    void requestAndItsAnswerAreSentAgainWhenLost() {
        listen(4);
        network.lose((sent, number) -> number == 0 || number == 2);
        ask();
        network.advance(5 * IbNetwork.SECOND);
        assertThat(requests).hasSize(1);
        requests.getFirst().accept(5, 6, new byte[0], network.nowNs());
        network.advance(5 * IbNetwork.SECOND);
        assertThat(requests).hasSize(1);
        assertThat(log).containsExactly("RESOLVED 5 6");
    }

    @Test
    @Satisfies("IBTA-CM-12.11-1")
    void nobodyListeningAndNoAreStatuses() {
        assertThat(server.cm().isEmpty()).isTrue();
        ask();
        network.settle();
        listen(4);
        ask();
        network.settle();
        requests.getFirst().reject(new byte[] {9}, network.nowNs());
        network.settle();
        assertThat(log)
                .containsExactly(
                        "UNREACHABLE " + SidrStatus.SERVICE_ID_NOT_SUPPORTED, "UNREACHABLE " + SidrStatus.REJECTED);
        assertThat(replyData).startsWith(9);
    }

    @Test
    @Satisfies("IBTA-CM-12.11-1")
    void silenceIsATimeout() {
        network.lose((sent, number) -> true);
        ask();
        network.advance(100 * IbNetwork.SECOND);
        assertThat(log).containsExactly("UNREACHABLE " + -Errno.ETIMEDOUT.number());
        assertThat(network.sent)
                .hasSize(16)
                .allMatch(each -> Arrays.equals(each.mad(), network.sent.get(0).mad()));
    }

    @Test
    void cancelledRequestReportsNothingAndStrangersCannotAnswer() {
        listen(4);
        SidrRequest cancelled = ask();
        network.settle();
        cancelled.cancel();
        requests.getFirst().accept(5, 6, new byte[0], network.nowNs());
        ask();
        IbHost stranger = network.host("10.0.0.66");
        CmSidrReq req = network.last(CmSidrReq.class);
        stranger.send(client.address, 1, new CmSidrRep(req.requestId(), 0, 1, req.serviceId(), 2, CmBytes.EMPTY));
        network.settle();
        assertThat(log).isEmpty();
    }

    @Test
    void unansweredRequestsAreNoMoreThanTheBacklog() {
        listen(2);
        for (int i = 0; i < 5; i++) {
            ask();
        }
        network.settle();
        assertThat(requests).hasSize(2);
        requests.forEach(request -> request.accept(1, 1, new byte[0], network.nowNs()));
        network.advance(5 * IbNetwork.SECOND);
        assertThat(requests).hasSize(4);
        assertThatThrownBy(() -> listen(1))
                .hasMessageContainingAll("for datagrams at 10.0.0.2 port " + PORT, "somebody listens there")
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EADDRINUSE));
        server.cm().sidr().stopListening(PORT);
        log.clear();
        ask();
        network.settle();
        assertThat(log).containsExactly("UNREACHABLE " + SidrStatus.SERVICE_ID_NOT_SUPPORTED);
    }

    @Test
    void lateAnswerMakesNoRoomWithTheNextServiceOnThePort() {
        listen(1);
        ask();
        network.settle();
        SidrResponse old = requests.removeFirst();
        server.cm().sidr().stopListening(PORT);
        listen(1);
        ask();
        network.settle();
        assertThat(requests).hasSize(1);
        old.accept(1, 1, new byte[0], network.nowNs());
        ask();
        network.settle();
        assertThat(requests)
                .as("one is unanswered, which is all that the backlog allows")
                .hasSize(1);
        requests.removeFirst().reject(new byte[0], network.nowNs());
        network.advance(5 * IbNetwork.SECOND);
        assertThat(requests).as("and then there is room").hasSize(1);
    }
}
