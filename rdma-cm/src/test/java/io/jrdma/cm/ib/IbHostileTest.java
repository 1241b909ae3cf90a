package io.jrdma.cm.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.testing.Satisfies;
import io.jrdma.wire.cm.CmBytes;
import io.jrdma.wire.cm.CmDrep;
import io.jrdma.wire.cm.CmDreq;
import io.jrdma.wire.cm.CmMad;
import io.jrdma.wire.cm.CmMessage;
import io.jrdma.wire.cm.CmMra;
import io.jrdma.wire.cm.CmRej;
import io.jrdma.wire.cm.CmRejReason;
import io.jrdma.wire.cm.CmRep;
import io.jrdma.wire.cm.CmReq;
import io.jrdma.wire.cm.CmRtu;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Datagrams of people who mean no good: cases B108, B112 and B114. */
class IbHostileTest {
    private final IbNetwork network = new IbNetwork();
    private final IbHost client = network.host("10.0.0.1");
    private final IbHost server = network.host("10.0.0.2");
    private final IbHost stranger = network.host("10.0.0.66");
    private final IbServer listening = new IbServer(server).accepting();

    private IbEnd connected() {
        IbEnd active = client.connect(server, IbServer.PORT);
        network.settle();
        assertThat(active.log).containsExactly("ESTABLISHED");
        return active;
    }

    /** Nothing that a stranger says with numbers that it cannot know, or from an address that is not the peer's, has an effect. */
    @Test
    @Satisfies("IBTA-CM-12.10-3")
    void forgedMessagesHaveNoEffectOnAConnection() {
        IbEnd active = connected();
        IbEnd passive = listening.last();
        CmRtu rtu = network.last(CmRtu.class);
        int own = rtu.localCommId();
        int peers = rtu.remoteCommId();
        int qpn = passive.queuePair.qpNum();
        CmBytes none = CmBytes.EMPTY;
        List<CmMessage> rightNumbers = List.of(
                new CmDreq(own, peers, qpn, none),
                new CmRej(own, peers, CmRej.OF_OTHER, CmRejReason.CONSUMER_DEFINED, none, none),
                new CmRej(own, peers, CmRej.OF_OTHER, CmRejReason.STALE_CONNECTION, none, none),
                new CmDrep(own, peers, none),
                new CmMra(own, peers, CmMra.OF_REP, 24, none));
        List<CmMessage> wrongNumbers = List.of(
                new CmDreq(own, peers, qpn + 1, none),
                new CmDreq(own + 1, peers, qpn, none),
                new CmDreq(own, peers + 1, qpn, none),
                new CmRej(own + 1, peers, CmRej.OF_OTHER, CmRejReason.CONSUMER_DEFINED, none, none),
                new CmRej(own, peers + 1, CmRej.OF_OTHER, CmRejReason.CONSUMER_DEFINED, none, none),
                new CmRej(0, peers, CmRej.OF_REQ, CmRejReason.CONSUMER_DEFINED, none, none),
                new CmRtu(own + 1, peers, none));
        int answers = network.sent.size();
        for (CmMessage message : rightNumbers) {
            stranger.send(server.address, 1, message);
        }
        network.settle();
        assertThat(network.sent).as("a stranger gets no answer").hasSize(answers + rightNumbers.size());
        for (CmMessage message : wrongNumbers) {
            client.send(server.address, 1, message);
            stranger.send(server.address, 1, message);
        }
        network.settle();
        assertThat(passive.log).containsExactly("ESTABLISHED");
        assertThat(passive.state()).isEqualTo(IbConnectionState.ESTABLISHED);
        active.disconnect();
        network.settle();
        assertThat(passive.log).containsExactly("ESTABLISHED", "DISCONNECTED 0");
    }

    /** What is answered is answered with one datagram of the same length: nobody's traffic is multiplied. */
    @Test
    void noDatagramIsAnsweredWithMoreThanOne() {
        connected();
        CmReq req = network.last(CmReq.class);
        Random random = new Random(1);
        for (int i = 0; i < 500; i++) {
            int before = network.sent.size();
            CmMessage message = switch (i % 6) {
                case 0 ->
                    IbRequests.from(req)
                            .localCommId(random.nextInt())
                            .localQpn(random.nextInt() & 0xFF_FFFF)
                            .build();
                case 1 -> new CmDreq(random.nextInt(), random.nextInt(), 5, CmBytes.EMPTY);
                case 2 ->
                    CmRep.builder()
                            .localCommId(random.nextInt())
                            .remoteCommId(random.nextInt())
                            .build();
                case 3 -> new CmRtu(random.nextInt(), random.nextInt(), CmBytes.EMPTY);
                case 4 -> new CmDrep(random.nextInt(), random.nextInt(), CmBytes.EMPTY);
                default -> new CmMra(random.nextInt(), random.nextInt(), 0, 24, CmBytes.EMPTY);
            };
            stranger.send(server.address, i, message);
            network.settle();
            assertThat(network.sent.size() - before).isLessThanOrEqualTo(2);
        }
        assertThat(listening.requests).hasSize(1);
    }

