package io.jrdma.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.testkit.toy.ToyPair;
import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.MpaOptions;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.WorkCompletion;
import io.jrdma.verbs.spi.StreamConnector;
import io.jrdma.verbs.spi.StreamParameters;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Whole devices of the toy transport on the simulated network. */
class SimStreamTest {
    private static final long SECOND = 1_000_000_000L;

    private static void work(ToyPair pair) {
        for (int i = 0; i < 10; i++) {
            pair.send(i % 3 == 0 ? pair.right : pair.left, i * 1000, i * 97);
            pair.write(i % 2 == 0 ? pair.right : pair.left, 12_000 + i * 1000, 1 + i * 90);
        }
    }

    private static void finish(ToyPair pair) {
        assertThat(pair.simulator.runUntil(() -> pair.once.waiting() == 0, 60 * SECOND))
                .as("%s", pair.once.describe())
                .isTrue();
        pair.once.finish();
        pair.simulator.runFor(SECOND);
        pair.memory.check();
    }

    @Test
    void dataArrivesOnACalmLink() {
        ToyPair pair = ToyPair.connected(1);
        pair.send(pair.left, 100, 50);
        finish(pair);
        assertThat(pair.left.completions).containsExactly("1:SEND:SUCCESS");
        assertThat(pair.right.completions).containsExactly("1:RECV:SUCCESS");
        assertThat(pair.right.bytes(100 + ToyPair.REGION / 2, 50)).isEqualTo(ToyPair.payload(1, 50));
    }

    @Test
    void everySeedDeliversTheSameWhateverTheLinkDoes() {
        for (long seed = 0; seed < 150; seed++) {
            ToyPair pair = new ToyPair(seed);
            SplittableRandom random = pair.simulator.random("options");
            LinkOptions there = LinkOptions.random(random);
            LinkOptions back = LinkOptions.random(random);
            pair.simulator.describe(there + " " + back);
            pair.simulator.network().link((from, to, connection, fromActive) -> fromActive ? there : back);
            pair.start();
            work(pair);
            finish(pair);
            assertThat(pair.left.completions).allMatch(text -> text.endsWith("SUCCESS"));
            assertThat(pair.right.bytes(12_000 + 1000 + ToyPair.REGION / 2, 91)).isNotEqualTo(new byte[91]);
        }
    }

    @Test
    void oneByteAtATimeThroughABufferOfOneByte() {
        ToyPair pair = new ToyPair(3);
        pair.simulator
                .network()
                .link(LinkOptions.builder()
                        .maxSegmentBytes(1)
                        .maxReadBytes(1)
                        .bufferBytes(1)
                        .pollBytes(1)
                        .latencyNs(0, 5_000)
                        .build());
        pair.start();
        work(pair);
        SimStream left = pair.simulator.network().streams().get(0);
        long[] most = {0};
        pair.simulator.add(sim ->
                most[0] = Math.max(most[0], left.out().committed() - left.out().read()));
        finish(pair);
        // one claim may pass the limit, no more: the largest frame of this work
        assertThat(most[0]).isBetween(1L, 1_000L);
    }

    @Test
    void sameSeedGivesTheSameRun() {
        assertThat(hash(5)).isEqualTo(hash(5)).isNotEqualTo(hash(6));
    }

    private static long hash(long seed) {
        ToyPair pair = new ToyPair(seed);
        LinkOptions options = LinkOptions.builder()
                .latencyNs(1_000, 50_000)
                .maxSegmentBytes(30)
                .stalls(100, 1_000_000)
                .build();
        pair.simulator.network().link(options);
        pair.start();
        work(pair);
        finish(pair);
        return pair.simulator.trace().hash();
    }

    @Test
    void stallHoldsUpEverythingBehindItAndKeepsTheOrder() {
        ToyPair pair = ToyPair.connected(1);
        StreamLink link = pair.simulator.network().streams().get(0).out();
        long until = pair.simulator.nowNs() + SECOND;
        link.stallUntil(until);
        pair.send(pair.left, 0, 10);
        pair.simulator.runFor(SECOND / 2);
        assertThat(pair.right.completions).isEmpty();
        pair.simulator.runFor(SECOND);
        assertThat(pair.right.completions).hasSize(1);
    }

    @Test
    void connectionIsResetAtTheChosenByte() {
        for (int at : new int[] {1, 2, 30, 99}) {
            ToyPair pair = new ToyPair(1);
            List<StreamLink> link = new ArrayList<>();
            pair.simulator
                    .network()
                    .link((from, to, connection, fromActive) -> fromActive
                            ? LinkOptions.builder().resetAt(at).maxReadBytes(5).build()
                            : LinkOptions.CALM);
            pair.start();
            link.add(pair.simulator.network().streams().get(0).out());
            for (int i = 0; i < 3; i++) {
                pair.send(pair.left, i * 100, 50);
            }
            pair.simulator.runFor(SECOND);
            assertThat(link.get(0).arrived()).isEqualTo(at);
            assertThat(pair.left.events).containsExactly("established", "disconnected");
            assertThat(pair.right.events).containsExactly("request", "established", "disconnected");
            assertThat(pair.left.queuePair.state()).isEqualTo(QpState.ERROR);
            assertThat(pair.simulator.network().streams()).isEmpty();
            pair.once.finish();
            pair.memory.check();
        }
    }

