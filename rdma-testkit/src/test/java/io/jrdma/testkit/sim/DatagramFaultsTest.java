package io.jrdma.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.testkit.toy.ToyDatagramPair;
import io.jrdma.wire.ib.Bth;
import io.jrdma.wire.ib.IbOpcode;
import io.jrdma.wire.ib.RoceV2Head;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each fault of {@link DatagramOptions}, {@link PortOptions} and {@link DatagramRule} by itself. */
class DatagramFaultsTest {
    private static final long SECOND = 1_000_000_000L;

    private static ToyDatagramPair pair(DatagramOptions there) {
        return pair(there, PortOptions.CALM);
    }

    private static ToyDatagramPair pair(DatagramOptions there, PortOptions ports) {
        ToyDatagramPair pair = new ToyDatagramPair(new Simulator(1), ports);
        pair.there().options(there);
        return pair;
    }

    /** So many acknowledgements nobody waits for, each of a packet of 20 bytes behind the UDP header. */
    private static void inject(ToyDatagramPair pair, int count) {
        byte[] packet = new byte[20];
        for (int i = 0; i < count; i++) {
            RoceV2Head.putAeth(
                    MemorySegment.ofArray(packet), 0, IbOpcode.ACKNOWLEDGE, 0, 0, Bth.DEFAULT_P_KEY, 0xABC, i, 0x1F, 0);
            pair.datagrams().inject(pair.left.host.address(), pair.right.host.address(), packet, true);
        }
    }

    @Test
    void loss() {
        ToyDatagramPair pair = pair(DatagramOptions.builder().loss(200).build());
        inject(pair, 2000);
        pair.simulator.runFor(SECOND);
        assertThat(pair.there().count(DatagramFault.LOST)).isBetween(300L, 500L);
        assertThat(pair.there().arrived() + pair.there().count(DatagramFault.LOST))
                .isEqualTo(2000);
    }

    @Test
    void duplicates() {
        ToyDatagramPair pair =
                pair(DatagramOptions.builder().duplicates(200, 50_000).build());
        inject(pair, 2000);
        pair.simulator.runFor(SECOND);
        long twice = pair.there().count(DatagramFault.DUPLICATED);
        assertThat(twice).isBetween(300L, 500L);
        assertThat(pair.there().arrived()).isEqualTo(2000 + twice);
    }

    private static List<Long> order(ToyDatagramPair pair) {
        List<Long> numbers = new ArrayList<>();
        for (String line : pair.simulator.trace().last(4096)) {
            String[] words = line.split(" ");
            if (words[1].equals("packet")) {
                numbers.add(Long.valueOf(words[3]));
            }
        }
        return numbers;
    }

    @Test
    void jitterKeepsTheOrderAndReorderingDoesNot() {
        ToyDatagramPair jitter =
                pair(DatagramOptions.builder().latencyNs(0, 1_000_000).build());
        inject(jitter, 500);
        jitter.simulator.runFor(SECOND);
        assertThat(order(jitter)).hasSize(500).isSorted();
        ToyDatagramPair reordering =
                pair(DatagramOptions.builder().reordering(100, 1_000).build());
        inject(reordering, 500);
        reordering.simulator.runFor(SECOND);
        assertThat(reordering.there().count(DatagramFault.REORDERED)).isBetween(25L, 75L);
        List<Long> order = order(reordering);
        assertThat(order).hasSize(500).doesNotHaveDuplicates();
        assertThat(order).isNotEqualTo(order.stream().sorted().toList());
    }

    /** The ICRC finds every flipped bit that it covers: all but the eight with FECN and BECN, which routers may change. */
    @Test
    void corruptionIsFoundByTheIcrc() {
        for (int ports = 0; ports < 2; ports++) {
            ToyDatagramPair pair = pair(
                    DatagramOptions.CALM,
                    PortOptions.builder().randomIdentification(ports == 1).build());
            int[] bit = {0};
            pair.datagrams().rule(datagram -> DatagramFate.flip(bit[0]++));
            inject(pair, 8 * 20);
            pair.simulator.runFor(SECOND);
            assertThat(pair.there().count(DatagramFault.CORRUPTED)).isEqualTo(8 * 20);
            assertThat(pair.there().arrived()).isEqualTo(8);
            assertThat(pair.there().count(DatagramFault.BAD_ICRC)).isEqualTo(8 * 20 - 8);
        }
        ToyDatagramPair random = pair(DatagramOptions.builder().corruption(200).build());
        inject(random, 2000);
        random.simulator.runFor(SECOND);
        assertThat(random.there().count(DatagramFault.CORRUPTED)).isBetween(300L, 500L);
        assertThat(random.there().count(DatagramFault.BAD_ICRC)).isBetween(250L, 500L);
    }