    /** Wrong versions, class, method and lengths, then every bit of every message turned over: no exception, no connection lost. */
    @Test
    void malformedDatagramsAreDropped() {
        IbEnd active = connected();
        IbEnd passive = listening.last();
        byte[] dreq = new CmMad(
                        1,
                        new CmDreq(
                                network.last(CmRtu.class).localCommId(),
                                network.last(CmRtu.class).remoteCommId(),
                                passive.queuePair.qpNum(),
                                CmBytes.EMPTY))
                .encode();
        int[][] changes = {{0, 2}, {1, 6}, {2, 1}, {3, 0x81}, {3, 0x83}, {3, 1}, {16, 7}, {17, 0x30}};
        for (int[] change : changes) {
            byte[] bad = dreq.clone();
            bad[change[0]] = (byte) change[1];
            server.receive(client.address, bad, network.nowNs());
        }
        for (int length = 0; length < dreq.length; length += 5) {
            server.receive(client.address, Arrays.copyOf(dreq, length), network.nowNs());
        }
        server.receive(client.address, Arrays.copyOf(dreq, 257), network.nowNs());
        network.settle();
        assertThat(passive.log).containsExactly("ESTABLISHED");
        assertThat(active.log).containsExactly("ESTABLISHED");
    }

    @ParameterizedTest
    @CsvSource({"1", "2", "3"})
    void randomChangesOfGoodMessagesDoNoHarm(long seed) {
        connected();
        client.connect(server, 1);
        IbEnd ending = client.connect(server, IbServer.PORT);
        network.settle();
        ending.disconnect();
        network.settle();
        List<IbNetwork.Sent> good = List.copyOf(network.sent);
        Random random = new Random(seed);
        for (int i = 0; i < 3_000; i++) {
            IbNetwork.Sent sent = good.get(random.nextInt(good.size()));
            byte[] bad = sent.mad().clone();
            for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
                bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
            }
            IbHost to = sent.to().equals(server.address) ? server : client;
            to.receive(random.nextBoolean() ? sent.from() : stranger.address, bad, network.nowNs());
            network.step(network.nowNs() + IbNetwork.MS);
            network.sent.clear();
        }
        network.advance(200 * IbNetwork.SECOND);
        IbEnd fresh = client.connect(server, IbServer.PORT);
        network.settle();
        assertThat(fresh.log).containsExactly("ESTABLISHED");
    }

    @Test
    void floodOfRequestsTakesNoMoreThanTheBacklogAndAGoodClientIsServedAfterIt() {
        IbServer slow = new IbServer(server, 9000, 8);
        client.connect(server, 9000);
        CmReq req = network.last(CmReq.class);
        for (int i = 0; i < 5_000; i++) {
            client.send(
                    server.address,
                    i,
                    IbRequests.from(req).localCommId(i).localQpn(i + 2).build());
            network.settle();
            network.sent.clear();
        }
        assertThat(slow.requests).hasSize(8);
        slow.requests.forEach(IbEnd::destroy);
        slow.accepting();
        IbEnd good = client.connect(server, 9000);
        network.settle();
        assertThat(good.log).containsExactly("ESTABLISHED");
    }

    /** Cases B107: what an outsider would have to guess has no pattern, and another seed means other numbers. */
    @Test
    void numbersAreHardToGuess() {
        IbNumbers numbers = new IbNumbers(1, client.address);
        IbNumbers others = new IbNumbers(2, client.address);
        long[] ids = new long[1_000];
        long[] psns = new long[1_000];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = numbers.commId(id -> false);
            psns[i] = numbers.psn();
            assertThat(others.commId(id -> false)).isNotEqualTo((int) ids[i]);
        }
        for (long[] drawn : new long[][] {ids, psns}) {
            assertThat(Arrays.stream(drawn).distinct().count()).isGreaterThan(990);
            long[] strides = new long[drawn.length - 1];
            for (int i = 0; i < strides.length; i++) {
                strides[i] = drawn[i + 1] - drawn[i];
            }
            assertThat(Arrays.stream(strides).distinct().count()).isGreaterThan(990);
        }
        assertThat(numbers.caGuid()).isNotEqualTo(others.caGuid());
        assertThat(new IbNumbers(1, server.address).caGuid()).isNotEqualTo(numbers.caGuid());
    }
}