    @Test
    void senderDiesAtTheChosenByte() {
        for (int at : new int[] {0, 1, 2, 30, 99}) {
            ToyPair pair = new ToyPair(1);
            pair.simulator
                    .network()
                    .link((from, to, connection, fromActive) ->
                            fromActive ? LinkOptions.builder().closeAt(at).build() : LinkOptions.CALM);
            pair.listen();
            pair.connect();
            pair.simulator.runFor(SECOND);
            if (at > 0) {
                pair.send(pair.left, 0, 200);
            }
            pair.simulator.runFor(10 * SECOND);
            assertThat(pair.simulator.network().streams()).as("byte %d", at).isEmpty();
            assertThat(pair.simulator.trace().last(100)).anyMatch(line -> line.contains("died c0> " + at));
            pair.once.finish();
            pair.memory.check();
        }
    }

    @Test
    void chosenByteIsCorruptedAndTheCrcFindsIt() {
        ToyPair pair = new ToyPair(1);
        pair.simulator
                .network()
                .link(LinkOptions.builder().corruptAt(List.of(30L)).build());
        pair.start();
        pair.send(pair.left, 0, 50);
        pair.simulator.runFor(SECOND);
        assertThat(pair.right.completions).containsExactly("1:RECV:WR_FLUSH_ERR");
        assertThat(pair.right.events).endsWith("disconnected");
        assertThat(pair.simulator.trace().last(1_000)).anyMatch(line -> line.contains("corrupt c0> 30"));
    }

    @Test
    void randomCorruptionSparesTheStartUp() {
        ToyPair pair = new ToyPair(1);
        pair.simulator.network().link(LinkOptions.builder().corruption(1000, 1).build());
        pair.start();
        pair.send(pair.left, 0, 50);
        pair.simulator.runFor(SECOND);
        assertThat(pair.left.events).containsExactly("established", "disconnected");
    }

    @Test
    void calmEndsAllTrouble() {
        ToyPair pair = new ToyPair(1);
        pair.simulator
                .network()
                .link(LinkOptions.builder().corruption(1000, 1).resetAt(60).build());
        pair.start();
        pair.simulator.network().calm();
        work(pair);
        finish(pair);
    }

    @Test
    void closeSendsWhatWasPostedThenEndsBothSides() {
        ToyPair pair = ToyPair.connected(1);
        pair.send(pair.left, 0, 5000);
        pair.left.device.driver().call(() -> pair.left.connection.disconnect());
        pair.simulator.runFor(SECOND);
        assertThat(pair.right.completions).containsExactly("1:RECV:SUCCESS");
        assertThat(pair.left.events).containsExactly("established", "disconnected");
        assertThat(pair.right.events).containsExactly("request", "established", "disconnected");
    }

    @Test
    void abortResetsBothSides() {
        ToyPair pair = ToyPair.connected(1);
        pair.left.device.driver().call(() -> pair.left.connection.abort());
        pair.simulator.runFor(SECOND);
        assertThat(pair.left.events).endsWith("disconnected");
        assertThat(pair.right.events).endsWith("disconnected");
    }

    @Test
    void rejectedRequest() {
        ToyPair pair = new ToyPair(1);
        pair.listenAndReject();
        pair.connect();
        pair.simulator.runFor(10 * SECOND);
        assertThat(pair.left.events).containsExactly("rejected");
        assertThat(pair.simulator.network().streams()).isEmpty();
    }

    @Test
    void connectionsThatDoNotComeUp() {
        ToyPair nobody = new ToyPair(1);
        nobody.connect();
        assertThat(nobody.left.events).isEmpty();
        nobody.simulator.runFor(SECOND);
        assertThat(nobody.left.events).containsExactly("failed REFUSED ECONNREFUSED");
        outcome(ConnectRule.Outcome.REFUSED, "failed REFUSED ECONNREFUSED");
        outcome(ConnectRule.Outcome.UNREACHABLE, "failed UNREACHABLE EHOSTUNREACH");
        outcome(ConnectRule.Outcome.TIMEOUT, "failed UNREACHABLE ETIMEDOUT");
    }

    private static void outcome(ConnectRule.Outcome outcome, String event) {
        ToyPair pair = new ToyPair(1);
        pair.listen();
        pair.simulator.network().connecting((from, to, connection) -> outcome);
        pair.connect();
        pair.simulator.runFor(31 * SECOND);
        assertThat(pair.left.events).containsExactly(event);
    }