    @Test
    void bandwidthHoldsDatagramsUpAndTheQueueDropsItsTail() {
        // 48 bytes each with IPv4 and UDP, so one in 48 microseconds
        ToyDatagramPair pair =
                pair(DatagramOptions.builder().bandwidth(1_000_000, 480).build());
        inject(pair, 100);
        pair.simulator.runFor(9 * 48_000 + 10_000 - 1);
        assertThat(pair.there().arrived()).isEqualTo(8);
        pair.simulator.runFor(1);
        assertThat(pair.there().arrived()).isEqualTo(9);
        pair.simulator.runFor(SECOND);
        assertThat(pair.there().arrived()).isEqualTo(10);
        assertThat(pair.there().count(DatagramFault.QUEUE_FULL)).isEqualTo(90);
        assertThat(pair.there().count(DatagramFault.MARKED)).isZero();
    }

    @Test
    void deepQueueMarks() {
        ToyDatagramPair pair = pair(DatagramOptions.builder()
                .bandwidth(1_000_000, 100_000)
                .markAbove(480)
                .build());
        inject(pair, 100);
        pair.simulator.runFor(SECOND);
        // the first eleven find at most 480 bytes before them
        assertThat(pair.there().count(DatagramFault.MARKED)).isEqualTo(89);
        assertThat(pair.there().arrived()).isEqualTo(100);
    }

    @Test
    void longDatagramsVanish() {
        ToyDatagramPair path = pair(DatagramOptions.builder().mtuBytes(200).build());
        path.send(path.left, 1000);
        path.simulator.runFor(SECOND);
        assertThat(path.there().count(DatagramFault.TOO_LONG)).isGreaterThan(1000);
        assertThat(path.once.waiting()).isEqualTo(2);
        // 28 bytes of IP and UDP, 12 of BTH, 256 of payload, 4 of ICRC
        ToyDatagramPair fits = pair(DatagramOptions.builder().mtuBytes(300).build());
        fits.send(fits.left, 1000);
        fits.finish(SECOND);
        ToyDatagramPair tooLong = pair(DatagramOptions.builder().mtuBytes(299).build());
        tooLong.send(tooLong.left, 1000);
        tooLong.simulator.runFor(SECOND);
        assertThat(tooLong.there().count(DatagramFault.TOO_LONG)).isPositive();
    }

    @Test
    void burstBeyondTheReceiveBufferIsDropped() {
        ToyDatagramPair pair = pair(
                DatagramOptions.CALM,
                PortOptions.builder()
                        .receiveBufferBytes(400)
                        .reading(100_000, 1)
                        .build());
        inject(pair, 100);
        pair.simulator.runFor(SECOND);
        assertThat(pair.there().arrived()).isEqualTo(20);
        assertThat(pair.there().count(DatagramFault.BUFFER_FULL)).isEqualTo(80);
    }

    @Test
    void nothingCrossesAPartitionAndAllIsWellAfterIt() {
        long from = 1_500_000_000L;
        ToyDatagramPair pair =
                pair(DatagramOptions.builder().partition(from, from + SECOND).build());
        pair.send(pair.left, 1000);
        pair.finish(SECOND / 4);
        pair.simulator.runFor(SECOND);
        pair.send(pair.left, 1000);
        pair.simulator.runFor(SECOND / 5);
        assertThat(pair.once.waiting()).isEqualTo(2);
        assertThat(pair.there().count(DatagramFault.PARTITIONED)).isPositive();
        pair.finish(SECOND);
    }

    @Test
    void ruleDropsTheThirdWriteLast() {
        ToyDatagramPair pair = new ToyDatagramPair(1);
        List<Datagram> dropped = new ArrayList<>();
        pair.datagrams()
                .rule(DatagramRule.nth(
                        3,
                        datagram -> {
                            boolean is = datagram.opcode() == IbOpcode.RDMA_WRITE_LAST;
                            if (is) {
                                dropped.add(datagram);
                            }
                            return is;
                        },
                        DatagramFate.DROP));
        for (int i = 0; i < 5; i++) {
            pair.write(pair.left, 300);
        }
        pair.finish(SECOND);
        assertThat(pair.there().count(DatagramFault.DROPPED_BY_RULE)).isEqualTo(1);
        // the third one, and what comes behind it again
        assertThat(dropped).hasSize(5 + 3);
        assertThat(dropped.get(5).psn()).isEqualTo(dropped.get(2).psn());
        assertThat(dropped.get(2).destQp()).isEqualTo(pair.right.queuePair.qpNum());
        assertThat(dropped.get(2).length()).isEqualTo(Bth.LENGTH + 44 + 4);
        assertThat(dropped.get(2).from()).isEqualTo(pair.left.host.address());
        assertThat(dropped.get(2).number()).isEqualTo(5);
        assertThat(dropped.get(2)).asString().contains("10.0.0.1>10.0.0.2 5: RC_RDMA_WRITE_LAST qp 0x");
    }

