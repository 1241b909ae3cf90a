package io.jrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.netty.UdpCounters.Counter;
import io.jrdma.testing.Satisfies;
import io.jrdma.wire.ib.Icrc;
import io.jrdma.wire.ib.IcrcPath;
import io.jrdma.wire.ib.RoceV2Packet;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What strangers may send: it is counted and dropped, or taken, whatever the port it came from. */
class UdpFaultTest {
    static Stream<UdpRig.Way> drivers() {
        return UdpRig.drivers();
    }

    static Stream<UdpRig.Way> everyFamily() {
        return UdpRig.ways().filter(way -> way.driving() == DriverPair.Driving.AUTOMATIC);
    }

    /** A plain socket that sends to a device what it likes. */
    private static final class Stranger implements AutoCloseable {
        private final DatagramChannel channel;
        private final UdpRig.Side device;
        private final InetSocketAddress self;

        Stranger(UdpRig.Side device, InetAddress from) throws IOException {
            this.device = device;
            channel = DatagramChannel.open(
                    from.getAddress().length == 4 ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6);
            channel.bind(new InetSocketAddress(from, 0));
            self = (InetSocketAddress) channel.getLocalAddress();
        }

        void send(byte[] bytes) throws IOException {
            channel.send(ByteBuffer.wrap(bytes), new InetSocketAddress(device.address, device.options.rocePort()));
        }

