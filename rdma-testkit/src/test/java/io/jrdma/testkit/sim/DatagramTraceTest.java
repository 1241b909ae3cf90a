package io.jrdma.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jrdma.testkit.toy.ToyDatagramPair;
import io.jrdma.wire.cm.CmMad;
import io.jrdma.wire.cm.CmRtu;
import io.jrdma.wire.ib.Bth;
import io.jrdma.wire.ib.Deth;
import io.jrdma.wire.ib.IbOpcode;
import io.jrdma.wire.ib.RoceV2Head;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A run that fails shows what its last packets were. */
class DatagramTraceTest {
    private static final long SECOND = 1_000_000_000L;

    private final ToyDatagramPair pair = new ToyDatagramPair(1);

    private List<String> trace() {
        return pair.simulator.trace().last(4096);
    }

    private void inject(byte[] packet, boolean sealed) {
        pair.datagrams().inject(pair.left.host.address(), pair.right.host.address(), packet, sealed);
        pair.simulator.runFor(SECOND);
    }

    private static byte[] acknowledgement() {
        byte[] packet = new byte[20];
        RoceV2Head.putAeth(
                MemorySegment.ofArray(packet), 0, IbOpcode.ACKNOWLEDGE, 0, 0, Bth.DEFAULT_P_KEY, 0xABC, 7, 0x1F, 3);
        return packet;
    }

    @Test
    void whatIsSentAndWhatArrives() {
        pair.send(pair.left, 1000);
        pair.finish(SECOND);
        assertThat(trace())
                .anyMatch(line -> line.matches(".* send 10\\.0\\.0\\.1>10\\.0\\.0\\.2 0 1064"
                        + " \\| RC_SEND_FIRST qp 0x\\p{XDigit}+ psn \\d+ payload 256 icrc ok and 3 more"))
                .anyMatch(line -> line.matches(".* packet 10\\.0\\.0\\.1>10\\.0\\.0\\.2 3 248"
                        + " \\| RC_SEND_LAST qp 0x\\p{XDigit}+ psn \\d+ (A )?payload 232 icrc ok id 3"))
                .anyMatch(line -> line.matches(".* send 10\\.0\\.0\\.2>10\\.0\\.0\\.1 0 20"
                        + " \\| RC_ACKNOWLEDGE qp 0x\\p{XDigit}+ psn \\d+ ACK msn 0 icrc ok"));
    }

    @Test
    void whatTheNetworkDoesToAPacket() {
        pair.datagrams().rule(datagram -> DatagramFate.DROP);
        inject(acknowledgement(), true);
        assertThat(trace())
                .anyMatch(line -> line.endsWith(
                        " dropped by rule 10.0.0.1>10.0.0.2 0 20 | RC_ACKNOWLEDGE qp 0xabc psn 7 ACK msn 3 icrc ok"));
        pair.datagrams().rule(datagram -> DatagramFate.flip(8 * 15));
        inject(acknowledgement(), true);
        assertThat(trace())
                .anyMatch(line -> line.endsWith(
                        " corrupted 10.0.0.1>10.0.0.2 1 120 | RC_ACKNOWLEDGE qp 0xabc psn 7 ACK msn 3 icrc ok"))
                .anyMatch(line -> line.contains(
                                " bad icrc 10.0.0.1>10.0.0.2 1 20 | RC_ACKNOWLEDGE qp 0xabc psn 7 ACK msn 131 icrc ")
                        && line.endsWith(" ICRC_MISMATCH"));
    }

    @Test
    void bytesThatAreNoPacket() {
        inject(new byte[] {1, 2, 3}, false);
        assertThat(trace())
                .anyMatch(line ->
                        line.endsWith(" bad length 10.0.0.1>10.0.0.2 0 3 | RoCEv2 PACKET_TOO_SHORT 3 bytes 010203"));
    }

    @Test
    void managementDatagrams() {
        byte[] packet = new byte[280];
        MemorySegment segment = MemorySegment.ofArray(packet);
        RoceV2Head.putDatagram(segment, 0, 0, 0, Bth.DEFAULT_P_KEY, Bth.QP_GSI, 5, Deth.Q_KEY_GSI, Bth.QP_GSI);
        byte[] mad = new CmMad(9, new CmRtu(1, 2)).encode();
        System.arraycopy(mad, 0, packet, 20, mad.length);
        inject(packet, true);
        assertThat(trace()).anyMatch(line -> line.endsWith(" | RTU tid 9 comm 00000001/00000002"));
    }

    @Test
    void aRuleSeesTheSameLine() {
        pair.datagrams().rule(datagram -> {
            throw new AssertionError("not this one: " + datagram);
        });
        assertThatThrownBy(() -> inject(acknowledgement(), true))
                .hasMessage("not this one: 10.0.0.1>10.0.0.2 0: RC_ACKNOWLEDGE qp 0xabc psn 7 ACK msn 3 icrc ok");
    }

    @Test
    void theFailureOfARunHasTheLines() {
        inject(acknowledgement(), true);
        pair.simulator.after(1, () -> {
            throw new IllegalStateException("planted");
        });
        assertThatThrownBy(() -> pair.simulator.runFor(SECOND))
                .isInstanceOf(SimFailure.class)
                .hasMessageContaining(" 20 | RC_ACKNOWLEDGE qp 0xabc psn 7 ACK msn 3 icrc ok");
    }
}
