package io.jrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.netty.UdpCounters.Counter;
import io.jrdma.verbs.AddressVector;
import io.jrdma.verbs.DeviceOptions;
import io.jrdma.verbs.DeviceOptions.Progress;
import io.jrdma.verbs.Errno;
import io.jrdma.verbs.Transport;
import io.jrdma.verbs.VerbsException;
import io.jrdma.wire.ib.RoceV2Packet;
import java.net.InetAddress;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What every UDP driver does: packets of the engine go to the peer's engine whole and unchanged. */
class UdpPortTest {
    static Stream<UdpRig.Way> ways() {
        return UdpRig.ways();
    }

    static Stream<UdpRig.Way> drivers() {
        return UdpRig.drivers();
    }

    /** Sends a number of packets and waits until the peer has them all, and says so. */
    private static void transfer(UdpRig rig, long packets, int bytes, int lastBytes, int perTrain) {
        long before = rig.right.engine.received;
        rig.left.send(rig.right.address, packets, bytes, lastBytes, perTrain);
        rig.until(() -> rig.right.engine.received == before + packets
                && rig.left.engine.acknowledged == rig.right.engine.received);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void packetsOfEverySizeArriveUnchanged(UdpRig.Way way) throws Exception {
        try (UdpRig rig = new UdpRig(way)) {
            rig.left.engine.window(16);
            for (int bytes : new int[] {16, 20, 64, 1036, 1040, 2064, 4112, RoceV2Packet.MAX_LENGTH}) {
                transfer(rig, 40, bytes, bytes, 7);
            }
            assertThat(rig.right.engine.seen.cardinality()).isEqualTo(8 * 40);
            assertThat(rig.left.count(Counter.SENT)).isEqualTo(8 * 40);
            assertThat(rig.right.count(Counter.RECEIVED)).isEqualTo(8 * 40);
            assertThat(rig.right.count(Counter.BAD_ICRC)).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void trainsOfEveryLengthWithAShorterEndArriveUnchanged(UdpRig.Way way) throws Exception {
        try (UdpRig rig = new UdpRig(way)) {
            rig.left.engine.window(64);
            long total = 0;
            for (int packets = 1; packets <= 64; packets++) {
                transfer(rig, packets, 272, 16 + 4 * packets % 256, packets);
                total += packets;
            }
            transfer(rig, 15, 4112, 2064, 15);
            assertThat(rig.right.engine.seen.cardinality()).isEqualTo((int) total + 15);
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aLongTransferUnderAWindowLosesNothing(UdpRig.Way way) throws Exception {
        try (UdpRig rig = new UdpRig(way)) {
            rig.left.engine.window(16);
            transfer(rig, 5_000, 1040, 1040, 64);
            assertThat(rig.right.engine.seen.cardinality()).isEqualTo(5_000);
        }
    }

    @ParameterizedTest
    @MethodSource("drivers")
    void aDeviceCanSendToItself(UdpRig.Way way) throws Exception {
        try (UdpRig rig = new UdpRig(way)) {
            rig.left.send(rig.left.address, 100, 528, 528, 10);
            rig.until(() -> rig.left.engine.received == 100 && rig.left.engine.acknowledged == 100);
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void theEngineIsCalledAtItsDeadlineNotBefore(UdpRig.Way way) throws Exception {
        try (UdpRig rig = new UdpRig(way)) {
            long[] due = new long[1];
            rig.left.driver.call(() -> {
                due[0] = DriverLoop.nowNs() + 20_000_000;
                rig.left.engine.deadline(due[0]);
            });
            rig.until(() -> rig.left.engine.timeouts == 1);
            assertThat(DriverLoop.nowNs() - due[0]).isNotNegative();
            rig.left.driver.call(() -> rig.left.engine.deadline(DriverLoop.nowNs()));
            rig.until(() -> rig.left.engine.timeouts == 2);
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aPortCanBeClosedInTheMiddleOfATransfer(UdpRig.Way way) throws Exception {
        try (UdpRig rig = new UdpRig(way)) {
            rig.left.engine.window(8);
            rig.left.send(rig.right.address, 1_000_000, 1040, 1040, 8);
            rig.until(() -> rig.right.engine.received > 500);
            rig.left.close();
            assertThat(rig.left.engine.inputs).containsExactly("onOpen", "onClosed");
            long received = rig.left.engine.ackedPackets;
            rig.right.close();
            assertThat(rig.left.engine.ackedPackets).isEqualTo(received);
            rig.left.close();
        }
    }

    @ParameterizedTest
    @MethodSource("drivers")
    void aPortInUseIsNamedWithItsAddress(UdpRig.Way way) throws Exception {
        try (UdpRig rig = new UdpRig(way)) {
            int port = rig.left.options.rocePort();
            assertThatThrownBy(() -> new UdpRig.Side(rig.left.options, Progress.AUTOMATIC, rig.left.address).close())
                    .isInstanceOfSatisfying(
                            VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EADDRINUSE))
                    .hasMessageContaining("127.0.0.2")
                    .hasMessageContaining(Integer.toString(port));
        }
    }

    @ParameterizedTest
    @MethodSource("drivers")
    void theWildcardAddressIsRefused(UdpRig.Way way) {
        NettyDriverProvider provider = new NettyDriverProvider(way.options().build());
        for (String wildcard : new String[] {"0.0.0.0", "::"}) {
            assertThatThrownBy(() -> provider.open(Transport.ROCE_V2, UdpRig.address(wildcard), DeviceOptions.DEFAULT))
                    .isInstanceOfSatisfying(
                            VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
                    .hasMessageContaining("ICRC");
        }
    }

    @ParameterizedTest
    @MethodSource("drivers")
    void pathsAreOfTheFamilyOfThePortAndReachable(UdpRig.Way way) throws Exception {
        try (UdpRig rig = new UdpRig(way)) {
            rig.left.driver.call(() -> {
                assertThat(rig.left.engine.port.localAddress()).isEqualTo(rig.left.address);
                assertThat(rig.left.engine.port.interfaceMtu()).isBetween(576, 1 << 20);
                assertThat(rig.left.engine.port.receiveBufferBytes()).isGreaterThanOrEqualTo(64 << 10);
                assertPinFails(rig, "::1", Errno.EINVAL);
                assertPinFails(rig, "0.0.0.0", Errno.EINVAL);
                assertPinFails(rig, "224.0.0.1", Errno.EINVAL);
                // nobody may send to all hosts who has not asked for it
                assertPinFails(rig, "255.255.255.255", Errno.ENETUNREACH);
                InetAddress peer = UdpRig.address("127.0.0.9");
                int id = rig.left.engine.port.pin(AddressVector.to(peer));
                assertThat(rig.left.engine.port.pin(AddressVector.to(peer))).isEqualTo(id);
                assertThat(rig.left.engine.port.address(rig.left.engine.port.source(id)))
                        .isEqualTo(peer);
                rig.left.engine.port.unpin(id);
                rig.left.engine.port.unpin(id);
                assertThatThrownBy(() -> rig.left.engine.port.unpin(id)).isInstanceOf(VerbsException.class);
                assertThatThrownBy(() -> rig.left.engine.port.source(id)).isInstanceOf(VerbsException.class);
            });
        }
    }

    /** One that the packets of connection management do not fit: nothing would ever arrive. */
    @Test
    void interfaceOfATinyMtuIsRefused() {
        InetAddress address = UdpRig.address("127.0.0.1");
        assertThat(UdpPort.checkMtu(address, 352)).isEqualTo(352);
        assertThatThrownBy(() -> UdpPort.checkMtu(address, 351))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("the interface with 127.0.0.1 has an MTU of 351; RoCE needs 352 or more");
    }

    private static void assertPinFails(UdpRig rig, String peer, Errno errno) {
        assertThatThrownBy(() -> rig.left.engine.port.pin(AddressVector.to(UdpRig.address(peer))))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @ParameterizedTest
    @MethodSource("drivers")
    void anEngineThatThrowsLosesItsPortAndNothingElse(UdpRig.Way way) throws Exception {
        for (String where : new String[] {"onPacket", "pollTransmit", "onTimeout"}) {
            try (UdpRig rig = new UdpRig(way)) {
                rig.right.engine.throwsIn = where;
                rig.right.driver.call(() -> rig.right.engine.deadline(DriverLoop.nowNs()));
                rig.left.send(rig.right.address, 10, 64, 64, 10);
                rig.until(() -> rig.right.engine.inputs.contains("onClosed"));
                rig.right.driver.call(() -> {});
                assertThat(RecordedLog.take()).singleElement().asString().contains("failed, and is closed", where);
            }
        }
    }

    /** In manual mode: at once, or with the next call of the program, which may have posted an answer by then. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatAMessageMakesDueGoesOutAtOnceOrWithTheNextPoll(boolean withNextPoll) {
        InetAddress here = UdpRig.address("127.0.0.4");
        InetAddress there = UdpRig.address("127.0.0.5");
        int port = UdpRig.freePort(here, there);
        NettyOptions.Builder options = NettyOptions.builder().rocePort(port).rocePeerPort(port);
        try (UdpRig.Side sender = new UdpRig.Side(options.build(), Progress.MANUAL, here);
                UdpRig.Side receiver =
                        new UdpRig.Side(options.sendWithNextPoll(withNextPoll).build(), Progress.MANUAL, there)) {
            sender.send(there, 1, 64, 64, 1);
            while (receiver.engine.received == 0) {
                receiver.driver.progress(1_000_000);
            }
            assertThat(receiver.count(Counter.SENT)).isEqualTo(withNextPoll ? 0 : 1);
            receiver.driver.progress(0);
            assertThat(receiver.count(Counter.SENT)).isEqualTo(1);
        }
    }
}
