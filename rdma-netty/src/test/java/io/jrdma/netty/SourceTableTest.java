package io.jrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.netty.UdpCounters.Counter;
import io.jrdma.verbs.VerbsException;
import io.jrdma.wire.ib.IcrcPath;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Who is remembered, for how long, and under which number. */
class SourceTableTest {
    private static final InetAddress LOCAL = UdpRig.address("10.0.0.1");

    private final UdpCounters counters = new UdpCounters();
    private final SourceTable table = new SourceTable(LOCAL, 4791, 4791, 7, counters);

    private static InetAddress v4(int number) {
        return UdpRig.address("10." + (number >>> 16 & 0xFF) + "." + (number >>> 8 & 0xFF) + "." + (number & 0xFF));
    }

    private int hear(InetAddress address) {
        return table.heardFrom(SourceTable.high(address), SourceTable.low(address), SourceTable.scope(address));
    }

    @Test
    void anAddressKeepsItsId() {
        int one = hear(v4(1));
        int other = hear(v4(2));
        assertThat(other).isNotEqualTo(one);
        assertThat(hear(v4(1))).isEqualTo(one);
        assertThat(table.hold(v4(1))).isEqualTo(one);
        assertThat(table.address(one)).isEqualTo(v4(1));
        assertThat(table.destination(one)).isEqualTo(new InetSocketAddress(v4(1), 4791));
    }

    @Test
    void aFloodOfSendersLeavesThoseWhoAreHeldAndTheLatest() {
        int held = table.hold(v4(7));
        int heardOften = hear(v4(8));
        for (int i = 1000; i < 11_000; i++) {
            hear(v4(i));
            assertThat(hear(v4(8))).isEqualTo(heardOften);
        }
        assertThat(table.known()).isEqualTo(SourceTable.MAX_UNHELD + 1);
        assertThat(counters.get(Counter.SOURCES_EVICTED)).isEqualTo(10_001 - SourceTable.MAX_UNHELD);
        assertThat(table.address(held)).isEqualTo(v4(7));
        assertThat(table.knows(v4(7))).isTrue();
        assertThat(table.knows(v4(1000))).isFalse();
        assertThat(table.knows(v4(10_999))).isTrue();
        assertThat(table.knows(v4(11_000 - SourceTable.MAX_UNHELD + 1))).isTrue();
        assertThat(table.knows(v4(11_000 - SourceTable.MAX_UNHELD))).isFalse();
    }

    @Test
    void holdsAreCounted() {
        int id = table.hold(v4(1));
        table.hold(v4(1));
        table.release(id);
        for (int i = 1000; i < 3_000; i++) {
            hear(v4(i));
        }
        assertThat(table.knows(v4(1))).isTrue();
        table.release(id);
        for (int i = 3_000; i < 5_000; i++) {
            hear(v4(i));
        }
        assertThat(table.knows(v4(1))).isFalse();
    }