    @Test
    void backlogIsABound() {
        ToyPair pair = new ToyPair(1);
        pair.listenOnly();
        pair.connect();
        RdmaDevice device = pair.left.device;
        ToyPair.Side third = pair.left;
        device.driver()
                .call(() -> device.driver()
                        .streams()
                        .connect(
                                null,
                                new InetSocketAddress(pair.right.host.address(), ToyPair.PORT),
                                third.queuePair.core(),
                                new StreamParameters(MpaOptions.RECOMMENDED, 0, 0, new byte[0]),
                                third));
        pair.simulator.runFor(31 * SECOND);
        assertThat(pair.right.events).containsExactly("request");
        assertThat(pair.left.events).containsExactly("failed UNREACHABLE ETIMEDOUT");
    }

    @Test
    void abortBeforeTheStreamIsUp() {
        ToyPair pair = new ToyPair(1);
        pair.listen();
        pair.connect();
        pair.left.device.driver().call(() -> pair.left.connection.abort());
        pair.simulator.runFor(SECOND);
        assertThat(pair.left.events).containsExactly("failed ERROR ECONNRESET");
        assertThat(pair.simulator.network().streams()).isEmpty();
    }

    @Test
    void addressesAreCheckedAsASystemDoes() {
        ToyPair pair = new ToyPair(1);
        StreamConnector right = pair.right.device.driver().streams();
        pair.listenOnly();
        refused(() -> listen(right, new InetSocketAddress(pair.right.host.address(), ToyPair.PORT)), Errno.EADDRINUSE);
        refused(
                () -> listen(right, new InetSocketAddress(InetAddress.ofLiteral("0.0.0.0"), ToyPair.PORT)),
                Errno.EADDRINUSE);
        refused(() -> listen(right, new InetSocketAddress(pair.left.host.address(), 0)), Errno.EADDRNOTAVAIL);
        refused(
                () -> RdmaDevice.open(
                        Transport.IWARP, pair.left.host.address(), DeviceOptions.DEFAULT.withDriver(pair.right.host)),
                Errno.EADDRNOTAVAIL);
        assertThat(listen(right, new InetSocketAddress(pair.right.host.address(), 0))
                        .getPort())
                .isGreaterThanOrEqualTo(49_152);
        assertThat(pair.left.host.localAddressFor(pair.right.host.address())).isEqualTo(pair.left.host.address());
        refused(() -> pair.left.host.localAddressFor(InetAddress.ofLiteral("::1")), Errno.ENETUNREACH);
        assertThatThrownBy(() -> pair.simulator.host("again", "10.0.0.1")).hasMessageContaining("is taken by left");
    }

    private static InetSocketAddress listen(StreamConnector streams, InetSocketAddress at) {
        return streams.listen(at, 1, MpaOptions.RECOMMENDED, connection -> {
                    throw new AssertionError("nobody comes");
                })
                .localAddress();
    }

    private static void refused(ThrowingCallable call, Errno errno) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }

    /** Calls that wait move the time, and calls that only look cost a little of it. */
    @Test
    void blockingCallsDriveTheSimulation() throws InterruptedException {
        ToyPair pair = ToyPair.connected(1);
        var channel = pair.left.device.createCompletionChannel();
        long before = pair.simulator.nowNs();
        assertThat(channel.await(Duration.ofSeconds(3))).isNull();
        assertThat(pair.simulator.nowNs()).isEqualTo(before + 3 * SECOND);
        assertThat(channel.await(Duration.ZERO)).isNull();
        WorkCompletion[] holders = {new WorkCompletion()};
        int looks = 0;
        var queue = pair.left.device.createCompletionQueue(10);
        while (queue.poll(holders) == 0 && looks < 100) {
            looks++;
        }
        assertThat(pair.simulator.nowNs()).isEqualTo(before + 3 * SECOND + 102 * SimDriver.LOOK_NS);
        assertThatThrownBy(() -> channel.await(Duration.ofSeconds(Long.MAX_VALUE)))
                .isInstanceOf(SimFailure.class)
                .hasMessageContaining("left.0 waits for ever and nothing is going to happen");
    }

    @Test
    void closingADeviceEndsItsStreamsAndTheProgram() throws InterruptedException {
        ToyPair pair = ToyPair.connected(1);
        StreamConnector streams = pair.left.device.driver().streams();
        pair.left.close();
        pair.left.close();
        refused(() -> listen(streams, new InetSocketAddress(pair.left.host.address(), 0)), Errno.ENODEV);
        assertThat(pair.simulator.runUntilIdle(10 * SECOND)).isTrue();
        assertThat(pair.right.events).endsWith("disconnected");
        assertThat(pair.simulator.network().streams()).isEmpty();
        assertThatThrownBy(() -> pair.left.queuePair.postSend(new SendWr())).hasMessageContaining("ENODEV");
        assertThatThrownBy(() -> pair.left.device.driver().call(() -> {})).hasMessageContaining("ENODEV");
        pair.right.queuePair.postReceive(new RecvWr().id(5));
        pair.once.postedReceive("right", pair.right.queuePair.qpNum(), 5);
        finish(pair);
        assertThat(pair.right.completions).containsExactly("5:RECV:WR_FLUSH_ERR");
    }
}
