package io.jrdma.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.MpaOptions;
import io.jrdma.wire.Malformed;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class IwarpCountersTest {
    @Test
    void eachCounterHasItsName() {
        Set<String> names = new HashSet<>();
        for (int i = 0; i < IwarpCounters.COUNT; i++) {
            names.add(IwarpCounters.name(i));
        }
        assertThat(names).hasSize(IwarpCounters.COUNT).doesNotContainNull();
        assertThat(IwarpCounters.name(IwarpCounters.ofMalformed(Malformed.MPA_CRC_MISMATCH)))
                .isEqualTo("MPA_CRC_MISMATCH");
    }

    @Test
    void theyCountWhatHappens() {
        IwarpPair pair = new IwarpPair().connect();
        pair.right.postReceive(1, 0, 8);
        pair.left.postSend(1, 0, 8);
        pair.run();
        IwarpCounters left = pair.left.device.counters();
        IwarpCounters right = pair.right.device.counters();
        assertThat(left.value(IwarpCounters.ESTABLISHED)).isEqualTo(1);
        assertThat(left.value(IwarpCounters.FPDUS_SENT)).isEqualTo(1);
        assertThat(right.value(IwarpCounters.FPDUS_RECEIVED)).isEqualTo(1);
        assertThat(left.value(IwarpCounters.BYTES_SENT))
                .isEqualTo(right.value(IwarpCounters.BYTES_RECEIVED))
                .isEqualTo(32);
        pair.advance(20_000_000);
        assertThat(left.value(IwarpCounters.NUDGES_SENT)).isEqualTo(1);
        pair.left.postSend(2, 0, 8);
        pair.run();
        assertThat(right.value(IwarpCounters.TERMINATES_SENT)).isEqualTo(1);
        assertThat(left.value(IwarpCounters.TERMINATES_RECEIVED)).isEqualTo(1);
    }

    @Test
    void everyDropHasOne() {
        RawPeer peer = RawPeer.established(new RawPeer(), true);
        peer.in(Frames.spoilt(Frames.write(0, 0)));
        peer.run();
        assertThat(value(peer, Malformed.MPA_CRC_MISMATCH)).isEqualTo(1);
        RawPeer opcode = RawPeer.established();
        opcode.in(Frames.fpdu((byte) 0xC1, (byte) 0x4F));
        assertThat(value(opcode, Malformed.RDMAP_OPCODE_UNKNOWN)).isEqualTo(1);
        RawPeer key = new RawPeer().listen(MpaOptions.RECOMMENDED);
        key.in(new byte[] {'G'});
        assertThat(value(key, Malformed.MPA_KEY_INVALID)).isEqualTo(1);
        assertThat(key.node.device.counters().value(IwarpCounters.HANDSHAKES_FAILED))
                .isEqualTo(1);
    }

    private static long value(RawPeer peer, int malformed) {
        return peer.node.device.counters().value(IwarpCounters.ofMalformed(malformed));
    }
}