    @Test
    void manyWhoAreReleasedDoNotStay() {
        List<Integer> ids = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            ids.add(table.hold(v4(i)));
        }
        assertThat(ids).doesNotHaveDuplicates();
        assertThat(table.known()).isEqualTo(5_000);
        ids.forEach(table::release);
        assertThat(table.known()).isEqualTo(SourceTable.MAX_UNHELD);
        // and their places are used again
        for (int i = 0; i < 5_000; i++) {
            assertThat(table.hold(v4(10_000 + i))).isLessThan(5_000 + SourceTable.MAX_UNHELD);
        }
    }

    @Test
    void anIdThatDoesNotExistIsRefused() {
        hear(v4(1));
        for (int id : new int[] {-1, 1, 1_000_000}) {
            assertThatThrownBy(() -> table.address(id)).isInstanceOf(VerbsException.class);
        }
    }

    @Test
    void aSocketAddressGoesOutAndComesBack() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(SourceTable.SOCKADDR_BYTES);
            int id = table.hold(v4(0x123456));
            assertThat(table.putSockaddr(id, memory, 0)).isEqualTo(16);
            assertThat(table.heardFrom(memory, 0)).isEqualTo(id);
            assertThat(SourceTable.port(memory, 0)).isEqualTo(4791);

            SourceTable six = new SourceTable(UdpRig.address("fd00::1"), 1, 2, 3, counters);
            assertThat(six.heardFrom(memory, 0)).isEqualTo(-1);
            for (String text : new String[] {"fd00::2", "::1", "2001:db8:1:2:3:4:5:6", "::2:0:0:1"}) {
                int sixth = six.hold(UdpRig.address(text));
                assertThat(six.putSockaddr(sixth, memory, 0)).isEqualTo(28);
                assertThat(six.heardFrom(memory, 0)).isEqualTo(sixth);
                assertThat(SourceTable.port(memory, 0)).isEqualTo(2);
                assertThat(six.address(sixth)).isEqualTo(UdpRig.address(text));
            }
            assertThat(table.heardFrom(memory, 0)).isEqualTo(-1);
            assertThat(six.known()).isEqualTo(4);
        }
    }

    @Test
    void everyPortOfASenderHasItsOwnIcrcPathAndTheUsualOnesAreKept() {
        int id = table.hold(v4(1));
        Map<Integer, IcrcPath> first = new HashMap<>();
        for (int port = 0xC000; port < 0xC000 + 200; port++) {
            first.put(port, table.incoming(id, port));
        }
        assertThat(new LinkedHashSet<>(first.values())).hasSize(200);
        first.forEach((port, path) -> assertThat(table.incoming(id, port)).isSameAs(path));
        assertThat(table.incoming(id, 0)).isSameAs(table.incoming(id, 0));
        assertThat(table.outgoing(id)).isSameAs(table.outgoing(id));
    }

    @Test
    void anIdThatIsUsedAgainForgetsThePeerBefore() {
        int id = hear(v4(1));
        IcrcPath incoming = table.incoming(id, 5);
        IcrcPath outgoing = table.outgoing(id);
        for (int i = 0; i < SourceTable.MAX_UNHELD; i++) {
            hear(v4(100 + i));
        }
        InetAddress next = v4(99 + SourceTable.MAX_UNHELD);
        assertThat(hear(next)).isEqualTo(id);
        assertThat(table.address(id)).isEqualTo(next);
        assertThat(table.incoming(id, 5)).isNotSameAs(incoming);
        assertThat(table.outgoing(id)).isNotSameAs(outgoing);
    }

    /** Against a plain map: what is held is always found under its id. */
    @Test
    void whateverIsHeldReleasedAndHeardOfIdsThatAreHeldStay() {
        Random random = new Random(42);
        Map<InetAddress, Integer> ids = new HashMap<>();
        Map<InetAddress, Integer> holds = new HashMap<>();
        for (int step = 0; step < 100_000; step++) {
            InetAddress address = v4(random.nextInt(4_000));
            switch (random.nextInt(4)) {
                case 0 -> {
                    int id = table.hold(address);
                    if (holds.merge(address, 1, Integer::sum) > 1) {
                        assertThat(id).isEqualTo(ids.get(address));
                    }
                    ids.put(address, id);
                }
                case 1 -> {
                    if (holds.getOrDefault(address, 0) > 0) {
                        table.release(ids.get(address));
                        holds.merge(address, -1, Integer::sum);
                    }
                }
                default -> {
                    int id = hear(address);
                    if (holds.getOrDefault(address, 0) > 0) {
                        assertThat(id).isEqualTo(ids.get(address));
                    }
                    assertThat(table.address(id)).isEqualTo(address);
                }
            }
        }
        long held = holds.values().stream().filter(count -> count > 0).count();
        assertThat(table.known()).isBetween((int) held, (int) held + SourceTable.MAX_UNHELD);
    }
}
