package io.jrdma.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.testkit.toy.ToyDatagramPair;
import io.jrdma.verbs.AddressVector;
import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.QpAttributes;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.RdmaDevice;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import io.jrdma.verbs.spi.ManagementListener;
import io.jrdma.verbs.spi.ManagementPort;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Whole devices of the toy transport on simulated datagrams. */
class SimDatagramsTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    void dataArrivesOnACalmPath() {
        ToyDatagramPair pair = new ToyDatagramPair(1);
        pair.send(pair.left, 1000);
        pair.finish(SECOND);
        assertThat(pair.left.completions).containsExactly("1:SEND:SUCCESS");
        assertThat(pair.right.completions).containsExactly("1:RECV:SUCCESS");
        // four packets in one train there, one acknowledgement back
        assertThat(pair.there().sent()).isEqualTo(4);
        assertThat(pair.back().sent()).isEqualTo(1);
        assertThat(pair.simulator.trace().last(50)).anyMatch(line -> line.contains("send 10.0.0.1>10.0.0.2 0 1064 "));
    }

    @Test
    void version6() {
        ToyDatagramPair pair = new ToyDatagramPair(new Simulator(1), PortOptions.CALM, "fd00::1", "fd00::2");
        pair.work();
        pair.finish(SECOND);
        assertThat(pair.datagrams().count(DatagramFault.BAD_ICRC)).isZero();
    }

    @Test
    void everySeedDeliversTheSameWhateverThePathDoes() {
        Map<DatagramFault, Long> seen = new EnumMap<>(DatagramFault.class);
        for (long seed = 0; seed < 60; seed++) {
            ToyDatagramPair pair = wild(seed);
            pair.finish(600 * SECOND);
            assertThat(pair.left.completions).allMatch(text -> text.endsWith("SUCCESS"));
            for (DatagramFault fault : DatagramFault.values()) {
                seen.merge(fault, pair.datagrams().count(fault), Long::sum);
            }
        }
        for (DatagramFault fault : List.of(
                DatagramFault.LOST,
                DatagramFault.DUPLICATED,
                DatagramFault.REORDERED,
                DatagramFault.CORRUPTED,
                DatagramFault.BAD_ICRC,
                DatagramFault.QUEUE_FULL,
                DatagramFault.MARKED)) {
            assertThat(seen.get(fault)).as("%s", fault).isGreaterThan(10);
        }
    }

    private static ToyDatagramPair wild(long seed) {
        Simulator simulator = new Simulator(seed);
        SplittableRandom random = simulator.random("options");
        DatagramOptions there = DatagramOptions.random(random);
        DatagramOptions back = DatagramOptions.random(random);
        PortOptions ports = PortOptions.random(random, 1500);
        simulator.describe(there + " " + back + " " + ports);
        ToyDatagramPair pair = new ToyDatagramPair(simulator, ports);
        pair.datagrams().options((from, to) -> from.equals(pair.left.host.address()) ? there : back);
        pair.work();
        return pair;
    }

    @Test
    void sameSeedGivesTheSameRun() {
        for (long seed = 0; seed < 10; seed++) {
            assertThat(hash(seed)).isEqualTo(hash(seed)).isNotEqualTo(hash(seed + 1));
        }
    }

    private static long hash(long seed) {
        ToyDatagramPair pair = wild(seed);
        pair.finish(600 * SECOND);
        return pair.simulator.trace().hash();
    }

    @Test
    void calmEndsAllTroubleAndEveryRule() {
        ToyDatagramPair pair = new ToyDatagramPair(1);
        pair.datagrams()
                .options(DatagramOptions.builder()
                        .loss(1000)
                        .partition(0, Long.MAX_VALUE)
                        .build());
        pair.datagrams().rule(datagram -> DatagramFate.DROP);
        pair.work();
        pair.simulator.runFor(SECOND);
        assertThat(pair.once.waiting()).isEqualTo(30);
        pair.simulator.network().calm();
        pair.finish(SECOND);
        assertThat(pair.there().options().lossPerMille()).isZero();
    }

    @Test
    void tightSinkAndSmallTrainsAreNoObstacle() {
        PortOptions ports = PortOptions.builder()
                .maxSegments(1)
                .sink(1, 10_000)
                .refusals(500)
                .pollBytes(1)
                .build();
        ToyDatagramPair pair = new ToyDatagramPair(new Simulator(1), ports);
        pair.work();
        pair.finish(10 * SECOND);
        assertThat(pair.simulator.trace().last(4096)).noneMatch(line -> line.contains("send 10") && isAbove(line, 300));
    }

    private static boolean isAbove(String line, int bytes) {
        return Integer.parseInt(line.split(" ")[4]) > bytes;
    }

    @Test
    void managementDatagramsGoBothWays() {
        ToyDatagramPair pair = new ToyDatagramPair(1);
        Mads left = new Mads();
        Mads right = new Mads();
        attach(pair.left.device, left);
        ManagementPort port = attach(pair.right.device, right);
        assertThat(port.localAddress()).isEqualTo(pair.right.host.address());
        pair.left
                .device
                .driver()
                .call(() -> pair.left
                        .device
                        .driver()
                        .management()
                        .send(pair.right.host.address(), new byte[ManagementPort.MAD_BYTES]));
        pair.right.device.driver().call(() -> port.deadline(pair.simulator.nowNs() + 5_000));
        pair.simulator.runFor(SECOND);
        assertThat(right.seen).containsExactly("timeout@5000", "10.0.0.1:256@10000");
        pair.right.close();
        assertThat(right.seen).endsWith("closed");
        assertThat(left.seen).isEmpty();
        assertThatThrownBy(() -> pair.left.device.driver().streams()).hasMessageContaining("EOPNOTSUPP");
    }

    private static ManagementPort attach(RdmaDevice device, ManagementListener listener) {
        ManagementPort[] port = new ManagementPort[1];
        device.driver().call(() -> {
            port[0] = device.driver().management();
            assertThat(port[0].attach(() -> listener)).isSameAs(listener);
        });
        return port[0];
    }

    private static final class Mads implements ManagementListener {
        final List<String> seen = new ArrayList<>();

        @Override
        public void onDatagram(InetAddress from, MemorySegment segment, long offset, int length, long nowNs) {
            assertThat(segment.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE))
                    .isEqualTo(new byte[length]);
            seen.add(from.getHostAddress() + ":" + length + "@" + (nowNs - SECOND));
        }

        @Override
        public void onCommunicationEstablished(int qpNum, long nowNs) {}

        @Override
        public void onQueuePairFault(int qpNum, long nowNs) {}

        @Override
        public void onTimeout(long nowNs) {
            seen.add("timeout@" + (nowNs - SECOND));
        }

        @Override
        public void onClosed(long nowNs) {
            seen.add("closed");
        }
    }

    @Test
    void addressesAreCheckedAsASystemDoes() {
        ToyDatagramPair pair = new ToyDatagramPair(1);
        SimHost host = pair.left.host;
        refused(() -> open(host, host.address()), Errno.EADDRINUSE);
        refused(() -> open(host, pair.right.host.address()), Errno.EADDRNOTAVAIL);
        refused(() -> open(host, InetAddress.ofLiteral("0.0.0.0")), Errno.EADDRNOTAVAIL);
        pair.left.close();
        pair.left.close();
        RdmaDevice again = open(host, host.address());
        assertThat(again.port().interfaceMtu()).isEqualTo(1500);
        refused(() -> toReadyToReceive(again, "fd00::2"), Errno.EINVAL);
        refused(() -> toReadyToReceive(again, "0.0.0.0"), Errno.ENETUNREACH);
        toReadyToReceive(again, "10.9.9.9");
    }

    private static void toReadyToReceive(RdmaDevice device, String address) {
        var queuePair = device.allocateProtectionDomain()
                .createQueuePair(
                        QueuePairOptions.rc(device.createCompletionQueue(1)).withInlineData(0));
        queuePair.modify(QpAttributes.builder()
                .state(QpState.INIT)
                .pKeyIndex(0)
                .port(1)
                .access(Set.of())
                .build());
        queuePair.modify(QpAttributes.builder()
                .state(QpState.RTR)
                .addressVector(AddressVector.to(InetAddress.ofLiteral(address)))
                .pathMtu(256)
                .destQpNum(1)
                .rqPsn(0)
                .maxDestRdAtomic(1)
                .minRnrTimer(1)
                .build());
    }

    private static RdmaDevice open(SimHost host, InetAddress address) {
        return RdmaDevice.open(Transport.ROCE_V2, address, DeviceOptions.DEFAULT.withDriver(host));
    }

    private static void refused(ThrowingCallable call, Errno errno) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @Test
    void closedDeviceHearsNothingAnyMore() {
        ToyDatagramPair pair = new ToyDatagramPair(1);
        pair.send(pair.left, 10);
        pair.simulator.runFor(5_000);
        pair.right.close();
        pair.simulator.runFor(SECOND);
        assertThat(pair.there().count(DatagramFault.NO_PORT)).isGreaterThan(100);
        assertThat(pair.there().arrived()).isZero();
        assertThat(pair.once.waiting()).isEqualTo(2);
    }
}