        /** A data packet of the toy engine with a right ICRC. */
        byte[] packet(int bytes, int number, int identification) {
            MemorySegment segment = MemorySegment.ofArray(new byte[bytes]);
            DatagramEngine.fillOne(segment, 0, bytes, number);
            IcrcPath path = IcrcPath.of(
                    self.getAddress().getAddress(),
                    self.getPort(),
                    device.address.getAddress(),
                    device.options.rocePort());
            new Icrc().seal(path, segment, 0, bytes, identification);
            return (byte[]) segment.heapBase().orElseThrow();
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    private static InetAddress stranger(UdpRig.Way way) {
        return UdpRig.address(way.ipv6() ? "::1" : "127.0.0.4");
    }

    @ParameterizedTest
    @MethodSource("drivers")
    void aPacketIsTakenWhateverItsIdentificationAndPort(UdpRig.Way way) throws Exception {
        try (UdpRig rig = new UdpRig(way);
                Stranger one = new Stranger(rig.left, stranger(way));
                Stranger other = new Stranger(rig.left, stranger(way))) {
            int number = 0;
            for (int identification : new int[] {0, 1, 2, 0x1234, 0x8000, 0xFFFF}) {
                one.send(one.packet(64, number++, identification));
                other.send(other.packet(1040, number++, identification));
            }
            rig.until(() -> rig.left.engine.received == 12);
            assertThat(rig.left.count(Counter.BAD_ICRC)).isZero();
        }
    }

    @Satisfies("IBTA-A17-4")
    @ParameterizedTest
    @MethodSource("everyFamily")
    void aPacketWithOneWrongBitIsCountedAndDropped(UdpRig.Way way) throws Exception {
        try (UdpRig rig = new UdpRig(way);
                Stranger stranger = new Stranger(rig.left, stranger(way))) {
            int bad = 0;
            for (int bit = 0; bit < 8 * 64; bit++) {
                byte[] packet = stranger.packet(64, 0, 0);
                packet[bit / 8] ^= (byte) (1 << bit % 8);
                // byte 4 of the BTH may change on the way
                if (bit / 8 != 4) {
                    stranger.send(packet);
                    bad++;
                    if (bad % 32 == 0) {
                        long expected = bad;
                        rig.until(() -> rig.left.count(Counter.BAD_ICRC) == expected);
                    }
                }
            }
            stranger.send(stranger.packet(64, 7, 0));
            rig.until(() -> rig.left.engine.received == 1);
            assertThat(rig.left.count(Counter.BAD_ICRC)).isEqualTo(bad);
            assertThat(rig.left.engine.seen.get(7)).isTrue();
            assertThat(RecordedLog.take()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("everyFamily")
    void runtsOddLengthsAndGiantsAreCountedAndDropped(UdpRig.Way way) throws Exception {
        try (UdpRig rig = new UdpRig(way);
                Stranger stranger = new Stranger(rig.left, stranger(way))) {
            int malformed = 0;
            for (int length : new int[] {0, 1, 2, 3, 4, 8, 12, 13, 15, 17, 18, 19, 61, 4095}) {
                stranger.send(new byte[length]);
                malformed++;
            }
            for (int length : new int[] {RoceV2Packet.MAX_LENGTH + 4, 8188, 8192, 8196, 20_000, 65_000}) {
                stranger.send(new byte[length]);
                malformed++;
            }
            stranger.send(stranger.packet(64, 7, 0));
            rig.until(() -> rig.left.engine.received == 1);
            assertThat(rig.left.count(Counter.MALFORMED)).isEqualTo(malformed);
            assertThat(rig.left.count(Counter.BAD_ICRC)).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("drivers")
    void randomDatagramsHarmNothing(UdpRig.Way way) throws Exception {
        Random random = new Random(1);
        try (UdpRig rig = new UdpRig(way);
                Stranger stranger = new Stranger(rig.left, stranger(way))) {
            rig.right.engine.window(8);
            rig.right.send(rig.left.address, 2_000, 512, 512, 8);
            for (int i = 0; i < 2_000; i++) {
                byte[] bytes = new byte[1 + random.nextInt(200)];
                random.nextBytes(bytes);
                // one of 65536 has a right ICRC by chance: the engine shall not take it for one of its own
                bytes[0] = 'X';
                stranger.send(bytes);
                if (i % 16 == 15) {
                    // so that the socket, which both share, does not overflow
                    long handled = i + 1;
                    rig.until(() -> rig.left.count(Counter.MALFORMED)
                                    + rig.left.count(Counter.BAD_ICRC)
                                    + rig.left.engine.unknown
                            == handled);
                }
            }
            rig.until(() -> rig.right.engine.acknowledged == 2_000);
            assertThat(rig.left.engine.seen.cardinality()).isEqualTo(2_000);
            assertThat(RecordedLog.take()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("drivers")
    void aFloodOfSendersDoesNotDriveAPeerOut(UdpRig.Way way) throws Exception {
        try (UdpRig rig = new UdpRig(way)) {
            rig.left.send(rig.right.address, 1, 64, 64, 1);
            rig.until(() -> rig.left.engine.acknowledged == 1);
            int peer = rig.left.engine.peer();
            int senders = SourceTable.MAX_UNHELD + 200;
            for (int i = 0; i < senders; i++) {
                InetAddress from = UdpRig.address("127.1." + i / 200 + "." + (i % 200 + 1));
                try (Stranger stranger = new Stranger(rig.left, from)) {
                    stranger.send(new byte[8]);
                }
                long expected = i + 1;
                if (i % 16 == 0) {
                    rig.until(() -> rig.left.count(Counter.MALFORMED) == expected);
                }
            }
            rig.until(() -> rig.left.count(Counter.MALFORMED) == senders);
            rig.left.driver.call(() -> {
                assertThat(rig.left.port().sources().known()).isEqualTo(SourceTable.MAX_UNHELD + 1);
                assertThat(rig.left.port().address(rig.left.port().source(peer)))
                        .isEqualTo(rig.right.address);
            });
            assertThat(rig.left.count(Counter.SOURCES_EVICTED)).isEqualTo(200);
            rig.left.send(rig.right.address, 10, 64, 64, 1);
            rig.until(() -> rig.left.engine.acknowledged == 11);
        }
    }

    @ParameterizedTest
    @MethodSource("everyFamily")
    void theBatchDriverSeesTheTrafficClassAndWhetherASwitchMarkedAPacket(UdpRig.Way way) throws Exception {
        try (UdpRig rig = new UdpRig(way);
                Stranger stranger = new Stranger(rig.left, stranger(way))) {
            int number = 0;
            // 3: congestion experienced (RFC 3168)
            for (int trafficClass : new int[] {0, 1, 2, 3, 0x68 | 3, 0x68}) {
                stranger.channel.setOption(StandardSocketOptions.IP_TOS, trafficClass);
                stranger.send(stranger.packet(64, number++, 0));
            }
            rig.until(() -> rig.left.engine.received == 6);
            int[] told = way.io() == UdpIo.BATCH ? new int[] {0, 1, 2, 3, 0x68, 0x6B} : new int[] {0};
            assertThat(rig.left.engine.trafficClasses.stream())
                    .containsExactly(Arrays.stream(told).boxed().toArray(Integer[]::new));
        }
    }

    /** A packet from 127.0.0.2 to another network has no way out. */
    @ParameterizedTest
    @MethodSource("drivers")
    void whatCannotBeSentIsCountedAndTheRestIsSent(UdpRig.Way way) throws Exception {
        try (UdpRig rig = new UdpRig(way)) {
            rig.left.driver.call(() -> {
                UdpPort port = rig.left.port();
                // TEST-NET-2 (RFC 5737), past the check of pin
                int nowhere = port.paths().pin(UdpRig.address("198.51.100.1"), 0, 64);
                UdpSendQueue queue = port.queue();
                for (int segments : new int[] {1, 5}) {
                    assertThat(queue.tryClaim(nowhere, 64, segments)).isTrue();
                    queue.commit(64 * segments);
                }
                rig.left.engine.send(rig.right.address, 20, 64, 64, 4);
            });
            rig.until(() -> rig.left.engine.acknowledged == 20);
            assertThat(rig.left.count(Counter.SEND_FAILED)).isEqualTo(6);
            assertThat(rig.left.count(Counter.SENT)).isEqualTo(20);
            rig.left.driver.call(() -> assertThat(rig.left.port().sendsTrains()).isEqualTo(way.io() == UdpIo.BATCH));
        }
    }
}