    @Test
    void everyFateOfARule() {
        assertThat(fate(DatagramFate.ORDINARY, DatagramOptions.CALM)).isEqualTo("[0, 1, 2] ");
        assertThat(fate(DatagramFate.DROP, DatagramOptions.CALM)).isEqualTo("[0, 2] [DROPPED_BY_RULE]");
        assertThat(fate(DatagramFate.DUPLICATE, DatagramOptions.CALM)).isEqualTo("[0, 1, 1, 2] [DUPLICATED]");
        assertThat(fate(DatagramFate.delay(20), DatagramOptions.CALM)).isEqualTo("[0, 2, 1] [REORDERED]");
        assertThat(fate(DatagramFate.flip(7), DatagramOptions.CALM)).isEqualTo("[0, 2] [CORRUPTED, BAD_ICRC]");
        assertThat(fate(DatagramFate.flip(160), DatagramOptions.CALM)).isEqualTo("[0, 1, 2] ");
        assertThat(fate(DatagramFate.MARK, DatagramOptions.CALM)).isEqualTo("[0, 1, 2] [MARKED]");
        DatagramOptions lossy = DatagramOptions.builder().loss(1000).build();
        assertThat(fate(DatagramFate.SPARED, lossy)).isEqualTo("[1] [LOST]");
    }

    private static String fate(DatagramFate fate, DatagramOptions options) {
        ToyDatagramPair pair = pair(options);
        pair.datagrams().rule(DatagramRule.nth(2, datagram -> true, fate));
        inject(pair, 3);
        pair.simulator.runFor(SECOND);
        List<DatagramFault> faults = new ArrayList<>();
        for (DatagramFault fault : DatagramFault.values()) {
            if (pair.there().count(fault) > 0) {
                faults.add(fault);
            }
        }
        return order(pair) + " " + (faults.isEmpty() ? "" : faults);
    }

    @Test
    void rulesAreCombined() {
        ToyDatagramPair pair = new ToyDatagramPair(1);
        pair.datagrams()
                .rule(DatagramRule.nth(2, datagram -> true, DatagramFate.DROP)
                        .and(DatagramRule.nth(4, datagram -> true, DatagramFate.DROP))
                        .and(DatagramRule.all(datagram -> datagram.number() == 0, DatagramFate.DUPLICATE)));
        inject(pair, 5);
        pair.simulator.runFor(SECOND);
        assertThat(order(pair)).containsExactly(0L, 0L, 2L, 4L);
    }

    @Test
    void forgedAndOddDatagramsComeAsFarAsTheyDeserve() {
        ToyDatagramPair pair = new ToyDatagramPair(1);
        InetAddress stranger = InetAddress.ofLiteral("10.7.7.7");
        DatagramNetwork network = pair.datagrams();
        InetAddress to = pair.right.host.address();
        network.inject(stranger, to, new byte[0], true);
        network.inject(stranger, to, new byte[15], true);
        network.inject(stranger, to, new byte[18], true);
        network.inject(stranger, to, new byte[20], false);
        network.inject(stranger, to, new byte[20], true);
        network.inject(to, stranger, new byte[20], true);
        pair.simulator.runFor(SECOND);
        DatagramLink link = network.link(stranger, to);
        assertThat(link.count(DatagramFault.BAD_LENGTH)).isEqualTo(3);
        assertThat(link.count(DatagramFault.BAD_ICRC)).isEqualTo(1);
        assertThat(link.arrived()).isEqualTo(1);
        assertThat(network.link(to, stranger).count(DatagramFault.NO_PORT)).isEqualTo(1);
    }

    @Test
    void optionsOutOfRangeAreNamed() {
        assertThatThrownBy(() -> DatagramOptions.builder().loss(1001).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("lossPerMille is 1001; allowed is 0..1000");
        assertThatThrownBy(() -> DatagramOptions.builder().latencyNs(5, 4).build())
                .hasMessageContaining("maxLatencyNs is 4");
        assertThatThrownBy(() -> PortOptions.builder().interfaceMtu(1).build())
                .hasMessageContaining("interfaceMtu is 1");
        DatagramOptions wild = DatagramOptions.builder()
                .latencyNs(1, 2)
                .loss(3)
                .duplicates(4, 5)
                .reordering(6, 7)
                .corruption(8)
                .bandwidth(9, 10)
                .markAbove(11)
                .mtuBytes(1200)
                .partition(13, 14)
                .build();
        assertThat(wild.toBuilder().build()).isEqualTo(wild);
        assertThat(wild.calmed())
                .isEqualTo(
                        DatagramOptions.builder().latencyNs(1, 2).mtuBytes(1200).build());
        PortOptions ports = PortOptions.builder()
                .interfaceMtu(1000)
                .receiveBufferBytes(2)
                .reading(3, 4)
                .maxSegments(5)
                .sink(6, 7)
                .refusals(8)
                .pollBytes(9)
                .randomIdentification(true)
                .build();
        assertThat(ports.toBuilder().build()).isEqualTo(ports);
    }
}
