package io.jrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.verbs.VerbsException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What belongs to a path, and how long there is one. */
class PathTableTest {
    private final SourceTable sources = new SourceTable(UdpRig.address("10.0.0.1"), 4791, 4791, 7, new UdpCounters());
    private final PathTable table = new PathTable(sources);

    private static InetAddress peer(int number) {
        return UdpRig.address("10.0." + (number >>> 8 & 0xFF) + "." + (number & 0xFF));
    }

    private int hear(InetAddress address) {
        return sources.heardFrom(SourceTable.high(address), SourceTable.low(address), SourceTable.scope(address));
    }

    @Test
    void pathsToOneAddressDifferInClassAndHopLimitAndShareTheSource() {
        int usual = table.pin(peer(2), 0, 64);
        int marked = table.pin(peer(2), 0x68, 64);
        int near = table.pin(peer(2), 0x68, 1);
        assertThat(List.of(usual, marked, near)).doesNotHaveDuplicates();
        assertThat(table.pin(peer(2), 0x68, 64)).isEqualTo(marked);
        assertThat(List.of(table.trafficClass(usual), table.trafficClass(marked), table.trafficClass(near)))
                .containsExactly(0, 0x68, 0x68);
        assertThat(List.of(table.hopLimit(usual), table.hopLimit(marked), table.hopLimit(near)))
                .containsExactly(64, 64, 1);
        for (int path : new int[] {usual, marked, near}) {
            assertThat(table.source(path)).isEqualTo(hear(peer(2)));
            assertThat(table.destination(path)).isEqualTo(new InetSocketAddress(peer(2), 4791));
        }
        // no other address is disturbed
        assertThat(table.source(table.pin(peer(3), 0x68, 1))).isEqualTo(hear(peer(3)));
    }

    @Test
    void pinsOfAPathAreCountedAndTheLastOneLetsTheAddressGo() {
        int usual = table.pin(peer(2), 0, 64);
        int marked = table.pin(peer(2), 0x68, 64);
        table.pin(peer(2), 0x68, 64);
        table.unpin(usual);
        table.unpin(marked);
        assertThat(table.isPinned(usual)).isFalse();
        assertThat(table.isPinned(marked)).isTrue();
        flood();
        assertThat(sources.knows(peer(2))).isTrue();
        table.unpin(marked);
        flood();
        assertThat(sources.knows(peer(2))).isFalse();
        assertThat(table.pinned()).isZero();
    }

    private void flood() {
        for (int i = 0; i <= SourceTable.MAX_UNHELD; i++) {
            hear(peer(1_000 + i));
        }
    }

    @Test
    void aPathThatIsNotPinnedIsRefused() {
        int id = table.pin(peer(2), 0, 64);
        table.unpin(id);
        for (int none : new int[] {-1, id, 1, 1_000_000}) {
            assertThat(table.isPinned(none)).isFalse();
            assertThatThrownBy(() -> table.unpin(none)).isInstanceOf(VerbsException.class);
        }
    }

    /** Against a plain map. */
    @Test
    void whateverIsPinnedAndUnpinnedPathsLeadWhereTheyLed() {
        record Way(int peer, int trafficClass) {}
        Random random = new Random(42);
        Map<Way, Integer> ids = new HashMap<>();
        Map<Way, Integer> pins = new HashMap<>();
        List<Way> pinned = new ArrayList<>();
        for (int step = 0; step < 50_000; step++) {
            if (random.nextInt(pinned.size() + 300) < 300) {
                Way way = new Way(random.nextInt(200), random.nextInt(4));
                int id = table.pin(peer(way.peer), way.trafficClass, 64);
                assertThat(ids.getOrDefault(way, id)).isEqualTo(id);
                ids.put(way, id);
                pins.merge(way, 1, Integer::sum);
                pinned.add(way);
            } else {
                Way way = pinned.remove(random.nextInt(pinned.size()));
                table.unpin(ids.get(way));
                if (pins.merge(way, -1, Integer::sum) == 0) {
                    ids.remove(way);
                    pins.remove(way);
                }
            }
            if (!pinned.isEmpty()) {
                Way way = pinned.get(random.nextInt(pinned.size()));
                int id = ids.get(way);
                assertThat(table.trafficClass(id)).isEqualTo(way.trafficClass);
                assertThat(sources.address(table.source(id))).isEqualTo(peer(way.peer));
            }
            assertThat(table.pinned()).isEqualTo(ids.size());
            hear(peer(random.nextInt(4_000)));
        }
        assertThat(ids).isNotEmpty();
    }
}
