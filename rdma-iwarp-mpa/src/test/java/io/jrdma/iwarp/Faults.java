package io.jrdma.iwarp;

import static io.jrdma.iwarp.Frames.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.verbs.AsyncEvent;
import io.jrdma.verbs.QpState;
import java.util.Arrays;

/** What tests of single faults have in common: the engine that is ready for them, and what every fault brings about. */
final class Faults {
    private Faults() {}

    /** An engine with two receives of 64 bytes, ready for whatever comes. */
    static RawPeer ready() {
        RawPeer peer = RawPeer.established();
        peer.node.postReceive(1, 0, 64);
        peer.node.postReceive(2, 64, 64);
        peer.node.postSend(3, 0, 1);
        return peer;
    }

    /** Feeds what is wrong and checks everything that every fault has in common. Returns the Terminate's ULPDU. */
    static byte[] fault(RawPeer peer, String code, AsyncEvent.Type type, byte[]... in) {
        // what follows the fault must not be looked at
        byte[] behind = write(peer.node.key, peer.node.address(4000), (byte) 0x77);
        peer.in(Frames.concat(Frames.concat(in), behind));
        assertThat(peer.node.bytes(4000, 1)).containsExactly(0);
        byte[] stream = peer.out();
        assertThat(Frames.terminateCodeAtEnd(stream)).isEqualTo(code);
        // sent with all CRCs off
        assertThat(Arrays.copyOfRange(stream, stream.length - 4, stream.length)).containsOnly(0);
        assertThat(peer.end.closing).isTrue();
        assertThat(peer.end.resetCalled).isFalse();
        assertThat(peer.node.qp.state()).isEqualTo(QpState.ERROR);
        assertThat(peer.node.events).hasSize(1);
        AsyncEvent event = peer.node.events.getFirst();
        assertThat(event.type()).isEqualTo(type);
        assertThat(event.qpNum()).isEqualTo(peer.node.qp.qpNum());
        String[] triple = code.split("/");
        assertThat(event.detail())
                .isEqualTo(Integer.parseInt(triple[0]) << 12
                        | Integer.parseInt(triple[1]) << 8
                        | Integer.parseInt(triple[2], 16));
        assertThat(event.text()).startsWith("Terminate " + code + " sent: ");
        assertThat(peer.log.log).endsWith("established ");
        assertThat(peer.out()).isEmpty();
        peer.gone();
        assertThat(peer.log.log).endsWith("disconnected");
        assertThat(peer.node.events).hasSize(1);
        return Frames.terminateAtEnd(stream);
    }

    /** M and D, then the length of the segment and its header. */
    static void carriesHeader(byte[] terminate, byte[] offending) {
        int header = offending[0] < 0 ? 14 : 18;
        assertThat(terminate).hasSize(18 + 6 + header);
        assertThat(terminate[20]).isEqualTo((byte) 0xC0);
        assertThat((terminate[22] & 0xFF) << 8 | terminate[23] & 0xFF).isEqualTo(offending.length);
        assertThat(Arrays.copyOfRange(terminate, 24, 24 + header)).isEqualTo(Arrays.copyOf(offending, header));
    }

    static void carriesNothing(byte[] terminate) {
        assertThat(terminate).hasSize(22);
        assertThat(terminate[20]).isZero();
    }
}
