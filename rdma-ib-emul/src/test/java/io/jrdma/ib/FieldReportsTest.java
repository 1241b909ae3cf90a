package io.jrdma.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.ib.TestNetwork.Faults;
import io.jrdma.ib.TestNode.Link;
import io.jrdma.wire.ib.IbOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Faults that other RoCE stacks had, tried on this one. */
class FieldReportsTest {
    /** An atomic whose answer alone was lost was carried out twice, or answered with something stale. */
    @Test
    void everyAtomicCountsOnceWhateverIsLost() {
        IbPair pair = new IbPair();
        pair.network.faults = new Faults(150, 50, 50, 0);
        pair.connect(Link.DEFAULT.withTimeout(17, 7), Link.DEFAULT);
        List<Long> originals = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            pair.left.qp.postSend(pair.left.fetchAdd(i, 64 + 8 * i, 1, pair.right, 0));
            if (i % 4 == 3) {
                pair.run();
            }
        }
        assertThat(pair.left.sendCompletions()).hasSize(1000).allMatch(text -> text.contains("SUCCESS"));
        for (int i = 0; i < 1000; i++) {
            originals.add(pair.left.memory.get(ValueLayout.JAVA_LONG, 64 + 8 * i));
        }
        assertThat(pair.right.memory.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(1000);
        assertThat(originals).isSorted().doesNotHaveDuplicates().startsWith(0L).endsWith(999L);
    }

    /** Numbers were compared wrongly at the wrap; a late copy from before it was taken for something new. */
    @Test
    void aCopyFromBeforeTheWrapIsADuplicate() {
        Link link = Link.DEFAULT.withPsn(0xFF_FFF8).withMtu(256);
        IbPair pair = new IbPair().connect(link, link);
        List<TestNetwork.Sent> dropped = new ArrayList<>();
        List<byte[]> kept = new ArrayList<>();
        pair.network.rule = packet -> {
            if (packet.from() == 0 && packet.psn() == 0xFF_FFFA && kept.isEmpty()) {
                kept.add(packet.bytes());
            }
            boolean first = packet.from() == 0
                    && (packet.psn() == 0xFF_FFFF || packet.psn() == 0)
                    && dropped.stream().noneMatch(other -> other.psn() == packet.psn());
            if (first) {
                dropped.add(packet);
            }
            return first;
        };
        for (int i = 0; i < 64; i++) {
            pair.right.postReceive(i, 0, 64);
        }
        for (int i = 0; i < 64; i++) {
            pair.left.postSend(i, 0, 64);
            if (i % 4 == 0 && i >= 8) {
                pair.left.qp.postSend(pair.left.read(100 + i, 4096, 2048, pair.right, 8192));
            }
            if (i % 8 == 0) {
                pair.left.qp.postSend(pair.left.fetchAdd(200 + i, 1024, 1, pair.right, 2048));
            }
        }
        pair.run();
        assertThat(dropped).hasSize(2);
        assertThat(pair.left.sendCompletions()).hasSize(86).allMatch(text -> text.contains("SUCCESS"));
        long naks = pair.right.device.counters().value(IbCounters.SEQUENCE_NAKS_SENT);
        byte[] late = kept.get(0);
        pair.right.device.onPacket(0, MemorySegment.ofArray(late), 0, late.length, 0, pair.clock.nowNs());
        pair.run();
        assertThat(pair.right.receiveCompletions()).hasSize(64);
        assertThat(pair.right.device.counters().value(IbCounters.SEQUENCE_NAKS_SENT))
                .isEqualTo(naks);
        assertThat(pair.right.memory.get(ValueLayout.JAVA_LONG, 2048)).isEqualTo(8);
    }

    /** Only the last packet of a message is lost, every time: the receive stays posted, and the sender gets the right status. */
    @Test
    void theLastPacketNeverArrives() {
        IbPair pair = new IbPair().connect(Link.DEFAULT.withTimeout(14, 2), Link.DEFAULT);
        pair.right.postReceive(1, 0, 20_000);
        pair.network.rule = packet -> packet.opcode() == IbOpcode.SEND_LAST;
        pair.left.postSend(1, 0, 10_000);
        pair.left.postSend(2, 0, 10);
        pair.left.postSend(3, 0, 10);
        long begin = pair.clock.nowNs();
        pair.run();
        assertThat(pair.left.sendCompletions())
                .containsExactly("1 RETRY_EXC_ERR SEND 0", "2 WR_FLUSH_ERR SEND 0", "3 WR_FLUSH_ERR SEND 0");
        assertThat(pair.clock.nowNs() - begin).isBetween(200_000_000L, 1_100_000_000L);
        assertThat(pair.right.receiveCompletions()).isEmpty();
        assertThat(pair.right.qp.receiveQueue().head()).isZero();
    }

    /** More Reads than the responder agreed to were under way. */
    @Test
    void readsStayWithinWhatWasAgreed() {
        Link four = Link.DEFAULT.withMtu(4096);
        IbPair pair = new IbPair().connect(four, four);
        pair.network.faults = new Faults(20, 20, 20, 0);
        for (int i = 0; i < 64; i++) {
            pair.left.qp.postSend(pair.left.read(i, 0, 65_536, pair.right, 65_536 * (i % 8)));
        }
        pair.run();
        assertThat(pair.left.sendCompletions()).hasSize(64).allMatch(text -> text.contains("SUCCESS"));
        assertThat(pair.right.device.counters().value(IbCounters.FATAL_NAKS_SENT))
                .isZero();
    }

    /**
     * Loss must not mean collapse: 64 MiB of Writes over a path of 100 us there and back, at a loss of so many per mille, in virtual time.
     * TCP's rate by the rule of Mathis would be 42, 134 and 300 ms.
     */
    @ParameterizedTest
    @CsvSource({"0, 10", "1, 50", "10, 250", "50, 1000"})
    void lossCostsNoMoreThanItMust(int loss, int ms) {
        assertThat(timeOfWrites(loss)).isLessThan(ms * 1_000_000L);
    }

    private static long timeOfWrites(int loss) {
        Link link = Link.DEFAULT.withMtu(4096).withTimeout(17, 7);
        IbPair pair = new IbPair(5, TestNode.options(), 1 << 21).connect(link, link);
        pair.network.faults = new Faults(loss, 0, 0, 0);
        pair.network.delayNs = 50_000;
        long begin = pair.clock.nowNs();
        for (int i = 0; i < 64; i++) {
            pair.left.qp.postSend(pair.left.write(i, 0, 1 << 20, pair.right, 0));
        }
        pair.run();
        assertThat(pair.left.sendCompletions()).hasSize(64).allMatch(text -> text.contains("SUCCESS"));
        return pair.clock.nowNs() - begin;
    }
}
