package io.jrdma.ib;

import static io.jrdma.ib.PacketBuilder.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.jrdma.ib.TestNode.Link;
import io.jrdma.verbs.QpState;
import io.jrdma.verbs.RecvWr;
import io.jrdma.verbs.SendWr;
import io.jrdma.verbs.WrOpcode;
import io.jrdma.verbs.queue.QueuePairCore;
import io.jrdma.wire.ib.Bth;
import io.jrdma.wire.ib.IbMalformed;
import io.jrdma.wire.ib.IbOpcode;
import io.jrdma.wire.ib.RoceV2Packet;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Packets of any form and content, from the peer and from others: nothing is thrown, nothing outside of the registered memory is touched,
 * strangers get no answer and change nothing.
 */
class HostilePacketsTest {
    private static final int GUARD = 4096;

    @Test
    void everyOpcodeLengthAndPadOfABadPacketIsDroppedAndCounted() {
        RawPeer peer = new RawPeer().connect();
        byte[] packet = new byte[120];
        MemorySegment segment = MemorySegment.ofArray(packet);
        long malformed = 0;
        for (int length = 0; length <= 120; length++) {
            for (int opcode = 0; opcode < 256; opcode++) {
                int pad = opcode + length & 3;
                // of another QP, so that good ones among them do no harm
                Bth.put(segment, 0, opcode, 0, pad, Bth.DEFAULT_P_KEY, 0x999, 0);
                if (RoceV2Packet.check(segment, 0, length) != IbMalformed.OK) {
                    malformed++;
                }
                peer.node.device.onPacket(RawPeer.SOURCE, segment, 0, length, 0, peer.clock.nowNs());
            }
        }
        IbCounters counters = peer.node.device.counters();
        long counted = 0;
        for (int code = 1; code < IbMalformed.COUNT; code++) {
            counted += counters.value(IbCounters.ofMalformed(code));
        }
        assertThat(counted).isEqualTo(malformed);
        assertThat(counters.value(IbCounters.UNKNOWN_QP)).isEqualTo(121 * 256 - malformed);
        assertThat(peer.out()).isEmpty();
        assertThat(peer.state()).isEqualTo(QpState.RTS);
    }

    @Test
    void strangersChangeNothingAndGetNoAnswer() {
        RawPeer peer = new RawPeer().connect();
        peer.node.postReceive(1, GUARD, 4000);
        SplittableRandom random = new SplittableRandom(7);
        byte[] before = peer.node.bytes(0, 1 << 16);
        for (int i = 0; i < 20_000; i++) {
            byte[] packet = random(random, peer.node, peer.node.key, 0x100);
            peer.node.device.onPacket(2, MemorySegment.ofArray(packet), 0, packet.length, 0, peer.clock.nowNs());
        }
        assertThat(peer.out()).isEmpty();
        assertThat(peer.state()).isEqualTo(QpState.RTS);
        assertThat(peer.node.bytes(0, 1 << 16)).isEqualTo(before);
        assertThat(peer.node.receiveCompletions()).isEmpty();
    }

    @Test
    void aPeerMayAtWorstLoseItsOwnConnection() {
        SplittableRandom random = new SplittableRandom(11);
        RawPeer peer = new RawPeer();
        TestNode node = peer.node;
        // only the middle of the memory is registered for the peer
        node.table.deregister(node.key);
        int key = node.table.register(TestNode.PD, node.memory.asSlice(GUARD, (1 << 20) - 2 * GUARD), TestNode.ALL);
        int failed = 0;
        for (int connection = 0; connection < 400; connection++) {
            int number = 0x1000 + connection;
            QueuePairCore core = node.newQueuePair(TestNode.options(), number);
            TestNode.toInit(core);
            TestNode.toRtr(core, TestNode.addressOf(RawPeer.SOURCE), RawPeer.PEER_QP, 0, Link.DEFAULT);
            TestNode.toRts(core, Link.DEFAULT);
            for (int i = 0; i < 3; i++) {
                core.postReceive(new RecvWr().addSge(node.address(GUARD), 3000, key));
                core.postSend(new SendWr()
                        .opcode(i == 1 ? WrOpcode.RDMA_READ : WrOpcode.SEND)
                        .addSge(node.address(GUARD), 3000, key));
            }
            peer.poll();
            for (int i = 0; i < 60 && core.state() == QpState.RTS; i++) {
                byte[] packet = random(random, node, key, number);
                node.device.onPacket(
                        RawPeer.SOURCE, MemorySegment.ofArray(packet), 0, packet.length, 0, peer.clock.nowNs());
                if (random.nextInt(4) == 0) {
                    peer.poll();
                }
                if (random.nextInt(8) == 0) {
                    peer.advance(random.nextLong(5_000_000));
                }
            }
            peer.poll();
            if (core.state() == QpState.ERROR) {
                failed++;
            }
            peer.network.sent.clear();
            core.destroy();
        }
        assertThat(failed).isGreaterThan(100);
        assertThat(node.bytes(0, GUARD)).containsOnly(0);
        assertThat(node.bytes((1 << 20) - GUARD, GUARD)).containsOnly(0);
        assertThat(node.device.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
        assertThat(node.pins).isZero();
    }

    /** Right in form, more or less near to what the queue pair expects in content. */
    private static byte[] random(SplittableRandom random, TestNode node, int goodKey, int qpNum) {
        int opcode;
        do {
            opcode = random.nextInt(8) == 0
                    ? random.nextInt(256)
                    : random.nextInt(IbOpcode.SEND_ONLY_WITH_INVALIDATE + 1);
        } while (!IbOpcode.isKnown(opcode));
        int length = switch (random.nextInt(3)) {
            case 0 -> 1024;
            case 1 -> random.nextInt(16);
            default -> random.nextInt(1100);
        };
        int psn = random.nextInt(3) == 0 ? random.nextInt(1 << 24) : random.nextInt(8);
        PacketBuilder builder = PacketBuilder.packet(opcode, psn, bytes(IbOpcode.hasPayload(opcode) ? length : 0))
                .destQp(qpNum)
                .flags(random.nextBoolean() ? Bth.ACK_REQUEST : Bth.SOLICITED);
        int key = random.nextInt(4) == 0 ? random.nextInt() : goodKey;
        long address = switch (random.nextInt(3)) {
            case 0 -> random.nextLong();
            case 1 -> node.address(random.nextInt(1 << 20) & -8);
            default -> node.address(GUARD);
        };
        if (IbOpcode.hasReth(opcode)) {
            builder.reth(address, key, random.nextInt(3) == 0 ? random.nextLong(1L << 32) : length);
        } else if (IbOpcode.isAtomic(opcode)) {
            builder.atomic(address, key, random.nextLong(), random.nextLong());
        } else if (IbOpcode.hasAeth(opcode)) {
            builder.aeth(random.nextBoolean() ? 0x1F : random.nextInt(256), random.nextInt(1 << 24));
        }
        return builder.build();
    }
}
