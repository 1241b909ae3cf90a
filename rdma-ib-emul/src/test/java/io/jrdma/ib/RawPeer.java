package io.jrdma.ib;

import io.jrdma.ib.TestNetwork.Sent;
import io.jrdma.ib.TestNode.Link;
import io.jrdma.testkit.engine.TestClock;
import io.jrdma.verbs.Access;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.QueuePairOptions;
import io.jrdma.verbs.spi.Engine;
import io.jrdma.wire.ib.Aeth;
import io.jrdma.wire.ib.IbOpcode;
import io.jrdma.wire.ib.RoceV2Packet;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A device whose peer is the test: packets are built by hand, and what the device sends is looked at. Its queue pair is 0x100, the peer's 0x200. */
final class RawPeer {
    static final int QP = 0x100;
    static final int PEER_QP = 0x200;
    /** The source id of the connected peer. */
    static final int SOURCE = 1;

    final TestClock clock = new TestClock();
    final TestNetwork network = new TestNetwork(clock, 1);
    final TestNode node;

    RawPeer() {
        this(TestNode.options());
    }

    RawPeer(QueuePairOptions options) {
        node = new TestNode(network, options, 1, 1 << 20);
        network.record = true;
        network.rule = packet -> true;
    }

    RawPeer connect() {
        return connect(Link.DEFAULT);
    }

    /** Connects to PSN 0 of the peer's. */
    RawPeer connect(Link link) {
        return connect(link, 0, TestNode.RIGHTS);
    }

    RawPeer connect(Link link, int peerPsn, Set<Access> access) {
        TestNode.toInit(node.qp, access);
        TestNode.toRtr(node.qp, TestNode.addressOf(SOURCE), PEER_QP, peerPsn, link);
        TestNode.toRts(node.qp, link);
        return this;
    }

    QpState state() {
        return node.qp.state();
    }

    /** Hands in packets as one burst, and lets the device answer. */
    RawPeer in(PacketBuilder... packets) {
        return inFrom(SOURCE, packets);
    }

    RawPeer inFrom(int source, PacketBuilder... packets) {
        for (PacketBuilder packet : packets) {
            byte[] bytes = packet.build();
            node.device.onPacket(source, MemorySegment.ofArray(bytes), 0, bytes.length, 0, clock.nowNs());
        }
        poll();
        return this;
    }

    void poll() {
        while (node.poll()) {
            // until there is nothing more
        }
    }

    /** Time goes by; what is due happens. */
    void advance(long ns) {
        long end = clock.nowNs() + ns;
        while (node.device.nextDeadlineNs() != Engine.NO_DEADLINE && node.device.nextDeadlineNs() - end <= 0) {
            clock.advanceTo(node.device.nextDeadlineNs());
            node.device.onTimeout(clock.nowNs());
            poll();
        }
        clock.advanceTo(end);
        node.device.onTimeout(end);
        poll();
    }

    /** What was sent since the last call. */
    List<Sent> out() {
        poll();
        List<Sent> sent = new ArrayList<>(network.sent);
        network.sent.clear();
        return sent;
    }

    /** What was sent since the last call, as text: opcode, PSN, and syndrome and MSN or payload bytes; A for a wanted ACK. */
    List<String> outText() {
        return out().stream().map(RawPeer::text).toList();
    }

    static String text(Sent packet) {
        int opcode = packet.opcode();
        StringBuilder text =
                new StringBuilder(IbOpcode.name(opcode)).append(' ').append(packet.psn());
        if (IbOpcode.hasAeth(opcode)) {
            long at = IbOpcode.aethAt(opcode);
            text.append(" %02x/%d".formatted(Aeth.syndrome(packet.segment(), at), Aeth.aethMsn(packet.segment(), at)));
        }
        if (IbOpcode.hasPayload(opcode)) {
            text.append(" [")
                    .append(RoceV2Packet.payloadBytes(packet.segment(), 0, packet.bytes().length))
                    .append(']');
        }
        return text.append(packet.ackRequest() ? " A" : "").toString();
    }
}
